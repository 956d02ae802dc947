/**
 * The index prices of the simulated market, one coin each, in dollars.
 *
 *   log price   dx = -κ x dt + σ e^v w (ρ dM + √(1-ρ²) dW) + jumps + drift     x: log of price over listing price
 *   volatility  v = u + m,  du = -λ u dt + η √(2λ) dW' + ε per jump            quiet and nervous times come in clusters
 *               m likewise, of the whole market, and slower
 *
 * w, drift  the conditions that a scenario makes: 1 and 0 without one
 * Holds     prices stay near the listing price over hours, and within `deviationMax` of it always; pegged coins near 1
 * Floats    are at home here: these are opinions about prices, not money. What leaves is an integer of 1e-8 dollars
 */
import type { SimulatorParameters } from './parameters.ts'
import type { Random, SavedRandom } from './random.ts'

const secondsPerYear = 365.25 * 86_400

/** What one step brings to all coins alike. */
export interface MarketMove {
  readonly seconds: number
  /** Standard normal. */
  readonly shock: number
  /** Log of how nervous the whole market is: zero is usual. */
  readonly logNervousness: number
  /** Of the log price of a coin that moves with the market; mostly zero. */
  readonly jump: number
}

/** What a scenario does to one coin in one step. */
export interface PriceConditions {
  /** Times the usual volatility and size of jumps. */
  readonly volatility: number
  /** Added to the log price. */
  readonly drift: number
}

/** One coin's index price as it moves. */
export interface CoinPrice {
  readonly dollars: number
  /** How nervous the coin is: 1 is usual. */
  readonly nervousness: number
  /** How far the log price stands from where it is at home; zero where nothing pulls it. */
  readonly deviation: number
  move(market: MarketMove, conditions: PriceConditions): void
  save(): SavedPrice
  /** What `save` answered for the same coin. */
  restore(saved: SavedPrice): void
}

/** Where a price stands. `random` is absent of a price that never draws. */
export interface SavedPrice {
  readonly random?: SavedRandom
  /** Of the process behind it, each number by its name. */
  readonly state: Readonly<Record<string, number>>
  /** What goes on after a recording that is over. */
  readonly after?: SavedPrice | undefined
}

/** The price as the venue takes it, in units of 1e-8 dollars; never zero. */
export function inUnits(price: Pick<CoinPrice, 'dollars'>): bigint {
  return BigInt(Math.max(1, Math.round(price.dollars * 1e8)))
}

export interface SavedMarketFactor {
  readonly random: SavedRandom
  readonly logNervousness: number
}

/** Draws what all coins share. */
export class MarketFactor {
  readonly #random: Random
  readonly #parameters: SimulatorParameters
  #logNervousness = 0

  constructor(random: Random, parameters: SimulatorParameters) {
    this.#random = random
    this.#parameters = parameters
  }

  save(): SavedMarketFactor {
    return { random: this.#random.save(), logNervousness: this.#logNervousness }
  }

  restore({ random, logNervousness }: SavedMarketFactor): void {
    this.#random.restore(random)
    this.#logNervousness = logNervousness
  }

  move(seconds: number): MarketMove {
    const { marketVolatilityHalfLifeS, volatilityOfVolatility, marketJumpEveryS, marketJumpBps, jumpExcitement } =
      this.#parameters
    const random = this.#random
    const shock = random.normal()
    this.#logNervousness = wandered(
      this.#logNervousness,
      seconds,
      marketVolatilityHalfLifeS,
      volatilityOfVolatility,
      random,
    )
    const jump = random.happens(seconds / marketJumpEveryS) ? (marketJumpBps / 1e4) * random.normal() : 0
    if (jump !== 0) this.#logNervousness += jumpExcitement / 2
    return { seconds, shock, logNervousness: this.#logNervousness, jump }
  }
}

/** A value that wanders around zero with this standard deviation. */
export function wandered(value: number, seconds: number, halfLifeS: number, deviation: number, random: Random): number {
  const keep = 2 ** (-seconds / halfLifeS)
  return value * keep + deviation * Math.sqrt(1 - keep ** 2) * random.normal()
}

export function coinPrice(
  name: string,
  { listed, now }: { readonly listed: number; readonly now: number },
  random: Random,
  parameters: SimulatorParameters,
): CoinPrice {
  const strayBps = parameters.pegged[name]
  if (strayBps === undefined) return new FloatingPrice(name, listed, now, random, parameters)
  return strayBps === 0 ? oneDollar : new PeggedPrice(strayBps, random)
}

const oneDollar: CoinPrice = {
  dollars: 1,
  nervousness: 1,
  deviation: 0,
  move() {},
  save: () => ({ state: {} }),
  restore() {},
}

/** Standard deviation of a coin's log price over one second, in usual times. */
export function usualSigma(name: string, { volatility, volatilityElse }: SimulatorParameters): number {
  return (volatility[name] ?? volatilityElse) / Math.sqrt(secondsPerYear)
}

/** Root of the mean square of a coin's nervousness, nearly. */
function usualNervousness(parameters: SimulatorParameters): number {
  const { volatilityOfVolatility, volatilityHalfLifeS, marketVolatilityHalfLifeS, jumpExcitement } = parameters
  const { jumpEveryS, marketJumpEveryS, nervousnessMax } = parameters
  const often = volatilityHalfLifeS / jumpEveryS + marketVolatilityHalfLifeS / marketJumpEveryS / 2
  return Math.min(nervousnessMax, Math.exp(2 * volatilityOfVolatility ** 2 + (jumpExcitement * often) / Math.LN2))
}

class FloatingPrice implements CoinPrice {
  readonly #parameters: SimulatorParameters
  readonly #random: Random
  #listed: number
  readonly #sigma: number
  #deviation: number
  #logNervousness = 0
  #nervousness = 1

  constructor(name: string, listed: number, now: number, random: Random, parameters: SimulatorParameters) {
    this.#parameters = parameters
    this.#random = random
    this.#listed = listed
    // Nervous times weigh more than quiet ones: without this the year would be wilder than its volatility says.
    this.#sigma = usualSigma(name, parameters) / usualNervousness(parameters)
    this.#deviation = this.#bounded(Math.log(now / listed))
  }

  get dollars(): number {
    return this.#listed * Math.exp(this.#deviation)
  }

  get nervousness(): number {
    return this.#nervousness
  }

  get deviation(): number {
    return this.#deviation
  }

  move({ seconds, ...market }: MarketMove, conditions: PriceConditions): void {
    const { correlation, priceHalfLifeS, jumpEveryS, jumpBps, jumpExcitement } = this.#parameters
    const { volatilityOfVolatility, volatilityHalfLifeS, nervousnessMax } = this.#parameters
    const random = this.#random
    this.#logNervousness = wandered(this.#logNervousness, seconds, volatilityHalfLifeS, volatilityOfVolatility, random)
    const nervousness = Math.min(nervousnessMax, Math.exp(this.#logNervousness + market.logNervousness))
    this.#nervousness = conditions.volatility * nervousness
    const shock = correlation * market.shock + Math.sqrt(1 - correlation ** 2) * random.normal()
    const step = this.#sigma * this.#nervousness * Math.sqrt(seconds) * shock
    const back = this.#deviation * (1 - 2 ** (-seconds / priceHalfLifeS))
    const ownJump = random.happens(seconds / jumpEveryS) ? (jumpBps / 1e4) * random.normal() : 0
    if (ownJump !== 0) this.#logNervousness += jumpExcitement
    const jump = conditions.volatility * (ownJump + correlation * market.jump)
    this.#deviation = this.#bounded(this.#deviation + step - back + jump + conditions.drift)
  }

  save(): SavedPrice {
    const state = {
      listed: this.#listed,
      deviation: this.#deviation,
      logNervousness: this.#logNervousness,
      nervousness: this.#nervousness,
    }
    return { random: this.#random.save(), state }
  }

  restore({ random, state: { listed, deviation, logNervousness, nervousness } }: SavedPrice): void {
    if (random !== undefined) this.#random.restore(random)
    this.#listed = listed
    this.#deviation = deviation
    this.#logNervousness = logNervousness
    this.#nervousness = nervousness
  }

  #bounded(deviation: number): number {
    const { deviationMax } = this.#parameters
    return Math.min(Math.log(1 + deviationMax), Math.max(Math.log(1 - deviationMax), deviation))
  }
}

/** Wanders around one dollar, and is back half way within ten minutes. */
class PeggedPrice implements CoinPrice {
  readonly nervousness = 1
  readonly deviation = 0
  readonly #strayBps: number
  readonly #random: Random
  #bps = 0

  constructor(strayBps: number, random: Random) {
    this.#strayBps = strayBps
    this.#random = random
  }

  get dollars(): number {
    return 1 + this.#bps / 1e4
  }

  move({ seconds }: MarketMove): void {
    const moved = wandered(this.#bps, seconds, 600, this.#strayBps, this.#random)
    this.#bps = Math.min(3 * this.#strayBps, Math.max(-3 * this.#strayBps, moved))
  }

  save(): SavedPrice {
    return { random: this.#random.save(), state: { bps: this.#bps } }
  }

  restore({ random, state: { bps } }: SavedPrice): void {
    if (random !== undefined) this.#random.restore(random)
    this.#bps = bps
  }
}
