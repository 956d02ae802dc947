/**
 * Futures records of v2: orders, fills, positions, accounts and settings.
 *
 * Signs     fees of orders and fills are negative when paid, `deductedFee` of a position is positive; profits exclude fees
 *           (design §4.33)
 * Sizes     base coin; of inverse contracts rounded down to `sizeDecimals`, as the engine reads them back
 * Hedge     `side` is as it was sent, in the meaning of the version it came through (design §4.11, §4.33); a closing order
 *           never says reduceOnly YES: clients would turn its side round
 * Source    interface.md E4, E5, E13; risk-engine.md §21; wire/client-endpoints.md §4, §5
 */
import type { Catalog, FuturesInstrument, Instrument } from '../../../engine/catalog/catalog.ts'
import { divFloor, type Lots } from '../../../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, PositionClosed } from '../../../engine/protocol/event.ts'
import type { BalanceView, FuturesAssetView, PositionView, SymbolSettingView } from '../../../engine/protocol/query.ts'
import type { HoldMode } from '../../../engine/vocabulary.ts'
import { averagePrice, closingAverage } from '../../figures.ts'
import type * as records from '../records.ts'
import * as figures from './figures.ts'
import { amountText, coinName, finePriceText, instrumentOf, priceText, settleName } from './figures.ts'
import * as words from './words.ts'

/** What was ordered, in base coin. */
function mixSizeText(order: OrderRecord, instrument: Instrument): string {
  return instrument.kind === 'inverse'
    ? amountText(inverseSize(order, instrument))
    : figures.quantityText(instrument, order.quantity)
}

/** As it was sent; of a close that was cut to its position, what there was of that, at its entry price. */
function inverseSize(order: OrderRecord, instrument: FuturesInstrument): bigint {
  const { baseAmount, positionEntryE8: entry } = order
  if (baseAmount > 0n) {
    const mayBeCut = entry > 0n && (order.reduceOnly || order.intent === 'close')
    // What was sent may be up to a contract more: contracts are rounded down.
    const asSent = !mayBeCut || baseAmount <= figures.contractsInBase(instrument, (order.quantity + 1) as Lots, entry)
    return asSent ? baseAmount : figures.contractsInBase(instrument, order.quantity, entry)
  }
  const at = order.price > 0 ? figures.priceE8(instrument, order.price) : order.averagePriceE8
  return figures.contractsInBase(instrument, order.quantity, at)
}

/**
 * What was filled, in the measure of what was ordered: filled whole, they are the same. Of inverse contracts it is their share of
 * the size; what coins were traded for them is in the fills, each at its own price.
 */
export function mixVolumeText(order: OrderRecord, instrument: Instrument): string {
  if (instrument.kind !== 'inverse') return figures.quantityText(instrument, order.filled)
  const size = inverseSize(order, instrument)
  if (order.filled === order.quantity) return amountText(size)
  return amountText(figures.floorToSize(instrument, divFloor(size * BigInt(order.filled), BigInt(order.quantity))))
}

export function mixOrder(catalog: Catalog, order: OrderRecord): records.MixOrder {
  const instrument = instrumentOf(catalog, order)
  const { quote } = figures.tradedTexts(instrument, order.filled, order.filledNotional)
  const labelled = { ...order, effect: order.intent }
  return {
    symbol: instrument.symbol,
    size: mixSizeText(order, instrument),
    orderId: String(order.orderId),
    clientOid: order.clientOid,
    baseVolume: mixVolumeText(order, instrument),
    fee: figures.feeText(order.fee),
    price: priceText(instrument, order.price),
    priceAvg: figures.averagePriceText(order, instrument, ''),
    status: order.status,
    side: order.side,
    force: order.timeInForce,
    totalProfits: amountText(order.realizedPnl),
    posSide: order.positionSide,
    marginCoin: settleName(catalog, instrument),
    quoteVolume: quote,
    leverage: String(order.leverage),
    marginMode: words.marginModeWord(order.marginMode),
    reduceOnly: order.reduceOnly && order.holdMode === 'one_way_mode' ? 'YES' : 'NO',
    enterPointSource: words.enterPointSourceWord(order.cause),
    tradeSide: words.tradeSideWord(labelled),
    posMode: order.holdMode,
    orderType: order.orderType,
    orderSource: words.orderSourceWord(labelled),
    cTime: String(order.createdAt),
    uTime: String(order.updatedAt),
    presetStopSurplusPrice: order.takeProfit ? priceText(instrument, order.takeProfit.trigger) : '',
    presetStopLossPrice: order.stopLoss ? priceText(instrument, order.stopLoss.trigger) : '',
  }
}

export function mixHistoryOrder(catalog: Catalog, order: OrderRecord): records.MixHistoryOrder {
  const entry = order.positionEntryE8
  return {
    ...mixOrder(catalog, order),
    posAvg: entry === 0n ? '' : finePriceText(instrumentOf(catalog, order), entry),
  }
}

/** Attached take-profit and stop-loss execute at market unless a price is given. */
export function mixOpenOrder(catalog: Catalog, order: OrderRecord): records.MixOpenOrder {
  const instrument = instrumentOf(catalog, order)
  const execution = (tpsl: OrderRecord['takeProfit']) => (tpsl?.execute ? priceText(instrument, tpsl.execute) : '')
  return {
    ...mixOrder(catalog, order),
    presetStopSurplusType: order.takeProfit ? words.triggerTypeWord(order.takeProfit.by) : '',
    presetStopSurplusExecutePrice: execution(order.takeProfit),
    presetStopLossType: order.stopLoss ? words.triggerTypeWord(order.stopLoss.by) : '',
    presetStopLossExecutePrice: execution(order.stopLoss),
  }
}

export function mixOrderDetail(catalog: Catalog, order: OrderRecord): records.MixOrderDetail {
  const shown = mixOpenOrder(catalog, order)
  return { ...shown, state: shown.status, cancelReason: words.cancelReasonWord(order.cancelReason) }
}

/** The order that a trigger order has become. */
export function planSubOrder(catalog: Catalog, order: OrderRecord): records.PlanSubOrder {
  const { orderId, price, orderType, status } = mixOpenOrder(catalog, order)
  return { orderId, price, type: orderType, status }
}

/** What a fill paid, negative when paid. */
export function feeDetail(catalog: Catalog, fill: FillEvent): records.FeeDetail {
  return {
    deduction: 'no',
    feeCoin: coinName(catalog, fill.feeCoin),
    totalDeductionFee: '0',
    totalFee: figures.feeText(fill.fee),
  }
}

export function mixFill(catalog: Catalog, fill: FillEvent): records.MixFill {
  const instrument = instrumentOf(catalog, fill)
  const traded = figures.tradedTexts(instrument, fill.quantity, fill.notional)
  return {
    tradeId: String(fill.execId),
    symbol: instrument.symbol,
    marginCoin: settleName(catalog, instrument),
    orderId: String(fill.orderId),
    price: priceText(instrument, fill.price),
    baseVolume: traded.base,
    feeDetail: [feeDetail(catalog, fill)],
    side: fill.side,
    quoteVolume: traded.quote,
    profit: amountText(fill.realizedPnl),
    enterPointSource: words.enterPointSourceWord(fill.cause),
    tradeSide: words.tradeSideWord(fill),
    posMode: fill.holdMode,
    tradeScope: fill.scope,
    cTime: String(fill.at),
  }
}

/**
 * Base coin of contracts of an inverse position at its entry price, rounded down to the decimals of a size: a share of what it was
 * entered for, as the price itself is a rounded quotient and could lose a step.
 */
function contractsAtEntry(instrument: FuturesInstrument, position: PositionView, contracts: Lots): bigint {
  const { entryNotional, quantity } = position
  return figures.floorToSize(instrument, divFloor(entryNotional * BigInt(contracts), BigInt(quantity)))
}

/** E5. A flat account has no record; `available` and `locked` always sum to `total`. */
export function mixPosition(catalog: Catalog, position: PositionView): records.MixPosition {
  const instrument = instrumentOf(catalog, position)
  const { available, total, opening } = positionSizes(instrument, position)
  const { takeProfit, stopLoss } = position
  return {
    symbol: instrument.symbol,
    marginCoin: settleName(catalog, instrument),
    holdSide: position.side,
    openDelegateSize: amountText(opening),
    marginSize: amountText(position.margin),
    available: amountText(available),
    locked: amountText(total - available),
    total: amountText(total),
    leverage: String(position.leverage),
    achievedProfits: amountText(position.realizedPnl),
    openPriceAvg: averagePrice(instrument, position.quantity, position.entryNotional),
    marginMode: words.marginModeWord(position.marginMode),
    posMode: position.holdMode,
    unrealizedPL: amountText(position.unrealizedPnl),
    liquidationPrice: priceText(instrument, position.liquidationPrice),
    keepMarginRate: figures.rateText(position.maintenanceRate),
    markPrice: priceText(instrument, position.markPrice),
    marginRatio: figures.ratioText(position.marginRatio),
    breakEvenPrice: priceText(instrument, position.breakEvenPrice),
    totalFee: position.funding === undefined ? '' : amountText(position.funding),
    deductedFee: amountText(position.fees),
    grant: '',
    assetMode: position.assetMode,
    autoMargin: position.autoMargin ? 'on' : 'off',
    takeProfit: takeProfit ? priceText(instrument, takeProfit.trigger) : null,
    stopLoss: stopLoss ? priceText(instrument, stopLoss.trigger) : null,
    takeProfitId: takeProfit ? String(takeProfit.orderId) : null,
    stopLossId: stopLoss ? String(stopLoss.orderId) : null,
    cTime: String(position.openedAt),
    uTime: String(position.updatedAt),
  }
}

/** A position that has closed; sizes in base coin, fees negative when paid. */
export function closedPosition(catalog: Catalog, position: PositionClosed): records.ClosedPosition {
  const instrument = instrumentOf(catalog, position)
  const { openedQuantity, openedNotional, closedNotional, realizedPnl, funding, openFees, closeFees } = position
  const [openedAt, closedAt] = [String(position.openedAt), String(position.closedAt)]
  return {
    positionId: String(position.positionId),
    symbol: instrument.symbol,
    marginCoin: settleName(catalog, instrument),
    holdSide: position.side,
    posMode: position.holdMode,
    openAvgPrice: averagePrice(instrument, openedQuantity, openedNotional),
    closeAvgPrice: closingAverage(instrument, position),
    marginMode: words.marginModeWord(position.marginMode),
    openTotalPos: figures.tradedTexts(instrument, openedQuantity, openedNotional).base,
    closeTotalPos: figures.tradedTexts(instrument, openedQuantity, closedNotional).base,
    pnl: amountText(realizedPnl),
    netProfit: amountText(realizedPnl + funding - openFees - closeFees),
    totalFunding: amountText(funding),
    openFee: figures.feeText(openFees),
    closeFee: figures.feeText(closeFees),
    uTime: closedAt,
    cTime: openedAt,
    utime: closedAt,
    ctime: openedAt,
  }
}

/** Sizes in base coin, 1e-8. Orders that open inverse contracts are valued at their own prices. */
function positionSizes(instrument: Instrument, position: PositionView) {
  const free = (position.quantity - position.locked) as Lots
  if (instrument.kind !== 'inverse') {
    return {
      total: figures.quantityE8(instrument, position.quantity),
      available: figures.quantityE8(instrument, free),
      opening: figures.quantityE8(instrument, position.opening),
    }
  }
  return {
    total: contractsAtEntry(instrument, position, position.quantity),
    available: contractsAtEntry(instrument, position, free),
    opening: position.openingNotional,
  }
}

function futuresAsset(catalog: Catalog, asset: FuturesAssetView) {
  return {
    marginCoin: coinName(catalog, asset.coin),
    locked: amountText(asset.held),
    available: amountText(asset.crossMaxAvailable),
    crossedMaxAvailable: amountText(asset.crossMaxAvailable),
    isolatedMaxAvailable: amountText(asset.isolatedMaxAvailable),
    maxTransferOut: amountText(asset.maxTransferOut),
    accountEquity: amountText(asset.equity),
    usdtEquity: amountText(asset.usdtEquity),
    btcEquity: amountText(asset.btcEquity),
    unrealizedPL: amountText(asset.unrealizedPnl),
  }
}

/** E4. `frozen` is what open orders hold (design §4.24). */
export function subAccountAsset(catalog: Catalog, asset: FuturesAssetView): records.SubAccountAsset {
  return { ...futuresAsset(catalog, asset), frozen: amountText(asset.held), uTime: String(asset.updatedAt) }
}

export function subAccountAssetOfList(catalog: Catalog, asset: FuturesAssetView): records.SubAccountAssetOfList {
  return { ...futuresAsset(catalog, asset), equity: amountText(asset.equity), coupon: '0' }
}

/**
 * What `account` and `accounts` share. The risk rate is the highest margin ratio of the coin's cross positions; of a unified
 * account its own, which other coins and debt count in.
 */
function mixAccountBase(catalog: Catalog, asset: FuturesAssetView, positions: readonly PositionView[]) {
  let riskRate: bigint = asset.unifiedRatio
  for (const position of positions) {
    const ofCoin = settleName(catalog, instrumentOf(catalog, position)) === coinName(catalog, asset.coin)
    if (ofCoin && position.marginMode === 'cross' && position.marginRatio > riskRate) riskRate = position.marginRatio
  }
  return {
    ...futuresAsset(catalog, asset),
    crossedRiskRate: figures.ratioText(riskRate),
    coupon: '0',
    crossedUnrealizedPL: amountText(asset.crossUnrealizedPnl),
    isolatedUnrealizedPL: amountText(asset.isolatedUnrealizedPnl),
    assetMode: asset.assetMode,
  }
}

export function mixAccount(
  catalog: Catalog,
  asset: FuturesAssetView,
  of: {
    readonly positions: readonly PositionView[]
    readonly setting: SymbolSettingView
    readonly holdMode: HoldMode
  },
): records.MixAccount {
  return {
    ...mixAccountBase(catalog, asset, of.positions),
    crossedMarginLeverage: of.setting.leverage,
    isolatedLongLever: of.setting.leverageLong,
    isolatedShortLever: of.setting.leverageShort,
    marginMode: words.marginModeWord(of.setting.marginMode),
    posMode: of.holdMode,
  }
}

export function mixAccountOfList(
  catalog: Catalog,
  asset: FuturesAssetView,
  of: { readonly positions: readonly PositionView[]; readonly balances: readonly BalanceView[] },
): records.MixAccountOfList {
  const union = asset.assetMode === 'union'
  return {
    ...mixAccountBase(catalog, asset, of.positions),
    unionTotalMargin: union ? amountText(asset.crossMargin) : '',
    unionTotalMagin: union ? amountText(asset.crossMargin) : '',
    unionAvailable: union ? amountText(asset.crossMaxAvailable) : '',
    unionMm: union ? amountText(asset.unifiedMaintenance) : '',
    isolatedMargin: amountText(asset.isolatedMargin),
    crossedMargin: amountText(asset.crossMargin),
    assetList: of.balances.map((balance) => ({
      coin: coinName(catalog, balance.coin),
      balance: amountText(balance.balance),
      available: amountText(balance.transferable),
    })),
  }
}

export function leverageSetting(catalog: Catalog, setting: SymbolSettingView): records.LeverageSetting {
  return { ...marginModeSetting(catalog, setting), crossMarginLeverage: String(setting.leverage) }
}

export function marginModeSetting(catalog: Catalog, setting: SymbolSettingView): records.MarginModeSetting {
  const instrument = instrumentOf(catalog, setting)
  return {
    symbol: instrument.symbol,
    marginCoin: settleName(catalog, instrument),
    longLeverage: String(setting.leverageLong),
    shortLeverage: String(setting.leverageShort),
    marginMode: words.marginModeWord(setting.marginMode),
  }
}
