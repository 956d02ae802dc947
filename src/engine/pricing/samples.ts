/**
 * What time alone does to prices: coins turn stale, and samples fall due. It is made up for when the next command comes.
 *
 * Basis     each 5 s: (bid + ask) / 2 − index; 0 while a side is empty; the last 60 count
 * Premium   each minute, within the running funding interval; a boundary ends one interval and begins the next
 * Cost      between two commands books and index stand still, so that n samples are one value n times. Catching up costs
 *           the same for a second and for 90 days. Where samples move a mark it is refreshed with them (marks.ts)
 * Halted    an instrument without a trusted index takes no samples
 * Source    risk-engine.md §12, §13
 */
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import type { Millis, Rate } from '../numbers/numbers.ts'
import {
  basisMs,
  basisOf,
  halts,
  fundingIntervalMs,
  isHalted,
  nextFundingAt,
  premiumNow,
  runningRate,
} from '../price-rules/price-rules.ts'
import type { Samples, State } from '../state/state.ts'
import { publishHalts, judgeFreshness, watchFreshness } from './index-feed.ts'

const basisMax = 60
const premiumMs = 60_000

/** Brings prices up to `at`, before a command of that moment is applied. */
export function catchUp(state: State, at: Millis): void {
  const { prices } = state
  if (at < prices.sampledAt + basisMs && at < prices.staleAt) return
  while (prices.staleAt <= at) {
    const moment = prices.staleAt
    takeSamples(state, moment - 1)
    const before = halts(state)
    judgeFreshness(prices, moment)
    watchFreshness(state)
    publishHalts(state, before, moment)
  }
  takeSamples(state, at)
}

function takeSamples(state: State, until: Millis): void {
  const { prices } = state
  const from = prices.sampledAt
  const to = Math.floor(until / basisMs) * basisMs
  if (to <= from) return
  for (const instrument of state.catalog.instruments) {
    if (isFutures(instrument)) takeSamplesOf(state, instrument, from, to)
  }
  prices.sampledAt = to
}

function takeSamplesOf(state: State, instrument: FuturesInstrument, from: Millis, to: Millis): void {
  const { id } = instrument
  const samples = state.prices.samples[id]
  const halted = isHalted(state, id)
  if (!halted) {
    addBasis(samples, basisOf(state, id), (to - from) / basisMs)
    state.prices.unsettleMark(id)
  }

  const premium = halted || minutesIn(from, to) === 0 ? 0n : premiumNow(state, id)
  const add = (after: Millis, through: Millis) => halted || addPremiums(samples, premium, minutesIn(after, through))
  const boundary = nextFundingAt(instrument, from)
  if (boundary > to) return void add(from, to)
  add(from, boundary)
  // Of several intervals that ended meanwhile the first is settled (venue/funding.ts).
  samples.dueRate ??= runningRate(state, instrument)
  samples.premiums = 0
  samples.premiumSum = 0n
  samples.premiumWeighted = 0n
  const interval = fundingIntervalMs(instrument)
  add(Math.floor(to / interval) * interval, to)
}

function minutesIn(after: Millis, through: Millis): number {
  return Math.floor(through / premiumMs) - Math.floor(after / premiumMs)
}

function addBasis(samples: Samples, value: number, count: number): void {
  const { basis } = samples
  for (let left = Math.min(count, basisMax); left > 0; left--) {
    samples.basisSum += value - (basis[samples.basisNext] ?? 0)
    basis[samples.basisNext] = value
    samples.basisNext = (samples.basisNext + 1) % basisMax
  }
}

/** Σ i·premium over the next `count` numbers i is premium × (count·n + count·(count + 1)/2). */
function addPremiums(samples: Samples, premium: bigint, count: number): void {
  const before = BigInt(samples.premiums)
  const more = BigInt(count)
  samples.premiums += count
  samples.premiumSum += premium * more
  samples.premiumWeighted += premium * (more * before + (more * (more + 1n)) / 2n)
}

/** The rate of the interval that has ended and is settled now. */
export function takeDueRate(state: State, instrument: FuturesInstrument): Rate {
  const samples = state.prices.samples[instrument.id]
  const due = samples.dueRate ?? runningRate(state, instrument)
  samples.dueRate = undefined
  return due
}
