/**
 * Positions closed at once on request, and turned round.
 *
 * Close     one market order for each position, however large; resting closing orders make way
 * Refused   one of them does not stop the others. Those before it stand, and the resting orders of its position stay
 * Reverse   one-way mode: one order of twice the lots that are turned round. Hedge mode: one that closes, then one that
 *           opens as much as that has closed. When the first is refused, or closes nothing, there is no second. When the
 *           second is refused the first stands
 * Source    wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design.md §4.11
 */
import { admitReversal, closing, positionsToClose } from '../admission/admission.ts'
import type { Lots } from '../numbers/numbers.ts'
import type { ClosePositions, ReversePosition } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { positionQuantity, type State } from '../state/state.ts'
import { placeOrder } from './place.ts'

export function closePositions(state: State, command: ClosePositions): Reply {
  const decided = positionsToClose(state, command)
  if ('kind' in decided) return refused(decided)

  const { open } = decided
  const positions = open.flatMap(({ exposure, side }) => {
    // Closing the one before may have closed this one too.
    const lots = positionQuantity(exposure, side) as Lots
    if (lots === 0) return []
    const order = closing(state, command, exposure.instrument, side, lots)
    return { instrument: exposure.instrument, side, reply: placeOrder(state, order, 'user', { whole: true }) }
  })
  return { kind: 'positions-closed', positions }
}

export function reversePosition(state: State, command: ReversePosition): Reply {
  const decided = admitReversal(state, command)
  if ('kind' in decided) return refused(decided)

  const { instrument, hedged, side, exposure, position, lots } = decided
  const asked = { ...command, interface: 'v2' } as const
  const close = { ...closing(state, asked, instrument.id, side, lots), clientOid: command.clientOid }
  if (!hedged) {
    const order = { ...close, reduceOnly: false, quantity: { unit: 'lots', lots: (lots * 2) as Lots } } as const
    const reply = placeOrder(state, order, 'reverse')
    return reply.kind === 'placed' ? reversed(reply, undefined) : reply
  }
  const open = position.quantity
  const reply = placeOrder(state, close, 'reverse', { whole: true })
  if (reply.kind !== 'placed') return reply
  const closed = (open - positionQuantity(exposure, side)) as Lots
  if (closed === 0) return reversed(reply, undefined)
  const opposite = {
    ...close,
    side: close.side === 'buy' ? 'sell' : 'buy',
    tradeSide: 'open',
    reduceOnly: false,
    clientOid: '',
    quantity: { unit: 'lots', lots: closed },
  } as const
  return reversed(reply, placeOrder(state, opposite, 'reverse'))
}

function reversed(closed: Extract<Reply, { kind: 'placed' }>, opened: Reply | undefined): Reply {
  return { kind: 'reversed', orderId: closed.orderId, clientOid: closed.clientOid, opened }
}
