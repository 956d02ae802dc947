/**
 * A broker's rebate: a share of the fee of each order that carried its channel code, rounded down.
 *
 * Share   of what the venue keeps of the fee, where the other side of the match is paid a rebate out of the same fee
 * Source  design.md §4.22
 */
import type { CoinId } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { type Amount, amount, divFloor, shareFloor } from '../numbers/numbers.ts'
import type { Reading, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Pays the broker of an order's channel out of the house's fees; nothing without a broker, or for a negative fee. */
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

/** What is left of a fee once the other side has its rebate. By the rates, because the two may be in different coins. */
function keptOf(reading: Reading, row: Row, fee: Amount): Amount {
  const { makerFeeRate, takerFeeRate } = reading.instrument(reading.orders.instrument.at(row))
  if (makerFeeRate >= 0n && takerFeeRate >= 0n) return fee
  const charged = makerFeeRate > takerFeeRate ? makerFeeRate : takerFeeRate
  return amount(divFloor(fee * (makerFeeRate + takerFeeRate), charged))
}
