/**
 * The last 24 hours of one instrument, from trades summed by minute.
 *
 * Window   whole minutes: it begins with the minute that the time 24 hours ago lies in
 * Cost     minutes that are over are summed once a minute; after that a ticker adds only the minute that runs
 * Quiet    without a trade in the window the prices are the last one, and the volumes zero
 * Past     what was before the venue counts as long as the window reaches back to it (past.ts)
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { amountDecimals, type Millis, pow10, ticks, type Ticks } from '../engine/numbers/numbers.ts'
import { addCandle, type Candle, joinCandles, lotsPerTickDecimals, minuteOf } from '../history/history.ts'
import type { Earlier } from './past.ts'

const windowMs = 24 * 3_600_000

/** Start of the window that ends at a time. */
export function tickerWindowStart(now: Millis): Millis {
  return minuteOf(now - windowMs)
}

export interface DayWindow {
  readonly lastPrice: Ticks
  readonly openPrice: Ticks
  readonly highPrice: Ticks
  readonly lowPrice: Ticks
  /** Sums as in Candle; `volumes` makes coins of them. */
  readonly quantity: bigint
  readonly ticksTimesLots: bigint
  readonly lotsPerTick: bigint
}

export interface Ticker extends DayWindow {
  /** The price with which the day of UTC began. */
  readonly openPriceUtc: Ticks
}

export interface SavedWindow {
  readonly minutes: readonly Candle[]
  readonly lastPrice: Ticks | undefined
}

export class TickerWindow {
  /** Oldest first; the newest one may run and grow. */
  #minutes: Candle[] = []
  #lastPrice: Ticks | undefined
  /** Sum of all minutes but the newest, and for which first and newest minute it holds. */
  #settled: { readonly first: Millis; readonly newest: Millis; readonly sum: Candle | undefined } | undefined

  /** A trade went into this minute, which may be there already. */
  add(minute: Candle, lastPrice: Ticks): void {
    this.#lastPrice = lastPrice
    const newest = this.#minutes.at(-1)
    if (newest === minute) return
    // After a restart the minute that ran goes on as another object.
    if (newest?.start === minute.start) this.#minutes.pop()
    this.#minutes.push(minute)
    this.#forgetBefore(tickerWindowStart(minute.start))
  }

  /** Minutes that are over are never written to: copies share them. */
  save(): SavedWindow {
    const newest = this.#minutes.at(-1)
    const minutes = newest === undefined ? [] : this.#minutes.with(-1, { ...newest })
    return { minutes, lastPrice: this.#lastPrice }
  }

  /** The minute that ran goes on as another object, which takes its place here. */
  restore({ minutes, lastPrice }: SavedWindow): void {
    this.refill(minutes, lastPrice)
  }

  /** Takes the place of what was there. */
  refill(minutes: readonly Candle[], lastPrice: Ticks | undefined): void {
    this.#minutes = [...minutes]
    this.#lastPrice = lastPrice
    this.#settled = undefined
  }

  /** Undefined if the instrument never traded; `earlier`: what was before any trade that was added. */
  at(now: Millis, earlier?: Earlier): DayWindow | undefined {
    const past = earlier?.since(tickerWindowStart(now), 'day')
    const own = this.#own(now)
    if (past?.candle === undefined) return own ?? (past?.before && quiet(past.before))
    if (own === undefined) return windowOf(past.candle, past.candle.closePrice)
    return own.quantity === 0n
      ? windowOf(past.candle, own.lastPrice)
      : windowOf(joinedWindow(past.candle, own), own.lastPrice)
  }

  #own(now: Millis): DayWindow | undefined {
    if (this.#lastPrice === undefined) return undefined
    const first = tickerWindowStart(now)
    this.#forgetBefore(first)
    const newest = this.#minutes.at(-1)
    if (newest === undefined) return quiet(this.#lastPrice)
    if (this.#settled?.first !== first || this.#settled.newest !== newest.start) {
      this.#settled = { first, newest: newest.start, sum: joinCandles(this.#minutes.slice(0, -1)) }
    }
    const whole = joinCandles(this.#settled.sum === undefined ? [newest] : [this.#settled.sum, newest]) as Candle
    return windowOf(whole, this.#lastPrice)
  }

  #forgetBefore(first: Millis): void {
    let old = 0
    while (old < this.#minutes.length && this.#minutes[old].start < first) old++
    if (old > 0) this.#minutes.splice(0, old)
  }
}

function windowOf(traded: Omit<DayWindow, 'lastPrice'>, lastPrice: Ticks): DayWindow {
  const { openPrice, highPrice, lowPrice, quantity, ticksTimesLots, lotsPerTick } = traded
  return { lastPrice, openPrice, highPrice, lowPrice, quantity, ticksTimesLots, lotsPerTick }
}

function joinedWindow(past: Candle, { lastPrice, ...own }: DayWindow): Candle {
  const whole = { ...past }
  addCandle(whole, { ...own, start: past.start, closePrice: lastPrice })
  return whole
}

function quiet(lastPrice: Ticks): DayWindow {
  return {
    lastPrice,
    openPrice: lastPrice,
    highPrice: lastPrice,
    lowPrice: lastPrice,
    quantity: 0n,
    ticksTimesLots: 0n,
    lotsPerTick: 0n,
  }
}

/**
 * The prices of a ticker as they are shown. What never traded in this venue shows its mark as the last price, whatever its past
 * ended with: `prices.lastPrice` is zero then.
 */
export function tickerPrices(
  day: Ticker | undefined,
  prices: { readonly lastPrice: Ticks | 0; readonly markPrice: Ticks },
) {
  if (day !== undefined && prices.lastPrice !== 0) return day
  const lastPrice = prices.lastPrice || prices.markPrice
  return {
    lastPrice,
    openPrice: day?.openPrice ?? lastPrice,
    highPrice: ticks(Math.max(day?.highPrice ?? lastPrice, lastPrice)),
    lowPrice: ticks(Math.min(day?.lowPrice ?? lastPrice, lastPrice)),
    openPriceUtc: day?.openPriceUtc ?? lastPrice,
  }
}

/**
 * Volumes of a ticker or a candle in coins.
 *
 *   spot, linear   base = Σ quantity            quote = Σ price × quantity
 *   inverse        base = Σ quantity ÷ price    quote = Σ quantity, in USD
 *
 * Units     1e-8 of the base coin and of the quote
 * Rounding  down; for display only
 */
export function volumes(
  traded: Pick<DayWindow, 'quantity' | 'ticksTimesLots' | 'lotsPerTick'>,
  instrument: Pick<Instrument, 'kind' | 'priceStep' | 'priceDecimals' | 'quantityStep' | 'quantityDecimals'>,
): { readonly base: bigint; readonly quote: bigint } {
  const priceStep = BigInt(instrument.priceStep)
  const quantityStep = BigInt(instrument.quantityStep)
  const { priceDecimals, quantityDecimals } = instrument
  const quantity = scaled(traded.quantity * quantityStep, quantityDecimals)
  if (instrument.kind === 'inverse') {
    const baseE = (traded.lotsPerTick * quantityStep * pow10(priceDecimals)) / priceStep
    return { base: scaled(baseE, lotsPerTickDecimals + quantityDecimals), quote: quantity }
  }
  const quote = scaled(traded.ticksTimesLots * priceStep * quantityStep, priceDecimals + quantityDecimals)
  return { base: quantity, quote }
}

/** A value of so many decimals in units of an amount; a day may trade more than any account can have. */
function scaled(value: bigint, decimals: number): bigint {
  return (value * pow10(amountDecimals)) / pow10(decimals)
}
