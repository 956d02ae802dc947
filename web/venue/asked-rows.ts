/**
 * Rows of a history that somebody asked for: of symbols, and between two times.
 *
 * Pages    of the venue are read until one of our own is full, all that follows is older than asked for, or ten were read
 * Why here not every list of the venue takes a symbol and times, and those that do allow different spans
 */
import type { Page } from './account.ts'

export interface Asked {
  /** A part of the symbol, in any case; empty: every one. */
  readonly symbol: string
  /** Unix milliseconds, both included; undefined: without a bound. */
  readonly from: number | undefined
  readonly to: number | undefined
}

export interface AskedOf {
  readonly symbol: string
  readonly at: number
}

const rowsWanted = 50
const pagesMax = 10

export async function askedPage<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  first: string | undefined,
  asked: Asked,
  of: (row: T) => AskedOf,
): Promise<Page<T>> {
  if (isEverything(asked)) return read(first)
  const wanted = asked.symbol.toUpperCase()
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = asked
  const isAsked = (row: T) => {
    const { symbol, at } = of(row)
    return symbol.toUpperCase().includes(wanted) && at >= from && at <= to
  }
  const rows: T[] = []
  let cursor = first
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await read(cursor)
    rows.push(...page.rows.filter(isAsked))
    cursor = page.next
    if (page.rows.length > 0 && page.rows.every((row) => of(row).at < from)) cursor = undefined
    if (cursor === undefined || rows.length >= rowsWanted) break
  }
  return { rows, next: cursor }
}

export function isEverything({ symbol, from, to }: Asked): boolean {
  return symbol === '' && from === undefined && to === undefined
}
