/**
 * How deep random runs go. `npm test` tries a third of what `npm run test:long` (TEST_DEPTH=long) tries, from the same seeds: what it
 * finds, the long form finds too.
 */
export const isLong = process.env['TEST_DEPTH'] === 'long'

/** So many in the long form; a third of them, rounded up, in the short one. */
export function tries(count: number): number {
  return isLong ? count : Math.ceil(count / 3)
}
