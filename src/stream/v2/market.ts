/**
 * Public pushes of v2.
 *
 * Books   of contracts are chained by `pseq`, the sequence of the push before
 * Source  wire/websocket.md §3
 */
import { type CatalogIndex, v2 } from '../../api/api.ts'
import { type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import type { Millis } from '../../engine/numbers/numbers.ts'
import type { TradeEvent } from '../../engine/protocol/event.ts'
import type { PricesView } from '../../engine/protocol/query.ts'
import type { Candle } from '../../market/market.ts'
import { checksum } from '../checksum.ts'
import type { Level } from '../levels.ts'
import type { BookPush, TickerPicture } from '../socket-protocol.ts'

export function ticker({ instrument, ticker: day, depth: best, prices, now }: TickerPicture) {
  const quoted = { day, best, prices, now }
  const record = instrument.kind === 'spot' ? v2.spotTicker(instrument, quoted) : v2.mixTicker(instrument, quoted)
  const common = {
    instId: record.symbol,
    lastPr: record.lastPr,
    open24h: 'open24h' in record ? record.open24h : record.open,
    high24h: record.high24h,
    low24h: record.low24h,
    change24h: record.change24h,
    bidPr: record.bidPr,
    askPr: record.askPr,
    bidSz: record.bidSz,
    askSz: record.askSz,
    baseVolume: record.baseVolume,
    quoteVolume: record.quoteVolume,
    openUtc: record.openUtc,
    changeUtc24h: record.changeUtc24h,
    ts: record.ts,
  }
  if (!('markPrice' in record)) return common
  return {
    ...common,
    fundingRate: record.fundingRate,
    nextFundingTime: String(prices.nextFundingAt),
    markPrice: record.markPrice,
    indexPrice: record.indexPrice,
    holdingAmount: record.holdingAmount,
    symbolType: '1',
    symbol: record.symbol,
    deliveryPrice: '0',
  }
}

export function trade(event: TradeEvent, catalog: CatalogIndex) {
  const { ts, price, size, side, tradeId } = v2.publicTrade(catalog.instrument(event.instrument), event)
  return { ts, price, size, side, tradeId }
}

export function book({ instrument, rows, whole, sequence, previous, at }: BookPush) {
  const texts = (level: Level) => levelTexts(instrument, level)
  return {
    asks: rows.asks.map(texts),
    bids: rows.bids.map(texts),
    checksum: checksum(whole, texts),
    seq: sequence,
    ...(isFutures(instrument) ? { pseq: previous } : {}),
    ts: String(at),
  }
}

function levelTexts(instrument: Instrument, [price, quantity]: Level): [string, string] {
  return [v2.priceText(instrument, price), v2.baseText(instrument, quantity, price)]
}

export function indexPrice({ instrument, indexPrice: price }: PricesView, catalog: CatalogIndex, now: Millis) {
  const listed = catalog.instrument(instrument)
  return {
    symbol: listed.symbol,
    baseCoin: catalog.coinName(listed.base),
    quoteCoin: catalog.coinName(listed.quote),
    indexPrice: v2.priceText(listed, price),
    ts: String(now),
  }
}

/** With the quote volume again as USDT volume, also of contracts. */
export function candle(instrument: Instrument, shown: Candle): string[] {
  const row = v2.mixCandle(shown, instrument)
  return [...row, row[6]]
}
