/**
 * Random numbers that are found by their place: the same seed, name and place answer the same number, in any order.
 *
 * Why    a past is made where somebody looks at it: what a minute draws must not depend on which minutes were made before
 * Shape  normal numbers are sums of four bytes: nothing beyond 3.5 deviations. Nervous times make the long tails
 */

/** One sequence of draws, apart from those of other names. */
export class Draws {
  readonly #key: number

  constructor(seed: number, name: string) {
    let key = mixed(seed ^ 0x9e3779b9)
    for (let index = 0; index < name.length; index++) key = mixed(Math.imul(key ^ name.charCodeAt(index), 0x01000193))
    this.#key = key
  }

  /** Standard normal, nearly. */
  normal(place: number): number {
    const bits = this.#bits(place)
    const sum = (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24)
    return (sum - meanOfBytes) / deviationOfBytes
  }

  /** From 0 up to, but without, 1. */
  share(place: number): number {
    return this.#bits(place) / 2 ** 32
  }

  #bits(place: number): number {
    return mixed(Math.imul(place + 1, 0x9e3779b1) ^ this.#key) >>> 0
  }
}

const meanOfBytes = 4 * 127.5
const deviationOfBytes = Math.sqrt((4 * (256 ** 2 - 1)) / 12)

/** Each bit of what comes in changes half of those that come out. */
function mixed(bits: number): number {
  let mix = bits
  mix = Math.imul(mix ^ (mix >>> 16), 0x21f0aaad)
  mix = Math.imul(mix ^ (mix >>> 15), 0x735a2d97)
  return mix ^ (mix >>> 15)
}
