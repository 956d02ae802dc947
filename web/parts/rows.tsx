/** A table with a caption for screen readers. On a phone each row becomes a card that names its cells. */
import type { ComponentChildren } from 'preact'
import { widestOf } from '../numbers/columns.ts'
import { zoneName } from '../store/times.ts'

export interface Column<T> {
  readonly title: string
  /** `widest`: the most decimals that a number of the column has. */
  readonly cell: (row: T, widest: number) => ComponentChildren
  /** Decimals of the number of this row. */
  readonly places?: (row: T) => number
  /** Numbers stand at the right. */
  readonly number?: boolean
  /** The name of the row, read before its cells. */
  readonly head?: boolean
  /** Its zone is named beside the title. */
  readonly time?: boolean
  /** Buttons: no title of its own on a phone. */
  readonly actions?: boolean
}

interface RowsProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly empty: string
}

export function Rows<T>({ caption, columns, rows, keyOf, empty }: RowsProps<T>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>
  const widest = columns.map(({ places }) => widestOf(rows, places))
  return (
    <table class="rows">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, number = false, actions = false, time = false }) => (
            <th key={title} scope="col" class={number ? 'number' : ''}>
              {actions ? <span class="unseen">{title}</span> : title}
              {time && <span class="zone"> {zoneName(Date.now())}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => {
              const className = column.actions ? 'actions' : column.number ? 'number' : ''
              const content = column.cell(row, widest[index] ?? 0)
              return column.head ? (
                <th key={column.title} scope="row" data-title={column.title}>
                  {content}
                </th>
              ) : (
                <td key={column.title} class={className} data-title={column.title}>
                  {content}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
