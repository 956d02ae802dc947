/**
 * The nearest of the names that there are, for whoever mistyped one.
 *
 * Near   by the fewest letters to put in, take out or change; what is as long as a name is not near to it
 */

const lengthMax = 100

/** Undefined: none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const given = name.slice(0, lengthMax).toLowerCase()
  let found: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const steps = distance(given, candidate.toLowerCase())
    if (steps < least && steps < Math.max(given.length, candidate.length)) [found, least] = [candidate, steps]
  }
  return found
}

/** `; the nearest is X`, or nothing. */
export function nearestText(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `; the nearest is ${near}`
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const change = row[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(change, row[to] + 1, next[to - 1] + 1))
    }
    row = next
  }
  return row[other.length]
}
