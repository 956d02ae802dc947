/**
 * The index feed: updates are taken or held back, coins turn stale, and halts begin and end.
 *
 * Suspect   an update that jumps by more than the factor is held back, and the coin keeps its price. The next update that
 *           lies within 10 % of the one held back is the price; one that is no jump shows that the other was a slip
 * Halted    a halt and its end are published; what is stale or halted: price-rules/index-halts.ts
 * Source    risk-engine.md §12; reliability.md F6
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import { confirms, haltOf, type Halts, jumps } from '../price-rules/price-rules.ts'
import { never, type Prices, type State } from '../state/state.ts'

/** Takes one update, or holds it back and answers false. */
export function takeIndexPrice(state: State, coin: CoinId, priceE8: bigint): boolean {
  const { prices } = state
  if (jumps(state, coin, priceE8) && !confirms(prices.heldBack[coin], priceE8)) {
    prices.heldBack[coin] = priceE8
    return false
  }
  prices.usd[coin] = priceE8
  prices.heldBack[coin] = 0n
  prices.updatedAt[coin] = state.at
  prices.stale[coin] = false
  return true
}

/** Judges by the limits in force which coins are stale at a moment. */
export function judgeFreshness(prices: Prices, at: Millis): void {
  prices.updatedAt.forEach((updatedAt, coin) => {
    const ageMax = prices.settings.indexAgeMsMax[coin]
    prices.stale[coin] = ageMax > 0 && at - updatedAt > ageMax
  })
}

/** Finds out which coin turns stale next, and sees to it that a timer wakes by then. */
export function watchFreshness(state: State): void {
  const { prices } = state
  prices.staleAt = never
  prices.updatedAt.forEach((updatedAt, coin) => {
    const ageMax = prices.settings.indexAgeMsMax[coin]
    if (ageMax > 0 && !prices.stale[coin]) prices.staleAt = Math.min(prices.staleAt, updatedAt + ageMax + 1)
  })
  // A timer that wakes too early checks again: none has to be moved at every update.
  if (prices.staleAt === never || (prices.staleTimerAt !== 0 && prices.staleTimerAt <= prices.staleAt)) return
  if (prices.staleTimerAt !== 0) state.timers.remove(({ kind }) => kind === 'check-index')
  prices.staleTimerAt = prices.staleAt
  state.timers.add(prices.staleAt, { kind: 'check-index' })
}

/** Publishes what has changed since `before`; answers the instruments that are halted no more. */
export function publishHalts(state: State, before: Halts, at: Millis): InstrumentId[] {
  const free: InstrumentId[] = []
  for (const [instrument, was] of before) {
    const cause = haltOf(state, instrument)
    if (cause === was) continue
    if (cause !== undefined) {
      state.emit({ kind: 'instrument-frozen', instrument, cause, at })
      continue
    }
    free.push(instrument)
    state.emit({ kind: 'instrument-unfrozen', instrument, at })
  }
  return free
}
