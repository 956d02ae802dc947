/**
 * Bills of margin wallets: every change of a balance with what it was for and the balance after it.
 *
 * Holds     of a `crossed_margin` wallet the amounts add up to its balance
 *           · of a unified wallet there are bills of borrowing and margin trading only
 * Source    wire/client-endpoints.md §4 (`financial-records`)
 */
import type { MarginBill } from '../event.ts'
import { type Amount, zero } from '../numbers/numbers.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'

/** Tells a posting that has been made. `amount` is signed; a fee is in it already, and named beside it. */
export function bill(
  venue: Venue,
  row: Row,
  type: MarginBill['type'],
  units: Amount,
  { fee = zero, instrument }: { readonly fee?: Amount; readonly instrument?: number } = {},
): void {
  const { ledger } = venue
  const wallet = ledger.walletOf(row)
  if (units === 0n || (wallet !== 'crossed_margin' && wallet !== 'uta')) return
  venue.emit({
    kind: 'margin-bill',
    id: venue.counters.flow++,
    uid: venue.accounts.byHandle(ledger.account[row]).uid,
    wallet,
    coin: ledger.coinOf(row),
    type,
    amount: units,
    fee,
    balance: ledger.balanceOf(row),
    instrument,
    at: venue.at,
  })
}
