/**
 * Instruments, tickers, books and funding as v3 writes them.
 *
 * Absent   what the venue does not have (delivery, isolated margin, surcharges) has the value that clients read as none
 * Source   interface.md E10; wire/v3-endpoints.md §1; wire/rate-limits-and-filters.md §7
 */
import type { Static } from 'typebox'
import {
  type Coin,
  type FuturesInstrument,
  type Instrument,
  type MaintenanceTier,
  openOrdersMax,
  positionsMax,
  type SpotInstrument,
} from '../../../engine/catalog/catalog.ts'
import { divHalfUp, formatDecimal, pow10, rateDecimals, zero } from '../../../engine/numbers/numbers.ts'
import type { FundingSettled } from '../../../engine/protocol/event.ts'
import type { Answer, DepthView, PricesView } from '../../../engine/protocol/query.ts'
import { type Candle, type Ticker, tickerPrices, volumes } from '../../../market/market.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { formatAmount, formatLots, formatRate, formatTicks, mostLots } from '../../figures.ts'
import type { ShownLevel } from '../../level-texts.ts'
import type * as records from '../records.ts'

const statusWords = { online: 'online', cancel_only: 'limit_open', halted: 'offline' } as const

function commonInstrumentFields(instrument: Instrument, category: string, catalog: CatalogIndex) {
  const marketMax = instrument.marketQuantityMax
  return {
    symbol: instrument.symbol,
    category,
    baseCoin: catalog.coinName(instrument.base),
    quoteCoin: catalog.coinName(instrument.quote),
    buyLimitPriceRatio: formatRate(instrument.limitBand),
    sellLimitPriceRatio: formatRate(instrument.limitBand),
    minOrderQty: formatLots(instrument.quantityMin, instrument),
    maxOrderQty: formatLots(mostLots(instrument.quantityMax), instrument),
    maxMarketOrderQty: formatLots(mostLots(marketMax), instrument),
    pricePrecision: String(instrument.priceDecimals),
    quantityPrecision: String(instrument.quantityDecimals),
    quotePrecision: instrument.kind === 'spot' ? String(instrument.quoteDecimals) : '',
    minOrderAmount: formatAmount(instrument.notionalMin),
    maxSymbolOrderNum: String(openOrdersMax),
    maxProductOrderNum: String(openOrdersMax),
    makerFeeRate: formatRate(instrument.makerFeeRate),
    takerFeeRate: formatRate(instrument.takerFeeRate),
    priceMultiplier: formatDecimal(instrument.priceStep, instrument.priceDecimals),
    quantityMultiplier: formatDecimal(instrument.quantityStep, instrument.quantityDecimals),
    status: statusWords[instrument.status],
    maintainTime: '',
    offTime: '-1',
    limitOpenTime: '-1',
    areaSymbol: 'NO',
    symbolType: 'crypto',
    isRwa: 'NO',
  }
}

export function spotInstrumentRecord(
  instrument: SpotInstrument,
  catalog: CatalogIndex,
): Static<typeof records.SpotInstrument> {
  return commonInstrumentFields(instrument, 'SPOT', catalog)
}

export function marginInstrumentRecord(
  instrument: SpotInstrument,
  catalog: CatalogIndex,
): Static<typeof records.MarginInstrument> {
  const leverageMax = Math.min(
    catalog.coin(instrument.base).marginLeverageMax,
    instrument.quote === -1 ? 1 : catalog.coin(instrument.quote).marginLeverageMax,
  )
  return {
    ...commonInstrumentFields(instrument, 'MARGIN', catalog),
    isIsolatedBaseBorrowable: 'NO',
    isIsolatedQuotedBorrowable: 'NO',
    warningRiskRatio: '0.84',
    liquidationRiskRatio: '1',
    maxCrossedLeverage: String(leverageMax),
    maxIsolatedLeverage: '0',
    userMinBorrow: '0.00000001',
  }
}

export function futuresInstrumentRecord(
  instrument: FuturesInstrument,
  catalog: CatalogIndex,
  { orderFeeMarkup, orderMarginMarkup }: Answer<'settings'>['risk'],
): Static<typeof records.FuturesInstrument> {
  return {
    ...commonInstrumentFields(instrument, instrument.category, catalog),
    type: 'perpetual',
    feeRateUpRatio: formatRate(orderFeeMarkup),
    openCostUpRatio: formatRate(orderMarginMarkup),
    maxPositionNum: String(positionsMax),
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    launchTime: String(instrument.listedAt),
    fundInterval: String(instrument.fundingIntervalHours),
    minLeverage: String(instrument.leverageMin),
    maxLeverage: String(instrument.leverageMax),
  }
}

export interface MarketPicture {
  readonly category: string
  readonly ticker: Ticker | undefined
  readonly depth: DepthView
  readonly prices: PricesView
  readonly now: number
}

export function spotTickerRecord(
  instrument: Instrument,
  { category, ticker, depth, prices, now }: MarketPicture,
): Static<typeof records.SpotTicker> {
  const [bid] = depth.bids
  const [ask] = depth.asks
  const { lastPrice: last, openPrice: open, highPrice, lowPrice } = tickerPrices(ticker, prices)
  const { base, quote } = ticker === undefined ? { base: zero, quote: zero } : volumes(ticker, instrument)
  return {
    category,
    symbol: instrument.symbol,
    ts: String(now),
    lastPrice: formatTicks(last, instrument),
    openPrice24h: formatTicks(open, instrument),
    highPrice24h: formatTicks(highPrice, instrument),
    lowPrice24h: formatTicks(lowPrice, instrument),
    ask1Price: ask === undefined ? '' : formatTicks(ask[0], instrument),
    bid1Price: bid === undefined ? '' : formatTicks(bid[0], instrument),
    bid1Size: bid === undefined ? '' : formatLots(bid[1], instrument),
    ask1Size: ask === undefined ? '' : formatLots(ask[1], instrument),
    price24hPcnt: open === 0 ? '0' : formatDecimal(divHalfUp(BigInt(last - open) * 100_000n, BigInt(open)), 5),
    volume24h: formatAmount(base),
    turnover24h: formatAmount(quote),
  }
}

export function futuresTickerRecord(
  instrument: FuturesInstrument,
  picture: MarketPicture,
): Static<typeof records.FuturesTicker> {
  const { prices } = picture
  return {
    ...spotTickerRecord(instrument, picture),
    indexPrice: formatTicks(prices.indexPrice, instrument),
    markPrice: formatTicks(prices.markPrice, instrument),
    fundingRate: formatRate(prices.fundingRate),
    openInterest: formatLots(prices.openInterest, instrument),
    deliveryStartTime: '',
    deliveryTime: '',
    deliveryStatus: '',
  }
}

/** Start, four prices, and what was traded in base and in quote coin. */
export function candleRow(candle: Candle, instrument: Instrument): Static<typeof records.Candle> {
  const { base, quote } = volumes(candle, instrument)
  return [
    String(candle.start),
    formatTicks(candle.openPrice, instrument),
    formatTicks(candle.highPrice, instrument),
    formatTicks(candle.lowPrice, instrument),
    formatTicks(candle.closePrice, instrument),
    formatAmount(base),
    formatAmount(quote),
  ]
}

/** Price and quantity of a level as JSON numbers; up to fifteen digits they are exact. */
export function orderBookLevel(instrument: Instrument, { price, quantity }: ShownLevel): [number, number] {
  return [Number(formatTicks(price, instrument)), Number(formatLots(quantity, instrument))]
}

export function tierRecord(tier: MaintenanceTier, index: number): Static<typeof records.PositionTier> {
  return {
    tier: String(index + 1),
    minTierValue: formatAmount(tier.from),
    maxTierValue: formatAmount(tier.to),
    leverage: String(tier.leverageMax),
    mmr: formatRate(tier.maintenanceRate),
  }
}

/** Borrowing has one tier: up to the coin's limit, at its highest leverage. */
export function borrowTierRecord(coin: Coin): Static<typeof records.PositionTier> {
  const leverage = BigInt(coin.marginLeverageMax)
  return {
    tier: '1',
    minTierValue: '0',
    maxTierValue: formatAmount(coin.borrowLimit),
    leverage: String(leverage),
    mmr: formatDecimal(divHalfUp(pow10(4), 2n * leverage), 4),
  }
}

/** A slice begins where the one before ends. */
export function discountRecord(coin: Coin): Static<typeof records.DiscountRate> {
  const starts = [zero, ...coin.collateral.map(({ to }) => to)]
  const list = coin.collateral.map(({ ratio }, index) => ({
    tierStartValue: formatAmount(starts[index] ?? zero),
    discountRate: formatRate(ratio),
  }))
  return { coin: coin.name, list }
}

/** Accounts of one family are not added up: there is no total. */
export function openInterestLimitRecord(instrument: FuturesInstrument): Static<typeof records.OpenInterestLimit> {
  const most = instrument.tiers.at(-1)?.to ?? zero
  return { symbol: instrument.symbol, notionalValue: formatAmount(most), totalNotionalValue: '' }
}

export function indexComponentsRecord(
  instrument: FuturesInstrument,
  prices: PricesView,
  catalog: CatalogIndex,
): Static<typeof records.IndexComponents> {
  const spotPair = `${catalog.coinName(instrument.base)}/${catalog.coinName(instrument.quote)}`
  const equivalentPrice = formatTicks(prices.indexPrice, instrument)
  return {
    symbol: instrument.symbol,
    componentList: [{ exchange: 'operator', spotPair, equivalentPrice, weight: '1' }],
  }
}

export function openInterestText(prices: PricesView, instrument: Instrument): string {
  return formatLots(prices.openInterest, instrument)
}

export function currentFundingRecord(
  instrument: FuturesInstrument,
  prices: PricesView,
): Static<typeof records.CurrentFundingRate> {
  return {
    symbol: instrument.symbol,
    fundingRate: formatRate(prices.fundingRate),
    fundingRateInterval: String(instrument.fundingIntervalHours),
    nextUpdate: String(prices.nextFundingAt),
    minFundingRate: formatDecimal(0n - instrument.fundingRateCap, rateDecimals),
    maxFundingRate: formatRate(instrument.fundingRateCap),
  }
}

export function fundingRecord(settled: FundingSettled, catalog: CatalogIndex): Static<typeof records.FundingRate> {
  return {
    symbol: catalog.instrument(settled.instrument).symbol,
    fundingRate: formatRate(settled.fundingRate),
    fundingRateTimestamp: String(settled.at),
  }
}
