/**
 * Ended trigger orders as a table.
 */
import { amount, lots, ticks } from '../engine/numbers/numbers.ts'
import type { TriggerRecord } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'
import { presetColumns, readPreset } from './presets.ts'

const trigger = columnKinds<TriggerRecord>()

export const triggerColumns = {
  order_id: trigger.number((one) => one.orderId),
  client_oid: trigger.text((one) => one.clientOid),
  uid: trigger.owner((one) => one.uid),
  wallet: trigger.word((one) => one.wallet),
  category: trigger.word((one) => one.category),
  instrument_id: trigger.number((one) => one.instrument),
  trigger_kind: trigger.word((one) => one.trigger),
  price_ticks: trigger.number((one) => one.price),
  price_kind: trigger.word((one) => one.by),
  execute_ticks: trigger.number((one) => one.execute),
  side: trigger.word((one) => one.side),
  book_side: trigger.word((one) => one.bookSide),
  intent: trigger.word((one) => one.intent),
  position_side: trigger.word((one) => one.positionSide),
  reduce_only: trigger.number((one) => (one.reduceOnly ? 1 : 0)),
  hold_mode: trigger.word((one) => one.holdMode),
  margin_mode: trigger.word((one) => one.marginMode),
  stp_mode: trigger.word((one) => one.stpMode),
  quantity_lots: trigger.number((one) => one.quantity),
  quote_amount_e8: trigger.money((one) => one.quoteAmount),
  base_amount_e8: trigger.money((one) => one.baseAmount),
  ...presetColumns<TriggerRecord>(),
  status: trigger.word((one) => one.status),
  failure: trigger.word((one) => one.failure),
  partner_id: trigger.number((one) => one.partner),
  executed_order_id: trigger.number((one) => one.executedOrderId),
  channel_code: trigger.text((one) => one.channelCode),
  created_at_ms: trigger.number((one) => one.createdAt),
  updated_at_ms: trigger.number((one) => one.updatedAt),
}

export function readTrigger(cells: CellsOf<typeof triggerColumns>): TriggerRecord {
  return {
    orderId: whole(cells.order_id),
    clientOid: cells.client_oid,
    uid: whole(cells.uid),
    wallet: cells.wallet,
    category: cells.category,
    instrument: whole(cells.instrument_id),
    trigger: cells.trigger_kind,
    price: ticks(whole(cells.price_ticks)),
    by: cells.price_kind,
    execute: ticks(whole(cells.execute_ticks)),
    side: cells.side,
    bookSide: cells.book_side,
    intent: cells.intent,
    positionSide: cells.position_side,
    reduceOnly: whole(cells.reduce_only) === 1,
    holdMode: cells.hold_mode,
    marginMode: cells.margin_mode,
    stpMode: cells.stp_mode,
    quantity: lots(whole(cells.quantity_lots)),
    quoteAmount: amount(BigInt(cells.quote_amount_e8)),
    baseAmount: amount(BigInt(cells.base_amount_e8)),
    takeProfit: readPreset(cells, 'take_profit'),
    stopLoss: readPreset(cells, 'stop_loss'),
    status: cells.status,
    failure: cells.failure,
    partner: whole(cells.partner_id),
    executedOrderId: whole(cells.executed_order_id),
    channelCode: cells.channel_code,
    createdAt: whole(cells.created_at_ms),
    updatedAt: whole(cells.updated_at_ms),
  }
}
