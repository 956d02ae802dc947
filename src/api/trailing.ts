/**
 * What both versions ask of trailing orders, in the same words.
 *
 * Rates     per cent with at most two decimals: `callbackRatio` and `rangeRate` from 0.01 to 10, the distance of an attached
 *           take-profit or stop-loss from 0.01 to 999.99
 * Must be   at market: a limit price is refused, and what has no meaning for them
 * Source    wire/client-endpoints §4; docs/decisions/0025-trailing-orders.md
 */
import { formatDecimal, parseDecimal } from '../engine/numbers/numbers.ts'
import type { TrailingRecord } from '../engine/protocol/event.ts'
import { type CallbackRate, callbackRateMax } from '../engine/vocabulary.ts'
import { missingParameter, type Version, wrongParameter } from './errors/errors.ts'

const rateDecimals = 2
const distanceMax = 99_999

/** The rate by which the price turns back. */
export function parseCallbackRate(version: Version, field: string, text: string | undefined): CallbackRate {
  if (text === undefined) throw missingParameter(field)
  return percent(version, field, text, callbackRateMax)
}

/** How far from its entry a take-profit or stop-loss lies; absent or zero: there is none. */
export function parseDistance(version: Version, field: string, text: string | undefined): number {
  return text === undefined || /^0+([.]0+)?$/.test(text) ? 0 : percent(version, field, text, distanceMax)
}

function percent(version: Version, field: string, text: string, max: number): number {
  const rate = parseDecimal(text, rateDecimals)
  if (typeof rate !== 'bigint' || rate < 1n || rate > BigInt(max)) {
    const bound = formatDecimal(BigInt(max), rateDecimals)
    throw wrongParameter(version, field, `should be from 0.01 to ${bound} per cent, with at most 2 decimals`)
  }
  return Number(rate)
}

/** A rate as it was sent. */
export function rateText(rate: number): string {
  return formatDecimal(BigInt(rate), rateDecimals)
}

/** The distance of an attached take-profit or stop-loss; empty: there is none. */
export function distanceText(rate: number): string {
  return rate === 0 ? '' : rateText(rate)
}

/** Refuses the first of these that is filled in, though it must be empty here. */
export function refuseFilled(
  version: Version,
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
  where: string,
): void {
  const filled = names.find((name) => input[name] !== undefined)
  if (filled !== undefined) throw wrongParameter(version, filled, `should be empty ${where}`)
}

/** The distances that an order has from then on: what is left out stays. */
export function changedDistances(
  version: Version,
  { takeProfitRate, stopLossRate }: TrailingRecord,
  takeProfit: readonly [field: string, text: string | undefined],
  stopLoss: readonly [field: string, text: string | undefined],
): { readonly takeProfitRate: number; readonly stopLossRate: number } {
  const changed = ([field, text]: readonly [string, string | undefined], before: number) =>
    text === undefined ? before : parseDistance(version, field, text)
  return { takeProfitRate: changed(takeProfit, takeProfitRate), stopLossRate: changed(stopLoss, stopLossRate) }
}
