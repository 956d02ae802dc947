/**
 * Tables of tests as aligned text: the first line has the heads, each line after it is a row.
 *
 *   position | incoming              | outcome   | after
 *   long 10  | sell 4 reduce-only    | filled 4  | long 6
 *   flat     | sell 1                | rests 1   | -
 *
 * Cells     between `|` that stand below those of the heads; `-` is the empty text
 * Goes on   a cell that ends with `;` or `,` goes on in the next line, in which the other cells may be empty
 * Left out  empty lines, and lines that begin with `//`
 * Heads     name the cells: `still resting` is `stillResting` of a row, and a name that is no head does not compile
 * Wrong     a line of which a `|` or an end is missing or stands elsewhere throws, with the line
 */

/** A row: its cells by the names of their columns. */
export type Row<Table extends string> = { readonly [Name in NameOf<HeadsOf<FirstLine<Table>>>]: string }

type FirstLine<Table extends string> = Table extends `\n${infer Rest}`
  ? FirstLine<Rest>
  : Table extends `${infer Line}\n${string}`
    ? Line
    : Table
type HeadsOf<Line extends string> = Line extends `${infer Head}|${infer Rest}` ? Trim<Head> | HeadsOf<Rest> : Trim<Line>
type Trim<Text extends string> = Text extends ` ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest} `
    ? Trim<Rest>
    : Text
type NameOf<Head extends string> = Head extends `${infer Word} ${infer Rest}`
  ? `${Word}${Capitalize<NameOf<Rest>>}`
  : Head

export function textTable<const Table extends string>(table: Table): readonly Row<Table>[] {
  const [heads, ...lines] = table.split('\n').filter((line) => !/^\s*(?:\/\/.*)?$/.test(line))
  if (heads === undefined || !heads.includes('|')) throw new Error(`no heads: ${heads}`)
  const names = heads.split('|').map((head) => nameOf(head.trim()))
  if (new Set(names).size < names.length || names.includes(''))
    throw new Error(`heads that are not of one each: ${heads}`)
  const rows: string[][] = []
  let open = false
  for (const line of lines) {
    const cells = cellsOf(line, heads)
    const row = rows.at(-1)
    if (open && row !== undefined) cells.forEach((cell, column) => (row[column] = goOn(row[column] ?? '', cell, line)))
    else rows.push(cells)
    open = rows.at(-1)?.some(isOpen) ?? false
    if (!open && rows.at(-1)?.includes('')) throw new Error(`a cell without a text: ${line}`)
  }
  if (open || rows.length === 0) throw new Error(`a table without an end: ${lines.at(-1)}`)
  return rows.map(
    (row) => Object.fromEntries(row.map((cell, column) => [names[column], cell === '-' ? '' : cell])) as Row<Table>,
  )
}

/** The texts of a cell that lists some: `sell 4 @ 110; sell 3 @ 120`. */
export function listed(cell: string): string[] {
  return cell === '' ? [] : cell.split('; ')
}

/** A cell that may be left out: undefined where it is `-`. */
export function optional<Word extends string>(cell: string): Word | undefined {
  return cell === '' ? undefined : (cell as Word)
}

function nameOf(head: string): string {
  return head.replace(/ +(.)/g, (_, letter: string) => letter.toUpperCase())
}

function cellsOf(line: string, heads: string): string[] {
  if (String(barsOf(line)) !== String(barsOf(heads))) throw new Error(`not below its heads: ${line}`)
  return line.split('|').map((cell) => cell.trim())
}

function barsOf(line: string): number[] {
  return [...line.matchAll(/\|/g)].map(({ index }) => index)
}

function isOpen(cell: string): boolean {
  return /[;,]$/.test(cell)
}

function goOn(cell: string, more: string, line: string): string {
  if (more === '') return cell
  if (!isOpen(cell)) throw new Error(`goes on in a cell that had ended: ${line}`)
  return `${cell} ${more}`
}
