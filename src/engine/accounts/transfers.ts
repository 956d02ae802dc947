/**
 * Moves money: from and to outside, and between wallets and accounts of one family. What may move:
 * account-rules/transfers.ts.
 *
 * Twice     a repeated transfer moves nothing and answers as the first did
 * Debt      what comes into a unified wallet pays its debt of that coin
 * Source    interface.md E9; design.md §3, §4.14, §4.36
 */
import { admitExternalFlow, admitTransfer, isRemembered, refuseHouseFunds } from '../account-rules/account-rules.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { noteDebtor, reduceDebt } from '../loans/loans.ts'
import { amount } from '../numbers/numbers.ts'
import type { Deposit, FundHouse, Transfer } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function transfer(state: State, command: Transfer): Reply {
  const decided = admitTransfer(state, command)
  if ('kind' in decided) return refused(decided)
  if ('repeated' in decided) {
    return { kind: 'transferred', transferId: decided.repeated.transferId, clientOid: command.clientOid }
  }

  const { from, to, name, content } = decided
  const transferId = state.counters.transfer++
  const { ledger } = state
  const source = ledger.slot(from.handle, command.fromWallet, command.coin)
  const target = ledger.slot(to.handle, command.toWallet, command.coin)
  ledger.transfer(source, target, command.amount)
  ledger.updatedAt[source] = state.at
  ledger.updatedAt[target] = state.at
  forgetOldest(state)
  if (name !== undefined) state.transfers.set(name, { content, transferId, at: state.at })
  const clientOid = command.clientOid === '' ? String(transferId) : command.clientOid
  const { actorUid, fromUid, toUid, fromWallet, toWallet, coin } = command
  state.emit({
    kind: 'transfer',
    transferId,
    clientOid,
    actorUid,
    fromUid,
    toUid,
    fromWallet,
    toWallet,
    coin,
    amount: command.amount,
    at: state.at,
  })
  bill(state, source, 'transfer_out', amount(-command.amount), { otherWallet: toWallet })
  bill(state, target, 'transfer_in', command.amount, { otherWallet: fromWallet })
  noteDebtor(state, source)
  noteDebtor(state, target)
  reduceDebt(state, to, command.toWallet, command.coin, command.amount)
  return { kind: 'transferred', transferId, clientOid }
}

/** Forgets the transfers that are no longer remembered: the map has them in the order of their time. */
function forgetOldest(state: State): void {
  for (const [name, known] of state.transfers) {
    if (isRemembered(state, known)) return
    state.transfers.delete(name)
  }
}

export function depositOrWithdraw(state: State, command: Deposit): Reply {
  const decided = admitExternalFlow(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, incoming } = decided
  const slot = state.ledger.slot(account.handle, command.wallet, command.coin)
  state.ledger.post('external', slot, incoming ? command.amount : amount(-command.amount))
  state.ledger.updatedAt[slot] = state.at
  state.emit({
    kind: incoming ? 'deposit' : 'withdrawal',
    id: state.counters.flow++,
    uid: account.uid,
    wallet: command.wallet,
    coin: command.coin,
    amount: command.amount,
    at: state.at,
  })
  if (incoming) bill(state, slot, 'deposit', command.amount)
  else bill(state, slot, 'withdrawal', amount(-command.amount))
  noteDebtor(state, slot)
  if (incoming) reduceDebt(state, account, command.wallet, command.coin, command.amount)
  return done
}

export function fundHouse(state: State, command: FundHouse): Reply {
  const refusal = refuseHouseFunds(state, command)
  if (refusal !== undefined) return refused(refusal)

  state.ledger.postHouse('external', command.account, command.coin, command.amount)
  return done
}
