/**
 * The way of a price through a tape: what simulated prices follow.
 *
 * Of        its trades; without any the middle of its book, its index, or its candles
 * Points    the last price of each second. A candle has four, a third of its length each, and stands where the next one does not touch it
 */
import { rowKind, referenceDecimals } from './columns.ts'
import { RecordedBook } from './recorded-book.ts'
import type { Tape } from './reading.ts'
import { TapeWrong } from './wrong.ts'

export interface PricePath {
  /** Unix milliseconds. */
  readonly times: Float64Array
  readonly prices: Float64Array
  /** A price holds until the next one; else it moves on a line to it. */
  readonly isStepped: boolean
}

const secondUs = 1_000_000
const minuteMs = 60_000

/** Throws TapeWrong for a tape that has no prices. */
export function pricePath(tape: Tape): PricePath {
  const { kinds, scales } = tape.contents
  const one = 10 ** scales.price
  const has = (name: keyof typeof rowKind) => (kinds[name] ?? 0) > 0
  if (has('buy') || has('sell')) return stepped(tape, (kind, value) => (isTrade(kind) ? value / one : undefined))
  if (has('candle')) return walked(tape, one)
  if (has('bid') && has('ask')) return stepped(tape, middleOf(one))
  const reference = 10 ** referenceDecimals
  if (has('index')) return stepped(tape, (kind, value) => (kind === rowKind.index ? value / reference : undefined))
  throw new TapeWrong(`${tape.path}: has no prices to follow`)
}

function isTrade(kind: number): boolean {
  return kind === rowKind.buy || kind === rowKind.sell
}

type PriceOf = (kind: number, value: number, amount: number) => number | undefined

function middleOf(one: number): PriceOf {
  const book = new RecordedBook()
  return (kind, value, amount) => {
    if (kind === rowKind.clear) book.clear()
    if (kind !== rowKind.bid && kind !== rowKind.ask) return undefined
    book.set(kind === rowKind.bid, value, amount)
    const [bid, ask] = [book.bids.at(-1)?.price, book.asks.at(-1)?.price]
    return bid === undefined || ask === undefined || bid >= ask ? undefined : (bid + ask) / 2 / one
  }
}

function stepped(tape: Tape, priceOf: PriceOf): PricePath {
  const times: number[] = []
  const prices: number[] = []
  for (const { times: at, kinds, values, amounts, length } of tape.all()) {
    for (let row = 0; row < length; row++) {
      const price = priceOf(kinds[row], values[row], amounts[row])
      if (price === undefined) continue
      const second = Math.floor(at[row] / secondUs) * 1_000
      if (second !== times.at(-1)) times.push(second)
      prices[times.length - 1] = price
    }
  }
  return { times: Float64Array.from(times), prices: Float64Array.from(prices), isStepped: true }
}

function walked(tape: Tape, one: number): PricePath {
  const begins: number[] = []
  const corners: number[] = []
  let length = Number.POSITIVE_INFINITY
  for (const { times, kinds, values, length: rows } of tape.all()) {
    for (let row = 0; row < rows; row++) {
      if (kinds[row] !== rowKind.candle) continue
      if (corners.length % 4 === 0) {
        const at = times[row] / 1_000
        length = Math.min(length, at - (begins.at(-1) ?? Number.NEGATIVE_INFINITY))
        begins.push(at)
      }
      corners.push(values[row] / one)
    }
  }
  if (!Number.isFinite(length)) length = minuteMs
  const times: number[] = []
  const prices: number[] = []
  begins.forEach((begin, candle) => {
    for (let corner = 0; corner < 4; corner++) {
      times.push(begin + (corner / 3) * (length - 1))
      prices.push(corners[candle * 4 + corner])
    }
    const next = begins[candle + 1]
    if (next === undefined || next - begin === length) return
    times.push(next - 1)
    prices.push(corners[candle * 4 + 3])
  })
  return { times: Float64Array.from(times), prices: Float64Array.from(prices), isStepped: false }
}
