/**
 * The channels of v3 that tell what happens to orders: orders, strategy orders and fills of the unified wallet.
 *
 * Source  wire/websocket.md §4 "orders", "fill", "strategy-order"; wire/client-needs.md
 */
import { formatAmount, v3 } from '../../api/api.ts'
import type { AccountPicture, Happening } from '../dialect.ts'

export function orderRow(happening: Happening, { catalog }: AccountPicture) {
  if (happening.kind !== 'order' || happening.order.wallet !== 'uta') return undefined
  const { order, requestId = '' } = happening
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
    feeDetail: record.feeDetail,
    createdTime: record.createdTime,
    updatedTime: record.updatedTime,
    stpMode: record.stpMode,
    ...(requestId === '' ? {} : { requestId }),
  }
}

export function fillRow(happening: Happening, { catalog }: AccountPicture) {
  if (happening.kind !== 'fill' || happening.fill.wallet !== 'uta') return undefined
  const { fill } = happening
  const { createdTime: execTime, ...record } = v3.fillRecord(fill, catalog)
  return { ...record, holdSide: fill.effect === 'spot' ? '' : fill.positionSide, isRPI: 'no', execTime }
}

export function triggerRow(happening: Happening, { catalog }: AccountPicture) {
  if (happening.kind !== 'trigger' || happening.trigger.wallet !== 'uta') return undefined
  const { trigger } = happening
  const record = v3.strategyRecord(trigger, catalog)
  return { ...record, reduceOnly: trigger.reduceOnly ? 'yes' : 'no' }
}
