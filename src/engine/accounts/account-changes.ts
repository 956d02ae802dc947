/**
 * Making accounts and changing what they are.
 *
 * Modes     classic -> upgrading -> unified, unified -> switching -> classic: without orders, positions and debt, all
 *           balances move (classic wallets into `uta`, `uta` into `spot`; the p2p wallet stays), done by a timer
 * Source    design.md §3, §4.22, §4.23, §6
 */
import { notFlat } from '../account-rules/account-rules.ts'
import { isFutures } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { amount } from '../numbers/numbers.ts'
import type {
  BindAccount,
  CreateAccount,
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
  const parent = command.parentUid === undefined ? undefined : state.accounts.byUid(command.parentUid)
  if (command.account === 'sub' && parent?.kind !== 'main') return refused({ kind: 'parent-unsuitable' })
  if (command.account === 'main' && command.parentUid !== undefined) return refused({ kind: 'parent-unsuitable' })
  if (command.account === 'sub' && command.mode === 'hybrid') return refused({ kind: 'account-mode-unsuitable' })

  const account = state.accounts.create(command.account, parent, command.mode, command, state.at)
  return { kind: 'account-created', uid: account.uid }
}

export function setAccountMode(state: State, command: SetAccountMode): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === command.mode) return done
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const what = notFlat(state, account)
  if (what !== undefined) return refused(what)

  account.mode = command.mode === 'unified' ? 'upgrading' : 'switching'
  state.timers.add(state.at + modeChangeMs, { kind: 'finish-mode-change', account: account.handle })
  return done
}

export function finishModeChange(state: State, handle: AccountHandle): void {
  const account = state.accounts.byHandle(handle)
  const target: WalletType = account.mode === 'upgrading' ? 'uta' : 'spot'
  account.mode = account.mode === 'upgrading' ? 'unified' : 'classic'
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
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.kind !== 'main') return refused({ kind: 'parent-unsuitable' })
  const owner = state.accounts.channels.get(command.channelCode)
  if (owner !== undefined && owner !== account.handle) return refused({ kind: 'channel-code-taken' })

  if (account.broker !== undefined) state.accounts.channels.delete(account.broker.channelCode)
  account.broker =
    command.channelCode === '' ? undefined : { channelCode: command.channelCode, rebateRate: command.rebateRate }
  if (command.channelCode !== '') state.accounts.channels.set(command.channelCode, account.handle)
  return done
}

export function setCopyTrader(state: State, command: SetCopyTrader): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const announced = command.instruments.map((id) => state.catalog.instruments[id])
  if (announced.some((one) => one === undefined || !isFutures(one))) return refused({ kind: 'instrument-unknown' })

  account.copyTrader = command.instruments.length === 0 ? undefined : [...command.instruments]
  return done
}

export function bindAccount(state: State, { uid, boundAt }: BindAccount): Reply {
  const account = state.accounts.byUid(uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.kind !== 'sub') return refused({ kind: 'sub-account-unknown' })

  account.boundAt = boundAt
  return done
}

export function setStpMode(state: State, command: SetStpMode): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })

  account.stpMode = command.stpMode
  return done
}
