/**
 * A hostile scenario: people or machines that do their worst to a whole venue, in rounds that a seed decides.
 *
 * Round    a few seconds at most, on a venue of its own that it closes again
 * Broken   an Error whose message is the sentence that did not hold, and the seed
 * Counts   what was tried: `npm run soak -- --scenario NAME` adds them up over the rounds and prints them
 */
export interface Scenario {
  /** Of `--scenario NAME`: lower case, words joined by hyphens. */
  readonly name: string
  /** What must hold in every round, as a sentence. */
  readonly holds: string
  round(options: { readonly seed: number }): Promise<Readonly<Record<string, number>>>
}
