/**
 * The operator changes how prices are made.
 *
 * Source  design.md §6; risk-engine.md §12, §13
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { noteAllDebtors } from '../loans/loans.ts'
import { scheduleFunding } from '../positions/positions.ts'
import { halts } from '../price-rules/price-rules.ts'
import { publishHalts, judgeFreshness, watchFreshness } from '../pricing/pricing.ts'
import type { ConfigurePricing } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { configurationFault } from '../venue-rules/venue-rules.ts'
import { afterMarks } from './after-marks.ts'

export function configurePricing(state: State, command: ConfigurePricing): Reply {
  const fault = configurationFault(state, command)
  if (fault !== undefined) return refused(fault)

  const { prices } = state
  const { settings } = prices
  settings.jumpFactor = command.jumpFactor ?? settings.jumpFactor
  settings.fundingShortfall = command.fundingShortfall ?? settings.fundingShortfall
  settings.premiumMean = command.premiumMean ?? settings.premiumMean
  settings.fundingInterestRate = command.fundingInterestRate ?? settings.fundingInterestRate
  settings.fundingClamp = command.fundingClamp ?? settings.fundingClamp
  for (const change of command.instruments) configureInstrument(state, change)
  if (command.coins.length === 0) return done

  const before = halts(state)
  for (const { coin, indexAgeMsMax } of command.coins) settings.indexAgeMsMax[coin] = indexAgeMsMax
  judgeFreshness(prices, state.at)
  watchFreshness(state)
  noteAllDebtors(state)
  afterMarks(state, { free: publishHalts(state, before, state.at) })
  return done
}

/** A new interval moves the contract's timer of funding. */
function configureInstrument(state: State, change: ConfigurePricing['instruments'][number]): void {
  const instrument = state.instrument(change.instrument) as FuturesInstrument
  const { id } = instrument
  state.prices.settings.impactNotional[id] = change.impactNotional ?? state.prices.settings.impactNotional[id]
  const { fundingRateCap = instrument.fundingRateCap, fundingIntervalHours = instrument.fundingIntervalHours } = change
  if (fundingRateCap === instrument.fundingRateCap && fundingIntervalHours === instrument.fundingIntervalHours) return

  const changed = { ...instrument, fundingRateCap, fundingIntervalHours }
  const { catalog } = state
  const instruments = catalog.instruments.map((listed) => (listed.id === id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, instruments }
  state.prices.unsettleMark(id)
  state.emit({ kind: 'catalog-changed' })
  if (fundingIntervalHours === instrument.fundingIntervalHours) return
  state.timers.remove((timer) => timer.kind === 'settle-funding' && timer.instrument === id)
  scheduleFunding(state, changed)
}
