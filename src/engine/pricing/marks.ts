/**
 * Mark prices: what positions are valued at.
 *
 *   p1 = last trade (the index when there is none)
 *   p2 = I × (1 + F × time to funding / funding interval)
 *   p3 = I + mean of ((bid + ask) / 2 − I) over the last five minutes' samples
 *
 * F         the rate of the last settlement, 0 before the first: the running one hangs on a few samples after a boundary,
 *           and whoever moves the book for a minute would move the mark
 * Mark      the median of the three, each to the nearest tick; of spot pairs the index. Whoever trades with himself moves
 *           two of the three, so that the mark stays within the market band of the index
 * When      at once when an index changes, else once a second and only while books change (`bookChanged`), and with each sample of
 *           the basis until the mean has come to where books stand: five minutes after the last change no timer is set any more
 * Which     those alone that may be another: what has changed since, p2 after as long as it takes to drift by a tick
 * Source    risk-engine.md §12
 */
import { type FuturesInstrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import type { Millis, Ticks } from '../numbers/numbers.ts'
import {
  candidatesOf,
  isBasisSettled,
  isMadeOfSame,
  markFrom,
  nextSampleAt,
  standsFor,
} from '../price-rules/price-rules.ts'
import { never, type State } from '../state/state.ts'

const refreshMs = 1_000

/** A book of this instrument is not what it was: marks are computed anew at the next full second. */
export function bookChanged(state: State, id: InstrumentId): void {
  const { prices } = state
  state.bookSequences[id] = state.sequence
  // Most changes come within a second of the one before.
  if (prices.refreshAt !== 0 && prices.refreshAt <= state.at + refreshMs) return
  if (state.instrument(id).kind === 'spot') return
  refreshBy(state, (Math.floor(state.at / refreshMs) + 1) * refreshMs)
}

/** The next samples of these instruments may move their marks: they are refreshed when those are taken. */
export function refreshWithSamples(state: State, instruments: Iterable<InstrumentId>): void {
  for (const id of instruments) {
    if (isBasisSettled(state, id)) continue
    return refreshBy(state, nextSampleAt(state.at))
  }
}

function refreshBy({ prices, timers }: State, at: Millis): void {
  if (prices.refreshAt !== 0 && prices.refreshAt <= at) return
  if (prices.refreshAt !== 0) timers.remove(({ kind }) => kind === 'refresh-marks')
  prices.refreshAt = at
  timers.add(at, { kind: 'refresh-marks' })
}

type IsBearable = (state: State, instrument: FuturesInstrument, mark: Ticks) => boolean

/**
 * Computes every mark that may be another, and those of `priced`, whose index was set; answers those that have changed. One that
 * open positions cannot bear is not taken, and tried again.
 */
export function refreshMarks(
  state: State,
  isBearable: IsBearable,
  priced: readonly InstrumentId[] = [],
): InstrumentId[] {
  const changed: InstrumentId[] = []
  const refresh = (id: InstrumentId, isPriced: boolean) => {
    const instrument = state.instrument(id)
    const isChanged = isFutures(instrument)
      ? refreshContract(state, instrument, isBearable, isPriced)
      : refreshSpot(state, id)
    if (isChanged) changed.push(id)
  }
  for (const id of priced) refresh(id, true)
  for (const id of state.prices.marksDue(state.at)) refresh(id, false)
  return changed.sort((a, b) => a - b)
}

function refreshSpot({ prices }: State, id: InstrumentId): boolean {
  prices.settleMark(id, never)
  const mark = prices.indexPrice(id)
  if (mark === prices.markPrice(id)) return false
  prices.mark[id] = mark
  return true
}

function refreshContract(
  state: State,
  instrument: FuturesInstrument,
  isBearable: IsBearable,
  isPriced: boolean,
): boolean {
  const { prices } = state
  const { id } = instrument
  const made = candidatesOf(state, instrument)
  const mark = markFrom(instrument, made)
  const isChanged = mark !== prices.markPrice(id)
  if (isChanged && !isBearable(state, instrument, mark)) {
    prices.unsettleMark(id)
    return false
  }
  prices.mark[id] = mark
  prices.settleMark(id, state.at + standsFor(made))
  while (prices.made.length <= id) prices.made.push(undefined)
  // Whether a start has forgotten when it is due must not be seen: what is made of the same is the same.
  if (isPriced || !isMadeOfSame(prices.made[id], made)) prices.made[id] = made
  return isChanged
}

/** Tells what mark and index of these instruments are now. */
export function publishPrices(state: State, instruments: Iterable<InstrumentId>): void {
  const { prices, at } = state
  for (const instrument of instruments) {
    const [markPrice, indexPrice] = [prices.markPrice(instrument), prices.indexPrice(instrument)]
    state.emit({ kind: 'prices-changed', instrument, markPrice, indexPrice, at })
  }
}
