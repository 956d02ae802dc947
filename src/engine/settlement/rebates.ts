/**
 * The broker whose channel an order carried gets its share of the fee out of the fees, rounded down.
 *
 * Share   of what the venue keeps of the fee, where the other side of the match is paid a rebate out of the same fee
 * Source  design.md §4.22
 */
import type { CoinId } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { type Amount, amount, divFloor, shareFloor } from '../numbers/numbers.ts'
import type { Reading, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** What is left of a fee when the other side has its rebate; rates compare, because the two may be in different coins. */
function keptOf(reading: Reading, row: Row, fee: Amount): Amount {
  const { makerFeeRate, takerFeeRate } = reading.instrument(reading.orders.instrument.at(row))
  if (makerFeeRate >= 0n && takerFeeRate >= 0n) return fee
  const charged = makerFeeRate > takerFeeRate ? makerFeeRate : takerFeeRate
  return amount(divFloor(fee * (makerFeeRate + takerFeeRate), charged))
}

export function payRebate(state: State, row: Row, coin: CoinId, fee: Amount): void {
  const channelCode = state.orders.channelCode[row]
  if (channelCode === '' || fee <= 0n) return
  const handle = state.accounts.channels.get(channelCode)
  if (handle === undefined) return
  const broker = state.accounts.byHandle(handle)
  if (broker.broker === undefined) return
  const rebate = shareFloor(keptOf(state, row, fee), broker.broker.rebateRate)
  if (rebate === 0n) return
  const slot = state.ledger.slot(handle, 'spot', coin)
  state.ledger.post('fees', slot, rebate)
  state.ledger.updatedAt[slot] = state.at
  const orderId = state.orders.id.at(row)
  state.emit({
    kind: 'rebate',
    id: state.counters.flow++,
    brokerUid: broker.uid,
    orderId,
    coin,
    amount: rebate,
    at: state.at,
  })
  bill(state, slot, 'rebate', rebate)
}
