/**
 * The trades of one instrument in one minute, summed: what tickers are made of.
 *
 * Sums    exact, in steps of the instrument, so that no catalogue is needed here: quantity in lots, ticks × lots for the
 *         quote volume of spot and linear instruments, lots ÷ ticks for the base volume of inverse ones
 * Bounds  a minute reaches from its start, inclusive, to the start of the next one
 */
import type { TradeEvent } from '../engine/event.ts'
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'

const minuteMs = 60_000
/** Decimals of `lotsPerTick`. */
export const lotsPerTickDecimals = 12
const lotsPerTickScale = 10n ** BigInt(lotsPerTickDecimals)

export interface TradeMinute {
  /** Start of the minute. */
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

/** The trade goes into the newest minute, or begins the next one. Trades come oldest first. */
export function addTrade(minutes: TradeMinute[], trade: Pick<TradeEvent, 'price' | 'quantity' | 'at'>): void {
  const price = BigInt(trade.price)
  const quantity = BigInt(trade.quantity)
  const ticksTimesLots = price * quantity
  const lotsPerTick = (quantity * lotsPerTickScale) / price
  const newest = minutes.at(-1)
  if (newest === undefined || minuteOf(trade.at) > newest.start) {
    minutes.push({
      start: minuteOf(trade.at),
      openPrice: trade.price,
      highPrice: trade.price,
      lowPrice: trade.price,
      closePrice: trade.price,
      quantity,
      ticksTimesLots,
      lotsPerTick,
    })
    return
  }
  if (trade.price > newest.highPrice) newest.highPrice = trade.price
  if (trade.price < newest.lowPrice) newest.lowPrice = trade.price
  newest.closePrice = trade.price
  newest.quantity += quantity
  newest.ticksTimesLots += ticksTimesLots
  newest.lotsPerTick += lotsPerTick
}
