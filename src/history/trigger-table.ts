/**
 * Ended trigger orders as a table.
 */
import { amount, lots, ticks } from '../engine/numbers/numbers.ts'
import type { TriggerRecord } from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'
import { presetColumns, readPreset } from './presets.ts'

const trigger = columnKinds<TriggerRecord>()

export const triggerColumns = {
  order_id: trigger.number((row) => row.orderId),
  client_oid: trigger.text((row) => row.clientOid),
  uid: trigger.owner((row) => row.uid),
  wallet: trigger.word((row) => row.wallet),
  category: trigger.word((row) => row.category),
  instrument_id: trigger.number((row) => row.instrument),
  trigger_kind: trigger.word((row) => row.trigger),
  price_ticks: trigger.number((row) => row.price),
  price_kind: trigger.word((row) => row.by),
  execute_ticks: trigger.number((row) => row.execute),
  side: trigger.word((row) => row.side),
  book_side: trigger.word((row) => row.bookSide),
  intent: trigger.word((row) => row.intent),
  position_side: trigger.word((row) => row.positionSide),
  reduce_only: trigger.number((row) => (row.reduceOnly ? 1 : 0)),
  hold_mode: trigger.word((row) => row.holdMode),
  margin_mode: trigger.word((row) => row.marginMode),
  stp_mode: trigger.word((row) => row.stpMode),
  quantity_lots: trigger.number((row) => row.quantity),
  quote_amount_e8: trigger.money((row) => row.quoteAmount),
  base_amount_e8: trigger.money((row) => row.baseAmount),
  ...presetColumns<TriggerRecord>(),
  callback_rate_e4: trigger.optional((row) => row.trailing?.rate),
  activation_ticks: trigger.optional((row) => row.trailing?.activation),
  best_ticks: trigger.optional((row) => row.trailing?.best),
  take_profit_rate_e4: trigger.optional((row) => row.trailing?.takeProfitRate),
  stop_loss_rate_e4: trigger.optional((row) => row.trailing?.stopLossRate),
  status: trigger.word((row) => row.status),
  failure: trigger.word((row) => row.failure),
  partner_id: trigger.number((row) => row.partner),
  executed_order_id: trigger.number((row) => row.executedOrderId),
  channel_code: trigger.text((row) => row.channelCode),
  created_at_ms: trigger.number((row) => row.createdAt),
  updated_at_ms: trigger.number((row) => row.updatedAt),
}

/** Orders that do not trail have none of its columns. */
function readTrailing(cells: CellsOf<typeof triggerColumns>): Pick<TriggerRecord, 'trailing'> {
  const { callback_rate_e4: rate } = cells
  if (rate === null) return {}
  return {
    trailing: {
      rate: whole(rate),
      activation: ticks(whole(cells.activation_ticks ?? 0)),
      best: ticks(whole(cells.best_ticks ?? 0)),
      takeProfitRate: whole(cells.take_profit_rate_e4 ?? 0),
      stopLossRate: whole(cells.stop_loss_rate_e4 ?? 0),
    },
  }
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
    ...readTrailing(cells),
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
