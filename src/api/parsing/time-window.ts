/**
 * The time window of a history list: which of 90 days a request looks at, or why it may not.
 *
 * Both absent   the last 90 days · only startTime: so many days after it · only endTime: so many days before it
 * Refused       a span over the list's longest (00001), a start more than 90 days ago (40704), a start after the end
 *               (40707); bounds are inclusive
 * Tolerance     a minute at the old end: "now less 90 days" is a little older when it arrives
 * Unbounded     a list without a longest span takes any that begins within the 90 days: what is longer only reaches into
 *               the future
 * Public        trades go back as far as there are any: only their span is bounded
 * Source        wire/rate-limits-and-filters.md §4; design.md §4.7, §4.17, §4.32, §4.42; interface.md Limits
 */
import type { Millis } from '../../engine/numbers/numbers.ts'
import { ApiError } from '../errors/errors.ts'

export const dayMs = 24 * 3_600_000
export const historyDays = 90
const toleranceMs = 60_000

/** Whether a span is longer than what lists look back, tolerance included. */
export function isOverHistory(spanMs: number): boolean {
  return spanMs > historyDays * dayMs + toleranceMs
}

export interface TimeWindow {
  readonly from: Millis
  readonly to: Millis | undefined
}

interface Times {
  readonly startTime?: Millis | undefined
  readonly endTime?: Millis | undefined
}

export function timeWindow(
  sent: Times,
  { now, spanDays = Number.POSITIVE_INFINITY }: { readonly now: Millis; readonly spanDays?: number },
): TimeWindow {
  checkSpan(sent, spanDays)
  const { startTime, endTime } = sent
  const oldest = now - historyDays * dayMs
  const span = spanDays * dayMs
  if (startTime === undefined && endTime === undefined) return { from: oldest, to: undefined }
  if (startTime === undefined) {
    const to = endTime as Millis
    if (isOverHistory(now - to)) throw tooOld()
    return { from: Math.max(Math.min(oldest, to), to - span), to }
  }
  if (isOverHistory(now - startTime)) throw tooOld()
  const to = endTime ?? startTime + span
  return { from: startTime, to: Number.isFinite(to) ? to : undefined }
}

function tooOld(): ApiError {
  return new ApiError('40704')
}

/** The window of a list that goes back as far as there is anything: with one end alone the span beside it, with none all. */
export function openWindow(sent: Times, { spanDays }: { readonly spanDays: number }) {
  checkSpan(sent, spanDays)
  const { startTime, endTime } = sent
  const span = spanDays * dayMs
  return {
    from: startTime ?? (endTime === undefined ? undefined : endTime - span),
    to: endTime ?? (startTime === undefined ? undefined : startTime + span),
  }
}

/** Of lists whose times bound no span: open orders are as old as they are. */
export function checkTimes({ startTime, endTime }: Times): void {
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) throw new ApiError('40707')
}

function checkSpan(sent: Times, spanDays: number): void {
  checkTimes(sent)
  const { startTime, endTime } = sent
  if (startTime === undefined || endTime === undefined) return
  if (endTime - startTime > spanDays * dayMs) throw new ApiError('00001', [String(spanDays)])
}
