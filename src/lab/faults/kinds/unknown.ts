/**
 * Outcomes that the client is not told: an error, and behind it whatever is said here. And orders that arrive twice.
 *
 * Filled    a house account of the laboratory takes the order at its price, and with it what stands better in the book. What the
 *           venue does not let it take stays, and the firing says so
 * Source    lab.md §4.5
 */
import type { Reply } from '../../../engine/protocol/reply.ts'
import { body, field, optional, word } from '../../../operator/operator.ts'
import { LabRefusal } from '../../refusals.ts'
import { takeOrder } from '../house.ts'
import { atCommands, type FiredAtCommands } from '../kind.ts'
import { PretendedRefusal, PretendedUnknown } from '../pretended.ts'
import { calls, span } from './fields.ts'

const reasons = { '40010': 'timed-out', '40725': 'link-failed', '45001': 'unexpected' } as const
type UnknownCode = keyof typeof reasons

const code = field<UnknownCode>(`one of ${Object.keys(reasons).join(', ')}`, (value) => {
  const named = String(value)
  return Object.hasOwn(reasons, named) ? (named as UnknownCode) : undefined
})

const lateMsUsual = 5_000

export const unknown = [
  atCommands({
    name: 'unknown',
    meaning: 'that code ¦ the order is live, filled, dead, or comes late',
    point: 'admitted',
    with: body({
      code: optional(code),
      order: optional(word(['live', 'filled', 'dead', 'late'])),
      ms: optional(span),
    }),
    over: calls,
    usual: 'place',
    commandsOnly: true,
    check({ order, ms }) {
      if (ms === undefined || order === 'late') return
      throw new LabRefusal(400, 'body-wrong', 'with.ms goes with order: late only', { field: 'with.ms' })
    },
    async strike(fired) {
      const { given, submit, submitLater } = fired
      const { code: said = '40010', order = 'live', ms = lateMsUsual } = given
      if (order === 'late') submitLater(ms).catch(() => {})
      else if (order !== 'dead') {
        const replies = await submit()
        if (order === 'filled') await fill(fired, replies)
      }
      throw new PretendedUnknown(reasons[said])
    },
  }),
  atCommands({
    name: 'not-placed',
    meaning: '40015 ¦ not sequenced',
    point: 'admitted',
    with: body({}),
    over: calls,
    usual: 'place',
    commandsOnly: true,
    strike() {
      throw new PretendedRefusal('a fault of the laboratory')
    },
  }),
  atCommands({
    name: 'duplicate-request',
    meaning: 'one answer ¦ sequenced twice, as by a retrying proxy',
    point: 'admitted',
    with: body({ gapMs: optional(span) }),
    over: calls,
    usual: 'place',
    commandsOnly: true,
    async strike({ given, submit, submitLater }) {
      const replies = await submit()
      submitLater(given.gapMs ?? 0).catch(() => {})
      return replies
    },
  }),
]

type Filling = Pick<FiredAtCommands<object>, 'venue' | 'commands' | 'note' | 'retell'>

async function fill({ venue, commands, note, retell }: Filling, replies: readonly Reply[]) {
  for (const [place, reply] of replies.entries()) {
    const command = commands[place]
    if (reply.kind !== 'placed' || reply.orderId === 0 || !('uid' in command)) continue
    const why = await takeOrder(venue, command.uid, reply.orderId)
    if (why !== undefined) note({ note: `it could not be filled: ${why}` })
  }
  retell()
}
