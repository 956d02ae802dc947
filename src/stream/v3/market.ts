/**
 * Public pushes of v3.
 *
 * Books     chained by `pseq`, the sequence of the push before, with the checksum of v2
 * RPI       a level tells what retail price improvement offers apart; there are no such orders, so that it is always zero
 * Trades    the price is there as `p` and `P`: clients read either
 * Source    wire/websocket.md §3
 */
import { type CatalogIndex, formatLots, formatTicks, v3 } from '../../api/api.ts'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { TradeEvent } from '../../engine/protocol/event.ts'
import type { LiquidationOffer } from '../../history/history.ts'
import type { Candle } from '../../market/market.ts'
import { checksum } from '../checksum.ts'
import type { Level } from '../levels.ts'
import type { BookPush, TickerPicture } from '../socket-protocol.ts'

export function ticker(picture: TickerPicture) {
  const { instrument, prices } = picture
  const named = { ...picture, category: instrument.category }
  if (instrument.kind === 'spot') {
    const { category: _category, symbol: _symbol, ts: _ts, ...record } = v3.spotTickerRecord(instrument, named)
    return record
  }
  const { category: _category, symbol: _symbol, ts: _ts, ...record } = v3.futuresTickerRecord(instrument, named)
  return { ...record, nextFundingTime: String(prices.nextFundingAt) }
}

export function trade(event: TradeEvent, catalog: CatalogIndex) {
  const { execId, execLinkId, price, size, side, ts } = v3.publicFillRecord(event, catalog)
  return { i: execId, L: execLinkId, p: price, P: price, v: size, S: side, T: ts, isRPI: 'no' }
}

export function liquidation(offer: LiquidationOffer, catalog: CatalogIndex) {
  return v3.liquidationRecord(offer, catalog)
}

export function book({ instrument, rpi, rows, whole, levelsMax, sequence, previous, at }: BookPush) {
  const texts = ([price, quantity]: Level) => {
    const offered = [formatTicks(price, instrument), formatLots(quantity, instrument)]
    return rpi ? [...offered, '0'] : offered
  }
  return {
    a: rows.asks.map(texts),
    b: rows.bids.map(texts),
    checksum: checksum(whole, texts),
    seq: sequence,
    pseq: previous,
    ts: String(at),
    ...(rpi ? {} : { maxDepth: String(levelsMax) }),
  }
}

export function candle(instrument: Instrument, shown: Candle) {
  const [start, open, high, low, close, volume, turnover] = v3.candleRow(shown, instrument)
  return { start, open, high, low, close, volume, turnover }
}
