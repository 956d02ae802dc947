/**
 * Commands and timers that move prices, or change how they are made.
 *
 * Order     index, then what is halted, then marks, then what follows from them (after-marks.ts)
 * Source    design.md §6 (`operator/prices`); risk-engine.md §12-§14; reliability.md F6
 */
import { measurePrices } from '../liquidation/liquidation.ts'
import { carriedAt } from '../margin/margin.ts'
import { halts } from '../price-rules/price-rules.ts'
import {
  publishHalts,
  publishPrices,
  refreshMarks,
  refreshWithSamples,
  takeIndexPrice,
  watchFreshness,
} from '../pricing/pricing.ts'
import type { SetIndexPrices } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { admitIndexPrices } from '../venue-rules/venue-rules.ts'
import { afterMarks } from './after-marks.ts'

/** Takes the prices; those that jump too far are held back, and the reply names their coins. */
export function setIndexPrices(state: State, command: SetIndexPrices): Reply {
  const decided = admitIndexPrices(state, command)
  if ('kind' in decided) return refused(decided)
  if (command.prices.length === 0) return done

  const { coins, priced } = decided
  const before = halts(state, priced)
  const heldBack = command.prices.filter(([coin, price]) => !takeIndexPrice(state, coin, price))
  watchFreshness(state)
  const moved = priced.filter((id) => state.prices.refreshIndex(state.instrument(id)))
  measurePrices(state, coins)
  const free = publishHalts(state, before, state.at)
  const marked = refreshMarks(state, carriedAt, priced)
  refreshWithSamples(state, priced)
  publishPrices(state, new Set([...moved, ...marked]))
  afterMarks(state, { marked, free, coins })
  return heldBack.length === 0 ? done : { kind: 'prices-held-back', coins: heldBack.map(([coin]) => coin) }
}

/** The timer of marks: books have changed since they were computed. */
export function refreshMarksNow(state: State): void {
  state.prices.refreshAt = 0
  const marked = refreshMarks(state, carriedAt)
  refreshWithSamples(
    state,
    state.catalog.instruments.map(({ id }) => id),
  )
  publishPrices(state, marked)
  afterMarks(state, { marked })
}

/** The timer of freshness. What is stale by now was found when the command came (pricing/samples.ts). */
export function checkIndex(state: State): void {
  state.prices.staleTimerAt = 0
  watchFreshness(state)
}
