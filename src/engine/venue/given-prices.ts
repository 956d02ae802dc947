/**
 * Marks and funding rates that come from elsewhere: of a recorded market, or of another venue.
 *
 * Holds     in place of the formulas, for the mark and the running rate of a contract, until the moment that it was given for
 * Ends      by a timer; then mark and rate follow from the formulas again, which have gone on meanwhile
 * Bounds    a mark that open positions cannot bear is not taken, and tried again
 * Source    lab.md §4.9 (index, mark, funding of a record); docs/risk.md, given prices
 */
import { carriedAt } from '../margin/margin.ts'
import { publishPrices, refreshMarks } from '../pricing/pricing.ts'
import type { SetGivenPrices } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { givenPricesFault } from '../venue-rules/venue-rules.ts'
import { afterMarks } from './after-marks.ts'

export function setGivenPrices(state: State, command: SetGivenPrices): Reply {
  const fault = givenPricesFault(state, command)
  if (fault !== undefined) return refused(fault)
  const { until } = command
  const { prices } = state
  for (const { instrument, markPrice, fundingRate } of command.contracts) {
    const holds = until > state.at && (markPrice !== undefined || fundingRate !== undefined)
    if (holds) prices.given.set(instrument, { markPrice, fundingRate, until })
    else if (!prices.given.delete(instrument)) continue
    prices.unsettleMark(instrument)
  }
  watch(state)
  follow(state)
  return done
}

/** The timer: what holds no more is taken away. */
export function endGivenPrices(state: State): void {
  const { prices } = state
  for (const [instrument, { until }] of prices.given) {
    if (until > state.at) continue
    prices.given.delete(instrument)
    prices.unsettleMark(instrument)
  }
  watch(state)
  follow(state)
}

/** A timer that wakes too early looks again: none has to be moved each time that prices are given. */
function watch({ prices, timers }: State): void {
  const nextAt = Math.min(...[...prices.given.values()].map(({ until }) => until))
  const set = timers.due.find(({ timer }) => timer.kind === 'end-given-prices')
  if (set !== undefined && set.at <= nextAt && prices.given.size > 0) return
  if (set !== undefined) timers.remove(({ kind }) => kind === 'end-given-prices')
  if (prices.given.size > 0) timers.add(nextAt, { kind: 'end-given-prices' })
}

function follow(state: State): void {
  const marked = refreshMarks(state, carriedAt)
  publishPrices(state, marked)
  afterMarks(state, { marked })
}
