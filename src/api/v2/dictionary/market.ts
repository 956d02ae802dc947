/**
 * Market data of v2: tickers, books, trades, funding and open interest.
 *
 * Sizes     base coin; inverse contracts at the price that they trade or are offered at
 * Untraded  an instrument that never traded shows its mark price; an empty side of the book is empty text
 * Source    wire/client-endpoints.md §4
 */
import type { FuturesInstrument, Instrument, SpotInstrument } from '../../../engine/catalog/catalog.ts'
import { divHalfUp, formatDecimal, type Lots, type Ticks } from '../../../engine/numbers/numbers.ts'
import type { FundingSettled, TradeEvent } from '../../../engine/protocol/event.ts'
import type { DepthView, PricesView } from '../../../engine/protocol/query.ts'
import { type Candle, type Ticker, tickerPrices, volumes } from '../../../market/market.ts'
import type * as records from '../records.ts'
import { amountText, baseText, paddedQuantityText, priceText, rateText } from './figures.ts'

/** What a ticker is made of; `day` is undefined while nothing has traded yet. */
export interface Quoted {
  readonly day: Ticker | undefined
  readonly best: DepthView
  readonly prices: PricesView
  readonly now: number
}

/** An instrument that never traded shows its mark price. */
function tickerBase(instrument: Instrument, { day, best, prices, now }: Quoted) {
  const { lastPrice: last, openPrice: open, highPrice, lowPrice, openPriceUtc: openUtc } = tickerPrices(day, prices)
  const traded = day === undefined ? { base: 0n, quote: 0n } : volumes(day, instrument)
  const [bid, ask] = [best.bids[0], best.asks[0]]
  return {
    symbol: instrument.symbol,
    lastPr: priceText(instrument, last),
    askPr: ask ? priceText(instrument, ask[0]) : '',
    bidPr: bid ? priceText(instrument, bid[0]) : '',
    bidSz: bid ? baseText(instrument, bid[1], bid[0]) : '',
    askSz: ask ? baseText(instrument, ask[1], ask[0]) : '',
    high24h: priceText(instrument, highPrice),
    low24h: priceText(instrument, lowPrice),
    ts: String(now),
    change24h: changeText(last, open),
    baseVolume: amountText(traded.base),
    quoteVolume: amountText(traded.quote),
    usdtVolume: amountText(traded.quote),
    openUtc: priceText(instrument, openUtc),
    changeUtc24h: changeText(last, openUtc),
    open24h: priceText(instrument, open),
  }
}

/** A ratio at 5 decimals: 0.01 is one per cent. */
function changeText(last: number, open: number): string {
  if (open === 0) return '0'
  return formatDecimal(divHalfUp(BigInt(last - open) * 100_000n, BigInt(open)), 5)
}

export function spotTicker(pair: SpotInstrument, quoted: Quoted): records.SpotTicker {
  const { open24h: open, ...base } = tickerBase(pair, quoted)
  return { ...base, open }
}

export function mixTicker(contract: FuturesInstrument, quoted: Quoted): records.MixTicker {
  const base = tickerBase(contract, quoted)
  const { prices } = quoted
  return {
    ...base,
    indexPrice: priceText(contract, prices.indexPrice),
    fundingRate: rateText(prices.fundingRate),
    holdingAmount: baseText(contract, prices.openInterest, prices.markPrice),
    deliveryStartTime: null,
    deliveryTime: null,
    deliveryStatus: '',
    markPrice: priceText(contract, prices.markPrice),
  }
}

export function symbolPrice(contract: FuturesInstrument, prices: PricesView, now: number): records.SymbolPrice {
  return {
    symbol: contract.symbol,
    price: priceText(contract, prices.lastPrice || prices.markPrice),
    indexPrice: priceText(contract, prices.indexPrice),
    markPrice: priceText(contract, prices.markPrice),
    ts: String(now),
  }
}

export function publicTrade(instrument: Instrument, trade: TradeEvent): records.PublicTrade {
  return {
    symbol: instrument.symbol,
    tradeId: String(trade.matchId),
    side: trade.side,
    price: priceText(instrument, trade.price),
    size: baseText(instrument, trade.quantity, trade.price),
    ts: String(trade.at),
  }
}

/** The history of trades spells the side with a capital. */
export function pastTrade(instrument: Instrument, trade: TradeEvent): records.PublicTrade {
  return { ...publicTrade(instrument, trade), side: trade.side === 'buy' ? 'Buy' : 'Sell' }
}

export function currentFundingRate(contract: FuturesInstrument, prices: PricesView): records.CurrentFundingRate {
  return {
    symbol: contract.symbol,
    fundingRate: rateText(prices.fundingRate),
    fundingRateInterval: String(contract.fundingIntervalHours),
    nextUpdate: String(prices.nextFundingAt),
    minFundingRate: rateText(0n - contract.fundingRateCap),
    maxFundingRate: rateText(contract.fundingRateCap),
  }
}

export function fundingTime(contract: FuturesInstrument, prices: PricesView): records.FundingTime {
  return {
    symbol: contract.symbol,
    nextFundingTime: String(prices.nextFundingAt),
    ratePeriod: String(contract.fundingIntervalHours),
  }
}

export function pastFundingRate(contract: FuturesInstrument, settled: FundingSettled): records.PastFundingRate {
  return { symbol: contract.symbol, fundingRate: rateText(settled.fundingRate), fundingTime: String(settled.at) }
}

export function openInterest(contract: FuturesInstrument, prices: PricesView, now: number): records.OpenInterest {
  const size = baseText(contract, prices.openInterest, prices.markPrice)
  return { openInterestList: [{ symbol: contract.symbol, size }], ts: String(now) }
}

/** Start, four prices, and what was traded in base and in quote coin. */
export function mixCandle(instrument: Instrument, candle: Candle): records.MixCandle {
  const { base, quote } = volumes(candle, instrument)
  return [
    String(candle.start),
    priceText(instrument, candle.openPrice),
    priceText(instrument, candle.highPrice),
    priceText(instrument, candle.lowPrice),
    priceText(instrument, candle.closePrice),
    amountText(base),
    amountText(quote),
  ]
}

/** Pairs are quoted in USDT, so that the volume in USDT is the one in quote coin. */
export function spotCandle(pair: SpotInstrument, candle: Candle): records.SpotCandle {
  const row = mixCandle(pair, candle)
  return [...row, row[6]]
}

type Levels = DepthView['bids']

/**
 * Levels of `merged` ticks: bids go down to a multiple of it, asks up; the nearest first, at most `limit`. Sizes of pairs have all
 * decimals of a quantity.
 */
export function bookSide(
  instrument: Instrument,
  levels: Levels,
  side: 'bid' | 'ask',
  { merged, limit }: { readonly merged: number; readonly limit: number },
): string[][] {
  const sums = new Map<number, { lots: number; price: Ticks }>()
  for (const [price, quantity] of levels) {
    const multiple = (side === 'bid' ? Math.floor(price / merged) : Math.ceil(price / merged)) * merged
    const sum = sums.get(multiple)
    if (sum !== undefined) sum.lots += quantity
    else if (sums.size < limit) sums.set(multiple, { lots: quantity, price })
    else break
  }
  return [...sums].map(([multiple, sum]) => [
    priceText(instrument, multiple as Ticks),
    instrument.kind === 'spot'
      ? paddedQuantityText(instrument, sum.lots as Lots)
      : baseText(instrument, sum.lots as Lots, sum.price),
  ])
}

/** Of contracts the same as JSON numbers. Up to fifteen digits these are exact. */
export function numberLevels(levels: readonly (readonly string[])[]): number[][] {
  return levels.map((level) => level.map(Number))
}

/** The price step of a merged book, as its `scale`. */
export function scaleText(instrument: Instrument, merged: number): string {
  return priceText(instrument, merged as Ticks)
}
