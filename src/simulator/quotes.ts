/**
 * What a maker wants in one book, and the few changes that bring its resting quotes nearer to it.
 *
 * Holds     after the cancels every bid is below the fair price and every ask above it, so no quote of the plan meets the
 *           maker's own other side
 *           · quotes beyond the fair price go at once; the others are replaced a few at a time, the best first
 * Pure      the same book, price and random numbers give the same plan
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { type Lots, type Ticks, ticks } from '../engine/numbers/numbers.ts'
import type { OrderId, Side } from '../engine/vocabulary.ts'
import type { SimulatorParameters } from './parameters.ts'
import type { Random } from './random.ts'
import { lotsFor, priceOf, ticksFor } from './scale.ts'

interface RestingQuote {
  readonly orderId: OrderId
  readonly side: Side
  readonly price: Ticks | 0
}

interface NewQuote {
  readonly side: Side
  readonly price: Ticks
  readonly quantity: Lots
}

export interface QuotePlan {
  readonly cancel: readonly OrderId[]
  readonly place: readonly NewQuote[]
}

export interface QuoteSituation {
  readonly instrument: Instrument
  /** What the maker thinks the instrument is worth. */
  readonly fair: number
  /** Times the usual distance from the fair price. */
  readonly nervousness: number
  readonly resting: readonly RestingQuote[]
  /** New quotes on each side at most. */
  readonly quotesMax: number
}

export function planQuotes(situation: QuoteSituation, random: Random, parameters: SimulatorParameters): QuotePlan {
  const bids = planSide('buy', situation, random, parameters)
  const asks = planSide('sell', situation, random, parameters)
  return { cancel: [...bids.cancel, ...asks.cancel], place: [...bids.place, ...asks.place] }
}

function planSide(
  side: Side,
  { instrument, fair, nervousness, resting, quotesMax }: QuoteSituation,
  random: Random,
  parameters: SimulatorParameters,
): QuotePlan {
  const outwards = side === 'buy' ? -1 : 1
  const wanted = wantedPrices(side, instrument, fair, nervousness, parameters)
  const own = resting.filter((quote) => quote.side === side)
  const beyond = own.filter((quote) => isBeyond(instrument, quote, fair))
  const left = own
    .filter((quote) => !beyond.includes(quote))
    .sort((a, b) => outwards * (a.price - b.price) || a.orderId - b.orderId)

  const missing: number[] = []
  wanted.forEach((price, level) => {
    const reach = Math.abs((wanted[level + 1] ?? price + outwards) - price) / 2
    const place = left.findIndex((quote) => Math.abs(quote.price - price) <= reach)
    if (place >= 0 && !random.happens(parameters.refreshChance)) left.splice(place, 1)
    else missing.push(level)
  })

  // What is left is not wanted, and goes as new quotes come.
  const spare = left.slice(0, Math.max(quotesMax, own.length - beyond.length - parameters.levels))
  const place = missing.slice(0, quotesMax).flatMap((level) => {
    const price = wanted[level]
    const notional = random.spread(parameters.quoteNotional * (1 + 0.7 * level), 0.4)
    const quantity = lotsFor(instrument, notional, priceOf(instrument, price))
    return quantity === undefined ? [] : [{ side, price, quantity }]
  })
  return { cancel: [...beyond, ...spare].map((quote) => quote.orderId), place }
}

/** A bid above, or an ask below, what the maker thinks right. */
export function isBeyond(instrument: Instrument, { side, price }: RestingQuote, fair: number): boolean {
  const outwards = side === 'buy' ? -1 : 1
  return outwards * (priceOf(instrument, price) - fair) <= 0
}

/** Best first, at least a tick apart, and none on the other side of the fair price. */
function wantedPrices(
  side: Side,
  instrument: Instrument,
  fair: number,
  nervousness: number,
  { levels, halfSpreadBps, levelGapBps }: SimulatorParameters,
): Ticks[] {
  const outwards = side === 'buy' ? -1 : 1
  const prices: Ticks[] = []
  for (let level = 0; level < levels; level++) {
    const bps = halfSpreadBps + levelGapBps * level * (1 + 0.25 * level)
    const price = ticksFor(instrument, fair * (1 + (outwards * bps * nervousness) / 1e4), side)
    const before = prices.at(-1)
    const next = before !== undefined && outwards * (price - before) < 1 ? ticks(before + outwards) : price
    if (next < 1) break
    prices.push(next)
  }
  return prices
}
