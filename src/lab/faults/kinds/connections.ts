/**
 * Connections that are refused, silent, closed under a request, or die with the venue.
 *
 * Port      refuse-connections and restart close the venue's port and open it again, by real time: nothing could reach the
 *           laboratory to move a clock that stands still. Connections on which its calls came stay, and are served meanwhile
 * Restart   what the venue has acknowledged it still has; what was under way is carried out, and nobody is told
 * Half open by the venue's time: every request is taken and not answered, sockets hear nothing and are not heard. Calls of the
 *           laboratory are answered
 * Source    lab.md §4.5
 */
import { body, optional } from '../../../operator/operator.ts'
import { atRead } from '../kind.ts'
import { calls, realSpan, span } from './fields.ts'

const kept = '/_lab'
const msUsual = 10_000

export const connections = [
  atRead({
    name: 'refuse-connections',
    meaning: 'refused: the port is closed, and idle connections end ¦ –',
    point: 'venue',
    with: body({ for: optional(realSpan) }),
    over: calls,
    usual: 'any',
    begin({ given, venue }) {
      const { api } = venue.parts
      api.shut(given.for ?? msUsual)
      api.drop({ kept, idle: true })
    },
  }),
  atRead({
    name: 'restart',
    meaning: 'connections die, the venue comes back ¦ nothing acknowledged is lost',
    point: 'venue',
    with: body({ downMs: optional(realSpan) }),
    over: calls,
    usual: 'any',
    begin({ given, venue }) {
      const { api } = venue.parts
      api.shut(given.downMs ?? msUsual)
      api.drop({ kept, idle: false })
    },
  }),
  atRead({
    name: 'half-open',
    meaning: 'accepted and silent ¦ –',
    point: 'venue',
    with: body({ for: optional(span) }),
    over: calls,
    usual: 'any',
    lasts: (given) => given.for ?? msUsual,
    strike: async ({ call }) => call.lost('hang'),
    passes: () => false,
    mayOpen: () => 'silent',
  }),
  atRead({
    name: 'idle-close',
    meaning: 'a connection that was kept is closed under the request ¦ not sequenced',
    point: 'read',
    with: body({ for: optional(span) }),
    over: ['http'],
    usual: 'any',
    lasts: (given) => given.for,
    isFit: ({ asked }) => 'request' in asked && asked.request.isLater,
    strike: async ({ call }) => call.lost('rst'),
  }),
]
