/**
 * How far the book is from the record: what others took and has not come back, and what they have among it.
 *
 * Source  lab.md §4.9
 */
import { isFutures } from '../../engine/catalog/catalog.ts'
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import type { LevelSide } from '../../house-book/house-book.ts'
import { rateDecimals, referenceDecimals } from '../../tape/tape.ts'
import { LabRefusal } from '../refusals.ts'
import { priceText, quantityText } from '../things.ts'
import type { LabVenue } from '../venue.ts'
import { type TapePart, tapeOf } from './tape.ts'

const depthMax = 10_000
/** Levels that are told one by one. */
const levelsMax = 50

/** What `GET /_lab` says of a recorded market; null: the venue plays none. */
export function shownMarket(venue: LabVenue) {
  const part = tapeOf(venue)
  if (part === undefined) return null
  const { symbol, category } = part.instrument
  const { from, to, rows } = part.tape.contents
  return {
    symbol,
    category,
    mode: 'tape',
    state: part.isOver ? 'over' : 'playing',
    /** The tape's own time, Unix milliseconds. */
    at: part.tapeTime(venue.parts.runtime.now()),
    from,
    to,
    rows,
    played: part.moments.rows,
  }
}

/** Throws LabRefusal where no recorded market is played. */
export function impactOf(venue: LabVenue) {
  const part = tapeOf(venue)
  const market = shownMarket(venue)
  if (part === undefined || market === null) {
    throw new LabRefusal(409, 'no-recorded-market', 'this venue plays no recorded market: start it with --market FILE')
  }
  const { instrument, house, prices, settings, moments, book } = part
  const { bids, asks } = venue.parts.runtime.query({ kind: 'depth', instrument: instrument.id, limit: depthMax })
  const sides = [sideOf(book.bids, bids), sideOf(book.asks, asks)]
  const size = (lots: number) => quantityText(instrument, lots)
  const decimal = (number: number | undefined, decimals: number) =>
    number === undefined ? null : (number / 10 ** decimals).toString()
  const now = venue.parts.runtime.query({ kind: 'prices', instrument: instrument.id })
  return {
    ...market,
    queue: settings.queue,
    healMs: Number.isFinite(settings.healMs) ? settings.healMs : null,
    /** Whether the book is the record, level by level. */
    equal: sides.every(({ differing }) => differing.length === 0),
    bids: told(sides[0]),
    asks: told(sides[1]),
    best: {
      recorded: [bestOf(part, book.bids), bestOf(part, book.asks)],
      book: [bids[0], asks[0]].map((level) => (level === undefined ? null : priceText(instrument, level[0]))),
    },
    indexPrice: { recorded: decimal(prices.index, referenceDecimals), venue: priceText(instrument, now.indexPrice) },
    markPrice: { recorded: decimal(prices.mark, referenceDecimals), venue: priceText(instrument, now.markPrice) },
    fundingRate: {
      recorded: decimal(prices.funding, rateDecimals),
      venue: isFutures(instrument) ? formatDecimal(now.fundingRate, rateDecimals) : null,
    },
    traded: size(house.traded),
    rounded: moments.rounded,
    refused: house.refused,
    lastRefusal: house.lastRefusal ?? null,
  }

  function told({ missing, besides, differing }: ReturnType<typeof sideOf>) {
    return {
      missing: size(missing),
      besides: size(besides),
      levels: differing.slice(0, levelsMax).map(({ price, recorded, there }) => ({
        price: priceText(instrument, price),
        recorded: size(recorded),
        book: size(there),
      })),
    }
  }
}

/** `missing`: lots that the record has and the book has not; `besides`: the other way round. */
function sideOf({ sorted }: LevelSide, depth: readonly (readonly [number, number])[]) {
  const there = new Map(depth)
  const differing: { price: number; recorded: number; there: number }[] = []
  let [missing, besides] = [0, 0]
  for (const { price, recorded } of sorted.toReversed()) {
    const lots = there.get(price) ?? 0
    there.delete(price)
    if (lots === recorded) continue
    missing += Math.max(0, recorded - lots)
    besides += Math.max(0, lots - recorded)
    differing.push({ price, recorded, there: lots })
  }
  for (const [price, lots] of there) {
    besides += lots
    differing.push({ price, recorded: 0, there: lots })
  }
  return { missing, besides, differing }
}

function bestOf({ instrument }: TapePart, { sorted }: LevelSide): string | null {
  const best = sorted.findLast(({ recorded }) => recorded > 0)
  return best === undefined ? null : priceText(instrument, best.price)
}
