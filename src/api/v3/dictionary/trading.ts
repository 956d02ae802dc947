/**
 * Fills, orders and positions as v3 writes them.
 *
 * Inverse   orders and positions count whole USD contracts, like `qty`; a fill names base coin (`execQty`) and quote coin
 *           (`execValue`), as the interface declares them
 * Signs     fees of orders and fills are positive when charged, position fees negative; of fills in the live dialect too
 * Sides     v3 names the side of the book, and the position with `posSide` (design §4.11)
 * Source    interface.md Fill, Public fill; design.md §4.33, §4.34; wire/v3-endpoints.md §2, §3
 */
import type { Static } from 'typebox'
import type { FuturesInstrument, Instrument } from '../../../engine/catalog/catalog.ts'
import type { Lots } from '../../../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, PositionClosed, TradeEvent } from '../../../engine/protocol/event.ts'
import type { OpenPositionView } from '../../../engine/protocol/query.ts'
import type { CancelReason, OrderCause, TpslTerms } from '../../../engine/vocabulary.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { averagePrice, closingAverage, formatAmount, formatLots, formatRate, formatTicks } from '../../figures.ts'
import { type V3Dialect, fillFee, fillTradeSide } from '../../errors/dialect.ts'
import type * as records from '../records.ts'
import { entryPrice, marginModeWord, ratio } from './figures.ts'

/** `dialect`: of a list over HTTP; sockets push as the interface has it. */
export function fillRecord(
  fill: FillEvent,
  catalog: CatalogIndex,
  dialect: V3Dialect = 'interface',
): Static<typeof records.Fill> {
  const instrument = catalog.instrument(fill.instrument)
  const quantity = formatLots(fill.quantity, instrument)
  const notional = formatAmount(fill.notional)
  const inverse = instrument.kind === 'inverse'
  return {
    execId: String(fill.execId),
    execLinkId: String(fill.matchId),
    orderId: String(fill.orderId),
    clientOid: fill.clientOid,
    category: fill.category,
    symbol: instrument.symbol,
    orderType: fill.orderType,
    side: fill.bookSide,
    tradeSide: fillTradeSide[dialect].write(fill),
    execPrice: formatTicks(fill.price, instrument),
    execQty: inverse ? notional : quantity,
    execValue: inverse ? quantity : notional,
    tradeScope: fill.scope,
    feeDetail: [{ feeCoin: catalog.coinName(fill.feeCoin), fee: formatAmount(fillFee[dialect].write(fill.fee)) }],
    createdTime: String(fill.at),
    updatedTime: String(fill.at),
    execPnl: formatAmount(fill.realizedPnl),
    isRPI: 'no',
  }
}

export function publicFillRecord(trade: TradeEvent, catalog: CatalogIndex): Static<typeof records.PublicFill> {
  const instrument = catalog.instrument(trade.instrument)
  return {
    execId: String(trade.matchId),
    execLinkId: String(trade.matchId),
    price: formatTicks(trade.price, instrument),
    size: formatLots(trade.quantity, instrument),
    side: trade.side,
    ts: String(trade.at),
    isRPI: 'no',
  }
}

const execTypes = {
  user: 'normal',
  'take-profit': 'normal',
  'stop-loss': 'normal',
  'position-take-profit': 'normal',
  'position-stop-loss': 'normal',
  trigger: 'normal',
  replace: 'normal',
  reverse: 'normal',
  reduce: 'reduce',
  liquidation: 'liquidation',
  offset: 'offset',
  adl: 'reduce',
  delivery: 'delivery',
  move: 'normal',
  'trailing-plan': 'normal',
  'trailing-stop': 'normal',
} as const satisfies Record<OrderCause, string>

const cancelReasons = {
  '': '',
  user: 'normal_cancel',
  'self-trade': 'stp_cancel',
  'post-only': 'post_only_cancel',
  'no-liquidity': 'no_liquidity_cancel',
  'reduce-only': 'reduce_only_cancel',
  system: 'system_cancel',
} as const satisfies Record<CancelReason, string>

export function openOrderRecord(order: OrderRecord, catalog: CatalogIndex): Static<typeof records.OpenOrder> {
  const instrument = catalog.instrument(order.instrument)
  const filled = formatLots(order.filled, instrument)
  const takeProfit = tpslFields(order.takeProfit, instrument)
  const stopLoss = tpslFields(order.stopLoss, instrument)
  return {
    orderId: String(order.orderId),
    clientOid: order.clientOid,
    category: order.category,
    symbol: instrument.symbol,
    orderType: order.orderType,
    side: order.bookSide,
    price: formatTicks(order.price, instrument),
    // A market buy by quote amount has no quantity of its own: what it bought stands there.
    qty: order.quoteAmount > 0n ? filled : formatLots(order.quantity, instrument),
    amount: formatAmount(order.quoteAmount),
    cumExecQty: filled,
    cumExecValue: instrument.kind === 'inverse' ? filled : formatAmount(order.filledNotional),
    avgPrice: order.averagePriceE8 === 0n ? '0' : entryPrice(order.averagePriceE8, instrument),
    timeInForce: order.timeInForce,
    orderStatus: order.status === 'canceled' ? 'cancelled' : order.status,
    posSide: order.intent === 'spot' ? '' : order.positionSide,
    holdMode: order.holdMode,
    tradeSide: tradeSide(order),
    delegateType: 'normal',
    reduceOnly: order.reduceOnly ? 'YES' : 'NO',
    marginMode: marginModeWord(order.marginMode),
    feeDetail: [
      order.filled === 0
        ? { feeCoin: '', fee: '' }
        : { feeCoin: catalog.coinName(order.feeCoin), fee: formatAmount(order.fee) },
    ],
    createdTime: String(order.createdAt),
    updatedTime: String(order.updatedAt),
    stpMode: order.stpMode,
    tpTriggerBy: takeProfit.triggerBy,
    slTriggerBy: stopLoss.triggerBy,
    takeProfit: takeProfit.trigger,
    stopLoss: stopLoss.trigger,
    tpOrderType: takeProfit.orderType,
    slOrderType: stopLoss.orderType,
    tpLimitPrice: takeProfit.limitPrice,
    slLimitPrice: stopLoss.limitPrice,
  }
}

export function orderRecord(order: OrderRecord, catalog: CatalogIndex): Static<typeof records.Order> {
  return {
    ...openOrderRecord(order, catalog),
    cancelReason: cancelReasons[order.cancelReason],
    execType: execTypes[order.cause],
  }
}

function tradeSide(order: OrderRecord): string {
  if (order.intent === 'spot') return ''
  return order.intent === 'single' ? `${order.bookSide}_single` : order.intent
}

function tpslFields(tpsl: TpslTerms | undefined, instrument: Instrument) {
  if (tpsl === undefined) return { triggerBy: null, trigger: null, orderType: null, limitPrice: null }
  return {
    triggerBy: tpsl.by === 'mark' ? 'mark' : 'market',
    trigger: formatTicks(tpsl.trigger, instrument),
    orderType: tpsl.execute === 0 ? 'market' : 'limit',
    limitPrice: tpsl.execute === 0 ? '' : formatTicks(tpsl.execute, instrument),
  }
}

export function positionRecord(position: OpenPositionView, catalog: CatalogIndex): Static<typeof records.Position> {
  const instrument = catalog.instrument(position.instrument) as FuturesInstrument
  const free = (position.quantity - position.locked) as Lots
  return {
    category: instrument.category,
    symbol: instrument.symbol,
    marginCoin: catalog.coinName(instrument.settle),
    holdMode: position.holdMode,
    posSide: position.side,
    marginMode: marginModeWord(position.marginMode),
    positionBalance: formatAmount(position.margin),
    available: formatLots(free, instrument),
    frozen: formatLots(position.locked, instrument),
    total: formatLots(position.quantity, instrument),
    leverage: String(position.leverage),
    curRealisedPnl: formatAmount(position.realizedPnl),
    avgPrice: averagePrice(instrument, position.quantity, position.entryNotional),
    positionStatus: 'normal',
    unrealisedPnl: formatAmount(position.unrealizedPnl),
    liquidationPrice: formatTicks(position.liquidationPrice, instrument),
    mmr: formatRate(position.maintenanceRate),
    profitRate: ratio(position.unrealizedPnl, position.margin),
    markPrice: formatTicks(position.markPrice, instrument),
    breakEvenPrice: formatTicks(position.breakEvenPrice, instrument),
    totalFunding: formatAmount(position.funding ?? 0n),
    openFeeTotal: formatAmount(0n - position.openFees),
    closeFeeTotal: formatAmount(0n - position.closeFees),
    createdTime: String(position.openedAt),
    updatedTime: String(position.updatedAt),
  }
}

export function closedPositionRecord(
  position: PositionClosed,
  catalog: CatalogIndex,
): Static<typeof records.ClosedPosition> {
  const instrument = catalog.instrument(position.instrument) as FuturesInstrument
  const net = position.realizedPnl + position.funding - position.openFees - position.closeFees
  const quantity = formatLots(position.openedQuantity, instrument)
  return {
    positionId: String(position.positionId),
    category: instrument.category,
    symbol: instrument.symbol,
    marginCoin: catalog.coinName(instrument.settle),
    holdMode: position.holdMode,
    posSide: position.side,
    marginMode: marginModeWord(position.marginMode),
    openPriceAvg: averagePrice(instrument, position.openedQuantity, position.openedNotional),
    closePriceAvg: closingAverage(instrument, position),
    openTotalPos: quantity,
    closeTotalPos: quantity,
    cumRealisedPnl: formatAmount(position.realizedPnl),
    netProfit: formatAmount(net),
    totalFunding: formatAmount(position.funding),
    openFeeTotal: formatAmount(0n - position.openFees),
    closeFeeTotal: formatAmount(0n - position.closeFees),
    createdTime: String(position.openedAt),
    updatedTime: String(position.closedAt),
  }
}
