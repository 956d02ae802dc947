/**
 * Whether memory has grown after the first day.
 *
 * Bound   the most that the process had resident on a later day is at most a twentieth and 48 MB above the most of the first
 * Why     a heap, a cache and a table that gets a quarter larger take a step now and then; what grows without end takes one every day
 */
const growthShareMax = 0.05
const growthMbMax = 48

/** `mostMb`: the most resident memory of each day. Undefined: it has not grown. */
export function growthFault(mostMb: readonly number[]): string | undefined {
  const [first, ...later] = mostMb
  if (first === undefined || later.length === 0) return undefined
  const bound = first * (1 + growthShareMax) + growthMbMax
  const most = Math.max(...later)
  if (most <= bound) return undefined
  const day = later.indexOf(most) + 2
  return `memory grows: ${most.toFixed(0)} MB on day ${day}, at most ${bound.toFixed(0)} MB after ${first.toFixed(0)} MB on the first`
}
