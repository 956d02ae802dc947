/**
 * Commands and timers that move prices, or change how they are made.
 *
 * Order     index, then what is frozen, then marks, then what follows from them (after-marks.ts)
 * Source    design.md §6 (`operator/prices`); risk-engine.md §12-§14; reliability.md F6
 */
import { afterMarks } from './after-marks.ts'
import { type FuturesInstrument, type InstrumentId, instrumentsUsing, isFutures } from './catalog/catalog.ts'
import { carriedAt, scheduleFunding, settleFunding } from './futures/futures.ts'
import { measurePrices, scanRisk } from './liquidation/liquidation.ts'
import { noteAllDebtors } from './loans/loans.ts'
import { type Amount, type Millis, type Rate, rateOne } from './numbers/numbers.ts'
import { shedOrders } from './orders/orders.ts'
import {
  announceFreezes,
  announcePrices,
  freezes,
  isFrozen,
  judgeFreshness,
  refreshMarks,
  refreshWithSamples,
  runningRate,
  takeDueRate,
  takeIndexPrice,
  watchFreshness,
} from './pricing/pricing.ts'
import type { ConfigurePricing, SetIndexPrices } from './protocol/command.ts'
import { done, type Refusal, refused, type Reply } from './protocol/reply.ts'
import type { Reading, Venue } from './state/state.ts'

export function setIndexPrices(venue: Venue, command: SetIndexPrices): Reply {
  for (const [coin, price] of command.prices) {
    if (venue.catalog.coins[coin] === undefined) return refused({ kind: 'coin-unknown' })
    if (price <= 0n) return refused({ kind: 'amount-not-positive' })
  }
  if (command.prices.length === 0) return done
  const coins = command.prices.map(([coin]) => coin)
  const priced = instrumentsUsing(venue.catalog, coins)
  if (!isCarried(venue, command.prices, priced)) return refused({ kind: 'price-beyond-positions' })

  const before = freezes(venue, priced)
  const heldBack = command.prices.filter(([coin, price]) => !takeIndexPrice(venue, coin, price))
  watchFreshness(venue)
  const moved = priced.filter((id) => venue.prices.refreshIndex(venue.instrument(id)))
  measurePrices(venue, coins)
  const free = announceFreezes(venue, before, venue.at)
  const marked = refreshMarks(venue, carriedAt, priced)
  refreshWithSamples(venue, priced)
  announcePrices(venue, new Set([...moved, ...marked]))
  afterMarks(venue, { marked, free, coins })
  return heldBack.length === 0 ? done : { kind: 'prices-held-back', coins: heldBack.map(([coin]) => coin) }
}

/** Whether every open position could be carried at the indexes that these prices make. */
function isCarried(venue: Reading, prices: SetIndexPrices['prices'], priced: readonly InstrumentId[]): boolean {
  const usd = new Map(prices)
  return priced.every((id) => {
    const instrument = venue.instrument(id)
    return !isFutures(instrument) || carriedAt(venue, instrument, venue.prices.indexOf(instrument, usd))
  })
}

/** The timer of marks: books have changed since they were computed. */
export function refreshMarksNow(venue: Venue): void {
  venue.prices.refreshAt = 0
  const marked = refreshMarks(venue, carriedAt)
  refreshWithSamples(
    venue,
    venue.catalog.instruments.map(({ id }) => id),
  )
  announcePrices(venue, marked)
  afterMarks(venue, { marked })
}

/** The timer of freshness. What is stale by now was found when the command came (pricing/samples.ts). */
export function checkIndex(venue: Venue): void {
  venue.prices.staleTimerAt = 0
  watchFreshness(venue)
}

/** The timer of a contract's funding. */
export function fundingDue(venue: Venue, id: InstrumentId, dueAt: Millis): void {
  const instrument = venue.instrument(id) as FuturesInstrument
  const fundingRate = takeDueRate(venue, instrument)
  scheduleFunding(venue, instrument)
  if (isFrozen(venue, id)) return
  fund(venue, id, fundingRate, dueAt)
}

/** Settles one contract now, at the rate as it runs; its boundary stays where it is. */
export function settleFundingNow(venue: Venue, id: InstrumentId): Reply {
  const instrument = venue.catalog.instruments[id]
  if (instrument === undefined || !isFutures(instrument)) return refused({ kind: 'instrument-unknown' })
  if (isFrozen(venue, id)) return refused({ kind: 'index-stale' })

  return { kind: 'funding-settled', positions: fund(venue, id, runningRate(venue, instrument), venue.at) }
}

/** Orders that funding left without collateral go, and whom it left short is looked for. */
function fund(venue: Venue, id: InstrumentId, fundingRate: Rate, at: Millis): number {
  const positions = settleFunding(venue, id, fundingRate, at)
  for (const exposure of venue.futures.ofInstrument(id)) shedOrders(venue, exposure)
  scanRisk(venue, [id])
  return positions
}

export function configurePricing(venue: Venue, command: ConfigurePricing): Reply {
  const fault = configurationFault(venue, command)
  if (fault !== undefined) return refused(fault)

  const { prices } = venue
  const { settings } = prices
  settings.jumpFactor = command.jumpFactor ?? settings.jumpFactor
  settings.fundingShortfall = command.fundingShortfall ?? settings.fundingShortfall
  settings.premiumMean = command.premiumMean ?? settings.premiumMean
  settings.fundingInterestRate = command.fundingInterestRate ?? settings.fundingInterestRate
  settings.fundingClamp = command.fundingClamp ?? settings.fundingClamp
  for (const change of command.instruments) configureInstrument(venue, change)
  if (command.coins.length === 0) return done

  const before = freezes(venue)
  for (const { coin, indexAgeMsMax } of command.coins) settings.indexAgeMsMax[coin] = indexAgeMsMax
  judgeFreshness(prices, venue.at)
  watchFreshness(venue)
  noteAllDebtors(venue)
  afterMarks(venue, { free: announceFreezes(venue, before, venue.at) })
  return done
}

function configureInstrument(venue: Venue, change: ConfigurePricing['instruments'][number]): void {
  const instrument = venue.instrument(change.instrument) as FuturesInstrument
  const { id } = instrument
  venue.prices.settings.impactNotional[id] = change.impactNotional ?? venue.prices.settings.impactNotional[id]
  const { fundingRateCap = instrument.fundingRateCap, fundingIntervalHours = instrument.fundingIntervalHours } = change
  if (fundingRateCap === instrument.fundingRateCap && fundingIntervalHours === instrument.fundingIntervalHours) return

  const changed = { ...instrument, fundingRateCap, fundingIntervalHours }
  const { catalog } = venue
  const instruments = catalog.instruments.map((one) => (one.id === id ? changed : one))
  venue.catalog = { ...catalog, version: catalog.version + 1, instruments }
  venue.prices.unsettleMark(id)
  venue.emit({ kind: 'catalog-changed' })
  if (fundingIntervalHours === instrument.fundingIntervalHours) return
  venue.timers.remove((timer) => timer.kind === 'settle-funding' && timer.instrument === id)
  scheduleFunding(venue, changed)
}

function configurationFault(venue: Reading, command: ConfigurePricing): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  const { jumpFactor, coins, instruments } = command
  if (jumpFactor !== undefined && jumpFactor < rateOne) return fault('jumpFactor', 'is at least 1')
  for (const name of ['fundingInterestRate', 'fundingClamp'] as const) {
    const asked = command[name]
    if (asked !== undefined && (asked < 0n || asked > rateOne)) return fault(name, 'lies between 0 and 1')
  }
  for (const { coin, indexAgeMsMax } of coins) {
    if (venue.catalog.coins[coin] === undefined) return { kind: 'coin-unknown' }
    if (!Number.isSafeInteger(indexAgeMsMax) || indexAgeMsMax < 0 || indexAgeMsMax > ageMax) {
      return fault('indexAgeMsMax', `lies between 0 and ${ageMax}`)
    }
  }
  for (const change of instruments) {
    const instrument = venue.catalog.instruments[change.instrument]
    if (instrument === undefined) return { kind: 'instrument-unknown' }
    if (!isFutures(instrument)) return fault('symbol', 'must be a futures contract')
    const wrong = contractFault(change)
    if (wrong !== undefined) return fault(...wrong)
  }
  return undefined
}

/** A year: more would not differ from never. */
const ageMax = 366 * 86_400_000

function contractFault(change: {
  readonly impactNotional: Amount | undefined
  readonly fundingRateCap: Rate | undefined
  readonly fundingIntervalHours: number | undefined
}): [field: string, rule: string] | undefined {
  const { impactNotional, fundingRateCap, fundingIntervalHours } = change
  if (impactNotional !== undefined && impactNotional <= 0n) return ['impactNotional', 'is above zero']
  if (fundingRateCap !== undefined && (fundingRateCap < 0n || fundingRateCap > rateOne)) {
    return ['fundingRateCap', 'lies between 0 and 1']
  }
  if (fundingIntervalHours !== undefined && ![1, 2, 4, 8].includes(fundingIntervalHours)) {
    return ['fundInterval', 'is 1, 2, 4 or 8 hours']
  }
  return undefined
}
