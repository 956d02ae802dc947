/**
 * Positions closed at once on request, and turned round.
 *
 * Close     one market order for each position, however large; closing orders that rest make way. Each is an order of its
 *           own: what one is refused, the others are not
 * Reverse   one-way mode: one order of twice the quantity · hedge mode: one that closes, then one that opens as much as that
 *           has closed. When the second is refused the first stands
 * Source    wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design.md §4.11
 */
import { closing, contractsOf, reversedSide, walletFor } from '../admission/admission.ts'
import { isFutures } from '../catalog/catalog.ts'
import type { Lots } from '../numbers/numbers.ts'
import type { ClosePositions, ReversePosition } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { positionOf, positionQuantity, type State } from '../state/state.ts'
import { placeOrder } from './place.ts'

const sides = ['long', 'short'] as const

export function closePositions(state: State, command: ClosePositions): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const wallet = walletFor(account, command.interface, command.line)
  if (typeof wallet !== 'string') return refused(wallet)
  const hedged = account.holdMode[command.line] === 'hedge_mode'
  const meant = sides.filter((side) => !hedged || (command.positionSide ?? side) === side)
  const open = state.futures
    .ofAccount(account.handle)
    .filter((one) => one.wallet === wallet && state.instrument(one.instrument).category === command.line)
    .filter((one) => command.instrument === undefined || one.instrument === command.instrument)
    .flatMap((one) => meant.flatMap((side) => (positionOf(one, side) === undefined ? [] : { exposure: one, side })))
  if (open.length === 0) return refused({ kind: 'nothing-to-reduce' })

  const positions = open.flatMap(({ exposure, side }) => {
    // What was closed before may have taken this one along.
    const lots = positionQuantity(exposure, side) as Lots
    if (lots === 0) return []
    const order = closing(state, command, exposure.instrument, side, lots)
    return { instrument: exposure.instrument, side, reply: placeOrder(state, order, 'user', { whole: true }) }
  })
  return { kind: 'positions-closed', positions }
}

export function reversePosition(state: State, command: ReversePosition): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const instrument = state.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return refused({ kind: 'instrument-unknown' })
  if (command.marginCoin !== undefined && command.marginCoin !== instrument.settle) {
    return refused({ kind: 'margin-coin-wrong' })
  }
  const wallet = walletFor(account, 'v2', instrument.category)
  if (typeof wallet !== 'string') return refused(wallet)
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const side = reversedSide(command, hedged)
  const exposure = state.futures.findOrNew(account.handle, wallet, instrument)
  const position = positionOf(exposure, side)
  if (position === undefined) return refused({ kind: 'nothing-to-reduce' })
  const { quantity } = command
  if (quantity?.unit === 'quote') return refused({ kind: 'quantity-unit-unsuitable' })
  const lots =
    quantity === undefined
      ? position.quantity
      : quantity.unit === 'lots'
        ? quantity.lots
        : contractsOf(instrument, position, quantity.amount)
  if (lots > position.quantity) return refused({ kind: 'insufficient-position', free: position.quantity })

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
