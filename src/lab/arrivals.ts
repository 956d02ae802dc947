/**
 * Waiting until so many things have come in: for a test that has sent them and did not wait for their answers.
 *
 * Real time  the venue's may stand still
 * Source     lab.md §4.6, §4.7
 */
import { body, field, optional, wholeNumber } from '../operator/operator.ts'
import { LabRefusal } from './refusals.ts'
import { readDuration } from './times.ts'

const timeoutMsMax = 600_000
const timeoutMsDefault = 5_000
const atLeastMax = 100_000

export const arrivalsBody = body({
  atLeast: optional(wholeNumber(0, atLeastMax)),
  timeout: optional(
    field(`a duration up to ${timeoutMsMax} ms`, (value) => {
      const ms = readDuration(value)
      return ms !== undefined && ms <= timeoutMsMax ? ms : undefined
    }),
  ),
})

/** What things come in to. */
interface Arrivals {
  count(): number
  /** `come` is called when one more is there; answers how to end that. */
  watch(come: () => void): () => void
}

/** Throws LabRefusal when there are not so many within the time, or whoever asked has left. */
export async function untilThere(
  arrivals: Arrivals,
  { atLeast = 0, timeout: ms = timeoutMsDefault }: { readonly atLeast?: number; readonly timeout?: number },
  leaving: readonly AbortSignal[],
): Promise<void> {
  if (arrivals.count() >= atLeast) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = arrivals.watch(() => {
    if (arrivals.count() >= atLeast) resolve()
  })
  const timer = setTimeout(resolve, ms)
  const left = AbortSignal.any([...leaving])
  left.addEventListener('abort', () => resolve(), { once: true })
  await promise
  end()
  clearTimeout(timer)
  const count = arrivals.count()
  if (count >= atLeast) return
  const message = `atLeast: ${count} of ${atLeast} are there after ${ms} ms`
  throw new LabRefusal(409, 'until-not-reached', message, { field: 'atLeast' })
}
