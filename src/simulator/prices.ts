/**
 * The index prices of the simulated world, one coin each, in dollars.
 *
 *   log price   dx = -κ x dt + σ e^v (ρ dM + √(1-ρ²) dW) + jumps     x: log of price over listing price
 *   volatility  dv = -λ v dt + η √(2λ) dW'                           quiet and nervous times come in clusters
 *
 * Holds     prices stay near the listing price over hours, and within `deviationMax` of it always; pegged coins near 1
 * Floats    are at home here: these are opinions about prices, not money. What leaves is an integer of 1e-8 dollars
 */
import type { Chance } from './chance.ts'
import type { SimulatorParameters } from './parameters.ts'

const secondsPerYear = 365.25 * 86_400

/** One coin's index price as it moves. */
export interface CoinPrice {
  readonly dollars: number
  /** How nervous the coin is: 1 is usual. */
  readonly nervousness: number
  /** `marketShock` is the standard normal shock that all coins share. */
  move(seconds: number, marketShock: number): void
}

/** The price as the venue takes it, in units of 1e-8 dollars; never zero. */
export function inUnits(price: CoinPrice): bigint {
  return BigInt(Math.max(1, Math.round(price.dollars * 1e8)))
}

export function coinPrice(
  name: string,
  { listed, now }: { readonly listed: number; readonly now: number },
  chance: Chance,
  parameters: SimulatorParameters,
): CoinPrice {
  const strayBps = parameters.pegged[name]
  if (strayBps === undefined) return new FloatingPrice(name, listed, now, chance, parameters)
  return strayBps === 0 ? { dollars: 1, nervousness: 1, move() {} } : new PeggedPrice(strayBps, chance)
}

class FloatingPrice implements CoinPrice {
  readonly #parameters: SimulatorParameters
  readonly #chance: Chance
  readonly #listed: number
  /** Standard deviation of the log price over one second, in usual times. */
  readonly #sigma: number
  #deviation: number
  #logNervousness = 0

  constructor(name: string, listed: number, now: number, chance: Chance, parameters: SimulatorParameters) {
    this.#parameters = parameters
    this.#chance = chance
    this.#listed = listed
    this.#sigma = (parameters.volatility[name] ?? parameters.volatilityElse) / Math.sqrt(secondsPerYear)
    this.#deviation = this.#bounded(Math.log(now / listed))
  }

  get dollars(): number {
    return this.#listed * Math.exp(this.#deviation)
  }

  get nervousness(): number {
    return Math.exp(this.#logNervousness)
  }

  move(seconds: number, marketShock: number): void {
    const { correlation, priceHalfLifeS, jumpEveryS, jumpBps } = this.#parameters
    this.#moveNervousness(seconds)
    const shock = correlation * marketShock + Math.sqrt(1 - correlation ** 2) * this.#chance.normal()
    const step = this.#sigma * this.nervousness * Math.sqrt(seconds) * shock
    const back = this.#deviation * (1 - 2 ** (-seconds / priceHalfLifeS))
    const jump = this.#chance.happens(seconds / jumpEveryS) ? (jumpBps / 1e4) * this.#chance.normal() : 0
    this.#deviation = this.#bounded(this.#deviation + step - back + jump)
  }

  #moveNervousness(seconds: number): void {
    const { volatilityOfVolatility, volatilityHalfLifeS } = this.#parameters
    const keep = 2 ** (-seconds / volatilityHalfLifeS)
    const shock = volatilityOfVolatility * Math.sqrt(1 - keep ** 2) * this.#chance.normal()
    this.#logNervousness = this.#logNervousness * keep + shock
  }

  #bounded(deviation: number): number {
    const { deviationMax } = this.#parameters
    return Math.min(Math.log(1 + deviationMax), Math.max(Math.log(1 - deviationMax), deviation))
  }
}

/** Wanders around one dollar, and is back half way within ten minutes. */
class PeggedPrice implements CoinPrice {
  readonly nervousness = 1
  readonly #strayBps: number
  readonly #chance: Chance
  #bps = 0

  constructor(strayBps: number, chance: Chance) {
    this.#strayBps = strayBps
    this.#chance = chance
  }

  get dollars(): number {
    return 1 + this.#bps / 1e4
  }

  move(seconds: number): void {
    const keep = 2 ** (-seconds / 600)
    const moved = this.#bps * keep + this.#strayBps * Math.sqrt(1 - keep ** 2) * this.#chance.normal()
    this.#bps = Math.min(3 * this.#strayBps, Math.max(-3 * this.#strayBps, moved))
  }
}
