/**
 * The broker whose channel an order carried gets its share of the fee out of the fees, rounded down.
 *
 * Share   of what the venue keeps of the fee, where the other side of the match is paid a rebate out of the same fee
 * Source  design.md §4.22
 */
import type { CoinId } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { type Amount, amount, divFloor, shareFloor } from '../numbers/numbers.ts'
import type { Reading, Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** What is left of a fee when the other side has its rebate; rates compare, because the two may be in different coins. */
function keptOf(venue: Reading, row: Row, fee: Amount): Amount {
  const { makerFeeRate, takerFeeRate } = venue.instrument(venue.orders.instrument.at(row))
  if (makerFeeRate >= 0n && takerFeeRate >= 0n) return fee
  const charged = makerFeeRate > takerFeeRate ? makerFeeRate : takerFeeRate
  return amount(divFloor(fee * (makerFeeRate + takerFeeRate), charged))
}

export function payRebate(venue: Venue, row: Row, coin: CoinId, fee: Amount): void {
  const channelCode = venue.orders.channelCode[row]
  if (channelCode === '' || fee <= 0n) return
  const handle = venue.accounts.channels.get(channelCode)
  if (handle === undefined) return
  const broker = venue.accounts.byHandle(handle)
  if (broker.broker === undefined) return
  const rebate = shareFloor(keptOf(venue, row, fee), broker.broker.rebateRate)
  if (rebate === 0n) return
  const slot = venue.ledger.slot(handle, 'spot', coin)
  venue.ledger.post('fees', slot, rebate)
  venue.ledger.updatedAt[slot] = venue.at
  const orderId = venue.orders.id.at(row)
  venue.emit({
    kind: 'rebate',
    id: venue.counters.flow++,
    brokerUid: broker.uid,
    orderId,
    coin,
    amount: rebate,
    at: venue.at,
  })
  bill(venue, slot, 'rebate', rebate)
}
