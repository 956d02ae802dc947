/**
 * The channels of v2 of what happens to orders: orders, trigger orders and fills of a category, and the positions that were
 * deleveraged.
 *
 * Sizes    of a spot order: `newSize` is what was ordered, `size` of a buy is its value in quote coin
 * Fills    an order's row carries what was filled just then (`fillPrice`, `baseVolume`, …) beside its sums; of cross margin
 *          `baseVolume` is the sum
 * Sides    a fill names the side of the book, unlike the order that it belongs to
 * Source   wire/websocket.md §4 "orders", "fill", "orders-algo"
 */
import { type CatalogIndex, v2 } from '../../api/api.ts'
import { divFloor, oneCoin } from '../../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, TriggerRecord } from '../../engine/protocol/event.ts'
import { deleveragedRow } from '../deleveraged.ts'
import type { PrivateChannel } from '../socket-protocol.ts'
import { covers, named, type Scope } from './scope.ts'

export function orderChannel(scope: Scope): PrivateChannel {
  const write =
    scope.category === 'SPOT' ? spotOrderRow : scope.category === 'MARGIN' ? marginOrderRow : futuresOrderRow
  return {
    ...named('orders', scope),
    rowOf(update, picture) {
      if (update.kind !== 'order' || !covers(scope, update.order, picture)) return undefined
      return write(update.order, update.fill, picture.catalog)
    },
  }
}

export function triggerChannel(scope: Scope): PrivateChannel {
  const write = scope.category === 'SPOT' ? spotTriggerRow : futuresTriggerRow
  return {
    ...named('orders-algo', scope),
    rowOf(update, picture) {
      if (update.kind !== 'trigger' || !covers(scope, update.trigger, picture)) return undefined
      return write(update.trigger, picture.catalog)
    },
  }
}

export function fillChannel(scope: Scope): PrivateChannel {
  const write = scope.category === 'SPOT' ? spotFillRow : futuresFillRow
  return {
    ...named('fill', scope),
    rowOf(update, picture) {
      if (update.kind !== 'fill' || !covers(scope, update.fill, picture)) return undefined
      return write(update.fill, picture.catalog)
    },
  }
}

/** Undefined: the category has no positions. */
export function deleveragingChannel(scope: Scope): PrivateChannel | undefined {
  if (scope.category === 'SPOT' || scope.category === 'MARGIN') return undefined
  return {
    ...named('adl-noti', scope),
    action: 'update',
    rowOf(update, picture) {
      if (update.kind !== 'fill' || !covers(scope, update.fill, picture)) return undefined
      return deleveragedRow(update.fill, picture.catalog)
    },
  }
}

function futuresOrderRow(order: OrderRecord, fill: FillEvent | undefined, catalog: CatalogIndex) {
  const record = v2.mixOrderDetail(catalog.catalog, order)
  return {
    instId: record.symbol,
    orderId: record.orderId,
    clientOid: record.clientOid,
    price: record.price,
    size: record.size,
    posMode: record.posMode,
    enterPointSource: record.enterPointSource,
    tradeSide: record.tradeSide,
    notionalUsd: orderedValue(order, catalog),
    orderType: record.orderType,
    force: record.force,
    side: record.side,
    posSide: record.posSide,
    marginMode: record.marginMode,
    marginCoin: record.marginCoin,
    accBaseVolume: record.baseVolume,
    priceAvg: record.priceAvg === '' ? '0' : record.priceAvg,
    status: record.status,
    cancelReason: record.cancelReason,
    leverage: record.leverage,
    feeDetail: feesOf(order, catalog),
    pnl: record.totalProfits,
    totalProfits: record.totalProfits,
    reduceOnly: record.reduceOnly.toLowerCase(),
    presetStopSurplusPrice: record.presetStopSurplusPrice,
    presetStopSurplusType: record.presetStopSurplusType,
    presetStopSurplusExecutePrice: record.presetStopSurplusExecutePrice,
    presetStopLossPrice: record.presetStopLossPrice,
    presetStopLossType: record.presetStopLossType,
    presetStopLossExecutePrice: record.presetStopLossExecutePrice,
    stpMode: order.stpMode,
    cTime: record.cTime,
    uTime: record.uTime,
    ...filledNow(fill, catalog),
  }
}

function spotOrderRow(order: OrderRecord, fill: FillEvent | undefined, catalog: CatalogIndex) {
  const record = v2.spotOrder(catalog.catalog, order)
  return {
    instId: record.symbol,
    orderId: record.orderId,
    clientOid: record.clientOid,
    ...(order.orderType === 'limit' ? { price: record.price } : {}),
    size: order.bookSide === 'buy' ? orderedValue(order, catalog) : record.size,
    newSize: record.size,
    notional: orderedValue(order, catalog),
    orderType: record.orderType,
    force: order.timeInForce,
    side: record.side,
    accBaseVolume: record.baseVolume,
    priceAvg: record.priceAvg,
    status: record.status,
    enterPointSource: record.enterPointSource,
    feeDetail: feesOf(order, catalog),
    stpMode: order.stpMode,
    cTime: record.cTime,
    uTime: record.uTime,
    ...filledNow(fill, catalog),
  }
}

function marginOrderRow(order: OrderRecord, fill: FillEvent | undefined, catalog: CatalogIndex) {
  const record = v2.marginOrder(catalog.catalog, order)
  return {
    instId: record.symbol,
    symbol: record.symbol,
    orderId: record.orderId,
    clientOid: record.clientOid,
    orderType: record.orderType,
    price: record.price,
    side: record.side,
    status: record.status,
    force: record.force,
    loanType: record.loanType,
    baseSize: record.baseSize,
    quoteSize: record.quoteSize,
    baseVolume: record.size,
    fillTotalAmount: record.amount,
    fillPrice: fill === undefined ? record.priceAvg : v2.priceText(catalog.instrument(fill.instrument), fill.price),
    feeDetail: feesOf(order, catalog).map(({ feeCoin, fee }) => {
      return { feeCoin, deduction: 'no', totalDeductionFee: '0', totalFee: fee }
    }),
    enterPointSource: record.enterPointSource,
    stpMode: order.stpMode,
    cTime: record.cTime,
    uTime: record.uTime,
  }
}

/** The fee so far, negative when paid; none before the first fill. */
function feesOf(order: OrderRecord, { catalog }: CatalogIndex) {
  if (order.filled === 0) return []
  return [{ feeCoin: v2.coinName(catalog, order.feeCoin), fee: v2.feeText(order.fee) }]
}

/** What was ordered, in quote coin or dollars: at its price, at market what has filled. */
function orderedValue(order: OrderRecord, catalog: CatalogIndex): string {
  const instrument = catalog.instrument(order.instrument)
  if (order.quoteAmount > 0n) return v2.amountText(order.quoteAmount)
  if (instrument.kind === 'inverse') return v2.quantityText(instrument, order.quantity)
  if (order.price === 0) return v2.amountText(order.filledNotional)
  const value = v2.quantityE8(instrument, order.quantity) * v2.priceE8(instrument, order.price)
  return v2.amountText(divFloor(value, oneCoin))
}

function filledNow(fill: FillEvent | undefined, catalog: CatalogIndex) {
  if (fill === undefined) return {}
  const instrument = catalog.instrument(fill.instrument)
  const traded = v2.tradedTexts(instrument, fill.quantity, fill.notional)
  return {
    fillPrice: v2.priceText(instrument, fill.price),
    tradeId: String(fill.execId),
    baseVolume: traded.base,
    fillTime: String(fill.at),
    fillFee: v2.feeText(fill.fee),
    fillFeeCoin: v2.coinName(catalog.catalog, fill.feeCoin),
    tradeScope: fill.scope === 'maker' ? 'M' : 'T',
    fillNotionalUsd: traded.quote,
  }
}

function futuresFillRow(fill: FillEvent, catalog: CatalogIndex) {
  const { marginCoin: _marginCoin, enterPointSource: _source, ...record } = v2.mixFill(catalog.catalog, fill)
  const { clientOid, orderType, bookSide: side } = fill
  return { ...record, clientOid, orderType, side, uTime: record.cTime }
}

function spotFillRow(fill: FillEvent, catalog: CatalogIndex) {
  const { userId: _userId, feeDetail, ...record } = v2.spotFill(catalog.catalog, fill)
  return { ...record, clientOid: fill.clientOid, feeDetail: [feeDetail] }
}

const planTypes = {
  normal_plan: 'pl',
  profit_plan: 'tp',
  loss_plan: 'sl',
  pos_profit: 'ptp',
  pos_loss: 'psl',
  track_plan: 'track',
  moving_plan: 'mtpsl',
} as const satisfies Record<v2.PlanType, string>

function futuresTriggerRow(trigger: TriggerRecord, catalog: CatalogIndex) {
  const record = v2.mixOpenPlan(catalog.catalog, trigger)
  return {
    instId: record.symbol,
    orderId: record.orderId,
    clientOid: record.clientOid,
    triggerPrice: record.triggerPrice,
    triggerType: record.triggerType,
    triggerTime: trigger.status === 'executed' ? record.uTime : '',
    planType: planTypes[v2.planTypeWord(trigger.trigger)],
    price: record.price,
    executePrice: record.executePrice,
    size: record.size,
    actualSize: trigger.status === 'executed' ? record.size : '0',
    orderType: record.orderType,
    side: record.side,
    tradeSide: record.tradeSide,
    posSide: record.posSide,
    marginCoin: record.marginCoin,
    status: record.planStatus,
    posMode: record.posMode,
    enterPointSource: record.enterPointSource,
    stopSurplusPrice: record.stopSurplusExecutePrice ?? '',
    stopSurplusTriggerPrice: record.stopSurplusTriggerPrice ?? '',
    stopSurplusTriggerType: record.stopSurplusTriggerType ?? '',
    stopLossPrice: record.stopLossExecutePrice ?? '',
    stopLossTriggerPrice: record.stopLossTriggerPrice ?? '',
    stopLossTriggerType: record.stopLossTriggerType ?? '',
    stpMode: trigger.stpMode,
    cTime: record.cTime,
    uTime: record.uTime,
    ...(record.currentTriggerPrice === undefined
      ? {}
      : { callbackRatio: record.callbackRatio, currentTriggerPrice: record.currentTriggerPrice }),
  }
}

function spotTriggerRow(trigger: TriggerRecord, catalog: CatalogIndex) {
  const { symbol, ...record } = v2.spotPlan(catalog.catalog, trigger)
  return {
    instId: symbol,
    ...record,
    price: record.triggerPrice,
    actualSize: trigger.status === 'executed' ? record.size : '0',
    stpMode: trigger.stpMode,
  }
}
