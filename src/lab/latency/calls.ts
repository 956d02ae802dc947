/**
 * The calls of latency.
 *
 * Source  lab.md §4.7
 */
import { body } from '../../operator/operator.ts'
import { arrivalsBody, untilThere } from '../arrivals.ts'
import { call, type LabCall } from '../call.ts'
import { rulesBody } from './rule.ts'

export const latencyCalls: readonly LabCall[] = [
  call('GET /_lab/latency', arrivalsBody, async (sent, { venue: { ending }, latency }, _id, gone) => {
    const commands = { count: () => latency.waiting('entry'), watch: (come: () => void) => latency.watch(come) }
    await untilThere(commands, sent, [gone, ending])
    return latency.shown
  }),
  call('POST /_lab/latency', rulesBody, ({ rules }, { venue, latency }) =>
    venue.inTurn(async () => {
      await latency.set(rules)
      return latency.shown
    }),
  ),
  call('DELETE /_lab/latency', body({}), (_sent, { venue, latency }) =>
    venue.inTurn(async () => {
      await latency.set([])
      return latency.shown
    }),
  ),
]
