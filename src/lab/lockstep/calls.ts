/**
 * The calls of lockstep: who takes part, that a client has nothing more to do, and what came of it.
 *
 * Source  lab.md §4.14
 */
import { body, field, optional, word } from '../../operator/operator.ts'
import { call, LabFile } from '../call.ts'
import { LabRefusal } from '../refusals.ts'
import { readDuration, readTime } from '../times.ts'
import { bool, name } from '../values.ts'
import type { LabShelves } from '../venues.ts'
import { pageOf } from './page.ts'
import { csvOf, reportOf, tables } from './report.ts'

const silentMsUsual = 30_000
const silentMsMax = 600_000
const silent = field(`a duration from 1 to ${silentMsMax} ms`, (value) => {
  const ms = readDuration(value)
  return ms !== undefined && ms >= 1 && ms <= silentMsMax ? ms : undefined
})

/** A time, or so much from now on. */
const until = field('a time (Unix milliseconds, or ISO 8601 with a zone), or a duration such as 1s', (value) => {
  const ms = typeof value === 'string' && /[a-z]$/.test(value) ? readDuration(value) : undefined
  if (ms !== undefined) return { from: 'now', ms } as const
  const at = readTime(value)
  return at === undefined ? undefined : ({ from: 'epoch', ms: at } as const)
})

const idleBody = body({ client: optional(name), until: optional(until) })

export const lockstepCalls = [
  call('GET /_lab/clients', body({}), (_sent, asked) => lockstepOf(asked).clients.shown),
  call(
    'POST /_lab/clients',
    body({ name, pushes: optional(bool), silent: optional(silent) }),
    ({ name: called, pushes = true, silent: silentMs = silentMsUsual }, asked) => {
      const { clients } = lockstepOf(asked)
      clients.add(called, { pushes, silentMs })
      return {
        client: called,
        now: asked.venue.parts.runtime.now(),
        clients: clients.shown.map(({ client }) => client),
      }
    },
  ),
  call('DELETE /_lab/clients/:id', body({}), (_sent, asked, id) => {
    const lockstep = lockstepOf(asked)
    lockstep.clients.remove(id)
    lockstep.look()
    return { client: id }
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    call(`${method} /_lab/idle`, idleBody, ({ client, until: wanted }, asked, _id, gone) => {
      const lockstep = lockstepOf(asked)
      const now = asked.venue.parts.runtime.now()
      const at = wanted === undefined ? undefined : wanted.from === 'now' ? now + wanted.ms : wanted.ms
      return lockstep.idle(lockstep.clients.find(client), at, gone)
    }),
  ),
  call(
    'GET /_lab/results',
    body({ format: optional(word(['json', 'csv', 'html'])), table: optional(word([...tables])) }),
    ({ format = 'json', table }, asked) => {
      const lockstep = lockstepOf(asked)
      if (table !== undefined && format !== 'csv') {
        throw new LabRefusal(400, 'body-wrong', 'table: goes with format=csv', { field: 'table' })
      }
      const report = reportOf(asked.venue, lockstep.results.collected(), lockstep.isDeterministic)
      if (format === 'csv') return new LabFile('text/csv; charset=utf-8', csvOf(report, table ?? 'fills'))
      if (format === 'html') return new LabFile('text/html; charset=utf-8', pageOf(report))
      return report
    },
  ),
]

function lockstepOf({ lockstep }: LabShelves) {
  if (lockstep !== undefined) return lockstep
  throw new LabRefusal(409, 'lockstep-off', 'the venue does not run in lockstep: start it with tidemark dev --lockstep')
}
