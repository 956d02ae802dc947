/** What histories are asked for, all of them alike: a part of a symbol, and days in the zone that is shown. */
import { computed, signal } from '@preact/signals'
import type { Asked } from '../venue/asked-rows.ts'
import { dayStart } from './times.ts'

export const filter = {
  symbol: signal(''),
  /** `2026-03-01`; empty: without a bound. The last day is a part of it. */
  from: signal(''),
  to: signal(''),
}

const dayMs = 86_400_000

export const asked = computed<Asked>(() => {
  const to = dayStart(filter.to.value)
  return {
    symbol: filter.symbol.value.trim(),
    from: dayStart(filter.from.value),
    to: to === undefined ? undefined : to + dayMs - 1,
  }
})

export function clearFilter(): void {
  for (const part of Object.values(filter)) part.value = ''
}
