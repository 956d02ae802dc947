/**
 * By which rules a state goes on. They have numbers; a command (`upgrade-rules`) takes a state from one to a later one, so that everybody
 * who applies the same commands changes over at the same of them.
 *
 * First    a state that no such command was applied to stands at the first
 * Range    a release applies each of its rules exactly as the release did that brought them
 * Beyond   rules of another range: nothing is applied, and whoever meets them ends. It is no defect of a command
 */

/** Of states without a note. */
export const firstRules = 3

/** What a release applies, both ends included. */
export interface RulesRange {
  readonly oldest: number
  readonly newest: number
}

/** This release does not apply the rules at which the venue stands, or is about to. */
export class RulesBeyond extends Error {
  override name = 'RulesBeyond'

  /** `release`: one that applies them; absent: nobody says. */
  constructor(rules: number, range: RulesRange, release?: string) {
    const needed = release === undefined ? 'a release' : `release ${release}, or another`
    super(
      `the venue stands at rules ${rules}, and this release applies ${rangeText(range)}: ` +
        `start ${needed} that applies rules ${rules}`,
    )
  }
}

export function isWithin(rules: number, { oldest, newest }: RulesRange): boolean {
  return rules >= oldest && rules <= newest
}

export function rangeText({ oldest, newest }: RulesRange): string {
  return oldest === newest ? `rules ${newest} only` : `rules ${oldest} to ${newest}`
}
