/**
 * Load at a fixed rate that does not wait for answers, each timed from when it was due: a standstill counts for everything
 * that it delays, what could not leave in time included.
 *
 * Clock    a look every millisecond, so that up to one of each delay is the generator's own
 */
import { setTimeout as sleep } from 'node:timers/promises'

interface Schedule {
  readonly perSecond: number
  readonly count: number
  /** Ends it before `count`. */
  readonly isOver?: () => boolean
}

/** Milliseconds from when each was due to when what `send` began was done, in the order of due times. */
export async function atDueTimes(
  { perSecond, count, isOver = () => false }: Schedule,
  send: (index: number) => Promise<unknown>,
): Promise<Float64Array> {
  const took = new Float64Array(count)
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  let sent = 0
  let open = 1
  const close = () => {
    if (--open === 0) resolve()
  }
  const startedMs = performance.now()
  for (; sent < count && !isOver(); await sleep(1)) {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - startedMs) * perSecond) / 1_000))
    for (; sent < due; sent++) {
      const index = sent
      const dueMs = startedMs + (index * 1_000) / perSecond
      open++
      send(index).then(() => {
        took[index] = performance.now() - dueMs
        close()
      }, reject)
    }
  }
  close()
  await ended
  return took.subarray(0, sent)
}
