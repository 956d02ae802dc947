/**
 * Sub-accounts as their main account makes and rules them.
 *
 * Names    of one main account's sub-accounts differ; what the operator makes may have any
 * Frozen   no order, trigger order or transfer of it is accepted, and none to it; what is open stays, fires, fills and
 *          is liquidated
 * Source   wire/v3-endpoints.md §5; wire/client-endpoints.md §4 (virtual sub-accounts)
 */
import type { CreateSubAccount, SetSubAccount } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

/** Of one main account. */
const subAccountsMax = 1_000

export function createSubAccount(state: State, { parentUid, mode, name, note }: CreateSubAccount): Reply {
  const main = state.accounts.byUid(parentUid)
  if (main?.kind !== 'main') return refused({ kind: 'parent-unsuitable' })
  const siblings = state.accounts.subsOf(main)
  if (siblings.length >= subAccountsMax) return refused({ kind: 'sub-accounts-max', maximum: subAccountsMax })
  if (siblings.some((one) => one.name === name)) return refused({ kind: 'account-name-taken' })

  const { uid } = state.accounts.create('sub', main, mode, { name, note }, state.at)
  return { kind: 'account-created', uid }
}

export function setSubAccount(state: State, { actorUid, uid, frozen, permissions }: SetSubAccount): Reply {
  const main = state.accounts.byUid(actorUid)
  const sub = state.accounts.byUid(uid)
  if (main?.kind !== 'main' || sub?.kind !== 'sub' || sub.main !== main.handle) {
    return refused({ kind: 'sub-account-unknown' })
  }

  if (frozen !== undefined) sub.frozen = frozen
  if (permissions !== undefined) sub.permissions = [...permissions]
  sub.updatedAt = state.at
  return done
}
