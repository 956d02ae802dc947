/**
 * O: no order is left open that nobody looks after: each that lasts at the end is like one that the twin had, and there are no more of
 * them at a time than the twin had at a time.
 */
import { accountStates } from '../account.ts'
import type { Evidence } from '../evidence.ts'
import { areAlike, placedIn, shown, type Tolerance } from './alike.ts'
import { lastStretch } from './twin.ts'

export function orphanFindings(run: Evidence, twin: Evidence, tolerance: Tolerance): readonly string[] {
  const ofTwin = accountStates(twin).map((state) => placedIn(state, twin))
  const found = new Map<string, string>()
  for (const state of lastStretch(run)) {
    const placed = placedIn(state, run)
    for (const one of placed) {
      const here = placed.filter((other) => areAlike(one, other, tolerance)).length
      const there = Math.max(
        0,
        ...ofTwin.map((orders) => orders.filter((other) => areAlike(one, other, tolerance)).length),
      )
      if (here <= there) continue
      const says =
        there === 0 ? 'and the twin never had one like it' : `one of ${here}, and the twin had ${there} at most`
      found.set(one.order.orderId, `${shown(one.order)} is open, ${says}`)
    }
  }
  return [...found.values()]
}
