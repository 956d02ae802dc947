/**
 * Public pushes of v3.
 *
 * Books     chained by `pseq`, the sequence of the push before; no checksum: clients that look for one take zero for a fault
 * Trades    the price is there as `p` and `P`: clients read either
 * Source    wire/websocket.md §3
 */
import { type CatalogIndex, v3 } from '../../api/api.ts'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { TradeEvent } from '../../engine/protocol/event.ts'
import type { LiquidationOffer } from '../../history/history.ts'
import type { Candle } from '../../market/market.ts'
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

export function book({ instrument, rows, levelsMax, sequence, previous, at }: BookPush) {
  const { a, b } = v3.orderBookRecord({ ...rows, at }, instrument)
  return { a, b, seq: sequence, pseq: previous, ts: String(at), maxDepth: String(levelsMax) }
}

export function candle(instrument: Instrument, shown: Candle) {
  const [start, open, high, low, close, volume, turnover] = v3.candleRow(shown, instrument)
  return { start, open, high, low, close, volume, turnover }
}
