/**
 * A new order in the place of a resting one, in one command: the old one is canceled, and nothing comes between.
 *
 * Whole     the new order is admitted as if the old one were not there; refused, the old one stays as it is
 * New       number, client order id and place in the queue; it is an order of the day, and takes no further place among the
 *           open ones. What was filled stays with the old one
 * Same      side, time in force, position, reduce-only and self-trade prevention, and whatever was not named anew
 * Source    wire/client-endpoints.md §4 (`modify-order`, `cancel-replace-order`)
 */
import { isAsBefore, successor } from '../admission/admission.ts'
import type { ReplaceOrder } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { findOrder, tradingWallet } from '../records/records.ts'
import { orderCodes, type State } from '../state/state.ts'
import { placeOrder } from './place.ts'

export function replaceOrder(state: State, command: ReplaceOrder): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = state
  const row = findOrder(state, account, command.order)
  if (row === 0 || orders.instrument.at(row) !== command.instrument) return refused({ kind: 'order-unknown' })
  const category = orderCodes.category[orders.category.at(row)]
  if (!command.categories.includes(category)) return refused({ kind: 'order-unknown' })
  // An order of another wallet cannot leave what it holds to one of this.
  const wallet = tradingWallet(account, command.interface, category)
  if (wallet !== orders.walletOf(row)) return refused({ kind: 'order-unknown' })
  const futures = state.instrument(command.instrument).kind !== 'spot'
  if (futures && isAsBefore(state, row, command)) return refused({ kind: 'order-unchanged' })
  return placeOrder(state, successor(state, row, command), futures ? 'replace' : 'user', { replaced: row })
}
