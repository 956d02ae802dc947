/**
 * Making accounts and changing what they are.
 *
 * Modes     classic -> upgrading -> unified, unified -> switching -> classic, hybrid -> either: only without orders,
 *           positions and debt.
 *           A timer ends the change and moves all balances: classic wallets into `uta`, `uta` into `spot`; p2p stays
 * Source    design.md §3, §4.22, §4.23, §6
 */
import {
  accountMeant,
  admitAccount,
  admitBinding,
  admitBroker,
  admitCopyTrader,
  admitModeChange,
} from '../account-rules/account-rules.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { amount } from '../numbers/numbers.ts'
import type {
  BindAccount,
  CreateAccount,
  FreezeAccount,
  SetAccountMode,
  SetBroker,
  SetCopyTrader,
  SetStpMode,
} from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'

/** How long a change of mode takes. */
const modeChangeMs = 60_000

export function createAccount(state: State, command: CreateAccount): Reply {
  const decided = admitAccount(state, command)
  if ('kind' in decided) return refused(decided)

  const { parent } = decided
  const account = state.accounts.create(command.account, parent, command.mode, command, state.at)
  return { kind: 'account-created', uid: account.uid }
}

export function setAccountMode(state: State, command: SetAccountMode): Reply {
  const decided = admitModeChange(state, command)
  if (decided === 'unchanged') return done
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  account.leavesHybrid = account.mode === 'hybrid' ? true : undefined
  account.mode = command.mode === 'unified' ? 'upgrading' : 'switching'
  state.timers.add(state.at + modeChangeMs, { kind: 'finish-mode-change', account: account.handle })
  return done
}

/** By the operator; what the main account of a sub-account has said stands beside it (sub-accounts.ts). */
export function freezeAccount(state: State, command: FreezeAccount): Reply {
  const decided = accountMeant(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  account.frozenByOperator = command.frozen || undefined
  account.updatedAt = state.at
  return done
}

/** The timer of a change of mode: moves the balances, and the account trades in its new mode. */
export function finishModeChange(state: State, handle: AccountHandle): void {
  const account = state.accounts.byHandle(handle)
  const target: WalletType = account.mode === 'upgrading' ? 'uta' : 'spot'
  account.mode = account.mode === 'upgrading' ? 'unified' : 'classic'
  account.leavesHybrid = undefined
  const { ledger } = state
  for (const row of ledger.rowsOf(handle)) {
    const wallet = ledger.walletOf(row)
    if (wallet === target || wallet === 'p2p' || (target === 'spot' && wallet !== 'uta')) continue
    const units = ledger.balanceOf(row)
    if (units === 0n) continue
    const slot = ledger.slot(handle, target, ledger.coinOf(row))
    ledger.transfer(row, slot, units)
    ledger.updatedAt[slot] = state.at
    ledger.updatedAt[row] = state.at
    bill(state, row, 'transfer_out', amount(-units), { otherWallet: target })
    bill(state, slot, 'transfer_in', units, { otherWallet: wallet })
    state.emit({
      kind: 'transfer',
      transferId: state.counters.transfer++,
      clientOid: '',
      actorUid: account.uid,
      fromUid: account.uid,
      toUid: account.uid,
      fromWallet: wallet,
      toWallet: target,
      coin: ledger.coinOf(row),
      amount: units,
      at: state.at,
    })
  }
}

export function setBroker(state: State, command: SetBroker): Reply {
  const decided = admitBroker(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  if (account.broker !== undefined) state.accounts.channels.delete(account.broker.channelCode)
  account.broker =
    command.channelCode === '' ? undefined : { channelCode: command.channelCode, rebateRate: command.rebateRate }
  if (command.channelCode !== '') state.accounts.channels.set(command.channelCode, account.handle)
  return done
}

export function setCopyTrader(state: State, command: SetCopyTrader): Reply {
  const decided = admitCopyTrader(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  account.copyTrader = command.instruments.length === 0 ? undefined : [...command.instruments]
  return done
}

export function bindAccount(state: State, command: BindAccount): Reply {
  const decided = admitBinding(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  const { boundAt } = command
  account.boundAt = boundAt
  return done
}

export function setStpMode(state: State, command: SetStpMode): Reply {
  const decided = accountMeant(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  account.stpMode = command.stpMode
  return done
}
