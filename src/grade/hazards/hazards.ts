/**
 * The hazards H01 to H43, in their order. The door of the room.
 *
 *   orders.ts · refusals.ts · streams.ts · venue.ts     the tables; hazard.ts says what a row is
 *
 * Source    lab.md §4.11
 */
import type { Hazard } from './hazard.ts'
import { orderHazards } from './orders.ts'
import { refusalHazards } from './refusals.ts'
import { streamHazards } from './streams.ts'
import { venueHazards } from './venue.ts'

export type { Hazard } from './hazard.ts'

export const hazards: readonly Hazard[] = [...orderHazards, ...refusalHazards, ...streamHazards, ...venueHazards]

/** `all`, or ids and ranges: `H01,H07-H10`. A text: that names none. */
export function chosenHazards(words: string): readonly Hazard[] | string {
  if (words === 'all') return hazards
  const chosen = new Set<Hazard>()
  for (const word of words.split(',').map((one) => one.trim().toUpperCase())) {
    const [, from, to = from] = /^(H[0-9]{2})(?:-(H[0-9]{2}))?$/.exec(word) ?? []
    const found = hazards.filter(({ id }) => from !== undefined && id >= from && id <= (to ?? from))
    if (found.length === 0) return word
    for (const hazard of found) chosen.add(hazard)
  }
  return hazards.filter((hazard) => chosen.has(hazard))
}
