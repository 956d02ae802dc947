/**
 * Deposits and withdrawals in v2 records.
 *
 * Size    of a withdrawal: what left the wallet, the fee in it; the fee is negative
 * Source  wire/client-endpoints.md §4; docs/decisions/0027-simulated-chain.md
 */
import type { Catalog } from '../../../engine/catalog/catalog.ts'
import { destinationWords, type ShownTransfer, statusWords, transactionWord } from '../../chain-transfers.ts'
import type * as records from '../records.ts'
import { amountText, coinName, feeText } from './figures.ts'

export function depositAddress({
  coin,
  network,
  address,
  tag,
}: {
  readonly coin: string
  readonly network: string
  readonly address: string
  readonly tag: string
}): records.DepositAddress {
  return { address, chain: network, coin, tag, url: '' }
}

function transferRecord(catalog: Catalog, { transfer, confirmed }: ShownTransfer) {
  return {
    orderId: String(transfer.id),
    tradeId: transactionWord(transfer),
    coin: coinName(catalog, transfer.coin),
    dest: destinationWords[transfer.destination],
    clientOid: transfer.clientOid,
    tag: transfer.tag,
    size: amountText(transfer.amount),
    status: statusWords[transfer.status],
    toAddress: transfer.toAddress,
    fromAddress: transfer.fromAddress,
    confirm: String(confirmed),
    chain: transfer.network,
    cTime: String(transfer.createdAt),
    uTime: String(transfer.updatedAt),
  }
}

export function depositRecord(catalog: Catalog, shown: ShownTransfer): records.DepositRecord {
  return { ...transferRecord(catalog, shown), type: 'deposit' }
}

export function withdrawalRecord(catalog: Catalog, shown: ShownTransfer): records.WithdrawalRecord {
  return { ...transferRecord(catalog, shown), type: 'withdraw', fee: feeText(shown.transfer.fee) }
}
