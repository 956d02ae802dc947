/**
 * Which local instruments are mirrored, and whether the rules of the other venue fit them.
 *
 * Symbols  `BTCUSDT`: every instrument of that symbol; `USDT-FUTURES:BTCUSDT`: that one. None: all that both venues have
 * Rules    ticks and lots there must be whole multiples of the local ones: nothing is ever rounded
 * Source   interface.md; docs/mirror.md
 */
import { formatDecimal, parseDecimal } from '../engine/numbers/numbers.ts'
import type { Instrument } from '../engine/catalog/catalog.ts'
import { wrong } from './wrong.ts'

export const mirroredCategories = ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const

/** The local instruments that these symbols name. Throws MirrorWrong for one that names none. */
export function wantedInstruments(all: readonly Instrument[], symbols: readonly string[]): readonly Instrument[] {
  const listed = all.filter(({ category }) => mirroredCategories.some((one) => one === category))
  if (symbols.length === 0) return listed
  const found = symbols.flatMap((text) => {
    const named = listed.filter((one) => isNamed(text, one))
    if (named.length === 0) throw wrong('--mirror-symbols', text, 'is no instrument of this venue')
    return named
  })
  return [...new Set(found)]
}

/** Whether `BTCUSDT` or `USDT-FUTURES:BTCUSDT` means it. */
export function isNamed(text: string, one: Pick<Instrument, 'category' | 'symbol'>): boolean {
  const [symbol, category] = text.toUpperCase().split(':').toReversed()
  return one.symbol === symbol && (category === undefined || one.category === category)
}

/** Why an instrument cannot be mirrored; undefined: it can. `rows`: the answer of the other venue for its category. */
export function ruleFault(instrument: Instrument, rows: readonly Row[]): string | undefined {
  const { symbol, category, priceStep, priceDecimals, quantityStep, quantityDecimals } = instrument
  const fields = rows.find((row) => row['symbol'] === symbol)
  const at = `instruments ${category} ${symbol}`
  if (fields === undefined) return `${at}: the other venue does not have it`
  const steps = [
    ['pricePrecision', 'priceMultiplier', priceStep, priceDecimals],
    ['quantityPrecision', 'quantityMultiplier', quantityStep, quantityDecimals],
  ] as const
  for (const [precision, multiplier, step, decimals] of steps) {
    const there = stepOf(fields[precision], fields[multiplier])
    if (there === undefined)
      return `${at}: ${precision}: ${JSON.stringify(fields[precision])} must be a number of decimals`
    const here = BigInt(step) * 10n ** BigInt(8 - decimals)
    if (there % here !== 0n)
      return `${at}: ${precision}: steps of ${formatDecimal(there, 8)} there, of ${formatDecimal(here, 8)} here`
  }
  return undefined
}

/** Of 1e-8. */
function stepOf(precision: unknown, multiplier: unknown): bigint | undefined {
  const decimals = typeof precision === 'string' ? Number(precision) : precision
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 8) return undefined
  const units = typeof multiplier === 'string' ? parseDecimal(multiplier, 8) : undefined
  return typeof units === 'bigint' && units > 0n ? units : 10n ** BigInt(8 - decimals)
}

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The list that a public call of v3 answers. Throws MirrorWrong, and what the way there throws. */
export async function dataOf(url: string, call: string, query: Readonly<Record<string, string>>): Promise<Row[]> {
  const at = `GET /api/v3/${call} ${Object.values(query).join(' ')}`
  const answer = await fetch(`${url}/api/v3/${call}?${new URLSearchParams(query).toString()}`, {
    signal: AbortSignal.timeout(10_000),
  }).catch((error: Error) => {
    throw wrong(
      at,
      (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.name,
      'came in place of an answer',
    )
  })
  const body = (await answer.json().catch(() => undefined)) as Row | null | undefined
  if (body?.['code'] !== '00000') throw wrong(`${at}: code`, body?.['code'], 'must be 00000')
  const { data } = body
  if (!Array.isArray(data)) throw wrong(`${at}: data`, data, 'must be a list')
  return data.map((row: unknown, place) => {
    if (typeof row !== 'object' || row === null) throw wrong(`${at}: data[${place}]`, row, 'must be an object')
    return row as Row
  })
}
