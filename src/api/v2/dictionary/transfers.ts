/**
 * Transfers as v2 writes them. A transfer is done when it is answered, so that its record is always a success.
 *
 * Source  wire/client-endpoints.md §4
 */
import type { Catalog } from '../../../engine/catalog/catalog.ts'
import type { TransferEvent } from '../../../engine/protocol/event.ts'
import type * as records from '../records.ts'
import { amountText, coinName } from './figures.ts'

function transferBase(catalog: Catalog, transfer: TransferEvent) {
  return {
    coin: coinName(catalog, transfer.coin),
    status: 'Successful',
    toType: transfer.toWallet,
    fromType: transfer.fromWallet,
    size: amountText(transfer.amount),
    ts: String(transfer.at),
    clientOid: transfer.clientOid,
    transferId: String(transfer.transferId),
  }
}

/** The symbols are those of isolated margin, which the venue does not offer. */
export function transferRecord(catalog: Catalog, transfer: TransferEvent): records.TransferRecord {
  return { ...transferBase(catalog, transfer), toSymbol: '', fromSymbol: '' }
}

export function familyTransferRecord(catalog: Catalog, transfer: TransferEvent): records.FamilyTransferRecord {
  return {
    ...transferBase(catalog, transfer),
    newTransferId: String(transfer.transferId),
    fromUserId: String(transfer.fromUid),
    toUserId: String(transfer.toUid),
  }
}
