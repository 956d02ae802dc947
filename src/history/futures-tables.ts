/**
 * What happens to positions besides fills as tables: funding rates and payments, closed and moved positions.
 */
import { amount, lots, rate, ticks } from '../engine/numbers/numbers.ts'
import type { FundingPayment, FundingSettled, PositionClosed, PositionMoved } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

const fundingRate = columnKinds<FundingSettled>()

export const fundingRateColumns = {
  instrument_id: fundingRate.number((one) => one.instrument),
  funding_rate_e12: fundingRate.money((one) => amount(one.fundingRate)),
  mark_price_ticks: fundingRate.number((one) => one.markPrice),
  at_ms: fundingRate.number((one) => one.at),
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
  payment_id: payment.number((one) => one.id),
  uid: payment.owner((one) => one.uid),
  wallet: payment.word((one) => one.wallet),
  instrument_id: payment.number((one) => one.instrument),
  position_side: payment.word((one) => one.positionSide),
  amount_e8: payment.money((one) => one.amount),
  at_ms: payment.number((one) => one.at),
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
  position_id: position.number((one) => one.positionId),
  uid: position.owner((one) => one.uid),
  wallet: position.word((one) => one.wallet),
  instrument_id: position.number((one) => one.instrument),
  side: position.word((one) => one.side),
  hold_mode: position.word((one) => one.holdMode),
  margin_mode: position.word((one) => one.marginMode),
  leverage: position.number((one) => one.leverage),
  opened_quantity_lots: position.number((one) => one.openedQuantity),
  opened_notional_e8: position.money((one) => one.openedNotional),
  closed_notional_e8: position.money((one) => one.closedNotional),
  closed_fine_e12: position.money((one) => one.closedFine),
  realized_pnl_e8: position.money((one) => one.realizedPnl),
  funding_e8: position.money((one) => one.funding),
  open_fees_e8: position.money((one) => one.openFees),
  close_fees_e8: position.money((one) => one.closeFees),
  opened_at_ms: position.number((one) => one.openedAt),
  closed_at_ms: position.number((one) => one.closedAt),
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
  move_id: moved.number((one) => one.id),
  actor_uid: moved.owner((one) => one.actorUid),
  from_uid: moved.owner((one) => one.fromUid),
  to_uid: moved.owner((one) => one.toUid),
  category: moved.word((one) => one.category),
  instrument_id: moved.number((one) => one.instrument),
  side: moved.word((one) => one.side),
  quantity_lots: moved.number((one) => one.quantity),
  price_ticks: moved.number((one) => one.price),
  close_order_id: moved.number((one) => one.closeOrderId),
  open_order_id: moved.number((one) => one.openOrderId),
  close_exec_id: moved.number((one) => one.closeExecId),
  open_exec_id: moved.number((one) => one.openExecId),
  at_ms: moved.number((one) => one.at),
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
