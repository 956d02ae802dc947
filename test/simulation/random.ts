/** Seeded random numbers of the simulation: whole numbers only, so that the same seed draws the same on every machine. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** The generator's first numbers betray a small seed. */
const warmUpDraws = 32

export class Random {
  readonly #draw: () => number

  constructor(seed: number) {
    const generator = xoroshiro128plus(seed)
    for (let draw = 0; draw < warmUpDraws; draw++) generator.next()
    this.#draw = () => generator.next() >>> 0
  }

  /** A whole number from 0 up to, but without, the bound. */
  below(bound: number): number {
    return this.#draw() % bound
  }

  happens(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  /** One of the names, the heavier the likelier. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[]
    let left = this.below(names.reduce((sum, name) => sum + weights[name], 0))
    return names.find((name) => (left -= weights[name]) < 0) as Name
  }

  /** A generator of its own, which draws the same however much is drawn here afterwards. */
  fork(): Random {
    return new Random(this.#draw() | 0)
  }

  /** From 0 up to, but without, 1: as the simulated disk wants it. */
  readonly share = (): number => this.#draw() / 2 ** 32
}
