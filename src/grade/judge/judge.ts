/**
 * The judge: six questions about a run, answered from its evidence alone. Each answer is the sentences that say what was wrong.
 *
 *   T twin.ts · D duplicates.ts · O orphans.ts · L limits.ts · M manners.ts · A alive.ts
 *
 * Source    lab.md §4.11
 */
import type { Evidence } from '../evidence.ts'
import { aliveFindings } from './alive.ts'
import type { Tolerance } from './alike.ts'
import { duplicateFindings } from './duplicates.ts'
import { limitFindings, type Limits } from './limits.ts'
import { mannerFindings } from './manners.ts'
import { orphanFindings } from './orphans.ts'
import { twinFindings } from './twin.ts'

export const letters = ['T', 'D', 'O', 'L', 'M', 'A'] as const
export type Letter = (typeof letters)[number]

export const meanings: Readonly<Record<Letter, string>> = {
  T: 'twin: positions and open orders are those of a run without the fault',
  D: 'duplicate: no second order for one intent after an unknown outcome',
  O: 'orphans: no order is open that the twin has not',
  L: 'limits: its own limits are never passed',
  M: 'manners: it waits when it is told to, and comes back ever more slowly',
  A: 'alive: the process is up, and trades again in time',
}

export interface Finding {
  readonly letter: Letter
  readonly sentence: string
}

export interface Rules extends Limits {
  readonly tolerance: Tolerance
  /** How long the bot may take, milliseconds. */
  readonly recoverMs: number
}

/** `judged`: which of the questions. */
export function judge(
  run: Evidence,
  twin: Evidence,
  rules: Rules,
  judged: readonly Letter[] = letters,
): readonly Finding[] {
  const asked: Readonly<Record<Letter, () => readonly string[]>> = {
    T: () => twinFindings(run, twin, rules.tolerance),
    D: () => duplicateFindings(run),
    O: () => orphanFindings(run, twin, rules.tolerance),
    L: () => limitFindings(run, rules),
    M: () => mannerFindings(run),
    A: () => aliveFindings(run, twin, rules.recoverMs),
  }
  return letters
    .filter((letter) => judged.includes(letter))
    .flatMap((letter) => asked[letter]().map((sentence) => ({ letter, sentence })))
}
