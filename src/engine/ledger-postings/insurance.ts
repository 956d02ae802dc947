/**
 * What the insurance fund pays into a wallet and gets out of it, and what is published of that.
 *
 * Source  risk-engine.md §14
 */
import type { CoinId } from '../catalog/catalog.ts'
import type { Amount } from '../numbers/numbers.ts'
import type { BillType } from '../protocol/event.ts'
import type { State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'
import { bill } from './bills.ts'

/** The fund pays into a wallet, or (negative) takes from it: posted, published and billed. */
export function insure(
  state: State,
  slot: Row,
  units: Amount,
  {
    type = 'insurance',
    ...facts
  }: { readonly type?: BillType; readonly instrument?: number; readonly fee?: Amount } = {},
): void {
  const { ledger } = state
  ledger.post('insurance', slot, units)
  ledger.updatedAt[slot] = state.at
  publishInsurance(state, ledger.account[slot], ledger.walletOf(slot), ledger.coinOf(slot), units)
  bill(state, slot, type, units, facts)
}

/** Publishes what the fund paid (negative: got), with its balance after that; nothing for zero. */
export function publishInsurance(
  state: State,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
  units: Amount,
): void {
  if (units === 0n) return
  const { uid } = state.accounts.byHandle(account)
  const id = state.counters.flow++
  const balance = state.ledger.houseBalance('insurance', coin)
  state.emit({ kind: 'insurance', id, uid, wallet, coin, amount: units, balance, at: state.at })
}
