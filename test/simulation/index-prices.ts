/**
 * Index prices as they may come: calm days, storms, jumps, slips of the feed and coins without a price.
 *
 * Calm     a tenth of a percent at a time                Storm   up to three percent at a time, and in one direction
 * Jump     a third up or down at once                    Leap    beyond what is believed at once: set twice
 * Slip     a price that is wrong by ten times, once      Silent  a coin whose index is not set for a while
 */
import type { SetIndexPrices } from '../../src/engine/protocol/command.ts'
import type { Random } from './random.ts'

type Mood = 'calm' | 'storm' | 'mixed'

export class IndexPrices {
  readonly #random: Random
  readonly #listed: bigint[]
  readonly usd: bigint[]
  #mood: Mood = 'mixed'
  #drift = 0
  /** Coins without a price, with how many updates more. */
  readonly #silent = new Map<number, number>()
  #repeat: SetIndexPrices | undefined

  constructor(random: Random, listed: readonly bigint[]) {
    this.#random = random
    this.#listed = [...listed]
    this.usd = [...listed]
  }

  /** A coin that was listed later. */
  add(listed: bigint): void {
    this.#listed.push(listed)
    this.usd.push(listed)
  }

  next(): SetIndexPrices {
    const random = this.#random
    const repeat = this.#repeat
    this.#repeat = undefined
    if (repeat !== undefined) return repeat
    if (random.happens(0.01)) this.#turn()
    if (random.happens(0.002)) this.#silent.set(random.below(this.usd.length), 1 + random.below(200))
    if (random.happens(0.004)) return this.#slip()
    const prices: [number, bigint][] = []
    const all = random.happens(0.3)
    const only = random.below(this.usd.length)
    for (let coin = 0; coin < this.usd.length; coin++) {
      if (!all && coin !== only) continue
      this.#move(coin)
      if (!this.#isSilent(coin)) prices.push([coin, this.usd[coin]])
    }
    return { kind: 'set-index-prices', prices }
  }

  #turn(): void {
    this.#mood = this.#random.pick(['calm', 'calm', 'storm', 'mixed'])
    this.#drift = this.#random.below(3) - 1
  }

  #slip(): SetIndexPrices {
    const coin = this.#random.below(this.usd.length)
    const wrong = this.#random.pick([this.usd[coin] * 10n, this.usd[coin] / 10n + 1n, 0n, -1n, 1n])
    return { kind: 'set-index-prices', prices: [[coin, wrong]] }
  }

  #move(coin: number): void {
    const random = this.#random
    const listed = this.#listed[coin]
    const stable = listed === 100_000_000n
    let permille10 = random.below(21) - 10
    if (this.#mood !== 'calm' && random.happens(this.#mood === 'storm' ? 0.7 : 0.05)) {
      permille10 = random.below(301) + (this.#drift - 1) * 150
    }
    if (stable) permille10 = Math.trunc(permille10 / 10)
    if (random.happens(0.003)) permille10 = random.pick([-3300, 3300, -5500, 9000])
    const moved = (this.usd[coin] * BigInt(10_000 + permille10)) / 10_000n
    const bound = stable ? 2n : 15n
    this.usd[coin] = moved < listed / bound || moved > listed * bound ? listed : moved
    // What jumps is not believed before it is set again.
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
