/**
 * Where the names and secrets come from that the venue makes up itself: keys, and client order ids that a client left away.
 *
 * System   cannot be guessed: for a venue that anybody else can reach
 * Seeded   the same seed and the same calls draw the same bytes, in every process: for tests, and for them alone, since who
 *          knows the seed knows every secret. Where it stands can be saved and restored
 * Blocks   draw n is SHA-256 of seed and n, as often as the length needs
 */
import { createHash, randomBytes } from 'node:crypto'

export interface RandomSource {
  bytes(length: number): Buffer
}

export const systemRandom: RandomSource = { bytes: (length) => randomBytes(length) }

export class SeededRandom implements RandomSource {
  readonly #seed: number
  #drawn = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  bytes(length: number): Buffer {
    const blocks: Buffer[] = []
    for (let made = 0; made < length; made += 32) {
      blocks.push(
        createHash('sha256')
          .update(`tidemark random ${this.#seed} ${this.#drawn++}`)
          .digest(),
      )
    }
    return Buffer.concat(blocks).subarray(0, length)
  }

  /** A number from zero, below `bound`, which is at most 2^32; each as likely. */
  below(bound: number): number {
    const taken = 2 ** 32 - (2 ** 32 % bound)
    for (;;) {
      const drawn = this.bytes(4).readUInt32BE()
      // A number beyond the last whole round would make the first ones likelier.
      if (drawn < taken) return drawn % bound
    }
  }

  /** How much was drawn. */
  save(): number {
    return this.#drawn
  }

  restore(drawn: number): void {
    this.#drawn = drawn
  }
}

/** A random UUID (RFC 9562, version 4). */
export function uuidFrom(random: RandomSource): string {
  const bytes = random.bytes(16)
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
