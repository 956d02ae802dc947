/**
 * Who writes down what rules strike, and says it when a recording is played: how calls overtake each other is of real time, and rules
 * count them in that order.
 *
 * Source  lab.md §4.5, §4.8; decisions/0038
 */
import type { AskedByRequest, AskedBySocket } from '../../api/api.ts'

/** What was struck: a call, or a push. */
export type StruckAt = AskedByRequest | AskedBySocket | 'push'

export interface StrikeLog {
  /** `point` is that of the call's way. Of pushes only those are told that make a rule fire. */
  struck?(rule: string, point: string, at: StruckAt): void
  /** What struck here then. Undefined: the rules count for themselves. */
  recorded?(point: string, at: StruckAt): { readonly rule: string | undefined } | undefined
}
