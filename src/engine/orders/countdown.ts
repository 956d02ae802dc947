/**
 * A dead man's switch: it cancels the orders of an account's unified wallet unless the account sets it anew in time.
 *
 * Set       anew it begins anew; zero disarms it. Set after its time, it cancels the orders first
 * Cancels   resting orders of every category. Trigger orders stay: take-profits and stop-losses go on waiting
 * Source    wire/v3-endpoints.md §2
 */
import { countdownAccount } from '../admission/admission.ts'
import type { SetCountdown } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { AccountRow, State, Timer } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { closeOrder } from './order-end.ts'

export function setCountdown(state: State, command: SetCountdown): Reply {
  const decided = countdownAccount(state, command)
  if ('kind' in decided) return refused(decided)

  const account = state.accounts.rowOf(decided.account)
  const { timers } = state
  const own = (timer: Timer) => timer.kind === 'cancel-all' && timer.account === account.handle
  const running = timers.due.find(({ timer }) => own(timer))
  if (running !== undefined) timers.remove(own)
  if (running !== undefined && running.at <= state.at) cancelAll(state, account)
  if (command.ms > 0) timers.add(state.at + command.ms, { kind: 'cancel-all', account: account.handle })
  return done
}

/** The countdown of an account has run out. */
export function cancelAfterCountdown(state: State, account: AccountHandle): void {
  cancelAll(state, state.accounts.byHandle(account))
}

function cancelAll(state: State, account: AccountRow): void {
  const { orders } = state
  for (const row of orders.of(account.firstOrder)) {
    if (orders.walletOf(row) === 'uta') closeOrder(state, row, 'canceled', 'user')
  }
}
