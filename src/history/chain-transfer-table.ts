/**
 * Deposits and withdrawals that have ended as a table. `wallet` is the first of the wallets; `wallets` has all, with what each gave or got.
 */
import { type Amount, amount } from '../engine/numbers/numbers.ts'
import type { ChainTransfer } from '../engine/protocol/event.ts'
import type { WalletType } from '../engine/vocabulary.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

const transfer = columnKinds<ChainTransfer>()

export const chainTransferColumns = {
  chain_transfer_id: transfer.number((row) => row.id),
  uid: transfer.owner((row) => row.uid),
  direction: transfer.word((row) => row.direction),
  destination: transfer.word((row) => row.destination),
  coin_id: transfer.number((row) => row.coin),
  network: transfer.word((row) => row.network),
  amount_e8: transfer.money((row) => row.amount),
  fee_e8: transfer.money((row) => row.fee),
  status: transfer.word((row) => row.status),
  from_address: transfer.text((row) => row.fromAddress),
  to_address: transfer.text((row) => row.toAddress),
  tag: transfer.text((row) => row.tag),
  transaction_id: transfer.text((row) => row.transactionId),
  wallet: transfer.word((row) => row.wallets[0].wallet),
  wallets: transfer.text((row) => walletsText(row.wallets)),
  client_oid: transfer.text((row) => row.clientOid),
  remark: transfer.text((row) => row.remark),
  block: transfer.number((row) => row.block),
  confirmations: transfer.number((row) => row.confirmations),
  created_at_ms: transfer.number((row) => row.createdAt),
  updated_at_ms: transfer.number((row) => row.updatedAt),
}

export function readChainTransfer(cells: CellsOf<typeof chainTransferColumns>): ChainTransfer {
  return {
    kind: 'chain-transfer',
    id: whole(cells.chain_transfer_id),
    uid: whole(cells.uid),
    direction: cells.direction,
    destination: cells.destination,
    coin: whole(cells.coin_id),
    network: cells.network,
    amount: amount(BigInt(cells.amount_e8)),
    fee: amount(BigInt(cells.fee_e8)),
    status: cells.status,
    fromAddress: cells.from_address,
    toAddress: cells.to_address,
    tag: cells.tag,
    transactionId: cells.transaction_id,
    wallets: readWallets(cells.wallets),
    clientOid: cells.client_oid,
    remark: cells.remark,
    block: whole(cells.block),
    confirmations: whole(cells.confirmations),
    createdAt: whole(cells.created_at_ms),
    updatedAt: whole(cells.updated_at_ms),
  }
}

/** Such as `spot 100000000,uta 5`. */
function walletsText(wallets: ChainTransfer['wallets']): string {
  return wallets.map(({ wallet, amount: units }) => `${wallet} ${units}`).join(',')
}

function readWallets(text: string): ChainTransfer['wallets'] {
  return text.split(',').map((entry): { wallet: WalletType; amount: Amount } => {
    const [wallet, units] = entry.split(' ')
    return { wallet: wallet as WalletType, amount: amount(BigInt(units)) }
  })
}
