/**
 * Deposits and withdrawals in v3 records, and addresses that an account has withdrawn to.
 *
 * Size    of a withdrawal: what left the wallets, the fee in it; the fee is negative
 * Source  wire/v3-endpoints.md §4; docs/decisions/0027-simulated-chain.md
 */
import type { Static } from 'typebox'
import type { WithdrawalAddress } from '../../../engine/protocol/event.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { destinationWords, type ShownTransfer, statusWords, transactionWord } from '../../chain-transfers.ts'
import { formatAmount } from '../../figures.ts'
import type * as records from '../records.ts'

interface FoundAddress {
  readonly coin: string
  readonly network: string
  readonly address: string
  readonly tag: string
}

export function depositAddress({ coin, network, address, tag }: FoundAddress): Static<typeof records.DepositAddress> {
  return { address, chain: network, coin, tag, url: '' }
}

function transferRecord({ transfer }: ShownTransfer, catalog: CatalogIndex) {
  return {
    orderId: String(transfer.id),
    clientOid: transfer.clientOid,
    recordId: transactionWord(transfer),
    coin: catalog.coinName(transfer.coin),
    dest: destinationWords[transfer.destination],
    size: formatAmount(transfer.amount),
    status: statusWords[transfer.status],
    fromAddress: transfer.fromAddress,
    toAddress: transfer.toAddress,
    tag: transfer.tag,
    chain: transfer.network,
    createdTime: String(transfer.createdAt),
    updatedTime: String(transfer.updatedAt),
  }
}

export function depositRecord(shown: ShownTransfer, catalog: CatalogIndex): Static<typeof records.DepositRecord> {
  return { ...transferRecord(shown, catalog), type: 'deposit' }
}

export function withdrawalRecord(shown: ShownTransfer, catalog: CatalogIndex): Static<typeof records.WithdrawalRecord> {
  return {
    ...transferRecord(shown, catalog),
    type: 'withdraw',
    fee: formatAmount(0n - shown.transfer.fee),
    confirm: String(shown.confirmed),
  }
}

export function withdrawalAddress(
  { coin, network, address, tag, at }: WithdrawalAddress,
  catalog: CatalogIndex,
): Static<typeof records.WithdrawalAddress> {
  const isEvm = network === 'ERC20' || network === 'BEP20'
  return {
    coin: catalog.coinName(coin),
    chain: network,
    address,
    countryCode: '',
    label: '',
    memo: tag,
    type: network === '' ? 'internal' : isEvm ? 'EVM' : 'regular',
    internalType: network === '' ? 'uid' : '',
    createdTime: String(at),
  }
}
