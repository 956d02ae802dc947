/**
 * Moves a position between two accounts of a family: closed for the giver, opened for the taker, at the mark and free of
 * fees. Checked in account-rules/position-transfer.ts.
 *
 * Records   two orders and two fills with one match; no public trade
 * PnL       what the position has won or lost at the mark stays with the giver
 * Source    wire/v3-endpoints.md §3 `move-positions`; risk-engine.md §6, §11
 */
import { planMove } from '../account-rules/account-rules.ts'
import { rate } from '../numbers/numbers.ts'
import { fillForced } from '../orders/orders.ts'
import type { MovePosition } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function movePosition(state: State, command: MovePosition): Reply {
  const move = planMove(state, command)
  if ('kind' in move) return refused(move)

  const { instrument, giver, taker } = move
  const { side, quantity, fromUid, toUid } = command
  const price = state.prices.markPrice(instrument.id)
  const matchId = state.counters.match++
  const shared = { side, quantity, price, feeRate: rate(0n), cause: 'move', matchId } as const
  const closed = fillForced(state, { ...shared, exposure: giver, effect: 'close', scope: 'taker' })
  const opened = fillForced(state, { ...shared, exposure: taker, effect: 'open', scope: 'maker' })
  state.emit({
    kind: 'position-moved',
    id: matchId,
    actorUid: command.actorUid,
    fromUid,
    toUid,
    category: instrument.category,
    instrument: instrument.id,
    side,
    quantity,
    price,
    closeOrderId: closed.orderId,
    openOrderId: opened.orderId,
    closeExecId: closed.execId,
    openExecId: opened.execId,
    at: state.at,
  })
  return { kind: 'position-moved', closed: closed.orderId, opened: opened.orderId }
}
