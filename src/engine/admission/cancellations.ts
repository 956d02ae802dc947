/**
 * Which orders and trigger orders a request to cancel means, and whose orders a countdown cancels.
 *
 * Halted  a halted or cancel-only instrument still lets its orders be canceled
 * Source  interface.md E7; design.md §4.13, §6
 */
import type { CancelOrder, CancelOrders, CancelTrigger, CancelTriggers, SetCountdown } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { findOrder, findTrigger, readingWallet, tradingWallet } from '../records/records.ts'
import { type Account, orderCodes, type Reading, triggerCodes } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { unknownKind } from './triggers.ts'

/** The open order that the command names. */
export function orderToCancel(reading: Reading, command: CancelOrder): Row | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { orders } = reading
  const row = findOrder(reading, account, command.order)
  if (row === noRow) return { kind: 'order-unknown' }
  if (command.category !== undefined && orderCodes.category[orders.category.at(row)] !== command.category) {
    return { kind: 'order-unknown' }
  }
  if (command.instrument !== undefined && orders.instrument.at(row) !== command.instrument) {
    return { kind: 'order-unknown' }
  }
  return row
}

/** Open orders of a category, or of one instrument of it, newest first. */
export function ordersToCancel(reading: Reading, command: CancelOrders): { readonly rows: readonly Row[] } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { orders } = reading
  const wallet = readingWallet(account, command.interface, command.category)
  const rows = [...orders.of(account.firstOrder)].filter(
    (row) =>
      orderCodes.category[orders.category.at(row)] === command.category &&
      orders.walletOf(row) === wallet &&
      (command.instrument === undefined || orders.instrument.at(row) === command.instrument),
  )
  return { rows }
}

/** The waiting trigger order that the command names. */
export function triggerToCancel(reading: Reading, command: CancelTrigger): { readonly row: Row } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { triggers } = reading
  const row = findTrigger(reading, account, command.order)
  const { kinds, category, instrument } = command
  const meant =
    row !== noRow &&
    (kinds.length === 0 || kinds.includes(triggers.kindOf(row))) &&
    (category === undefined || triggerCodes.category[triggers.category.at(row)] === category) &&
    (instrument === undefined || triggers.instrument.at(row) === instrument)
  if (!meant) return { kind: unknownKind(kinds) }
  return { row }
}

/** The account whose trigger orders are canceled. */
export function triggersToCancel(reading: Reading, command: CancelTriggers): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  return { account }
}

/** The account whose orders a countdown cancels; refused without a unified wallet. */
export function countdownAccount(reading: Reading, command: SetCountdown): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v3', 'SPOT')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  return { account }
}
