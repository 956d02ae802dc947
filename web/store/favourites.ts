/** Instruments that a person keeps at hand, by key, in this browser. */
import { computed } from '@preact/signals'
import { kept } from './kept.ts'
import { currentInstrument } from './market.ts'

const chosen = kept<string>('favourites', '')

export const favourites = computed<ReadonlySet<string>>(() => new Set(chosen.value.split(',').filter(Boolean)))

/** Of the instrument in view, unless another is named. */
export function toggleFavourite(key = currentInstrument.value?.key): void {
  if (key === undefined) return
  const next = new Set(favourites.value)
  if (!next.delete(key)) next.add(key)
  chosen.value = [...next].join(',')
}
