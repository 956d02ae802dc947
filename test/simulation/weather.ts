/**
 * What the world does to index prices: calm days, storms, jumps, slips of the feed and coins that nobody tells of.
 *
 * Calm     a tenth of a percent at a time                Storm   up to three percent at a time, and in one direction
 * Jump     a third up or down at once                    Leap    beyond what is believed at once: told twice
 * Slip     a price that is wrong by ten times, once      Silent  a coin whose index is not told for a while
 */
import type { SetIndexPrices } from '../../src/engine/protocol/command.ts'
import type { Chance } from './chance.ts'

type Mood = 'calm' | 'storm' | 'mixed'

export class Weather {
  readonly #chance: Chance
  readonly #listed: bigint[]
  readonly usd: bigint[]
  #mood: Mood = 'mixed'
  #drift = 0
  /** Coins that are not told of, with how many updates more. */
  readonly #silent = new Map<number, number>()
  #repeat: SetIndexPrices | undefined

  constructor(chance: Chance, listed: readonly bigint[]) {
    this.#chance = chance
    this.#listed = [...listed]
    this.usd = [...listed]
  }

  /** A coin that was listed later. */
  add(listed: bigint): void {
    this.#listed.push(listed)
    this.usd.push(listed)
  }

  next(): SetIndexPrices {
    const chance = this.#chance
    const repeat = this.#repeat
    this.#repeat = undefined
    if (repeat !== undefined) return repeat
    if (chance.happens(0.01)) this.#turn()
    if (chance.happens(0.002)) this.#silent.set(chance.below(this.usd.length), 1 + chance.below(200))
    if (chance.happens(0.004)) return this.#slip()
    const prices: [number, bigint][] = []
    const all = chance.happens(0.3)
    const only = chance.below(this.usd.length)
    for (let coin = 0; coin < this.usd.length; coin++) {
      if (!all && coin !== only) continue
      this.#move(coin)
      if (!this.#isSilent(coin)) prices.push([coin, this.usd[coin]])
    }
    return { kind: 'set-index-prices', prices }
  }

  #turn(): void {
    this.#mood = this.#chance.one(['calm', 'calm', 'storm', 'mixed'])
    this.#drift = this.#chance.below(3) - 1
  }

  #slip(): SetIndexPrices {
    const coin = this.#chance.below(this.usd.length)
    const wrong = this.#chance.one([this.usd[coin] * 10n, this.usd[coin] / 10n + 1n, 0n, -1n, 1n])
    return { kind: 'set-index-prices', prices: [[coin, wrong]] }
  }

  #move(coin: number): void {
    const chance = this.#chance
    const listed = this.#listed[coin]
    const stable = listed === 100_000_000n
    let permille10 = chance.below(21) - 10
    if (this.#mood !== 'calm' && chance.happens(this.#mood === 'storm' ? 0.7 : 0.05)) {
      permille10 = chance.below(301) + (this.#drift - 1) * 150
    }
    if (stable) permille10 = Math.trunc(permille10 / 10)
    if (chance.happens(0.003)) permille10 = chance.one([-3300, 3300, -5500, 9000])
    const moved = (this.usd[coin] * BigInt(10_000 + permille10)) / 10_000n
    const bound = stable ? 2n : 15n
    this.usd[coin] = moved < listed / bound || moved > listed * bound ? listed : moved
    // What jumps is not believed before it is told again.
    if (Math.abs(permille10) > 3000) this.#repeat = { kind: 'set-index-prices', prices: [[coin, this.usd[coin]]] }
  }

  #isSilent(coin: number): boolean {
    const left = this.#silent.get(coin)
    if (left === undefined) return false
    if (left === 1) this.#silent.delete(coin)
    else this.#silent.set(coin, left - 1)
    return true
  }
}
