/** What a side of the book adds up to: for the rows of the book and for the depth chart. Numbers for the eye. */
import { stepsOf } from '../numbers/decimal.ts'
import type { Level } from '../venue/book.ts'

export interface DepthRow {
  /** In steps of the instrument's price precision. */
  readonly price: number
  readonly size: number
  readonly total: number
}

/** The best levels of a side, gathered by so many price steps. */
export function gather(
  levels: readonly Level[],
  { precision, by, side, rows }: { precision: number; by: number; side: 'bid' | 'ask'; rows: number },
): DepthRow[] {
  const found: DepthRow[] = []
  let total = 0
  let price = Number.NaN
  let size = 0
  for (const [priceText, sizeText] of levels) {
    const steps = stepsOf(priceText, precision)
    const group = (side === 'bid' ? Math.floor(steps / by) : Math.ceil(steps / by)) * by
    if (group !== price) {
      if (!Number.isNaN(price)) found.push({ price, size, total })
      if (found.length === rows) return found
      price = group
      size = 0
    }
    size += Number(sizeText)
    total += Number(sizeText)
  }
  if (!Number.isNaN(price) && found.length < rows) found.push({ price, size, total })
  return found
}

export interface Point {
  readonly price: number
  readonly total: number
}

/** From the best level outwards. */
export function cumulated(levels: readonly Level[]): Point[] {
  let total = 0
  return levels.map(([price, size]) => ({ price: Number(price), total: (total += Number(size)) }))
}
