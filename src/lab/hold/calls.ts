/**
 * The calls of held commands.
 *
 * Source  lab.md §4.6
 */
import { body, field, optional, wholeNumber } from '../../operator/operator.ts'
import { arrivalsBody, untilThere } from '../arrivals.ts'
import { call, type LabCall } from '../call.ts'
import { onBody } from '../faults/selector.ts'
import { droppedAnswer } from './answers.ts'
import { releaseOrder } from './order.ts'

const id = field('an id of /_lab/pending', (value) =>
  typeof value === 'string' && /^[a-z0-9]{1,20}$/.test(value) ? value : undefined,
)

export const holdCalls: readonly LabCall[] = [
  call('GET /_lab/hold', body({}), (_sent, { hold }) => hold.shown),
  call('POST /_lab/hold', body({ on: optional(onBody) }), ({ on = {} }, { venue, hold }) =>
    venue.inTurn(async () => {
      hold.hold(on)
      return hold.shown
    }),
  ),
  call('DELETE /_lab/hold', body({}), (_sent, { venue, hold }) =>
    venue.inTurn(async () => {
      hold.hold(undefined)
      return hold.shown
    }),
  ),
  call('GET /_lab/pending', arrivalsBody, async (sent, { venue: { ending }, hold }, _id, gone) => {
    await untilThere({ count: () => hold.size, watch: (come) => hold.watch(come) }, sent, [gone, ending])
    return hold.pending
  }),
  call(
    'POST /_lab/release',
    body({ order: optional(releaseOrder), seed: optional(wholeNumber(0, 2 ** 32 - 1)) }),
    ({ order = 'arrival', seed = 0 }, { venue, hold }) => venue.inTurn(() => hold.release(order, seed)),
  ),
  call('POST /_lab/drop', body({ id, answer: droppedAnswer }), ({ id: dropped, answer }, { venue, hold }) =>
    venue.inTurn(async () => {
      hold.drop(dropped, answer)
      return { id: dropped, pending: hold.size }
    }),
  ),
]
