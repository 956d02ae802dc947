/**
 * Candles: what a price did in a span of time, and what was traded in it.
 *
 * Sums    exact, in steps of the instrument, so that no catalogue is needed here: quantity in lots, ticks × lots for the
 *         quote volume of spot and linear instruments, lots ÷ ticks for the base volume of inverse ones
 * Bounds  a span reaches from its start, inclusive, to the start of the next one
 * Kept    by minutes and by quarters of an hour: of one or the other every longer span is made
 */
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'
import type { TradeEvent } from '../engine/protocol/event.ts'

/** What the price is of: trades, the mark price or the index. Nothing is traded at the latter two. */
export type PriceKind = 'market' | 'mark' | 'index'

export const minuteMs = 60_000
export const quarterMs = 15 * minuteMs

/** Decimals of `lotsPerTick`. */
export const lotsPerTickDecimals = 12
const lotsPerTickScale = 10n ** BigInt(lotsPerTickDecimals)

export interface Candle {
  readonly start: Millis
  readonly openPrice: Ticks
  highPrice: Ticks
  lowPrice: Ticks
  closePrice: Ticks
  /** Lots. */
  quantity: bigint
  /** Sum of price × quantity, in ticks × lots. */
  ticksTimesLots: bigint
  /** Sum of quantity ÷ price, in 1e-12 lots per tick, each trade rounded down. */
  lotsPerTick: bigint
}

export function minuteOf(at: Millis): Millis {
  return at - (at % minuteMs)
}

/** One price all the time, and nothing traded. */
export function flatCandle(start: Millis, price: Ticks): Candle {
  const prices = { openPrice: price, highPrice: price, lowPrice: price, closePrice: price }
  return { start, ...prices, quantity: 0n, ticksTimesLots: 0n, lotsPerTick: 0n }
}

export function addPrice(candle: Candle, price: Ticks): void {
  if (price > candle.highPrice) candle.highPrice = price
  if (price < candle.lowPrice) candle.lowPrice = price
  candle.closePrice = price
}

export function addTrade(candle: Candle, trade: Pick<TradeEvent, 'price' | 'quantity'>): void {
  addPrice(candle, trade.price)
  const price = BigInt(trade.price)
  const quantity = BigInt(trade.quantity)
  candle.quantity += quantity
  candle.ticksTimesLots += price * quantity
  candle.lotsPerTick += (quantity * lotsPerTickScale) / price
}

/** Adds what came after it. */
export function addCandle(candle: Candle, later: Candle): void {
  if (later.highPrice > candle.highPrice) candle.highPrice = later.highPrice
  if (later.lowPrice < candle.lowPrice) candle.lowPrice = later.lowPrice
  candle.closePrice = later.closePrice
  candle.quantity += later.quantity
  candle.ticksTimesLots += later.ticksTimesLots
  candle.lotsPerTick += later.lotsPerTick
}

/** One candle as long as all of these, oldest first; undefined of none. */
export function joinCandles(candles: readonly Candle[], start = candles[0]?.start ?? 0): Candle | undefined {
  const [first, ...later] = candles
  if (first === undefined) return undefined
  const whole = { ...first, start }
  for (const candle of later) addCandle(whole, candle)
  return whole
}
