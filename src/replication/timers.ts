/** The monotonic clock and the alarm of a replica: handed in, so that a simulation has its own. */
import { monotonicNow } from '../runtime/runtime.ts'

export interface Timers {
  /** Milliseconds; never goes back, and says nothing of the time of day. */
  now(): number
  /** Calls once, later; answers how to call it off. */
  after(ms: number, call: () => void): () => void
}

export function sleep(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve))
}

/** Those of this process. */
export const systemTimers: Timers = {
  now: monotonicNow,
  after: (ms, call) => {
    const timeout = setTimeout(call, ms)
    return () => clearTimeout(timeout)
  },
}
