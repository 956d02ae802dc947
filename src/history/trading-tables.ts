/**
 * Fills, ended orders and public trades as tables: each column from the record, and the record from the columns.
 */
import { amount, lots, ticks } from '../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, TradeEvent } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'
import { presetColumns, readPreset } from './presets.ts'

const fill = columnKinds<FillEvent>()

export const fillColumns = {
  exec_id: fill.number((row) => row.execId),
  match_id: fill.number((row) => row.matchId),
  order_id: fill.number((row) => row.orderId),
  client_oid: fill.text((row) => row.clientOid),
  uid: fill.owner((row) => row.uid),
  wallet: fill.word((row) => row.wallet),
  category: fill.word((row) => row.category),
  instrument_id: fill.number((row) => row.instrument),
  side: fill.word((row) => row.side),
  book_side: fill.word((row) => row.bookSide),
  order_type: fill.word((row) => row.orderType),
  scope: fill.word((row) => row.scope),
  cause: fill.word((row) => row.cause),
  hold_mode: fill.word((row) => row.holdMode),
  effect: fill.word((row) => row.effect),
  position_side: fill.word((row) => row.positionSide),
  price_ticks: fill.number((row) => row.price),
  quantity_lots: fill.number((row) => row.quantity),
  notional_e8: fill.money((row) => row.notional),
  fee_e8: fill.money((row) => row.fee),
  fee_coin_id: fill.number((row) => row.feeCoin),
  realized_pnl_e8: fill.money((row) => row.realizedPnl),
  balance_e8: fill.money((row) => row.balance),
  paid_coin_id: fill.optional((row) => row.paidCoin),
  paid_balance_e8: fill.money((row) => row.paidBalance),
  base_e8: fill.money((row) => row.baseAmount),
  at_ms: fill.number((row) => row.at),
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
  order_id: order.number((row) => row.orderId),
  client_oid: order.text((row) => row.clientOid),
  uid: order.owner((row) => row.uid),
  wallet: order.word((row) => row.wallet),
  category: order.word((row) => row.category),
  instrument_id: order.number((row) => row.instrument),
  side: order.word((row) => row.side),
  book_side: order.word((row) => row.bookSide),
  order_type: order.word((row) => row.orderType),
  time_in_force: order.word((row) => row.timeInForce),
  price_ticks: order.number((row) => row.price),
  quantity_lots: order.number((row) => row.quantity),
  cut_lots: order.number((row) => row.cut),
  quote_amount_e8: order.money((row) => row.quoteAmount),
  base_amount_e8: order.money((row) => row.baseAmount),
  filled_lots: order.number((row) => row.filled),
  filled_notional_e8: order.money((row) => row.filledNotional),
  fee_e8: order.money((row) => row.fee),
  fee_coin_id: order.number((row) => row.feeCoin),
  realized_pnl_e8: order.money((row) => row.realizedPnl),
  status: order.word((row) => row.status),
  cancel_reason: order.word((row) => row.cancelReason),
  cause: order.word((row) => row.cause),
  intent: order.word((row) => row.intent),
  position_side: order.word((row) => row.positionSide),
  reduce_only: order.number((row) => (row.reduceOnly ? 1 : 0)),
  hold_mode: order.word((row) => row.holdMode),
  margin_mode: order.word((row) => row.marginMode),
  leverage: order.number((row) => row.leverage),
  stp_mode: order.word((row) => row.stpMode),
  loan_type: order.word((row) => row.loanType),
  ...presetColumns<OrderRecord>(),
  position_entry_e8: order.money((row) => amount(row.positionEntryE8)),
  average_price_e8: order.money((row) => amount(row.averagePriceE8)),
  channel_code: order.text((row) => row.channelCode),
  created_at_ms: order.number((row) => row.createdAt),
  updated_at_ms: order.number((row) => row.updatedAt),
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
    cut: lots(whole(cells.cut_lots)),
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
  match_id: trade.number((row) => row.matchId),
  instrument_id: trade.number((row) => row.instrument),
  price_ticks: trade.number((row) => row.price),
  quantity_lots: trade.number((row) => row.quantity),
  side: trade.word((row) => row.side),
  at_ms: trade.number((row) => row.at),
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
