/**
 * In which order held commands are let go.
 *
 * Named     these and no others, in this order; a word lets all of them go
 * Shuffled  by a seed: the same for the same
 * Source    lab.md §4.6
 */
import { field } from '../../operator/operator.ts'
import { share } from '../faults/when.ts'

const orders = ['arrival', 'reverse', 'shuffle'] as const

export type ReleaseOrder = (typeof orders)[number] | readonly string[]

export const releaseOrder = field<ReleaseOrder>(
  `one of ${orders.join(', ')}, or a list of ids of /_lab/pending, each once`,
  (value) => {
    if (!Array.isArray(value)) return orders.find((one) => one === value)
    const isGood = value.every((id) => typeof id === 'string') && new Set(value).size === value.length
    return isGood ? value : undefined
  },
)

/** `ids` in the order of arrival. */
export function inOrder(ids: readonly string[], order: ReleaseOrder, seed: number): readonly string[] {
  if (order === 'arrival') return ids
  if (order === 'reverse') return ids.toReversed()
  if (order !== 'shuffle') return order
  const drawn = ids.map((id, place) => [share(`${seed} #${place}`), id] as const)
  return drawn.toSorted(([one], [other]) => one - other).map(([, id]) => id)
}
