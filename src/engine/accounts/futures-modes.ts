/**
 * Writes margin mode and hold mode of contracts. When they may change: account-rules/futures-modes.ts.
 *
 * Source  design.md §3, §4.16
 */
import { admitHoldMode, admitMarginMode } from '../account-rules/account-rules.ts'
import type { SetHoldMode, SetMarginMode } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function setMarginMode(state: State, command: SetMarginMode): Reply {
  const decided = admitMarginMode(state, command)
  if (decided === 'unchanged') return done
  if ('kind' in decided) return refused(decided)

  const { exposure } = decided
  state.futures.keep(exposure).marginMode = command.marginMode
  return done
}

export function setHoldMode(state: State, command: SetHoldMode): Reply {
  const decided = admitHoldMode(state, command)
  if ('kind' in decided) return refused(decided)

  const { changing } = decided
  const account = state.accounts.rowOf(decided.account)
  const changed = Object.fromEntries(changing.map((line) => [line, command.holdMode]))
  account.holdMode = { ...account.holdMode, ...changed }
  return done
}
