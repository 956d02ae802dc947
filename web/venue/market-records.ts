/** Tickers, trades and candles as the v3 interface and its streams write them, read into what the terminal shows. */
import type { Category } from './categories.ts'
import { type Instrument, streamType } from './instruments.ts'
import type { Interval } from './intervals.ts'
import { publicGet } from './rest.ts'

/** Texts as the venue writes them; what an instrument does not have is undefined. */
export interface Ticker {
  readonly last: string
  readonly open24h: string
  readonly high24h: string
  readonly low24h: string
  readonly change24h: string
  readonly bid: string
  readonly ask: string
  readonly volume24h: string
  readonly turnover24h: string
  readonly mark?: string | undefined
  readonly index?: string | undefined
  readonly fundingRate?: string | undefined
  readonly nextFundingAt?: number | undefined
  readonly openInterest?: string | undefined
}

export interface TickerRecord {
  readonly symbol?: string
  readonly lastPrice: string
  readonly openPrice24h: string
  readonly highPrice24h: string
  readonly lowPrice24h: string
  readonly price24hPcnt: string
  readonly bid1Price: string
  readonly ask1Price: string
  readonly volume24h: string
  readonly turnover24h: string
  readonly markPrice?: string
  readonly indexPrice?: string
  readonly fundingRate?: string
  readonly nextFundingTime?: string
  readonly openInterest?: string
}

export function tickerOf(record: TickerRecord): Ticker {
  return {
    last: record.lastPrice,
    open24h: record.openPrice24h,
    high24h: record.highPrice24h,
    low24h: record.lowPrice24h,
    change24h: record.price24hPcnt,
    bid: record.bid1Price,
    ask: record.ask1Price,
    volume24h: record.volume24h,
    turnover24h: record.turnover24h,
    mark: record.markPrice,
    index: record.indexPrice,
    fundingRate: record.fundingRate,
    nextFundingAt: record.nextFundingTime === undefined ? undefined : Number(record.nextFundingTime),
    openInterest: record.openInterest,
  }
}

/** By the key of the instrument. Margin trades on the books of spot: their tickers are its own. */
export async function loadTickers(category: Category): Promise<[string, Ticker][]> {
  const records = await publicGet<(TickerRecord & { symbol: string })[]>('/api/v3/market/tickers', {
    category: category === 'MARGIN' ? 'SPOT' : category,
  })
  return records.map((record) => [`${category}/${record.symbol}`, tickerOf(record)])
}

export interface Trade {
  readonly id: string
  readonly price: string
  readonly size: string
  readonly side: 'buy' | 'sell'
  readonly at: number
}

export interface TradeRow {
  readonly i: string
  readonly p: string
  readonly v: string
  readonly S: 'buy' | 'sell'
  readonly T: string
}

export function tradeOf({ i, p, v, S, T }: TradeRow): Trade {
  return { id: i, price: p, size: v, side: S, at: Number(T) }
}

export interface Candle {
  /** Seconds. */
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

export interface CandleRow {
  readonly start: string
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
}

export function candleOf({ start, open, high, low, close, volume }: CandleRow): Candle {
  return {
    time: Number(start) / 1000,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  }
}

/** What a candle is of: trades, or a price that the venue reckons. */
export type PriceKind = 'market' | 'mark' | 'index'

/** At most a thousand, the newest before a time (milliseconds), oldest first. */
export async function loadCandles(
  instrument: Instrument,
  interval: Interval,
  endTime?: number,
  type: PriceKind = 'market',
): Promise<Candle[]> {
  const rows = await publicGet<string[][]>('/api/v3/market/candles', {
    category: streamType(instrument),
    symbol: instrument.symbol,
    interval,
    type,
    limit: 1000,
    ...(endTime === undefined ? {} : { endTime }),
  })
  return rows.map(candleOfRow)
}

/** The newest candles, oldest first, a thousand at most. */
export async function loadRecentCandles(instrument: Instrument, interval: Interval): Promise<Candle[]> {
  const rows = await publicGet<string[][]>('/api/v3/market/candles', {
    category: streamType(instrument),
    symbol: instrument.symbol,
    interval,
    limit: 1000,
  })
  return rows.map(candleOfRow).sort((a, b) => a.time - b.time)
}

function candleOfRow([start = '0', open = '0', high = '0', low = '0', close = '0', volume = '0']: string[]): Candle {
  return candleOf({ start, open, high, low, close, volume })
}
