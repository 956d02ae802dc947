/** What a core counts of its log, and a gateway of its link, since the process started: for metrics. */
import { Durations } from '../runtime/runtime.ts'

export class LogCounts {
  /** Of each message: from the first attempt until it is known to stand in the log. */
  readonly append = new Durations()
  /** Attempts without an answer, or with one that decides nothing: the place was read then. */
  unknown = 0
  /** Leaderships that ended because another core had written. */
  fenced = 0
}

/** How submissions of a gateway ended. */
export type Outcome = 'answered' | 'not-sequenced' | 'overloaded' | 'unknown'

export class LinkCounts {
  readonly outcomes: Record<Outcome, number> = { answered: 0, 'not-sequenced': 0, overloaded: 0, unknown: 0 }
  /** Submissions that were sent once more, as they never stood in the log. */
  resubmitted = 0
  /** From the first who asked what stands until it was in the own engine. */
  readonly barriers = new Durations()
}
