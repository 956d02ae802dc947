/**
 * What a maker wants in one book, and the few changes that bring its resting quotes nearer to it.
 *
 * Holds     after the cancels every bid is below the fair price and every ask above it, so no quote of the plan meets the
 *           maker's own other side
 *           · quotes beyond the fair price go at once; the others are replaced a few at a time, the best first
 *           · near quotes follow the price closely; far ones stay while they are nearer to their place than to the next
 * Pure      the same book, price and random numbers give the same plan
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { type Lots, type Ticks, ticks } from '../engine/numbers/numbers.ts'
import type { OrderId, Side } from '../engine/vocabulary.ts'
import type { Liquidity, Rung } from './liquidity.ts'
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
  /** New quotes on each side at most, near ones and far ones. */
  readonly quotesMax: number
  readonly farMax: number
  readonly liquidity: Liquidity
  /** Far quotes, best first, and what all of them are worth. */
  readonly ladder: readonly Rung[]
  readonly farNotional: number
}

export function planQuotes(situation: QuoteSituation, random: Random, parameters: SimulatorParameters): QuotePlan {
  const bids = planSide('buy', situation, random, parameters)
  const asks = planSide('sell', situation, random, parameters)
  return { cancel: [...bids.cancel, ...asks.cancel], place: [...bids.place, ...asks.place] }
}

/** Where a quote is wanted, and what it is worth. */
interface Wanted {
  readonly price: Ticks
  readonly notional: number
  readonly isFar: boolean
}

function planSide(side: Side, situation: QuoteSituation, random: Random, parameters: SimulatorParameters): QuotePlan {
  const { instrument, fair, resting, quotesMax, farMax } = situation
  const outwards = side === 'buy' ? -1 : 1
  const wanted = wantedQuotes(side, situation, parameters)
  const own = resting.filter((quote) => quote.side === side)
  const beyond = own.filter((quote) => isBeyond(instrument, quote, fair))
  const left = own
    .filter((quote) => !beyond.includes(quote))
    .sort((a, b) => outwards * (a.price - b.price) || a.orderId - b.orderId)

  const missing: Wanted[] = []
  wanted.forEach((quote, level) => {
    const { price, isFar } = quote
    const reach = Math.abs((wanted[level + 1]?.price ?? price + outwards * lastReach(wanted)) - price) / 2
    const place = left.findIndex((other) => Math.abs(other.price - price) <= reach)
    const stays = place >= 0 && !random.happens(isFar ? parameters.refreshChance / 4 : parameters.refreshChance)
    if (stays) left.splice(place, 1)
    else missing.push(quote)
  })

  // What is left is not wanted, and goes as new quotes come.
  const spare = left.slice(0, Math.max(quotesMax + farMax, own.length - beyond.length - wanted.length))
  const near = missing.filter(({ isFar }) => !isFar).slice(0, quotesMax)
  const far = missing.filter(({ isFar }) => isFar).slice(0, farMax)
  const place = [...near, ...far].flatMap(({ price, notional }) => {
    const quantity = lotsFor(instrument, random.spread(notional, 0.4), priceOf(instrument, price))
    return quantity === undefined ? [] : [{ side, price, quantity }]
  })
  return { cancel: [...beyond, ...spare].map((quote) => quote.orderId), place }
}

/** The last quote reaches as far outwards as the one before it does. */
function lastReach(wanted: readonly Wanted[]): number {
  const [before, last] = wanted.slice(-2)
  return last === undefined ? 1 : Math.abs(last.price - before.price)
}

/** A bid above, or an ask below, what the maker thinks right. */
export function isBeyond(instrument: Instrument, { side, price }: RestingQuote, fair: number): boolean {
  const outwards = side === 'buy' ? -1 : 1
  return outwards * (priceOf(instrument, price) - fair) <= 0
}

/** Best first, at least a tick apart, and none on the other side of the fair price: near quotes, and far ones beyond them. */
function wantedQuotes(
  side: Side,
  { instrument, fair, nervousness, liquidity, ladder, farNotional }: QuoteSituation,
  { levels, halfSpreadBps, levelGapBps, quoteNotional }: SimulatorParameters,
): Wanted[] {
  const outwards = side === 'buy' ? -1 : 1
  const nearBps = (level: number) => (halfSpreadBps + levelGapBps * level * (1 + 0.25 * level)) * nervousness
  const near = Array.from({ length: levels }, (_, level) => ({
    bps: nearBps(level),
    notional: quoteNotional * liquidity.size * (1 + 0.7 * level),
    isFar: false,
  }))
  const far = ladder
    .filter(({ bps }) => bps > nearBps(levels - 1))
    .map(({ bps, share }) => ({ bps, notional: farNotional * share, isFar: true }))
  const wanted: Wanted[] = []
  for (const { bps, ...quote } of [...near, ...far]) {
    const price = ticksFor(instrument, fair * (1 + (outwards * bps) / 1e4), side)
    const before = wanted.at(-1)?.price
    const next = before !== undefined && outwards * (price - before) < 1 ? ticks(before + outwards) : price
    if (next < 1) break
    wanted.push({ price: next, ...quote })
  }
  return wanted
}
