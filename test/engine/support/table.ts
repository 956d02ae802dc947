/**
 * Scenarios on the small exchange, alone or as rows of a table; each one is found sound at its end, unasked.
 *
 * Rows   of words and order lines are aligned text (test/support/text-table.ts), rows of figures are arrays
 */
import { describe, test } from 'vitest'
import { type Row, textTable } from '../../support/text-table.ts'
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

/** The columns of a table of arrays: in each, what any row has there. */
type Columns<Cells extends readonly unknown[]> = Cells['length'] extends 1
  ? [Cells[0]]
  : Cells['length'] extends 2
    ? [Cells[0], Cells[1]]
    : Cells['length'] extends 3
      ? [Cells[0], Cells[1], Cells[2]]
      : [Cells[0], Cells[1], Cells[2], Cells[3]]

/** A rule and its cases: one row, one scenario, named by what the row says. */
export function table<const Table extends string>(
  rule: string,
  rows: Table,
  run: (exchange: Exchange, row: Row<Table>) => void,
): void
export function table<const Cells extends readonly unknown[]>(
  rule: string,
  rows: readonly Cells[],
  run: (exchange: Exchange, ...cells: Columns<Cells>) => void,
): void
export function table(rule: string, rows: Rows, run: Run): void {
  describe(rule, () => {
    for (const { name, check } of casesOf(rows, run)) scenario(name, check)
  })
}

type Rows = string | readonly (readonly unknown[])[]
/** A text row goes in as one value, the cells of an array one by one. */
type Run = (exchange: Exchange, ...row: never) => void

interface Case {
  readonly name: string
  readonly check: (exchange: Exchange) => void
}

/** The scenarios of a table, in its order. */
export function casesOf(rows: Rows, run: Run): Case[] {
  const cases: readonly (readonly [cells: readonly unknown[], row: readonly unknown[]])[] =
    typeof rows === 'string'
      ? textTable(rows).map((row) => [Object.values(row), [row]])
      : rows.map((cells) => [cells, cells])
  return cases.map(([cells, row]) => ({
    name: cells.map(cellText).join(' | '),
    check: (exchange) => run(exchange, ...(row as never)),
  }))
}

function cellText(cell: unknown): string {
  if (cell === '') return '-'
  if (Array.isArray(cell)) return cell.join('; ') || '-'
  if (typeof cell !== 'object' || cell === null) return String(cell)
  return JSON.stringify(cell, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
