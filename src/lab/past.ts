/**
 * `fork` with `at`: a venue as it was after a command, or at a time, on the path that leads to the present.
 *
 * Begins    with the nearest of what is kept that the path came by, and goes on by its records from there
 * Market    simulated agents of the past are not known: they begin anew
 * Source    lab.md §4.4
 */
import { field } from '../operator/operator.ts'
import { cameBy, sequenceAt, stampOf } from '../runtime/runtime.ts'
import { LabRefusal } from './refusals.ts'
import { type Moment, readTime } from './times.ts'
import type { SavedVenue } from './saved.ts'
import type { VenueAsk } from './venues.ts'

/** Where a fork begins. */
export const moment = field<Moment>('{sequence: n} or {time: a time}', (value) => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return undefined
  const { sequence, time: at } = value as { readonly sequence?: unknown; readonly time?: unknown }
  if (Number.isSafeInteger(sequence) && (sequence as number) >= 0) return { sequence: sequence as number }
  const time = readTime(at)
  return time === undefined ? undefined : { time }
})

/** `known`: what is kept. Throws LabRefusal for what lies behind all of it, or in the future. */
export function pastOf(present: SavedVenue, known: readonly SavedVenue[], at: Moment): Omit<VenueAsk, 'frozen'> {
  const { runtime } = present
  const isLater = 'sequence' in at ? at.sequence > runtime.sequence : at.time > runtime.now
  if (isLater) throw notThere('the venue has not come so far', present)
  const sequence = 'sequence' in at ? at.sequence : sequenceAt(runtime.journal, at.time)
  const from = known
    .filter(({ runtime: kept }) => kept.sequence <= sequence && cameBy(runtime.journal, kept.journal))
    .toSorted((one, other) => other.runtime.sequence - one.runtime.sequence)[0]
  if (from === undefined) throw notThere('nothing is kept from before it', present)
  const now = 'time' in at ? at.time : Math.max(from.runtime.now, stampOf(runtime.journal, sequence) ?? 0)
  return { from, through: { runtime, sequence, now } }
}

function notThere(reason: string, { runtime }: SavedVenue): LabRefusal {
  const facts = { field: 'at', sequence: runtime.sequence, now: runtime.now }
  return new LabRefusal(409, 'moment-unknown', `at: ${reason}`, facts)
}
