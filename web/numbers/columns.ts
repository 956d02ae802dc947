/**
 * Numbers of a column for the eye: each has the decimals of its own row, and what it lacks beside the most of the column is kept
 * free behind it, so that all stand at one decimal point.
 */
import { fixedText, parseUnits } from './decimal.ts'
import { dollars, grouped, shown, withPlus } from './format.ts'

/** Decimals of amounts of a coin in a list: values in cents, stablecoins to a hundredth of one, all others as the venue counts. */
export function coinPlaces(coin: string): number {
  return coin === 'USD' ? 2 : dollars.has(coin) ? 4 : 8
}

/** How many decimals a number is told with. */
export function decimalsOf(text: string | undefined): number {
  return text?.split('.')[1]?.length ?? 0
}

/** The most decimals that a row of the column has. */
export function widestOf<T>(rows: readonly T[], places: ((row: T) => number) | undefined): number {
  return places === undefined ? 0 : rows.reduce((most, row) => Math.max(most, places(row)), 0)
}

export interface NumberInColumn {
  readonly places: number
  /** The most decimals of the column. */
  readonly widest: number
  /** With a plus where it is above zero. */
  readonly signed?: boolean
  /** Cut, not rounded: never more than there is. */
  readonly cut?: boolean
}

/** A dash for what is no number. `lacks` is what is kept free: `.00`, or `0` behind a point that is there. */
export function aligned(
  text: string | undefined,
  { places, widest, signed = false, cut = false }: NumberInColumn,
): { readonly text: string; readonly lacks: string } {
  const isThere = text !== undefined && text !== '' && Number.isFinite(Number(text))
  const exact = cut && isThere ? parseUnits(text) : undefined
  const plain = exact === undefined ? shown(text, places) : grouped(fixedText(exact, places))
  return { text: signed ? withPlus(plain) : plain, lacks: lacking(isThere ? places : 0, widest) }
}

function lacking(places: number, widest: number): string {
  const digits = '0'.repeat(Math.max(0, widest - places))
  return places === 0 && digits !== '' ? `.${digits}` : digits
}
