/**
 * The last 24 hours of one instrument, from trades summed by minute.
 *
 * Window   whole minutes: it begins with the minute that the time 24 hours ago lies in
 * Cost     minutes that are over are summed once a minute; after that a ticker adds only the minute that runs
 * Quiet    without a trade in the window the prices are the last one, and the volumes zero
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { TradeEvent } from '../engine/event.ts'
import { type Amount, amount, amountDecimals, type Millis, pow10, type Ticks } from '../engine/numbers/numbers.ts'
import { addTrade, lotsPerTickDecimals, minuteOf, type TradeMinute } from '../history/history.ts'

const windowMs = 24 * 3_600_000

/** Start of the window that ends at a time. */
export function tickerWindowStart(now: Millis): Millis {
  return minuteOf(now - windowMs)
}

export interface Ticker {
  readonly lastPrice: Ticks
  readonly openPrice: Ticks
  readonly highPrice: Ticks
  readonly lowPrice: Ticks
  /** Sums as in TradeMinute; `volumes` makes coins of them. */
  readonly quantity: bigint
  readonly ticksTimesLots: bigint
  readonly lotsPerTick: bigint
}

export class TickerWindow {
  /** Oldest first. */
  #minutes: TradeMinute[] = []
  #lastPrice: Ticks | undefined
  /** Sum of all minutes but the newest, and for which first and newest minute it holds. */
  #settled: { readonly first: Millis; readonly newest: Millis; readonly sum: TradeMinute | undefined } | undefined

  add(trade: TradeEvent): void {
    addTrade(this.#minutes, trade)
    this.#forgetBefore(tickerWindowStart(trade.at))
    this.#lastPrice = trade.price
  }

  /** Takes the place of what was there. */
  refill(minutes: readonly TradeMinute[], lastPrice: Ticks | undefined): void {
    this.#minutes = [...minutes]
    this.#lastPrice = lastPrice
    this.#settled = undefined
  }

  /** Undefined if the instrument never traded. */
  at(now: Millis): Ticker | undefined {
    if (this.#lastPrice === undefined) return undefined
    const first = tickerWindowStart(now)
    this.#forgetBefore(first)
    const newest = this.#minutes.at(-1)
    if (newest === undefined) return quiet(this.#lastPrice)
    if (this.#settled?.first !== first || this.#settled.newest !== newest.start) {
      this.#settled = { first, newest: newest.start, sum: sumOf(this.#minutes.slice(0, -1)) }
    }
    const whole = sumOf(this.#settled.sum === undefined ? [newest] : [this.#settled.sum, newest]) as TradeMinute
    const { openPrice, highPrice, lowPrice, quantity, ticksTimesLots, lotsPerTick } = whole
    return { lastPrice: this.#lastPrice, openPrice, highPrice, lowPrice, quantity, ticksTimesLots, lotsPerTick }
  }

  #forgetBefore(first: Millis): void {
    let old = 0
    while (old < this.#minutes.length && this.#minutes[old].start < first) old++
    if (old > 0) this.#minutes.splice(0, old)
  }
}

/** One minute as long as all of these; undefined of none. */
function sumOf(minutes: readonly TradeMinute[]): TradeMinute | undefined {
  if (minutes.length === 0) return undefined
  const sum = { ...minutes[0] }
  for (const minute of minutes.slice(1)) {
    if (minute.highPrice > sum.highPrice) sum.highPrice = minute.highPrice
    if (minute.lowPrice < sum.lowPrice) sum.lowPrice = minute.lowPrice
    sum.closePrice = minute.closePrice
    sum.quantity += minute.quantity
    sum.ticksTimesLots += minute.ticksTimesLots
    sum.lotsPerTick += minute.lotsPerTick
  }
  return sum
}

function quiet(lastPrice: Ticks): Ticker {
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
 * Volumes of a ticker in coins.
 *
 *   spot, linear   base = Σ quantity            quote = Σ price × quantity
 *   inverse        base = Σ quantity ÷ price    quote = Σ quantity, in USD
 *
 * Units     1e-8 of the base coin and of the quote
 * Rounding  down; for display only
 */
export function volumes(
  ticker: Ticker,
  instrument: Pick<Instrument, 'kind' | 'priceStep' | 'priceDecimals' | 'quantityStep' | 'quantityDecimals'>,
): { readonly base: Amount; readonly quote: Amount } {
  const priceStep = BigInt(instrument.priceStep)
  const quantityStep = BigInt(instrument.quantityStep)
  const { priceDecimals, quantityDecimals } = instrument
  const quantity = scaled(ticker.quantity * quantityStep, quantityDecimals)
  if (instrument.kind === 'inverse') {
    const baseE = (ticker.lotsPerTick * quantityStep * pow10(priceDecimals)) / priceStep
    return { base: scaled(baseE, lotsPerTickDecimals + quantityDecimals), quote: quantity }
  }
  const quote = scaled(ticker.ticksTimesLots * priceStep * quantityStep, priceDecimals + quantityDecimals)
  return { base: quantity, quote }
}

/** A value of so many decimals in units of an amount. */
function scaled(value: bigint, decimals: number): Amount {
  return amount((value * pow10(amountDecimals)) / pow10(decimals))
}
