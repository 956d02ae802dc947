/**
 * The premium of a book over the index: how far above it one could sell, or below it buy, for a value that matters.
 *
 *   premium = ( max(0, ImpactBid − I) − max(0, I − ImpactAsk) ) / I
 *
 * Impact    the average price of filling `impactNotional` on a side; a side without that much says nothing, and then the
 *           premium is 0
 * Source    risk-engine.md §13
 */
import { bestPrice, nextPrice, quantityAt, type ReadonlyBook } from '../book/book.ts'
import type { InstrumentId, Scale } from '../catalog/catalog.ts'
import { divHalfUp, type Rate, rate, rateOne, type Ticks } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'
import type { Side } from '../vocabulary.ts'

/** Ticks of 1e-8. */
const ticksE8 = 100_000_000n

/** The premium of a contract's book now; its book, index and impact notional as they stand. */
export function premiumNow(reading: Reading, id: InstrumentId): Rate {
  const { prices } = reading
  return premiumOf(reading.book(id), reading.scale(id), prices.indexPrice(id), prices.settings.impactNotional[id])
}

/** In 1e-12 of the index, rounded to the nearest. */
export function premiumOf(book: ReadonlyBook, scale: Scale, indexPrice: Ticks, notional: bigint): Rate {
  const bid = impactPriceE8(book, scale, 'buy', notional)
  const ask = bid === 0n ? 0n : impactPriceE8(book, scale, 'sell', notional)
  if (bid === 0n || ask === 0n) return rate(0n)
  const index = BigInt(indexPrice) * ticksE8
  const above = bid > index ? bid - index : 0n
  const below = ask < index ? index - ask : 0n
  return rate(divHalfUp((above - below) * rateOne, index))
}

/** Average price of filling a value on one side, in ticks of 1e-8; zero when the side has less. */
function impactPriceE8(book: ReadonlyBook, scale: Scale, side: Side, notional: bigint): bigint {
  return scale.inverse ? inverseImpact(book, scale, side, notional) : linearImpact(book, scale, side, notional)
}

/** notional / quantity, where the last level gives `left / price` of it. */
function linearImpact(book: ReadonlyBook, { unit }: Scale, side: Side, notional: bigint): bigint {
  let left = notional
  let lots = 0n
  for (let price = bestPrice(book, side); price !== 0; price = nextPrice(book, side, price)) {
    const quantity = BigInt(quantityAt(book, side, price))
    const value = quantity * BigInt(price) * unit
    if (value >= left) {
      return divHalfUp(notional * BigInt(price) * ticksE8, lots * BigInt(price) * unit + left)
    }
    left -= value
    lots += quantity
  }
  return 0n
}

/** USD / Σ (USD of a level / its price). */
function inverseImpact(book: ReadonlyBook, { usdUnit }: Scale, side: Side, notional: bigint): bigint {
  let left = notional
  let base = 0n
  for (let price = bestPrice(book, side); price !== 0; price = nextPrice(book, side, price)) {
    const value = BigInt(quantityAt(book, side, price)) * usdUnit
    const taken = value < left ? value : left
    base += divHalfUp(taken * rateOne, BigInt(price))
    left -= taken
    if (left === 0n) return divHalfUp(notional * rateOne * ticksE8, base)
  }
  return 0n
}
