/**
 * Files of a recording become one tape.
 *
 *   1  each file is read, recognised and checked row by row; its rows go, a sorted block at a time, into a file beside the tape
 *   2  the blocks are merged by time; rows of one time keep the order of their files, and of the files as they were named
 *
 * Whole     what is wrong with any row ends it, and nothing is left of what was written
 * Memory    blocks that overlap in time are open at once: a few, unless a file is in no order at all
 * Symbol    files that name one hold rows of others: these are dropped. `BTC/USDT`, `btcusdt` and `BTC-USDT` are one
 * Source    lab.md §4.9
 */
import { rmSync } from 'node:fs'
import { rowKindNames, type Scales } from './columns.ts'
import { byColumnMap, recognise, type Recognised } from './formats.ts'
import { Gaps } from './gaps.ts'
import { Intake } from './intake.ts'
import { Lines } from './lines.ts'
import { mergeBlocks } from './merging.ts'
import { type Crossed, readerOf, type RowReader } from './row-readers.ts'
import { type Source, sourcesOf } from './sources.ts'
import { TmkWriter } from './tmk-file.ts'
import { TapeWrong } from './wrong.ts'

export interface ImportOptions {
  readonly files: readonly string[]
  /** Where the tape goes. */
  readonly out: string
  /** As the venue spells it. */
  readonly symbol: string
  readonly category?: string | undefined
  /** As the files spell it; absent: as the venue does, but for case and signs. */
  readonly sourceSymbol?: string | undefined
  readonly format?: string | undefined
  readonly columns?: Readonly<Record<string, string>> | undefined
  readonly time?: 'exchange' | 'local' | undefined
  /** From this distance of two rows on it is a gap; milliseconds. */
  readonly gapMs?: number | undefined
}

interface SourceReport {
  readonly file: string
  readonly format: string
  /** Lines that were read, without the header. */
  readonly rows: number
}

export interface ImportReport {
  readonly file: string
  readonly symbol: string
  readonly category: string | null
  /** Of the tape: a line can say several, or nothing new. */
  readonly rows: number
  readonly lines: number
  readonly bytes: number
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly kinds: Readonly<Record<string, number>>
  readonly gaps: { readonly count: number; readonly longestMs: number; readonly first: string | null }
  readonly crossed: { readonly count: number; readonly first: string | null }
  readonly dropped: readonly { readonly reason: string; readonly count: number; readonly first: string }[]
  readonly sources: readonly SourceReport[]
}

const gapMsDefault = 60_000

/** Throws TapeWrong, with file, row, field and rule. */
export async function importTape(options: ImportOptions): Promise<ImportReport> {
  const { out, symbol, category = null } = options
  const runs = new TmkWriter(`${out}.rows`, 1)
  let tape: TmkWriter | undefined
  try {
    const crossed: Crossed = { count: 0, first: undefined }
    const intake = new Intake((block, scales) => runs.add(block, scales))
    const sources: SourceReport[] = []
    const books = new Map<string, string>()
    for (const file of options.files) {
      for (const source of await sourcesOf(file)) {
        const report = await new SourceReading(source, intake, crossed, options).read()
        const holds = bookOf(report.format)
        if (holds !== undefined) books.set(holds, report.file)
        if (books.size > 1) throw twoBooks(books)
        sources.push(report)
      }
    }
    if (runs.blocks.length === 0) throw new TapeWrong(`${options.files.join(', ')}: there is nothing in it for a tape`)
    tape = new TmkWriter(out)
    const gaps = new Gaps(options.gapMs ?? gapMsDefault)
    const kinds = rowKindNames.map(() => 0)
    const scales: Scales = { ...intake.scales }
    mergeBlocks(runs, scales, (block) => {
      for (let at = 0; at < block.length; at++) kinds[block.kinds[at]] += 1
      gaps.see(block)
      tape?.add(block)
    })
    const rows = kinds.reduce((sum, count) => sum + count, 0)
    const counted = Object.fromEntries(
      rowKindNames.map((name, kind) => [name, kinds[kind]] as const).filter(([, n]) => n > 0),
    )
    const report = {
      symbol,
      category,
      rows,
      lines: sources.reduce((sum, source) => sum + source.rows, 0),
      from: Math.floor(tape.blocks[0].first / 1_000),
      to: Math.floor((tape.blocks.at(-1)?.last ?? 0) / 1_000),
      kinds: counted,
      gaps: gaps.report(),
      crossed: { count: crossed.count, first: crossed.first ?? null },
      dropped: [...intake.dropped].map(([reason, { count, first }]) => ({ reason, count, first })),
      sources,
    }
    const bytes = tape.finish({ ...report, scales })
    return { file: out, ...report, bytes }
  } catch (cause) {
    tape?.abandon()
    throw cause
  } finally {
    runs.abandon()
    rmSync(`${out}.rows`, { force: true })
  }
}

/** Formats that say a book, each in its own way: a tape has one of them. */
function bookOf(format: string): string | undefined {
  return /levels|book|quotes|depth/i.test(format) ? format : undefined
}

function twoBooks(books: ReadonlyMap<string, string>): TapeWrong {
  const [[one, first], [other, second]] = [...books]
  return new TapeWrong(`${second}: says the book as ${other}, and ${first} says it as ${one}: give one of them`)
}

/** Symbols that a file had, so many are told. */
const symbolsToldMax = 5

/** One file on its way into the intake. */
class SourceReading {
  readonly #source: Source
  readonly #intake: Intake
  readonly #crossed: Crossed
  readonly #options: ImportOptions
  readonly #lines: Lines
  #reader: RowReader | undefined
  #recognised: Recognised | undefined
  #rows = 0
  #taken = 0
  #symbolPlace = -1
  /** As it stood in the last row that was taken. */
  #symbolTaken: Uint8Array = new Uint8Array(0)
  readonly #others = new Set<string>()

  constructor(source: Source, intake: Intake, crossed: Crossed, options: ImportOptions) {
    this.#source = source
    this.#intake = intake
    this.#crossed = crossed
    this.#options = options
    this.#lines = new Lines(source.name)
  }

  async read(): Promise<SourceReport> {
    const take = () => this.#take()
    this.#intake.onGrown = undefined
    for await (const chunk of this.#source.chunks()) this.#lines.push(chunk, take)
    this.#lines.end(take)
    this.#reader?.end()
    this.#intake.flush()
    const { name } = this.#source
    if (this.#recognised === undefined) throw new TapeWrong(`${name}: is empty`)
    if (this.#rows === 0) throw new TapeWrong(`${name}: has no row after its header`)
    if (this.#taken === 0) throw this.#nothingTaken()
    return { file: name, format: this.#recognised.format, rows: this.#rows }
  }

  #take(): void {
    const lines = this.#lines
    const recognised = this.#recognised ?? this.#begin()
    if (lines.row === 1 && recognised.hasHeader) return
    this.#rows += 1
    if (lines.count < recognised.names.length) {
      if (lines.count === 1 && lines.isEmpty(0)) return
      throw lines.wrong(
        lines.count,
        `is missing: the row has ${lines.count} fields and needs ${recognised.names.length}`,
      )
    }
    if (this.#symbolPlace >= 0 && !this.#isOurs()) return
    this.#taken += 1
    this.#reader?.take()
  }

  #begin(): Recognised {
    const lines = this.#lines
    const first = Array.from({ length: lines.count }, (_, field) => lines.text(field))
    const { format, columns, time = 'exchange' } = this.#options
    const { name } = this.#source
    const recognised =
      columns === undefined ? recognise(name, first, format) : byColumnMap(name, first, columns, format)
    lines.name(recognised.names)
    this.#recognised = recognised
    this.#symbolPlace = recognised.places['symbol'] ?? -1
    this.#reader = readerOf({ lines, intake: this.#intake, crossed: this.#crossed, recognised, time })
    return recognised
  }

  #isOurs(): boolean {
    const lines = this.#lines
    if (this.#symbolTaken.length > 0 && lines.is(this.#symbolPlace, this.#symbolTaken)) return true
    const text = lines.text(this.#symbolPlace)
    const { symbol, sourceSymbol } = this.#options
    const isOurs = sourceSymbol === undefined ? plain(text) === plain(symbol) : text === sourceSymbol
    if (isOurs) this.#symbolTaken = new TextEncoder().encode(text)
    else {
      if (this.#others.size < symbolsToldMax) this.#others.add(text)
      this.#intake.drop(lines, 'other symbols')
    }
    return isOurs
  }

  #nothingTaken(): TapeWrong {
    const { symbol, sourceSymbol = symbol } = this.#options
    const [one] = this.#others
    return new TapeWrong(
      `${this.#source.name}: has no row of ${sourceSymbol}, it has ${[...this.#others].join(', ')}: ` +
        `if that is it, say --source-symbol ${one}`,
    )
  }
}

function plain(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
