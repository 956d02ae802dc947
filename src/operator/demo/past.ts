/**
 * The simulated past of a demo venue: whether it is to have one, and which of its instruments do.
 *
 * Kept     with the venue from its beginning: settings of a later start change nothing of it
 * Source   docs/market.md; docs/decisions/0040-a-past-that-is-made.md
 */
import type { Core } from '../../runtime/core.ts'
import { type PastTerms, SimulatedPast } from '../../simulator/simulator.ts'
import type { Configuration } from '../config/schema.ts'
import type { VenueRecord } from '../data-directory.ts'
import { demoInstruments } from './catalog.ts'

/** Of a venue that begins now. Recorded and mirrored prices do not begin where a past would end. */
export function pastAsked({
  past: days,
  seed,
  prices,
  mirror,
}: Pick<Configuration, 'past' | 'seed' | 'prices' | 'mirror'>) {
  return days === 0 || prices.length > 0 || mirror !== '' ? undefined : ({ days, seed } satisfies PastTerms)
}

/** Of a venue that began earlier; undefined: it has none. */
export function pastNoted({ pastDays: days, pastSeed: seed }: VenueRecord): PastTerms | undefined {
  return days === undefined || seed === undefined ? undefined : { days, seed }
}

export function simulatedPast(core: Pick<Core, 'query'>, terms: PastTerms | undefined): SimulatedPast | undefined {
  if (terms === undefined) return undefined
  const instruments = new Set(demoInstruments.map(({ category, symbol }) => `${category} ${symbol}`))
  return new SimulatedPast({ ...terms, catalog: () => core.query({ kind: 'catalog' }), instruments })
}

/** What the venue says of it, Unix milliseconds; null: it has none. */
export function pastShown(past: SimulatedPast | undefined) {
  const bounds = past?.bounds
  return bounds === undefined ? null : { kind: 'simulated', days: past?.terms.days, seed: past?.terms.seed, ...bounds }
}
