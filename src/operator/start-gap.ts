/**
 * After a start: how long the clock says that the venue was down, where that is longer than a leap may be. It is followed,
 * for a venue that was down is no other thing; but a clock that is wrong is found here, before anybody asks.
 *
 * Source  design.md §4.44
 */
import type { Runtime, RuntimeLog } from '../runtime/runtime.ts'
import { fallsDueShown } from './calls/clock.ts'
import { spanText } from './spans.ts'

/** To be called before any timer runs: then what falls due is still there to be told. */
export function tellStartGap(runtime: Pick<Runtime, 'clock' | 'query'>, log: Pick<RuntimeLog, 'warn'>): void {
  const { startGapMs, leapMsMax, lastStamp, now } = runtime.clock.view()
  if (startGapMs <= leapMsMax) return
  log.warn(
    { startGapMs, lastStamp, now, fallsDue: fallsDueShown(runtime, now) },
    `the last command is ${spanText(startGapMs)} ago by the clock: what fell due since is made up for now`,
  )
}
