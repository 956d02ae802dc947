/**
 * Fills, ended orders and public trades as tables: each column from the record, and the record from the columns.
 */
import { amount, lots, ticks } from '../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, TradeEvent } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'
import { presetColumns, readPreset } from './presets.ts'

const fill = columnKinds<FillEvent>()

export const fillColumns = {
  exec_id: fill.number((one) => one.execId),
  match_id: fill.number((one) => one.matchId),
  order_id: fill.number((one) => one.orderId),
  client_oid: fill.text((one) => one.clientOid),
  uid: fill.owner((one) => one.uid),
  wallet: fill.word((one) => one.wallet),
  category: fill.word((one) => one.category),
  instrument_id: fill.number((one) => one.instrument),
  side: fill.word((one) => one.side),
  book_side: fill.word((one) => one.bookSide),
  order_type: fill.word((one) => one.orderType),
  scope: fill.word((one) => one.scope),
  cause: fill.word((one) => one.cause),
  hold_mode: fill.word((one) => one.holdMode),
  effect: fill.word((one) => one.effect),
  position_side: fill.word((one) => one.positionSide),
  price_ticks: fill.number((one) => one.price),
  quantity_lots: fill.number((one) => one.quantity),
  notional_e8: fill.money((one) => one.notional),
  fee_e8: fill.money((one) => one.fee),
  fee_coin_id: fill.number((one) => one.feeCoin),
  realized_pnl_e8: fill.money((one) => one.realizedPnl),
  balance_e8: fill.money((one) => one.balance),
  paid_coin_id: fill.optional((one) => one.paidCoin),
  paid_balance_e8: fill.money((one) => one.paidBalance),
  base_e8: fill.money((one) => one.baseAmount),
  at_ms: fill.number((one) => one.at),
}

export function readFill(cells: CellsOf<typeof fillColumns>): FillEvent {
  return {
    kind: 'fill',
    execId: whole(cells.exec_id),
    matchId: whole(cells.match_id),
    orderId: whole(cells.order_id),
    clientOid: cells.client_oid,
    uid: whole(cells.uid),
    wallet: cells.wallet,
    category: cells.category,
    instrument: whole(cells.instrument_id),
    side: cells.side,
    bookSide: cells.book_side,
    orderType: cells.order_type,
    scope: cells.scope,
    cause: cells.cause,
    holdMode: cells.hold_mode,
    effect: cells.effect,
    positionSide: cells.position_side,
    price: ticks(whole(cells.price_ticks)),
    quantity: lots(whole(cells.quantity_lots)),
    notional: amount(BigInt(cells.notional_e8)),
    fee: amount(BigInt(cells.fee_e8)),
    feeCoin: whole(cells.fee_coin_id),
    realizedPnl: amount(BigInt(cells.realized_pnl_e8)),
    balance: amount(BigInt(cells.balance_e8)),
    paidCoin: cells.paid_coin_id === null ? undefined : whole(cells.paid_coin_id),
    paidBalance: amount(BigInt(cells.paid_balance_e8)),
    baseAmount: amount(BigInt(cells.base_e8)),
    at: whole(cells.at_ms),
  }
}

const order = columnKinds<OrderRecord>()

export const orderColumns = {
  order_id: order.number((one) => one.orderId),
  client_oid: order.text((one) => one.clientOid),
  uid: order.owner((one) => one.uid),
  wallet: order.word((one) => one.wallet),
  category: order.word((one) => one.category),
  instrument_id: order.number((one) => one.instrument),
  side: order.word((one) => one.side),
  book_side: order.word((one) => one.bookSide),
  order_type: order.word((one) => one.orderType),
  time_in_force: order.word((one) => one.timeInForce),
  price_ticks: order.number((one) => one.price),
  quantity_lots: order.number((one) => one.quantity),
  quote_amount_e8: order.money((one) => one.quoteAmount),
  base_amount_e8: order.money((one) => one.baseAmount),
  filled_lots: order.number((one) => one.filled),
  filled_notional_e8: order.money((one) => one.filledNotional),
  fee_e8: order.money((one) => one.fee),
  fee_coin_id: order.number((one) => one.feeCoin),
  realized_pnl_e8: order.money((one) => one.realizedPnl),
  status: order.word((one) => one.status),
  cancel_reason: order.word((one) => one.cancelReason),
  cause: order.word((one) => one.cause),
  intent: order.word((one) => one.intent),
  position_side: order.word((one) => one.positionSide),
  reduce_only: order.number((one) => (one.reduceOnly ? 1 : 0)),
  hold_mode: order.word((one) => one.holdMode),
  margin_mode: order.word((one) => one.marginMode),
  leverage: order.number((one) => one.leverage),
  stp_mode: order.word((one) => one.stpMode),
  loan_type: order.word((one) => one.loanType),
  ...presetColumns<OrderRecord>(),
  position_entry_e8: order.money((one) => amount(one.positionEntryE8)),
  average_price_e8: order.money((one) => amount(one.averagePriceE8)),
  channel_code: order.text((one) => one.channelCode),
  created_at_ms: order.number((one) => one.createdAt),
  updated_at_ms: order.number((one) => one.updatedAt),
}

export function readOrder(cells: CellsOf<typeof orderColumns>): OrderRecord {
  return {
    orderId: whole(cells.order_id),
    clientOid: cells.client_oid,
    uid: whole(cells.uid),
    wallet: cells.wallet,
    category: cells.category,
    instrument: whole(cells.instrument_id),
    side: cells.side,
    bookSide: cells.book_side,
    orderType: cells.order_type,
    timeInForce: cells.time_in_force,
    price: ticks(whole(cells.price_ticks)),
    quantity: lots(whole(cells.quantity_lots)),
    quoteAmount: amount(BigInt(cells.quote_amount_e8)),
    baseAmount: amount(BigInt(cells.base_amount_e8)),
    filled: lots(whole(cells.filled_lots)),
    filledNotional: amount(BigInt(cells.filled_notional_e8)),
    averagePriceE8: BigInt(cells.average_price_e8),
    fee: amount(BigInt(cells.fee_e8)),
    feeCoin: whole(cells.fee_coin_id),
    realizedPnl: amount(BigInt(cells.realized_pnl_e8)),
    status: cells.status,
    cancelReason: cells.cancel_reason,
    cause: cells.cause,
    intent: cells.intent,
    positionSide: cells.position_side,
    reduceOnly: whole(cells.reduce_only) === 1,
    holdMode: cells.hold_mode,
    marginMode: cells.margin_mode,
    leverage: whole(cells.leverage),
    stpMode: cells.stp_mode,
    loanType: cells.loan_type,
    takeProfit: readPreset(cells, 'take_profit'),
    stopLoss: readPreset(cells, 'stop_loss'),
    positionEntryE8: BigInt(cells.position_entry_e8),
    channelCode: cells.channel_code,
    createdAt: whole(cells.created_at_ms),
    updatedAt: whole(cells.updated_at_ms),
  }
}

const trade = columnKinds<TradeEvent>()

export const tradeColumns = {
  match_id: trade.number((one) => one.matchId),
  instrument_id: trade.number((one) => one.instrument),
  price_ticks: trade.number((one) => one.price),
  quantity_lots: trade.number((one) => one.quantity),
  side: trade.word((one) => one.side),
  at_ms: trade.number((one) => one.at),
}

export function readTrade(cells: CellsOf<typeof tradeColumns>): TradeEvent {
  return {
    kind: 'trade',
    matchId: whole(cells.match_id),
    instrument: whole(cells.instrument_id),
    price: ticks(whole(cells.price_ticks)),
    quantity: lots(whole(cells.quantity_lots)),
    side: cells.side,
    at: whole(cells.at_ms),
  }
}
