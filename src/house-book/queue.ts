/**
 * Who leaves a price level when its recorded amount falls without a trade: the record has sums alone, so a model says it.
 *
 *   back       the last ones: what stands before an order goes by trades alone (the pessimist)
 *   front      the first ones (the optimist)
 *   pro-rata   each part of the queue its share
 *   log        as pro-rata, by the logarithms of what stands before and behind the first order of others
 *
 * Exact     whole lots that add up to what leaves, never more than an order has. What does not divide is taken from the back
 * Source    lab.md §4.9
 */
export const queueModels = ['back', 'front', 'pro-rata', 'log'] as const
export type QueueModel = (typeof queueModels)[number]

/** One part of a queue, first to last: the house's, or somebody else's, which nothing leaves. */
export interface QueuePart {
  readonly lots: number
  readonly isHouse: boolean
}

/** How many lots leave each part; `leaving` is at most what the house has. */
export function leavingOf(parts: readonly QueuePart[], leaving: number, model: QueueModel): number[] {
  const left = parts.map(({ lots, isHouse }) => (isHouse ? lots : 0))
  const cuts = parts.map(() => 0)
  const take = (at: number, wanted: number): number => {
    const taken = Math.min(wanted, left[at] - cuts[at])
    cuts[at] += taken
    return taken
  }
  const fromBack = (wanted: number, from: number, to: number): number => {
    let rest = wanted
    for (let at = to - 1; at >= from && rest > 0; at--) rest -= take(at, rest)
    return rest
  }
  const other = parts.findIndex(({ isHouse }) => !isHouse)
  if (model === 'front') {
    let rest = leaving
    for (let at = 0; at < parts.length && rest > 0; at++) rest -= take(at, rest)
    return cuts
  }
  if (model === 'pro-rata') {
    const all = left.reduce((sum, lots) => sum + lots, 0)
    for (let at = 0; at < parts.length; at++) take(at, Math.floor((leaving * left[at]) / all))
    fromBack(leaving - cuts.reduce((sum, lots) => sum + lots, 0), 0, parts.length)
    return cuts
  }
  if (model === 'log' && other >= 0) {
    const sum = (from: number, to: number) => left.slice(from, to).reduce((all, lots) => all + lots, 0)
    const [before, behind] = [sum(0, other), sum(other, parts.length)]
    const share = Math.log1p(before) / (Math.log1p(before) + Math.log1p(behind) || 1)
    const ahead = Math.min(before, Math.max(leaving - behind, Math.floor(leaving * share)))
    fromBack(ahead, 0, other)
    fromBack(leaving - ahead, other, parts.length)
    return cuts
  }
  fromBack(leaving, 0, parts.length)
  return cuts
}
