/**
 * What a fault throws in place of the venue: answered like the real thing, and no trouble that anybody has to be told of.
 *
 * Source  lab.md §4.5
 */
import { CommandNotSequenced, OutcomeUnknown } from '../../runtime/core.ts'

/** The command may have been sequenced. */
export class PretendedUnknown extends OutcomeUnknown {
  readonly isPretended = true
}

/** The command was not. */
export class PretendedRefusal extends CommandNotSequenced {
  readonly isPretended = true
}
