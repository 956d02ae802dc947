/**
 * Public pushes of v2.
 *
 * Checksum  CRC-32 over the best 25 levels of each side after the push, their texts as they were sent, as a signed number
 * Source    wire/websocket.md §3
 */
import { crc32 } from 'node:zlib'
import { type CatalogIndex, v2 } from '../../api/api.ts'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { TradeEvent } from '../../engine/protocol/event.ts'
import type { Candle } from '../../market/market.ts'
import type { Level, Sides } from '../levels.ts'
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

export function book({ instrument, rows, whole, sequence, at }: BookPush) {
  return {
    asks: rows.asks.map((level) => levelTexts(instrument, level)),
    bids: rows.bids.map((level) => levelTexts(instrument, level)),
    checksum: checksum(instrument, whole),
    seq: sequence,
    ts: String(at),
  }
}

function levelTexts(instrument: Instrument, [price, quantity]: Level): [string, string] {
  return [v2.priceText(instrument, price), v2.baseText(instrument, quantity, price)]
}

const checkedLevels = 25

/** bid price : bid size : ask price : ask size : next bid price … leaving out what a side does not have. */
function checksum(instrument: Instrument, { bids, asks }: Sides): number {
  const texts: string[] = []
  for (let index = 0; index < checkedLevels; index++) {
    for (const side of [bids, asks]) {
      if (index < side.length) texts.push(...levelTexts(instrument, side[index]))
    }
  }
  return crc32(texts.join(':')) | 0
}

/** With the quote volume again as USDT volume, also of contracts. */
export function candle(instrument: Instrument, shown: Candle): string[] {
  const row = v2.mixCandle(instrument, shown)
  return [...row, row[6]]
}
