/**
 * The way of one coin's index to its listing price, as a share of it: hour by hour, and within an hour minute by minute.
 *
 *   hours     ln p(h-1) = ln p(h) - σ f e^v (ρ M + √(1-ρ²) W)     from the end backwards; at the end p is 1
 *   nerves    v = market + own, each wandering by the hour         f: the hour of the day and of the week
 *   minutes   a bridge from hour to hour: p(t) = p0 + (p1 - p0) T(t)/T + s (B(t) - B(T) T(t)/T), T the sum of squared nerves
 *
 * Alone    the hours are walked through once; the minutes of any hour are made without those of another
 * Memory   four numbers an hour, and the minutes of the hour that was asked for last
 * Floats   are at home here: these are opinions about prices, not money
 */
import * as shape from './shape.ts'
import { Draws } from './draws.ts'

export const minutesPerHour = 60
const hoursPerYear = 365.25 * 24

/** Hours are counted from 1970. The walk ends so many minutes into the hour behind its last whole one. */
export interface WalkSpan {
  readonly firstHour: number
  readonly lastHour: number
  /** Of the last hour: 1 to 60. */
  readonly lastMinutes: number
}

/** The minutes of an hour. */
export interface CoinHour {
  /** Price over listing price at the beginning of each minute, and at the end of the last one. */
  readonly path: Float64Array
  /** How lively each minute is: 1 is usual. */
  readonly activity: Float64Array
  /** Usual movement of a minute, as a share of the price. */
  readonly sigma: number
  readonly minutes: number
}

export interface CoinTerms {
  readonly seed: number
  readonly coin: string
  /** Of a year, as the simulated market has it. */
  readonly volatility: number
  readonly span: WalkSpan
}

export class CoinWalk {
  readonly #span: WalkSpan
  readonly #isLeading: boolean
  readonly #market: Draws
  readonly #own: Draws
  readonly #swings: Draws
  /** At the beginning of each hour, the first one first, and at the end of the last. */
  readonly #price: Float64Array
  readonly #sigma: Float64Array
  readonly #liveliness: Float64Array
  readonly #bursts = new Float64Array(minutesPerHour)
  readonly #cumulated = new Float64Array(minutesPerHour + 1)
  readonly #passed = new Float64Array(minutesPerHour + 1)
  readonly #path = new Float64Array(minutesPerHour + 1)
  readonly #activity = new Float64Array(minutesPerHour)
  #made: { readonly hour: number; readonly of: CoinHour } | undefined

  constructor({ seed, coin, volatility, span }: CoinTerms) {
    this.#span = span
    this.#isLeading = coin === shape.leadingCoin
    this.#market = new Draws(seed, 'market')
    this.#own = new Draws(seed, coin)
    this.#swings = new Draws(seed, `${coin} swings`)
    const hours = span.lastHour - span.firstHour + 1
    this.#price = new Float64Array(hours + 1)
    this.#sigma = new Float64Array(hours)
    this.#liveliness = new Float64Array(hours)
    this.#walk(volatility / Math.sqrt(hoursPerYear))
  }

  /** How nervous an hour is, 1 is usual, and how busy it is by the clock. */
  livelinessOf(hour: number): number {
    return this.#liveliness[hour - this.#span.firstHour]
  }

  isFirst(hour: number): boolean {
    return hour === this.#span.firstHour
  }

  /** How far a minute swings above its ends, at the place of its draw: mostly less than once its usual movement, never negative. */
  swingUp(place: number): number {
    return Math.abs(this.#swings.normal(place))
  }

  /** The same below them. */
  swingDown(place: number): number {
    return Math.abs(this.#swings.normal(place + minutesPerHour))
  }

  /** What it answers holds until it is asked again. */
  hour(hour: number): CoinHour {
    if (this.#made?.hour === hour) return this.#made.of
    const of = this.#bridge(hour)
    this.#made = { hour, of }
    return of
  }

  /** Draws are counted from the end, so that another length has the same end. */
  #walk(usualSigma: number): void {
    const { firstHour, lastHour, lastMinutes } = this.#span
    const { marketNerves, ownNerves } = shape
    const usual = Math.exp(marketNerves.deviation ** 2 + ownNerves.deviation ** 2)
    let market: number = marketNerves.atEnd
    let own: number = ownNerves.atEnd
    let log = 0
    this.#price[lastHour - firstHour + 1] = 1
    for (let hour = lastHour; hour >= firstHour; hour--) {
      const back = lastHour - hour
      const place = hour - firstHour
      market = wandered(market, marketNerves, this.#market.normal(drawOf(back, 1)))
      own = wandered(own, ownNerves, this.#own.normal(drawOf(back, 1)))
      const jumps = this.#market.share(drawOf(back, 2)) < shape.jumpShare
      const nerves = Math.exp(market + own)
      const length = back === 0 ? lastMinutes / minutesPerHour : 1
      const busy = busyness(hour)
      const sigma = (usualSigma * Math.sqrt(busy * length) * nerves * (jumps ? shape.jumpTimes : 1)) / usual
      log -= sigma * this.#shock(drawOf(back, 3))
      this.#price[place] = Math.exp(log)
      this.#sigma[place] = sigma
      this.#liveliness[place] = (busy * nerves * (jumps ? shape.jumpTimes : 1)) / usual
    }
  }

  #shock(place: number): number {
    if (this.#isLeading) return this.#market.normal(place)
    return shape.correlation * this.#market.normal(place) + ownShare * this.#own.normal(place)
  }

  /** Of others the part that follows comes a minute later. */
  #minuteShock(place: number, isFirst: boolean): number {
    const now = this.#market.normal(place)
    if (this.#isLeading) return now
    const led = isFirst ? now : shape.atOnce * now + shape.afterwards * this.#market.normal(place - 1)
    return shape.correlation * led + ownShare * this.#own.normal(place)
  }

  #bridge(hour: number): CoinHour {
    const { firstHour, lastHour, lastMinutes } = this.#span
    const back = lastHour - hour
    const minutes = back === 0 ? lastMinutes : minutesPerHour
    this.#nervesOf(back, minutes)
    for (let minute = 0; minute < minutes; minute++) {
      const activity = this.#activity[minute]
      const step = activity * this.#minuteShock(drawOf(back, firstOfMinutes + minute), minute === 0)
      this.#cumulated[minute + 1] = this.#cumulated[minute] + step
      this.#passed[minute + 1] = this.#passed[minute] + activity ** 2
    }
    const begin = this.#price[hour - firstHour]
    const change = this.#price[hour - firstHour + 1] - begin
    const sigma = this.#sigma[hour - firstHour] / Math.sqrt(this.#passed[minutes])
    for (let minute = 0; minute <= minutes; minute++) {
      const share = this.#passed[minute] / this.#passed[minutes]
      const strayed = sigma * (this.#cumulated[minute] - share * this.#cumulated[minutes])
      this.#path[minute] = begin + change * share + begin * strayed
    }
    return { path: this.#path, activity: this.#activity, sigma, minutes }
  }

  #nervesOf(back: number, minutes: number): void {
    for (let minute = 0; minute < minutes; minute += burstMinutes) {
      const nerves = shape.burstNerves * this.#market.normal(drawOf(back, firstOfBursts + minute))
      this.#bursts[minute / burstMinutes] = Math.exp(nerves)
    }
    for (let minute = 0; minute < minutes; minute++) {
      // Its square is much like a power of e, at a part of the price.
      const own = 1 + (shape.minuteNerves / 2) * this.#own.normal(drawOf(back, firstOfNerves + minute))
      this.#activity[minute] = this.#bursts[Math.floor(minute / burstMinutes)] * own * own
    }
  }
}

const burstMinutes = 10
const ownShare = Math.sqrt(1 - shape.correlation ** 2)

/** Draws of an hour: what each is for. */
const drawsPerHour = 256
const firstOfMinutes = 8
const firstOfBursts = 72
const firstOfNerves = 136

/** `back`: hours from the last one. */
export function drawOf(back: number, which: number): number {
  return back * drawsPerHour + which
}

export function wandered(
  value: number,
  { deviation, keeps }: { readonly deviation: number; readonly keeps: number },
  normal: number,
): number {
  return value * keeps + deviation * Math.sqrt(1 - keeps ** 2) * normal
}

/** Of an hour by the clock: 1 is usual. */
function busyness(hour: number): number {
  // The first of January 1970 was a Thursday.
  const dayOfWeek = (Math.floor(hour / 24) + 4) % 7
  const isWeekend = dayOfWeek === 0 || dayOfWeek === 6
  return shape.busyHours[hour % 24] * (isWeekend ? shape.weekendShare : weekdayShare)
}

/** So that a week has the usual variance. */
const weekdayShare = (7 - 2 * shape.weekendShare) / 5
