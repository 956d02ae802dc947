/**
 * A tape that is open: what it says of itself, and its rows from any block on.
 */
import { Block, type Scales } from './columns.ts'
import type { ImportReport } from './importing.ts'
import { TmkFile } from './tmk-file.ts'
import { TapeWrong } from './wrong.ts'

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
