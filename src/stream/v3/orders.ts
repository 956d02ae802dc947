/**
 * The channels of v3 of what happens to orders: orders, strategy orders, fills and deleveraging of the unified wallet.
 *
 * Presets  an order always names its take-profit and stop-loss, in lower case; without one it says `market` and empty texts
 * Case     orders, strategy orders and fast fills name their category in lower case, fills in upper case
 * Source  wire/websocket.md §4 "orders", "fill", "strategy-order"; wire/client-needs.md
 */
import { formatAmount, v3 } from '../../api/api.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import { deleveragedRow } from '../deleveraged.ts'
import type { AccountPicture, AccountUpdate } from '../socket-protocol.ts'

export function orderRow(update: AccountUpdate, { catalog }: AccountPicture) {
  if (update.kind !== 'order' || update.order.wallet !== 'uta') return undefined
  const { order, requestId = '' } = update
  const instrument = catalog.instrument(order.instrument)
  const onSpot = instrument.kind === 'spot'
  const record = v3.orderRecord(order, catalog)
  return {
    category: record.category.toLowerCase(),
    symbol: record.symbol,
    orderId: record.orderId,
    clientOid: record.clientOid,
    price: record.price,
    qty: record.qty,
    amount: record.amount,
    holdMode: record.holdMode,
    // Clients take an order without it for one of a pair.
    ...(onSpot ? {} : { posMode: record.holdMode }),
    holdSide: record.posSide,
    posSide: record.posSide,
    tradeSide: record.tradeSide,
    delegateType: record.delegateType,
    orderType: record.orderType,
    timeInForce: record.timeInForce,
    side: record.side,
    marginMode: record.marginMode,
    marginCoin: catalog.coinName(onSpot ? instrument.quote : instrument.settle),
    reduceOnly: record.reduceOnly.toLowerCase(),
    cumExecQty: record.cumExecQty,
    cumExecValue: record.cumExecValue,
    avgPrice: record.avgPrice,
    totalProfit: formatAmount(order.realizedPnl),
    orderStatus: record.orderStatus,
    cancelReason: record.cancelReason,
    execType: record.execType,
    leverage: String(order.leverage),
    feeDetail: order.filled === 0 ? [] : record.feeDetail,
    createdTime: record.createdTime,
    updatedTime: record.updatedTime,
    stpMode: record.stpMode,
    tpTriggerBy: record.tpTriggerBy ?? '',
    slTriggerBy: record.slTriggerBy ?? '',
    takeprofit: record.takeProfit ?? '',
    stoploss: record.stopLoss ?? '',
    tpOrderType: record.tpOrderType ?? 'market',
    slOrderType: record.slOrderType ?? 'market',
    tpLimitPrice: record.tpLimitPrice ?? '',
    slLimitPrice: record.slLimitPrice ?? '',
    ...(requestId === '' ? {} : { requestId }),
  }
}

export function fillRow(update: AccountUpdate, { catalog }: AccountPicture) {
  if (update.kind !== 'fill' || update.fill.wallet !== 'uta') return undefined
  const { fill } = update
  const { createdTime: execTime, ...record } = v3.fillRecord(fill, catalog)
  return { ...record, holdSide: fill.effect === 'spot' ? '' : fill.positionSide, execTime }
}

export function fastFillRow(update: AccountUpdate, picture: AccountPicture) {
  const row = fillRow(update, picture)
  return row && { ...row, category: row.category.toLowerCase() }
}

export function adlRow(update: AccountUpdate, { catalog }: AccountPicture) {
  if (update.kind !== 'fill' || update.fill.wallet !== 'uta') return undefined
  return deleveragedRow(update.fill, catalog)
}

/** A take-profit and a stop-loss that wait together are one strategy order, as they are over HTTP. */
export function triggerRow(update: AccountUpdate, picture: AccountPicture) {
  if (update.kind !== 'trigger' && update.kind !== 'partner-ended') return undefined
  const { trigger } = update
  if (trigger.wallet !== 'uta') return undefined
  if (update.kind === 'partner-ended') {
    // What ended right after its partner is shown by its end.
    return waits(trigger, picture) ? strategyRow(trigger, undefined, picture) : undefined
  }
  const { partner, partnerFollows } = update
  if (partnerFollows) return undefined
  const isSecond = partner !== undefined && partner.orderId < trigger.orderId
  return isSecond ? strategyRow(partner, trigger, picture) : strategyRow(trigger, partner, picture)
}

function waits({ uid, orderId }: TriggerRecord, { core }: AccountPicture): boolean {
  return core.query({ kind: 'trigger', uid, order: { orderId, clientOid: '' } }) !== undefined
}

function strategyRow(first: TriggerRecord, partner: TriggerRecord | undefined, { catalog }: AccountPicture) {
  const record = v3.strategyRecord(first, catalog, partner)
  return { ...record, category: record.category.toLowerCase(), reduceOnly: first.reduceOnly ? 'yes' : 'no' }
}
