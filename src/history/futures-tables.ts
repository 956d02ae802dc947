/**
 * What happens to positions besides fills as tables: funding rates and payments, closed and moved positions.
 */
import { amount, lots, rate, ticks } from '../engine/numbers/numbers.ts'
import type { FundingPayment, FundingSettled, PositionClosed, PositionMoved } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

const fundingRate = columnKinds<FundingSettled>()

export const fundingRateColumns = {
  instrument_id: fundingRate.number((row) => row.instrument),
  funding_rate_e12: fundingRate.money((row) => amount(row.fundingRate)),
  mark_price_ticks: fundingRate.number((row) => row.markPrice),
  at_ms: fundingRate.number((row) => row.at),
}

export function readFundingRate(cells: CellsOf<typeof fundingRateColumns>): FundingSettled {
  return {
    kind: 'funding-settled',
    instrument: whole(cells.instrument_id),
    fundingRate: rate(BigInt(cells.funding_rate_e12)),
    markPrice: ticks(whole(cells.mark_price_ticks)),
    at: whole(cells.at_ms),
  }
}

const payment = columnKinds<FundingPayment>()

export const fundingPaymentColumns = {
  payment_id: payment.number((row) => row.id),
  uid: payment.owner((row) => row.uid),
  wallet: payment.word((row) => row.wallet),
  instrument_id: payment.number((row) => row.instrument),
  position_side: payment.word((row) => row.positionSide),
  amount_e8: payment.money((row) => row.amount),
  at_ms: payment.number((row) => row.at),
}

export function readFundingPayment(cells: CellsOf<typeof fundingPaymentColumns>): FundingPayment {
  return {
    kind: 'funding-payment',
    id: whole(cells.payment_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    instrument: whole(cells.instrument_id),
    positionSide: cells.position_side,
    amount: amount(BigInt(cells.amount_e8)),
    at: whole(cells.at_ms),
  }
}

const position = columnKinds<PositionClosed>()

export const positionColumns = {
  position_id: position.number((row) => row.positionId),
  uid: position.owner((row) => row.uid),
  wallet: position.word((row) => row.wallet),
  instrument_id: position.number((row) => row.instrument),
  side: position.word((row) => row.side),
  hold_mode: position.word((row) => row.holdMode),
  margin_mode: position.word((row) => row.marginMode),
  leverage: position.number((row) => row.leverage),
  opened_quantity_lots: position.number((row) => row.openedQuantity),
  opened_notional_e8: position.money((row) => row.openedNotional),
  closed_notional_e8: position.money((row) => row.closedNotional),
  closed_fine_e12: position.money((row) => row.closedFine),
  realized_pnl_e8: position.money((row) => row.realizedPnl),
  funding_e8: position.money((row) => row.funding),
  open_fees_e8: position.money((row) => row.openFees),
  close_fees_e8: position.money((row) => row.closeFees),
  opened_at_ms: position.number((row) => row.openedAt),
  closed_at_ms: position.number((row) => row.closedAt),
}

export function readPosition(cells: CellsOf<typeof positionColumns>): PositionClosed {
  return {
    kind: 'position-closed',
    positionId: whole(cells.position_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    instrument: whole(cells.instrument_id),
    side: cells.side,
    holdMode: cells.hold_mode,
    marginMode: cells.margin_mode,
    leverage: whole(cells.leverage),
    openedQuantity: lots(whole(cells.opened_quantity_lots)),
    openedNotional: amount(BigInt(cells.opened_notional_e8)),
    closedNotional: amount(BigInt(cells.closed_notional_e8)),
    closedFine: amount(BigInt(cells.closed_fine_e12)),
    realizedPnl: amount(BigInt(cells.realized_pnl_e8)),
    funding: amount(BigInt(cells.funding_e8)),
    openFees: amount(BigInt(cells.open_fees_e8)),
    closeFees: amount(BigInt(cells.close_fees_e8)),
    openedAt: whole(cells.opened_at_ms),
    closedAt: whole(cells.closed_at_ms),
  }
}

const moved = columnKinds<PositionMoved>()

export const positionMoveColumns = {
  move_id: moved.number((row) => row.id),
  actor_uid: moved.owner((row) => row.actorUid),
  from_uid: moved.owner((row) => row.fromUid),
  to_uid: moved.owner((row) => row.toUid),
  category: moved.word((row) => row.category),
  instrument_id: moved.number((row) => row.instrument),
  side: moved.word((row) => row.side),
  quantity_lots: moved.number((row) => row.quantity),
  price_ticks: moved.number((row) => row.price),
  close_order_id: moved.number((row) => row.closeOrderId),
  open_order_id: moved.number((row) => row.openOrderId),
  close_exec_id: moved.number((row) => row.closeExecId),
  open_exec_id: moved.number((row) => row.openExecId),
  at_ms: moved.number((row) => row.at),
}

export function readPositionMove(cells: CellsOf<typeof positionMoveColumns>): PositionMoved {
  return {
    kind: 'position-moved',
    id: whole(cells.move_id),
    actorUid: whole(cells.actor_uid),
    fromUid: whole(cells.from_uid),
    toUid: whole(cells.to_uid),
    category: cells.category,
    instrument: whole(cells.instrument_id),
    side: cells.side,
    quantity: lots(whole(cells.quantity_lots)),
    price: ticks(whole(cells.price_ticks)),
    closeOrderId: whole(cells.close_order_id),
    openOrderId: whole(cells.open_order_id),
    closeExecId: whole(cells.close_exec_id),
    openExecId: whole(cells.open_exec_id),
    at: whole(cells.at_ms),
  }
}
