/**
 * Deposits and withdrawals on their way: asked for, sent, confirmed, taken back. What may be: account-rules/withdrawals.ts.
 *
 *   deposit     external → inTransit when it is sent → wallet when its blocks have confirmed it
 *   withdrawal  wallet → inTransit when it is asked for → external, the fee → fees, when it is sent
 *               · taken back before that: inTransit → wallet
 *   inside      wallet → inTransit → the other account's wallet, at once and without a fee
 * Venue     a withdrawal to an address of the venue is a deposit of its owner, by the same transaction
 * Blocks    a timer takes each to its next step. Steps that fell due together are taken one after another, each at its time
 * Source    design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import {
  admitDeposit,
  admitDepositWallet,
  admitWithdrawal,
  depositWallet,
  isRemembered,
  type WithdrawalPlan,
  withdrawalToCancel,
  withdrawalToReject,
  withdrawnToday,
} from '../account-rules/account-rules.ts'
import {
  addressOwner,
  chainNamed,
  confirmedAt,
  depositAddress,
  heightAt,
  type NetworkName,
  senderAddress,
  transactionId,
  withdrawalReviewMs,
} from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { noteDebtor, reduceDebt } from '../loans/loans.ts'
import { type Amount, amount, assert, type Millis, minAmount, zero } from '../numbers/numbers.ts'
import type {
  CancelWithdrawal,
  RejectWithdrawal,
  RequestWithdrawal,
  SendDeposit,
  SetDepositWallet,
} from '../protocol/command.ts'
import type { ChainTransfer } from '../protocol/event.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { Account, OpenTransfer, State } from '../state/state.ts'
import type { WalletType } from '../vocabulary.ts'

const dayMs = 86_400_000
/** Addresses that are kept of an account. */
const addressesMax = 100

export function requestWithdrawal(state: State, command: RequestWithdrawal): Reply {
  const decided = admitWithdrawal(state, command)
  if ('kind' in decided) return refused(decided)
  if ('repeated' in decided) return requested(decided.repeated.id, command.clientOid)

  const { chainTransfers } = state
  const id = chainTransfers.nextId++
  forgetOldest(state)
  if (decided.name !== undefined) {
    chainTransfers.known.set(decided.name, { content: decided.content, id, at: state.at })
  }
  noteAddress(state, decided.account, command, id)
  countWithdrawn(state, decided.account, decided.usdE8)
  const transfer = newWithdrawal(state, command, decided, id)
  takeFromWallets(state, decided.account, transfer)
  if (decided.receiver === undefined) begin(state, transfer, state.at + withdrawalReviewMs)
  else deliverInside(state, transfer, decided.receiver)
  return requested(id, transfer.clientOid)
}

function requested(id: number, clientOid: string): Reply {
  return { kind: 'withdrawal-requested', id, clientOid }
}

function newWithdrawal(
  state: State,
  { uid, coin, amount: units, network, address, tag, toUid, clientOid, remark }: RequestWithdrawal,
  { fee, confirmations, parts, usdE8 }: WithdrawalPlan,
  id: number,
): OpenTransfer {
  return {
    kind: 'chain-transfer',
    id,
    uid,
    direction: 'withdrawal',
    destination: network === undefined ? 'internal' : 'on_chain',
    coin,
    network: network ?? '',
    amount: units,
    fee,
    status: 'pending',
    fromAddress: network === undefined ? String(uid) : senderAddress(network, id, 'venue'),
    toAddress: network === undefined ? String(toUid) : address,
    tag,
    transactionId: '',
    wallets: parts,
    clientOid: clientOid === '' ? String(id) : clientOid,
    remark,
    block: 0,
    confirmations,
    createdAt: state.at,
    updatedAt: state.at,
    usdE8,
  }
}

/** The fee is named in the bills of the wallets that paid it, the first ones first. */
function takeFromWallets(state: State, account: Account, { coin, wallets, fee }: ChainTransfer): void {
  let unnamed = fee
  for (const { wallet, amount: units } of wallets) {
    const slot = state.ledger.slot(account.handle, wallet, coin)
    const named = minAmount(unnamed, units)
    unnamed = amount(unnamed - named)
    state.ledger.charge(slot, 'inTransit', units)
    state.ledger.updatedAt[slot] = state.at
    bill(state, slot, 'withdrawal', amount(-units), { fee: named })
    noteDebtor(state, slot)
  }
}

/** Both accounts have it in one step. */
function deliverInside(state: State, withdrawal: OpenTransfer, receiver: Account): void {
  const id = state.chainTransfers.nextId++
  const { clientOid: _sender, ...shared } = withdrawal
  end(state, { ...withdrawal, status: 'success' })
  credit(state, { ...shared, id, uid: receiver.uid, direction: 'deposit', wallets: [], clientOid: '', remark: '' })
}

export function cancelWithdrawal(state: State, command: CancelWithdrawal): Reply {
  const decided = withdrawalToCancel(state, command)
  if ('kind' in decided) return refused(decided)

  takeBack(state, decided.transfer, 'cancel')
  return requested(decided.transfer.id, decided.transfer.clientOid)
}

export function rejectWithdrawal(state: State, command: RejectWithdrawal): Reply {
  const decided = withdrawalToReject(state, command.id)
  if ('kind' in decided) return refused(decided)

  takeBack(state, decided.transfer, 'fail')
  return done
}

/** What a wallet gave goes back to it. The account still has it: a change of mode takes longer than a withdrawal waits. */
function takeBack(state: State, transfer: OpenTransfer, status: 'cancel' | 'fail'): void {
  const { id, uid, coin, wallets, createdAt, usdE8 } = transfer
  const account = accountOf(state, uid)
  state.timers.remove((timer) => timer.kind === 'advance-chain-transfer' && timer.id === id)
  let unnamed = transfer.fee
  for (const { wallet, amount: units } of wallets) {
    const named = minAmount(unnamed, units)
    unnamed = amount(unnamed - named)
    payInto(state, account, { wallet, coin, units, type: 'withdrawal_returned', fee: amount(-named) })
  }
  const isToday = Math.floor(createdAt / dayMs) === Math.floor(state.at / dayMs)
  if (isToday) countWithdrawn(state, account, -usdE8)
  end(state, { ...transfer, status })
}

export function sendDeposit(state: State, command: SendDeposit): Reply {
  const decided = admitDeposit(state, command)
  if ('kind' in decided) return refused(decided)

  const { coin, network } = command
  const id = state.chainTransfers.nextId++
  openDeposit(state, decided.account, {
    id,
    coin,
    network,
    amount: command.amount,
    fromAddress: senderAddress(network, id, 'outside'),
    transactionId: transactionId(network, id),
    block: heightAt(network, state.at) + 1,
  })
  return { kind: 'deposit-sent', id }
}

type Sent = Pick<ChainTransfer, 'id' | 'coin' | 'amount' | 'fromAddress' | 'transactionId' | 'block'>

/** Something was sent to the address of an account: it is in transit until its blocks have confirmed it. */
function openDeposit(state: State, account: Account, sent: Sent & { readonly network: NetworkName }): void {
  const { coin, network, block } = sent
  const { uid } = account
  const listed = state.catalog.coins[coin]
  const { address: toAddress, tag } = depositAddress(network, listed.name, uid)
  const confirmations = chainNamed(listed, network)?.depositConfirmations ?? 1
  state.ledger.postHouse('external', 'inTransit', coin, sent.amount)
  const transfer: OpenTransfer = {
    kind: 'chain-transfer',
    ...sent,
    uid,
    direction: 'deposit',
    destination: 'on_chain',
    fee: zero,
    status: 'pending',
    toAddress,
    tag,
    wallets: [],
    clientOid: '',
    remark: '',
    confirmations,
    createdAt: state.at,
    updatedAt: state.at,
    usdE8: 0n,
  }
  begin(state, transfer, confirmedAt(network, block, confirmations))
}

export function setDepositWallet(state: State, command: SetDepositWallet): Reply {
  const decided = admitDepositWallet(state, command)
  if ('kind' in decided) return refused(decided)

  state.chainTransfers.setWallet(decided.account.handle, command.coin, command.wallet)
  return done
}

/** The next step of a transfer, due at a moment. */
export function advanceChainTransfer(state: State, id: number, dueAt: Millis): void {
  const transfer = state.chainTransfers.open.get(id)
  assert(transfer !== undefined && transfer.network !== '', 'only what is on its way over a network has a timer')
  if (transfer.direction === 'deposit') credit(state, transfer)
  else if (transfer.status === 'pending') send(state, transfer, transfer.network, dueAt)
  else end(state, { ...transfer, status: 'success' })
}

/** Withdrawn money leaves the venue; where the address is one of the venue, it comes in again. */
function send(state: State, transfer: OpenTransfer, network: NetworkName, dueAt: Millis): void {
  const { id, coin, fee, confirmations, toAddress, tag, fromAddress } = transfer
  const sent = amount(transfer.amount - fee)
  const block = heightAt(network, dueAt) + 1
  const carrier = transactionId(network, id)
  state.ledger.postHouse('inTransit', 'external', coin, sent)
  state.ledger.postHouse('inTransit', 'fees', coin, fee)
  const sending: OpenTransfer = { ...transfer, status: 'processing', transactionId: carrier, block }
  begin(state, { ...sending, updatedAt: state.at }, confirmedAt(network, block, confirmations))
  const uid = addressOwner(network, state.catalog.coins[coin].name, { address: toAddress, tag })
  const owner = uid === undefined ? undefined : state.accounts.byUid(uid)
  if (owner === undefined) return
  const depositId = state.chainTransfers.nextId++
  openDeposit(state, owner, {
    id: depositId,
    coin,
    network,
    amount: sent,
    fromAddress,
    transactionId: carrier,
    block,
  })
}

/** A deposit has arrived. */
function credit(state: State, transfer: OpenTransfer): void {
  const { coin, uid, fee } = transfer
  const account = accountOf(state, uid)
  const wallet = depositWallet(state, account, coin)
  const units = amount(transfer.amount - fee)
  payInto(state, account, { wallet, coin, units, type: 'deposit' })
  end(state, { ...transfer, status: 'success', wallets: [{ wallet, amount: units }] })
}

interface Payment {
  readonly wallet: WalletType
  readonly coin: number
  readonly units: Amount
  readonly type: 'deposit' | 'withdrawal_returned'
  readonly fee?: Amount
}

/** Out of transit; debt of the coin is paid with it. */
function payInto(state: State, account: Account, { wallet, coin, units, type, fee = zero }: Payment): void {
  const slot = state.ledger.slot(account.handle, wallet, coin)
  state.ledger.post('inTransit', slot, units)
  state.ledger.updatedAt[slot] = state.at
  bill(state, slot, type, units, { fee })
  noteDebtor(state, slot)
  reduceDebt(state, account, wallet, coin, units)
}

function begin(state: State, transfer: OpenTransfer, dueAt: Millis): void {
  state.chainTransfers.open.set(transfer.id, transfer)
  state.timers.add(dueAt, { kind: 'advance-chain-transfer', id: transfer.id })
}

function end(state: State, { usdE8: _counted, ...transfer }: OpenTransfer): void {
  state.chainTransfers.open.delete(transfer.id)
  state.emit({ ...transfer, updatedAt: state.at })
}

function accountOf(state: State, uid: number): Account {
  const account = state.accounts.byUid(uid)
  assert(account !== undefined, 'a transfer belongs to an account')
  return account
}

function countWithdrawn(state: State, account: Account, usdE8: bigint): void {
  const total = withdrawnToday(state, account) + usdE8
  const day = Math.floor(state.at / dayMs)
  state.chainTransfers.withdrawn.set(account.main, { day, usdE8: total < 0n ? 0n : total })
}

function noteAddress(state: State, { handle }: Account, command: RequestWithdrawal, id: number): void {
  const { coin, tag, toUid } = command
  const network: NetworkName | '' = command.network ?? ''
  const address = network === '' ? String(toUid) : command.address
  const noted = state.chainTransfers.addresses.get(handle) ?? []
  const isNoted = noted.some(
    (known) => known.coin === coin && known.network === network && known.address === address && known.tag === tag,
  )
  if (isNoted) return
  const latest = [...noted, { id, coin, network, address, tag, at: state.at }].slice(-addressesMax)
  state.chainTransfers.addresses.set(handle, latest)
}

/** Forgets the withdrawals that are no longer remembered: the map has them in the order of their time. */
function forgetOldest(state: State): void {
  const { known } = state.chainTransfers
  for (const [name, withdrawal] of known) {
    if (isRemembered(state, withdrawal)) return
    known.delete(name)
  }
}
