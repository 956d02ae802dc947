/**
 * Answers for people: a list of records as a table, one record as a list of fields, anything deeper in short.
 *
 * Width   no line is longer than `width`: the widest columns give way first, and what is cut ends in "…"
 * Same    numbers stay the texts that they came as: nothing is rounded, grouped or put into words
 */

export interface Look {
  /** Characters of a line. */
  readonly width: number
  /** Makes a heading stand out. */
  readonly heading: (text: string) => string
}

type Fields = Readonly<Record<string, unknown>>

/** Of a list, only these fields; absent: all that any record has. */
export function shownText(value: unknown, look: Look, only?: readonly string[]): string {
  if (Array.isArray(value)) return isTable(value) ? tableText(value, look, only) : `${cellText(value)}\n`
  if (isFields(value)) return fieldsText(value, look, only)
  return `${cellText(value)}\n`
}

const gap = 2
const columnMin = 4

export function tableText(records: readonly Fields[], look: Look, only?: readonly string[]): string {
  if (records.length === 0) return '(none)\n'
  const names = only ?? [...new Set(records.flatMap((record) => Object.keys(record)))]
  const rows = records.map((record) => names.map((name) => cellText(record[name])))
  const widths = fitted(
    names.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length))),
    look.width,
  )
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cut(cell, widths[column])).join(' '.repeat(gap))
  return [look.heading(line(names).trimEnd()), ...rows.map((row) => line(row).trimEnd())].join('\n') + '\n'
}

function fieldsText(record: Fields, look: Look, only: readonly string[] | undefined): string {
  const plain: [string, string][] = []
  const tables: string[] = []
  for (const [name, value] of flat(record)) {
    if (Array.isArray(value) && isTable(value)) tables.push(`\n${look.heading(name)}\n${tableText(value, look, only)}`)
    else plain.push([name, cellText(value)])
  }
  const width = Math.max(0, ...plain.map(([name]) => name.length)) + gap
  const lines = plain.map(([name, text]) => `${name.padEnd(width)}${cut(text, look.width - width).trimEnd()}\n`)
  return lines.join('') + tables.join('')
}

/** Records in a record by their path: `house.fees`. */
function flat(record: Fields, at = ''): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
    isFields(value) ? flat(value, `${at}${name}.`) : [[`${at}${name}`, value]],
  )
}

function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (Array.isArray(value)) return listText(value)
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

function listText(list: readonly unknown[]): string {
  if (list.length === 0) return '-'
  return isTable(list) ? `${list.length} entries` : list.map(cellText).join(',')
}

/** Names that people chose may hold anything: a terminal obeys nothing of them. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
}

/** The widest give way until the line fits, as far as anything is left of them. */
function fitted(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted]
  let excess = widths.reduce((sum, column) => sum + column, gap * (widths.length - 1)) - width
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest] <= columnMin) break
    widths[widest] -= 1
    excess -= 1
  }
  return widths
}

function cut(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, Math.max(0, width - 1))}…`
}

function isTable(value: readonly unknown[]): value is readonly Fields[] {
  return value.every(isFields)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
