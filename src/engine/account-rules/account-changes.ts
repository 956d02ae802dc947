/**
 * Whether an account may be made, and become what is asked.
 *
 * Source  design.md §3, §4.22, §4.23; wire/v3-endpoints.md §5
 */
import { isFutures } from '../catalog/catalog.ts'
import type {
  BindAccount,
  CreateAccount,
  CreateSubAccount,
  SetBroker,
  SetCopyTrader,
  SetStpMode,
  FreezeAccount,
  SetSubAccount,
} from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, Reading } from '../state/state.ts'

/** Of one main account. */
export const subAccountsMax = 1_000

/** Whether an account may be made, and the main account that it belongs to. */
export function admitAccount(
  reading: Reading,
  command: CreateAccount,
): { readonly parent: Account | undefined } | Refusal {
  const parent = command.parentUid === undefined ? undefined : reading.accounts.byUid(command.parentUid)
  if (command.account === 'sub' && parent?.kind !== 'main') return { kind: 'parent-unsuitable' }
  if (command.account === 'main' && command.parentUid !== undefined) return { kind: 'parent-unsuitable' }
  if (command.account === 'sub' && command.mode === 'hybrid') return { kind: 'account-mode-unsuitable' }
  return { parent }
}

/** Only a main account is a broker; a channel code belongs to one of them. */
export function admitBroker(reading: Reading, command: SetBroker): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.kind !== 'main') return { kind: 'parent-unsuitable' }
  const owner = reading.accounts.channels.get(command.channelCode)
  if (owner !== undefined && owner !== account.handle) return { kind: 'channel-code-taken' }
  return { account }
}

/** A copy trader announces contracts only. */
export function admitCopyTrader(reading: Reading, command: SetCopyTrader): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const announced = command.instruments.map((id) => reading.catalog.instruments[id])
  if (announced.some((instrument) => instrument === undefined || !isFutures(instrument)))
    return { kind: 'instrument-unknown' }
  return { account }
}

/** Only sub-accounts are managed by somebody else. */
export function admitBinding(reading: Reading, { uid }: BindAccount): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.kind !== 'sub') return { kind: 'sub-account-unknown' }
  return { account }
}

/** The account that is meant. */
export function accountMeant(
  reading: Reading,
  command: SetStpMode | FreezeAccount,
): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  return { account }
}

/** A main account makes sub-accounts, each with a name of its own, up to a maximum. */
export function admitSubAccount(
  reading: Reading,
  { parentUid, name }: CreateSubAccount,
): { readonly main: Account } | Refusal {
  const main = reading.accounts.byUid(parentUid)
  if (main?.kind !== 'main') return { kind: 'parent-unsuitable' }
  const siblings = reading.accounts.subsOf(main)
  if (siblings.length >= subAccountsMax) return { kind: 'sub-accounts-max', maximum: subAccountsMax }
  if (siblings.some((sibling) => sibling.name === name)) return { kind: 'account-name-taken' }
  return { main }
}

/** A sub-account of the main account that asks. */
export function subAccountMeant(
  reading: Reading,
  { actorUid, uid }: SetSubAccount,
): { readonly sub: Account } | Refusal {
  const main = reading.accounts.byUid(actorUid)
  const sub = reading.accounts.byUid(uid)
  if (main?.kind !== 'main' || sub?.kind !== 'sub' || sub.main !== main.handle) {
    return { kind: 'sub-account-unknown' }
  }
  return { sub }
}
