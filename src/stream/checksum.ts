/**
 * The checksum of a book: CRC-32 of the best 25 levels of each side, as a signed number.
 *
 *   bid : ask : next bid : next ask : …      each level its texts as they were sent; what a side does not have is left out
 *
 * Cost    once for a push of one version, however many get it
 * Source  wire/websocket.md §3 "Order book"
 */
import { crc32 } from 'node:zlib'
import type { Level, Sides } from './levels.ts'

const checkedLevels = 25

export function checksum({ bids, asks }: Sides, textsOf: (level: Level) => readonly string[]): number {
  const texts: string[] = []
  for (let index = 0; index < checkedLevels; index++) {
    for (const side of [bids, asks]) {
      if (index < side.length) texts.push(...textsOf(side[index]))
    }
  }
  return crc32(texts.join(':')) | 0
}
