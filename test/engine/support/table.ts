/** Scenarios on the small exchange, alone or as rows of a table; each one is found sound at its end, unasked. */
import { describe, test } from 'vitest'
import { Exchange } from './exchange.ts'
import { expectSound } from './soundness.ts'

/** One scenario on a new exchange. */
export function scenario(name: string, run: (exchange: Exchange) => void): void {
  test(name, () => {
    const exchange = new Exchange()
    run(exchange)
    expectSound(exchange)
  })
}

/** The columns of a table of rows: in each, what any row has there. */
type Columns<Row extends readonly unknown[]> = Row['length'] extends 1
  ? [Row[0]]
  : Row['length'] extends 2
    ? [Row[0], Row[1]]
    : Row['length'] extends 3
      ? [Row[0], Row[1], Row[2]]
      : Row['length'] extends 4
        ? [Row[0], Row[1], Row[2], Row[3]]
        : Row['length'] extends 5
          ? [Row[0], Row[1], Row[2], Row[3], Row[4]]
          : [Row[0], Row[1], Row[2], Row[3], Row[4], Row[5]]

/** A rule and its cases: one row, one scenario, named by what the row says. */
export function table<const Row extends readonly unknown[]>(
  rule: string,
  rows: readonly Row[],
  run: (exchange: Exchange, ...row: Columns<Row>) => void,
): void {
  describe(rule, () => {
    for (const row of rows) {
      scenario(row.map(cellText).join(' | '), (exchange) => run(exchange, ...(row as unknown as Columns<Row>)))
    }
  })
}

function cellText(cell: unknown): string {
  if (Array.isArray(cell)) return cell.join('; ') || 'nothing'
  if (typeof cell !== 'object' || cell === null) return String(cell)
  return JSON.stringify(cell, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
