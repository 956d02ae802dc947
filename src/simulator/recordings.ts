/**
 * Prices that were recorded, for coins whose index follows them in place of the simulated process.
 *
 * Sources   `FILE` (a column says which coin) or `COIN=FILE`; any number of them, each coin in one file
 * Begins    all at once: the earliest time of all recordings is the moment at which the simulator starts. A coin whose own
 *           recording begins later stands at its first price until then
 * Pace      the venue's: a recorded hour takes an hour
 * Ends      each coin by itself: from its last price the simulated process goes on, at home there
 * Scenarios push the price away from the recording, and half of that is gone after 15 minutes; volatility stays as recorded
 */
import type { SimulatorParameters } from './parameters.ts'
import {
  type CoinPrice,
  coinPrice,
  type MarketMove,
  type PriceConditions,
  type SavedPrice,
  usualSigma,
} from './prices.ts'
import type { Random } from './random.ts'
import { readRecordingFile, type RecordedPath, RecordingWrong } from './recording-file.ts'

export interface Recordings {
  /** By the name of the coin. */
  readonly of: ReadonlyMap<string, RecordedPath>
  /** Unix milliseconds. */
  readonly beginsAt: number
}

export { RecordingWrong } from './recording-file.ts'

/** `coinOf` finds the coin that a name or symbol means. Throws RecordingWrong, with file, line, field and rule. */
export async function readRecordings(
  sources: readonly string[],
  coinOf: (name: string) => string | undefined,
): Promise<Recordings> {
  const of = new Map<string, RecordedPath>()
  for (const source of sources) {
    const { file, name: given } = recordingOf(source)
    const coin = given === undefined ? undefined : coinOf(given)
    if (file === '') throw new RecordingWrong(`${source}: the name of a file is missing`)
    if (given !== undefined && coin === undefined) throw new RecordingWrong(`${source}: there is no coin ${given}`)
    for (const [name, path] of await readRecordingFile(file, coin, coinOf)) {
      if (of.has(name)) throw new RecordingWrong(`${source}: ${name} has a recording already`)
      of.set(name, path)
    }
  }
  return { of, beginsAt: Math.min(...[...of.values()].map(({ times }) => times[0])) }
}

/** A source taken apart: the file, and the name that stands before it. */
export function recordingOf(source: string): { readonly file: string; readonly name: string | undefined } {
  const mark = source.indexOf('=')
  const isNamed = mark > 0 && /^[A-Za-z0-9]+$/.test(source.slice(0, mark))
  return isNamed ? { file: source.slice(mark + 1), name: source.slice(0, mark) } : { file: source, name: undefined }
}

/** How much of a recorded price's restlessness is remembered after this many seconds: half. */
const restHalfLifeS = 60
const pushHalfLifeS = 900

export class RecordedPrice implements CoinPrice {
  readonly #path: RecordedPath
  readonly #name: string
  readonly #random: Random
  readonly #parameters: SimulatorParameters
  /** Recorded time of the present moment, and the last point at or before it. */
  #at: number
  #point = 0
  /** Log of how far a scenario has pushed it away from the recording. */
  #push = 0
  #variance: number
  readonly #usualVariance: number
  /** What goes on when the recording is over. */
  #after: CoinPrice | undefined

  constructor(name: string, path: RecordedPath, beginsAt: number, random: Random, parameters: SimulatorParameters) {
    this.#name = name
    this.#path = path
    this.#at = beginsAt
    this.#random = random
    this.#parameters = parameters
    this.#usualVariance = usualSigma(name, parameters) ** 2
    this.#variance = this.#usualVariance
  }

  get dollars(): number {
    return this.#after?.dollars ?? this.#recorded() * Math.exp(this.#push)
  }

  get nervousness(): number {
    if (this.#after !== undefined) return this.#after.nervousness
    return Math.min(5, Math.max(0.3, Math.sqrt(this.#variance / this.#usualVariance)))
  }

  get deviation(): number {
    return this.#after?.deviation ?? this.#push
  }

  move(market: MarketMove, conditions: PriceConditions): void {
    if (this.#after !== undefined) return this.#after.move(market, conditions)
    const before = this.dollars
    const { seconds } = market
    this.#at += seconds * 1000
    this.#push = this.#push * 2 ** (-seconds / pushHalfLifeS) + conditions.drift
    const keep = 2 ** (-seconds / restHalfLifeS)
    this.#variance = this.#variance * keep + (1 - keep) * (Math.log(this.dollars / before) ** 2 / seconds)
    const { times } = this.#path
    if (this.#at >= times[times.length - 1]) this.#after = this.#goOnFrom(this.dollars)
  }

  save(): SavedPrice {
    const state = { at: this.#at, point: this.#point, push: this.#push, variance: this.#variance }
    return { random: this.#random.save(), state, after: this.#after?.save() }
  }

  restore({ random, state: { at, point, push, variance }, after }: SavedPrice): void {
    if (random !== undefined) this.#random.restore(random)
    this.#at = at
    this.#point = point
    this.#push = push
    this.#variance = variance
    this.#after = after && this.#goOnFrom(this.dollars)
    if (after !== undefined) this.#after?.restore(after)
  }

  /** The simulated process, at home at the recording's last price. */
  #goOnFrom(now: number): CoinPrice {
    const { prices } = this.#path
    const listed = prices[prices.length - 1]
    return coinPrice(this.#name, { listed, now }, this.#random, this.#parameters)
  }

  /** Between two points of candles on the line between them; trades hold until the next one. */
  #recorded(): number {
    const { times, prices, isStepped } = this.#path
    while (this.#point + 1 < times.length && times[this.#point + 1] <= this.#at) this.#point += 1
    const [from, price] = [times[this.#point], prices[this.#point]]
    if (isStepped || this.#at <= from || this.#point + 1 >= times.length) return price
    const share = (this.#at - from) / (times[this.#point + 1] - from)
    return price + share * (prices[this.#point + 1] - price)
  }
}
