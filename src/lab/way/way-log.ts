/**
 * Who writes down what layers decide on the way, and says it when a recording is played: how calls overtake each other is of real time,
 * and layers count them and let them go in that order.
 *
 * Source  lab.md §4.5, §4.6, §4.8; decisions/0038
 */
import type { AskedByRequest, AskedBySocket } from '../../api/api.ts'

/** What was struck: a call, or a push. */
export type StruckAt = AskedByRequest | AskedBySocket | 'push'

export interface WayLog {
  /** A rule struck a call at a point of its way. Of pushes only those are told that make a rule fire. */
  struck?(rule: string, point: string, at: StruckAt): void
  /** What struck here then. Undefined: the rules count for themselves. */
  recorded?(point: string, at: StruckAt): { readonly rule: string | undefined } | undefined
  /** Commands that were held go on, in this order. */
  letGo?(ids: readonly string[]): void
}
