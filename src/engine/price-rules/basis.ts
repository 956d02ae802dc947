/**
 * The basis of a contract: how far its book's middle stands from the index, and when that is sampled.
 *
 * Units   half ticks
 * Source  risk-engine.md §12
 */
import { bestPrice } from '../book/book.ts'
import { type InstrumentId, isFutures } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'
import { isHalted } from './index-halts.ts'

/** Between two samples. */
export const basisMs = 5_000

/** When the next samples are taken, if a command comes by then. */
export function nextSampleAt(at: Millis): Millis {
  return (Math.floor(at / basisMs) + 1) * basisMs
}

/** Whether samples of books and indexes as they stand leave the mean of the basis as it is, however many are taken. */
export function isBasisSettled(reading: Reading, id: InstrumentId): boolean {
  if (!isFutures(reading.instrument(id)) || isHalted(reading, id)) return true
  const { basis } = reading.prices.samples[id]
  const value = basisOf(reading, id)
  return basis.length === 0 ? value === 0 : basis.every((sample) => sample === value)
}

/** The basis now, in half ticks; 0 while a side of the book is empty. */
export function basisOf(reading: Reading, id: InstrumentId): number {
  const book = reading.book(id)
  const bid = bestPrice(book, 'buy')
  const ask = bestPrice(book, 'sell')
  return bid === 0 || ask === 0 ? 0 : bid + ask - 2 * reading.prices.indexPrice(id)
}
