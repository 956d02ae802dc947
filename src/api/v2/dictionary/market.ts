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
import { type Candle, tickerPrices, volumes } from '../../../market/market.ts'
import { type ShownLevel, singleLevels } from '../../level-texts.ts'
import type { Quoted } from '../../ticker-texts.ts'
import type * as records from '../records.ts'
import { amountText, baseText, paddedQuantityText, priceText, rateText } from './figures.ts'

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
export function mixCandle(candle: Candle, instrument: Instrument): records.MixCandle {
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
export function spotCandle(candle: Candle, pair: Instrument): records.SpotCandle {
  const row = mixCandle(candle, pair)
  return [...row, row[6]]
}

type Levels = DepthView['bids']

/** Levels of `merged` ticks: bids go down to a multiple of it, asks up; the nearest first, at most `limit`. */
export function mergedLevels(
  levels: Levels,
  side: 'bid' | 'ask',
  { merged, limit }: { readonly merged: number; readonly limit: number },
): ShownLevel[] {
  if (merged === 1) return singleLevels(levels)
  const found: { price: Ticks; quantity: Lots; nearest: Ticks }[] = []
  for (const [nearest, quantity] of levels) {
    const price = ((side === 'bid' ? Math.floor(nearest / merged) : Math.ceil(nearest / merged)) * merged) as Ticks
    const last = found.at(-1)
    if (last?.price === price) last.quantity = (last.quantity + quantity) as Lots
    else if (found.length < limit) found.push({ price, quantity, nearest })
    else break
  }
  return found
}

/** Price and size of a level. Sizes of pairs have all decimals of a quantity. */
export function bookLevel(instrument: Instrument, { price, quantity, nearest }: ShownLevel): string[] {
  return [
    priceText(instrument, price),
    instrument.kind === 'spot' ? paddedQuantityText(instrument, quantity) : baseText(instrument, quantity, nearest),
  ]
}

/** Of contracts the same as JSON numbers. Up to fifteen digits these are exact. */
export function numberLevel(instrument: Instrument, level: ShownLevel): number[] {
  return bookLevel(instrument, level).map(Number)
}

/** The price step of a merged book, as its `scale`. */
export function scaleText(instrument: Instrument, merged: number): string {
  return priceText(instrument, merged as Ticks)
}
