/**
 * Recorded markets: files of others become one checked, compact tape, which is read from any of its blocks on. The door of the room.
 *
 *   importing.ts    files → tape     formats.ts  which format a file has      row-readers.ts  what its rows mean
 *   sources.ts      unpacking (zip.ts)      lines.ts  rows of bytes      intake.ts  scales and blocks      merging.ts  one order
 *   anchors.ts      the way of a price     columns.ts      rows and their bytes      tmk-file.ts  the file      gaps.ts, recorded-book.ts  what is looked for
 *
 * Source    lab.md §4.9; docs/recorded-markets.md
 */
import { Block, type Scales } from './columns.ts'
import type { ImportReport } from './importing.ts'
import { TmkFile } from './tmk-file.ts'
import { TapeWrong } from './wrong.ts'

export { Block, rateDecimals, referenceDecimals, rowKind, rowKindNames } from './columns.ts'
export { pricePath, type PricePath } from './anchors.ts'
export { importTape, type ImportOptions, type ImportReport } from './importing.ts'
export { TapeWrong } from './wrong.ts'

/** What a tape says of itself. */
export interface TapeContents extends Omit<ImportReport, 'file' | 'bytes'> {
  readonly scales: Scales
  readonly blocks: readonly { readonly rows: number; readonly first: number; readonly last: number }[]
}

export class Tape {
  readonly path: string
  readonly contents: TapeContents
  readonly #file: TmkFile

  /** Throws TapeWrong for a file that is none, or broken. */
  constructor(path: string) {
    this.path = path
    this.#file = new TmkFile(path)
    this.contents = this.#file.contents as unknown as TapeContents
  }

  /** Reads a block into one that is there. Throws TapeWrong. */
  read(number: number, into: Block): void {
    this.#file.read(number, into)
  }

  /** Every block, in one object that is used again. Throws TapeWrong. */
  *all(): Generator<Block> {
    const block = new Block()
    for (let number = 0; number < this.contents.blocks.length; number++) {
      this.read(number, block)
      yield block
    }
  }

  /** Reads all of it. Throws TapeWrong for what is broken. */
  verify(): void {
    let last = Number.NEGATIVE_INFINITY
    for (const { times, length } of this.all()) {
      for (let at = 0; at < length; at++) {
        if (times[at] < last) throw new TapeWrong(`${this.path}: its rows are not sorted by time`)
        last = times[at]
      }
    }
  }

  close(): void {
    this.#file.close()
  }
}
