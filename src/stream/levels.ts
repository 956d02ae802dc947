/**
 * Levels of a book that were shown and levels as they are now: what lies between.
 *
 * Holds   applied to what was shown, the changes give what is; a level that is gone has quantity zero
 */
import type { Lots, Ticks } from '../engine/numbers/numbers.ts'
import type { DepthView } from '../engine/protocol/query.ts'

export type Level = readonly [price: Ticks, quantity: Lots]
export type Sides = Pick<DepthView, 'bids' | 'asks'>

/** Changed levels, best first; undefined: nothing has changed. */
export function changesBetween(shown: Sides, now: Sides): Sides | undefined {
  const bids = changedLevels(shown.bids, now.bids, -1)
  const asks = changedLevels(shown.asks, now.asks, 1)
  return bids.length + asks.length === 0 ? undefined : { bids, asks }
}

/** `direction` 1: prices rise from the best on; -1: they fall. */
function changedLevels(shown: readonly Level[], now: readonly Level[], direction: 1 | -1): Level[] {
  const changed: Level[] = []
  let old = 0
  let next = 0
  while (old < shown.length || next < now.length) {
    const order = orderOf(shown[old], now[next], direction)
    if (order < 0) changed.push([shown[old][0], 0 as Lots])
    else if (order > 0 || shown[old][1] !== now[next][1]) changed.push(now[next])
    if (order <= 0) old++
    if (order >= 0) next++
  }
  return changed
}

/** Below zero: the first one is nearer to the best price, or the only one. */
function orderOf(first: Level | undefined, second: Level | undefined, direction: 1 | -1): number {
  if (first === undefined) return 1
  if (second === undefined) return -1
  return (first[0] - second[0]) * direction
}
