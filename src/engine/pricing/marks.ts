/**
 * Mark prices: what positions are valued at.
 *
 * Mark      of a contract the median of three candidates (price-rules/mark-candidates.ts); of a spot pair the index
 * When      at once when an index changes, else once a second and only while books change (`bookChanged`). Also with each
 *           sample of the basis until its mean is settled: five minutes after the last change no timer is set any more
 * Which     only marks that may have changed: by what they are made of, or because p2 has had time to drift by a tick
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

type AcceptsMark = (state: State, instrument: FuturesInstrument, mark: Ticks) => boolean

/**
 * Computes every mark that may have changed, and those of `priced`, whose index was set; answers those that did change.
 * A mark that open positions cannot bear is not taken, and tried again.
 */
export function refreshMarks(
  state: State,
  acceptsMark: AcceptsMark,
  priced: readonly InstrumentId[] = [],
): InstrumentId[] {
  const changed: InstrumentId[] = []
  const refresh = (id: InstrumentId, isPriced: boolean) => {
    const instrument = state.instrument(id)
    const isChanged = isFutures(instrument)
      ? refreshContract(state, instrument, acceptsMark, isPriced)
      : refreshSpot(state, id)
    if (isChanged) changed.push(id)
  }
  for (const id of priced) refresh(id, true)
  for (const id of state.prices.marksDue(state.at)) refresh(id, false)
  return changed.sort((a, b) => a - b)
}

function refreshContract(
  state: State,
  instrument: FuturesInstrument,
  acceptsMark: AcceptsMark,
  isPriced: boolean,
): boolean {
  const { prices } = state
  const { id } = instrument
  const made = candidatesOf(state, instrument)
  const mark = markFrom(instrument, made)
  const isChanged = mark !== prices.markPrice(id)
  if (isChanged && !acceptsMark(state, instrument, mark)) {
    prices.unsettleMark(id)
    return false
  }
  prices.mark[id] = mark
  prices.settleMark(id, state.at + standsFor(made))
  while (prices.made.length <= id) prices.made.push(undefined)
  // After a start marks are computed sooner than they are due. One made of the same facts is kept, so that this is not seen.
  if (isPriced || !isMadeOfSame(prices.made[id], made)) prices.made[id] = made
  return isChanged
}

function refreshSpot({ prices }: State, id: InstrumentId): boolean {
  prices.settleMark(id, never)
  const mark = prices.indexPrice(id)
  if (mark === prices.markPrice(id)) return false
  prices.mark[id] = mark
  return true
}

/** The book of this instrument has changed: marks are computed anew at the next full second. */
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

/** Publishes mark and index of these instruments as they are now. */
export function publishPrices(state: State, instruments: Iterable<InstrumentId>): void {
  const { prices, at } = state
  for (const instrument of instruments) {
    const [markPrice, indexPrice] = [prices.markPrice(instrument), prices.indexPrice(instrument)]
    state.emit({ kind: 'prices-changed', instrument, markPrice, indexPrice, at })
  }
}
