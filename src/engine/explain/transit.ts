/**
 * Deposits and withdrawals that are under way: what is in transit, and how many blocks have confirmed it.
 *
 * Source  docs/interface.md "Deposits and withdrawals"; docs/decisions/0027-simulated-chain.md
 */
import { networks } from '../catalog/catalog.ts'
import { confirmed } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import { coinName } from './contract.ts'
import { money, type Page } from './lines.ts'

export function explainTransit(reading: Reading, page: Page, { uid }: Account): void {
  for (const transfer of reading.chainTransfers.open.values()) {
    if (transfer.uid !== uid) continue
    const { id, direction, coin, network, amount, fee, status, block, confirmations, createdAt } = transfer
    const measure = money(coinName(reading, coin))
    const part = page.about(`${direction} ${id}`)
    part.amount('amount', measure, amount)
    part.amount('fee', measure, fee)
    part.amount('in transit', measure, direction === 'deposit' || status === 'pending' ? amount : 0n)
    part.input('network', network)
    part.input('status', status)
    part.input('createdAt', createdAt)
    if (network === '' || block === 0) continue
    part.input('block', block)
    part.input('block ms', networks[network].blockMs)
    part.input('confirmations', `${confirmed(reading, transfer)} of ${confirmations}`)
  }
}
