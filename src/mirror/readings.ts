/**
 * Pushes of another venue as this one reads them: whole, or a MirrorWrong that names topic and field.
 *
 * Exact      prices become ticks and sizes lots of the local instrument; what is between two of them is wrong, never rounded
 * Tolerated  fields, events and channels besides those that are read
 * Source     docs/streams.md; wire/websocket.md §3
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { parseDecimal, rateDecimals } from '../engine/numbers/numbers.ts'
import type { Trade } from '../house-book/house-book.ts'
import { wrong } from './wrong.ts'

/** A level as it was sent: its texts count for the checksum. */
export interface SourceLevel {
  readonly price: number
  /** Zero: it is gone. */
  readonly lots: number
  readonly texts: string
}

export interface BookPush {
  readonly isSnapshot: boolean
  readonly bids: readonly SourceLevel[]
  readonly asks: readonly SourceLevel[]
  readonly sequence: number
  readonly previous: number
  /** Undefined: the venue sent none. */
  readonly checksum: number | undefined
}

/** In the quote coin; undefined: it was not said. */
export interface TickerReading {
  /** Of 1e-8. */
  readonly indexE8: bigint | undefined
  readonly markE8: bigint | undefined
  /** As it was sent. */
  readonly fundingRate: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** JSON text of a push or an event, as an object. Throws MirrorWrong. */
export function messageOf(text: string): Fields {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw wrong('socket', text, 'is not JSON')
  }
  return fieldsOf(message, 'socket')
}

/** The only row of a push, or each of them. Throws MirrorWrong. */
export function rowsOf(message: Fields, at: string): readonly Fields[] {
  const { data } = message
  if (!Array.isArray(data)) throw wrong(`${at}: data`, data, 'must be a list')
  return data.map((row, place) => fieldsOf(row, `${at}: data[${place}]`))
}

/** Throws MirrorWrong. */
export function bookPushOf(row: Fields, action: unknown, instrument: Instrument, at: string): BookPush {
  if (action !== 'snapshot' && action !== 'update') throw wrong(`${at}: action`, action, 'must be snapshot or update')
  const { checksum } = row
  if (checksum !== undefined && (typeof checksum !== 'number' || !Number.isInteger(checksum))) {
    throw wrong(`${at}: checksum`, checksum, 'must be a whole number')
  }
  const isSnapshot = action === 'snapshot'
  const sideOf = (name: 'a' | 'b') => {
    const levels = row[name]
    if (!Array.isArray(levels)) throw wrong(`${at}: ${name}`, levels, 'must be a list of levels')
    return levels.map((level, place) => levelOf(level, instrument, `${at}: ${name}[${place}]`))
  }
  return {
    isSnapshot,
    asks: sideOf('a'),
    bids: sideOf('b'),
    sequence: wholeOf(row['seq'], `${at}: seq`),
    previous: isSnapshot ? 0 : wholeOf(row['pseq'], `${at}: pseq`),
    checksum,
  }
}

function levelOf(level: unknown, instrument: Instrument, at: string): SourceLevel {
  if (!Array.isArray(level) || level.length < 2) throw wrong(at, level, 'must be a price and a size')
  const [price, size] = level as unknown[]
  return {
    price: ticksOf(price, instrument, `${at}[0]`),
    lots: lotsOf(size, instrument, `${at}[1]`),
    texts: [price, size].join(':'),
  }
}

/** Throws MirrorWrong. */
export function tradeOf(row: Fields, instrument: Instrument, at: string): Trade {
  const side = row['S']
  const isBuy = typeof side === 'string' && side.toLowerCase() === 'buy'
  if (!isBuy && (typeof side !== 'string' || side.toLowerCase() !== 'sell'))
    throw wrong(`${at}: S`, side, 'must be buy or sell')
  const lots = lotsOf(row['v'], instrument, `${at}: v`)
  if (lots === 0) throw wrong(`${at}: v`, row['v'], 'must be above 0')
  return { isBuy, price: ticksOf(row['p'] ?? row['P'], instrument, `${at}: p`), lots }
}

/** Throws MirrorWrong. */
export function tickerOf(row: Fields, at: string): TickerReading {
  const price = (name: string): bigint | undefined => {
    const value = row[name]
    if (value === undefined || value === '' || value === null) return undefined
    const units = typeof value === 'string' ? unitsOf(value) : undefined
    if (units === undefined || units <= 0n) throw wrong(`${at}: ${name}`, value, 'must be a decimal above 0')
    return units
  }
  const rate = row['fundingRate']
  if (rate !== undefined && (typeof rate !== 'string' || !/^(-?[0-9]+(\.[0-9]+)?)?$/.test(rate))) {
    throw wrong(`${at}: fundingRate`, rate, 'must be a decimal')
  }
  return { indexE8: price('indexPrice'), markE8: price('markPrice'), fundingRate: rate === '' ? undefined : rate }
}

/** Of 1e-12; undefined: it has more decimals than a rate. */
export function fundingRateOf(text: string): bigint | undefined {
  const parsed = parseDecimal(text, rateDecimals, true)
  return typeof parsed === 'bigint' ? parsed : undefined
}

function fieldsOf(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, value, 'must be an object')
  return value as Fields
}

function wholeOf(value: unknown, at: string): number {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    throw wrong(at, value, 'must be a whole number')
  }
  return number
}

function ticksOf(value: unknown, { priceStep, priceDecimals }: Instrument, at: string): number {
  const ticks = stepsOf(value, priceStep, priceDecimals)
  if (ticks === undefined || ticks <= 0) throw wrong(at, value, 'must be a price above 0 of whole ticks')
  return ticks
}

function lotsOf(value: unknown, { quantityStep, quantityDecimals }: Instrument, at: string): number {
  const lots = stepsOf(value, quantityStep, quantityDecimals)
  if (lots === undefined) throw wrong(at, value, 'must be a size of whole lots')
  return lots
}

function stepsOf(value: unknown, step: number, decimals: number): number | undefined {
  const units = typeof value === 'string' ? unitsOf(value) : undefined
  if (units === undefined) return undefined
  const oneStep = BigInt(step) * 10n ** BigInt(unitDecimals - decimals)
  const steps = Number(units / oneStep)
  return units % oneStep === 0n && Number.isSafeInteger(steps) ? steps : undefined
}

const unitDecimals = 8

/** Of 1e-8; undefined: not a decimal, or of more decimals. */
function unitsOf(text: string): bigint | undefined {
  const units = parseDecimal(text, unitDecimals)
  return typeof units === 'bigint' ? units : undefined
}
