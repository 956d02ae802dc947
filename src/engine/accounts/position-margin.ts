/**
 * Writes the margin of isolated positions by hand: added, taken back, and auto margin. How much:
 * account-rules/position-margin.ts.
 *
 * Source  risk-engine.md §5 (adding margin raises M); wire/errors.md (40801, 40802, 40874, 40875)
 */
import { admitAutoMargin, admitPositionMargin } from '../account-rules/account-rules.ts'
import { moveMargin } from '../positions/positions.ts'
import type { SetAutoMargin, SetPositionMargin } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import { positionOf, type PositionRow, type State } from '../state/state.ts'

export function setPositionMargin(state: State, command: SetPositionMargin): Reply {
  const decided = admitPositionMargin(state, command)
  if ('kind' in decided) return refused(decided)

  const { exposure, side } = decided
  const kept = state.futures.keep(exposure)
  const margined = positionOf(kept, side) as PositionRow
  moveMargin(state, kept, margined, command.amount)
  margined.updatedAt = state.at
  state.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}

export function setAutoMargin(state: State, command: SetAutoMargin): Reply {
  const decided = admitAutoMargin(state, command)
  if ('kind' in decided) return refused(decided)

  state.futures.keep(decided.exposure).autoMargin = command.on
  state.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}
