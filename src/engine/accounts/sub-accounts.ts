/**
 * Sub-accounts as their main account makes and rules them.
 *
 * Names    of one main account's sub-accounts differ; what the operator makes may have any
 * Frozen   by it or by the operator, and neither undoes the other: no order, trigger order or transfer of it is accepted, and no
 *          transfer to it. What is open stays: it is triggered, filled and liquidated as before
 * Source   wire/v3-endpoints.md §5; wire/client-endpoints.md §4 (virtual sub-accounts)
 */
import { admitSubAccount, subAccountMeant } from '../account-rules/account-rules.ts'
import type { CreateSubAccount, SetSubAccount } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function createSubAccount(state: State, command: CreateSubAccount): Reply {
  const decided = admitSubAccount(state, command)
  if ('kind' in decided) return refused(decided)

  const { main } = decided
  const { mode, name, note } = command
  const { uid } = state.accounts.create('sub', main, mode, { name, note }, state.at)
  return { kind: 'account-created', uid }
}

export function setSubAccount(state: State, command: SetSubAccount): Reply {
  const decided = subAccountMeant(state, command)
  if ('kind' in decided) return refused(decided)

  const sub = state.accounts.rowOf(decided.sub)
  const { frozen, permissions } = command
  if (frozen !== undefined) sub.frozenByOwner = frozen
  if (permissions !== undefined) sub.permissions = [...permissions]
  sub.updatedAt = state.at
  return done
}
