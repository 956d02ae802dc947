/**
 * Columns of numbers: each number has the decimals of its own row (of the instrument, of the coin), and all of a column stand at
 * their decimal point. What a number lacks behind it is kept free, unseen and unread.
 */
import { aligned, coinPlaces, decimalsOf, type NumberInColumn } from '../numbers/columns.ts'
import { grouped } from '../numbers/format.ts'
import type { Column } from './rows.tsx'

interface AlignedProps extends NumberInColumn {
  /** As the venue writes it; empty: a dash. */
  readonly text: string | undefined
  readonly coin?: string
  /** For its colour. */
  readonly class?: string
}

export function Aligned({ text, coin = '', ...props }: AlignedProps) {
  const written = aligned(text, props)
  const isThere = text !== undefined && text !== ''
  return (
    <span
      class={props.class}
      title={isThere && props.cut === true && grouped(text) !== written.text ? grouped(text) : undefined}
    >
      <span data-lacks={written.lacks}>{written.text}</span>
      {coin !== '' && isThere && <span class="coin">{`\u202f${coin}`}</span>}
    </span>
  )
}

interface NumbersOf<T> {
  readonly title: string
  readonly of: (row: T) => string | undefined
  readonly places: (row: NoInfer<T>) => number
  readonly coin?: (row: T) => string
  readonly signed?: boolean
  /** A class, for its colour. */
  readonly tone?: (row: T) => string
  readonly cut?: boolean
}

export function numbers<T>({ title, of, places, coin, signed, tone, cut }: NumbersOf<T>): Column<T> {
  return {
    title,
    number: true,
    places: (row) => (of(row) ? places(row) : 0),
    cell: (row, widest) => (
      <Aligned
        text={of(row)}
        places={places(row)}
        widest={widest}
        {...(coin === undefined ? {} : { coin: coin(row) })}
        {...(signed === undefined ? {} : { signed })}
        {...(cut === undefined ? {} : { cut })}
        {...(tone === undefined ? {} : { class: tone(row) })}
      />
    ),
  }
}

/** As exact as they are told: for lists that know no decimals of an instrument or a coin. */
export function exact<T>(column: Omit<NumbersOf<T>, 'places' | 'cut'>): Column<T> {
  return numbers({ ...column, places: (row) => decimalsOf(column.of(row)), cut: true })
}

interface AmountsOf<T> extends Omit<NumbersOf<T>, 'places' | 'coin'> {
  readonly coin: (row: T) => string
  /** The coin is told elsewhere in the row. */
  readonly bare?: boolean
}

/** Amounts, with the decimals of their coins. */
export function amounts<T>({ coin, bare = false, ...rest }: AmountsOf<T>): Column<T> {
  return numbers({ ...rest, places: (row) => coinPlaces(coin(row)), ...(bare ? {} : { coin }) })
}
