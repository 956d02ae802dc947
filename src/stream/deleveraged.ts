/**
 * A position that was deleveraged, as both versions tell its account: the side of the position, and what was taken of it in quote
 * coin at the price that it was taken at.
 *
 * Source  docs/streams.md "Channels"
 */
import { type CatalogIndex, v2 } from '../api/api.ts'
import type { FillEvent } from '../engine/protocol/event.ts'

/** Undefined: the fill is of another kind. */
export function deleveragedRow(fill: FillEvent, catalog: CatalogIndex) {
  if (fill.cause !== 'adl') return undefined
  const instrument = catalog.instrument(fill.instrument)
  return {
    symbol: instrument.symbol,
    // What closes a long is a sell.
    side: fill.bookSide === 'sell' ? 'buy' : 'sell',
    status: 'triggered',
    price: v2.priceText(instrument, fill.price),
    amount: v2.tradedTexts(instrument, fill.quantity, fill.notional).quote,
    ts: String(fill.at),
  }
}
