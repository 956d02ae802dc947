/**
 * Bills: every change of a wallet's balance with what it was for and the balance after it.
 *
 * Fills     publish their own changes and need no bill; they are numbered together with the bills
 * Holds     the amounts of the bills and fills of a wallet and coin add up to its balance. In the order of their numbers
 *           each begins with the balance at which the one before it ended
 * Isolated  what an isolated position gets and pays goes through the wallet. Funding comes in and goes on to the margin;
 *           a payment comes out of the margin first
 * Source    wire/client-endpoints.md §4 (`bills`, `bill`, `financial-records`); wire/v3-endpoints.md §4
 */
import { type Amount, zero } from '../numbers/numbers.ts'
import type { Bill, BillType } from '../protocol/event.ts'
import type { State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { WalletType } from '../vocabulary.ts'

interface BillFacts {
  readonly fee?: Amount
  readonly instrument?: number
  readonly otherWallet?: WalletType
  /** Where it is not the wallet's own: a posting that only passes through. */
  readonly balance?: Amount
}

/** Publishes a posting that has been made. `units` is signed; a fee is in it already, and named beside it. */
export function bill(state: State, row: Row, type: BillType, units: Amount, facts: BillFacts = {}): void {
  const { ledger } = state
  if (units === 0n) return
  const { fee = zero, instrument, otherWallet = '', balance = ledger.balanceOf(row) } = facts
  state.emit({
    kind: 'bill',
    id: state.counters.exec++,
    uid: state.accounts.byHandle(ledger.account[row]).uid,
    wallet: ledger.walletOf(row),
    coin: ledger.coinOf(row),
    type,
    category: instrument === undefined ? categoryOf(type) : state.instrument(instrument).category,
    amount: units,
    fee,
    balance,
    instrument,
    otherWallet,
    at: state.at,
  })
}

function categoryOf(type: BillType): Bill['category'] {
  switch (type) {
    case 'borrow':
    case 'repay':
    case 'interest':
    case 'liquidation_fee':
    case 'sys_exchange_in':
    case 'sys_exchange_out':
      return 'MARGIN'
    default:
      return 'OTHER'
  }
}
