/**
 * Seeded random numbers: the same seed draws the same numbers on every machine.
 *
 * Separate  every agent and every coin draws from a sequence of its own, so that one drawing more does not change another
 */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

/** The generator's first numbers betray a small seed. */
const warmUpDraws = 32

/** Where a sequence stands. */
export type SavedRandom = readonly number[]

export class Random {
  #generator: RandomGenerator
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
    this.#generator = xoroshiro128plus(seed)
    for (let draw = 0; draw < warmUpDraws; draw++) this.#generator.next()
  }

  /** A sequence of its own for the part of the market with this name. */
  for(name: string): Random {
    let mixed = this.#seed ^ 0x811c9dc5
    for (let index = 0; index < name.length; index++) mixed = Math.imul(mixed ^ name.charCodeAt(index), 0x01000193)
    return new Random(mixed)
  }

  save(): SavedRandom {
    return this.#generator.getState()
  }

  /** The next draws are those that came after `save`, whatever the seed was. */
  restore(saved: SavedRandom): void {
    this.#generator = xoroshiro128plusFromState(saved)
  }

  /** From 0 up to, but without, 1. */
  share(): number {
    return uniformFloat64(this.#generator)
  }

  happens(probability: number): boolean {
    return this.share() < probability
  }

  /** Standard normal. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.share()))
    return radius * Math.cos(2 * Math.PI * this.share())
  }

  /** Around `typical`, always positive, with a long tail upwards. */
  spread(typical: number, width: number): number {
    return typical * Math.exp(width * this.normal())
  }

  /** How many of something that happens `mean` times on average. */
  count(mean: number): number {
    const stop = Math.exp(-mean)
    let count = 0
    for (let product = this.share(); product > stop; product *= this.share()) count += 1
    return count
  }

  /** One of several, the heavier the likelier; undefined when there are none. */
  pick<Choice>(choices: readonly Choice[], weightOf: (choice: Choice) => number): Choice | undefined {
    let left = this.share() * choices.reduce((sum, choice) => sum + weightOf(choice), 0)
    return choices.find((choice) => (left -= weightOf(choice)) < 0) ?? choices.at(-1)
  }
}
