/**
 * The minutes of one hour of one price of one instrument, in whole ticks and lots.
 *
 *   index   the coin's walk      mark   index × (1 + basis)      trades   around the mark, by a bounce
 *
 * Holds    low ≤ open, close ≤ high · open of index and mark is the close before · at the end all stand at the listing price
 * Trades   a minute without any has no candle; all of a minute's are as if made at its middle price, a whole tick
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { PriceKind } from '../../history/history.ts'
import type { CoinHour, CoinWalk } from './coin-walk.ts'
import { drawOf, minutesPerHour } from './coin-walk.ts'
import type { Draws } from './draws.ts'
import * as shape from './shape.ts'

/** Of each minute; where nothing happened all of them are zero. */
export interface Minutes {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** The price that its trades are counted at, ticks. */
  readonly middle: Float64Array
  readonly lots: Float64Array
  /** As Candle.lotsPerTick. */
  readonly lotsPerTick: Float64Array
}

export function emptyMinutes(): Minutes {
  const minutes = () => new Float64Array(minutesPerHour)
  return {
    open: minutes(),
    high: minutes(),
    low: minutes(),
    close: minutes(),
    middle: minutes(),
    lots: minutes(),
    lotsPerTick: minutes(),
  }
}

/** What an hour of an instrument is made of. */
export interface HourTerms {
  readonly instrument: Instrument
  readonly priceKind: PriceKind
  /** Value that is traded in a usual minute, US dollars. */
  readonly usualNotional: number
  /** Where the past ends, not rounded; ticks. */
  readonly listingTicks: number
  readonly walk: CoinWalk
  readonly draws: Draws
  /** The basis at the beginning of an hour, as a share. */
  readonly basisAt: (hour: number) => number
}

/** Writes an hour, which is `back` hours from the last one, into `minutes`; answers how many minutes it has. */
export function writeHour(terms: HourTerms, hour: number, back: number, minutes: Minutes): number {
  const { priceKind, walk } = terms
  const coin = walk.hour(hour)
  writePrices(terms, coin, { hour, back }, minutes)
  if (priceKind === 'market') {
    const busy = { liveliness: walk.livelinessOf(hour), isFirst: walk.isFirst(hour), back }
    writeTrades(terms, coin, busy, minutes)
  }
  return coin.minutes
}

function writePrices(
  { priceKind, listingTicks, draws, walk, basisAt }: HourTerms,
  { path, activity, sigma, minutes: count }: CoinHour,
  { hour, back }: { readonly hour: number; readonly back: number },
  { open, high, low, close }: Minutes,
): void {
  const basis = priceKind === 'index' ? 0 : basisAt(hour)
  const change = priceKind === 'index' ? 0 : (basisAt(hour + 1) - basis) / count
  const bounce = priceKind === 'market' ? shape.bounceBps / 1e4 : 0
  const place = drawOf(back, 0)
  // Nobody bounces off the end.
  const ends = back === 0 ? count - 1 : count
  for (let minute = 0; minute < count; minute++) {
    const begin = path[minute] * listingTicks * (1 + basis + change * minute)
    const end = path[minute + 1] * listingTicks * (1 + basis + change * (minute + 1))
    let first = begin
    let last = end
    if (bounce !== 0) {
      first += begin * bounce * draws.normal(place + minute)
      if (minute < ends) last += end * bounce * draws.normal(place + minutesPerHour + minute)
    }
    const opened = first < 1 ? 1 : Math.round(first)
    const closed = last < 1 ? 1 : Math.round(last)
    // Of all three prices alike: they go the same way within the minute, too.
    const swing = swingShare * sigma * activity[minute] * end
    const highest = opened > closed ? opened : closed
    const lowest = opened > closed ? closed : opened
    const least = Math.round(lowest - swing * walk.swingDown(place + minute))
    open[minute] = opened
    close[minute] = closed
    high[minute] = Math.round(highest + swing * walk.swingUp(place + minute))
    low[minute] = least < 1 ? 1 : least
  }
}

const swingShare = 0.5

/** How many lots each minute trades, and what few trades leave of its prices. */
function writeTrades(
  { instrument, usualNotional, draws, listingTicks }: HourTerms,
  { activity, minutes: count }: CoinHour,
  { liveliness, isFirst, back }: { readonly liveliness: number; readonly isFirst: boolean; readonly back: number },
  minutes: Minutes,
): void {
  const { open, high, low, close, middle, lots, lotsPerTick } = minutes
  const { quantityStep, quantityDecimals, quantityMin, priceStep, priceDecimals } = instrument
  const dollars = instrument.kind === 'inverse' ? 1 : (listingTicks * priceStep) / 10 ** priceDecimals
  const lotsPerDollar = 10 ** quantityDecimals / quantityStep / dollars
  const place = drawOf(back, 0)
  for (let minute = 0; minute < count; minute++) {
    // Its square is much like a power of e, at a part of the price.
    const spread = 1 + (shape.volumeSpread / 2) * draws.normal(place + firstOfVolumes + minute)
    const lively = activity[minute] * Math.sqrt(activity[minute])
    const notional = usualNotional * liveliness * lively * spread * spread
    const trades = notional / shape.tradeNotional
    // The first minute and the last one trade: a past has a beginning, and ends at the listing price.
    const mayRest = trades < tradesCertain && !(isFirst && minute === 0) && !(back === 0 && minute === count - 1)
    if (mayRest && draws.share(place + firstOfQuiet + minute) < Math.exp(-trades)) {
      for (const column of [open, high, low, close, middle, lots, lotsPerTick]) column[minute] = 0
      continue
    }
    if (trades < 2) {
      // A single one has one price, and two have no third.
      if (trades < 1) open[minute] = close[minute]
      high[minute] = Math.max(open[minute], close[minute])
      low[minute] = Math.min(open[minute], close[minute])
    }
    const price = Math.round((open[minute] + high[minute] + low[minute] + close[minute]) / 4)
    const traded = Math.round(notional * lotsPerDollar)
    middle[minute] = price
    lots[minute] = traded < quantityMin ? Math.max(1, quantityMin) : traded
    lotsPerTick[minute] = Math.floor(((lots[minute] / price) * 1e12) / perTickStep) * perTickStep
  }
}

/** Sums of many are exact so: whole multiples of it up to 2^53 of them. Each minute is rounded down to one. */
const perTickStep = 1024

/** Beyond it a minute without trades is out of the question. */
const tradesCertain = 20

/** Draws of an hour: those of bounces come first. */
const firstOfVolumes = 128
const firstOfQuiet = 192
