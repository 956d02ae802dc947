/**
 * Waiting for a condition while others go on: requests on the system clock, whoever moves a manual one.
 *
 * Holds no turn of the venue; ends with the client that asked
 * Answers   when history is written and pushes have left
 * Source    lab.md §4.2 (wait), §4.3
 */
import { type Condition, watchFor } from './conditions.ts'
import { LabRefusal } from './refusals.ts'
import type { LabVenue } from './venue.ts'

/** Real milliseconds between two looks; besides, it is looked at after every command. */
const lookEveryMs = 10

/** Throws LabRefusal: nothing of that name, not within the time, or the venue went back meanwhile. */
export async function waitFor(venue: LabVenue, condition: Condition, timeoutMs: number, gone: AbortSignal) {
  const { runtime } = venue.parts
  const { epoch } = runtime
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  let looked = () => {}
  const watch = await watchFor(venue, condition, 'for', () => looked())
  looked = () => {
    if (runtime.epoch !== epoch) {
      reject(new LabRefusal(409, 'venue-went-back', 'for: the venue went back meanwhile', { now: runtime.now() }))
    } else if (runtime.canAnswer && watch.holds()) resolve(true)
  }
  const looking = setInterval(looked, lookEveryMs)
  const timeout = setTimeout(() => resolve(false), timeoutMs)
  const leave = () => resolve(false)
  const leaving = AbortSignal.any([gone, venue.ending])
  leaving.addEventListener('abort', leave)
  try {
    if (leaving.aborted) leave()
    looked()
    const reached = await promise
    if (!reached) {
      const message = `for: it did not come about within ${timeoutMs} ms`
      throw new LabRefusal(409, 'until-not-reached', message, { field: 'for', now: runtime.now() })
    }
    await venue.settle()
    return { now: runtime.now(), sequence: runtime.sequence, reached: true }
  } finally {
    clearInterval(looking)
    clearTimeout(timeout)
    leaving.removeEventListener('abort', leave)
    watch.end()
  }
}
