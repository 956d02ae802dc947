/**
 * Debts of a unified wallet, and with which coins they can be paid.
 *
 * Source  interface.md E11; design.md §4.36; wire/v3-endpoints.md §4 `repay`
 */
import { plainOrder } from '../admission/admission.ts'
import type { CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { spendable } from '../lending/lending.ts'
import type { Amount, Lots, Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { debtOf } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'

export const unified = 'uta'

export function debtIn(reading: Reading, account: Account, coin: CoinId): Amount {
  return debtOf(reading, reading.ledger.find(account.handle, unified, coin))
}

/** Balance less debt: what comes in may pay debt by itself. */
export function netOf(reading: Reading, account: Account, coin: CoinId): bigint {
  return reading.ledger.balanceOf(reading.ledger.find(account.handle, unified, coin)) - debtIn(reading, account, coin)
}

export function canPay(reading: Reading, account: Account, debt: CoinId, payment: CoinId): boolean {
  if (spendable(reading, account, unified, payment) <= 0n) return false
  return payment === debt || pairOf(reading, payment, debt) !== undefined
}

export function worthOf(reading: Reading, account: Account, coins: readonly CoinId[]): bigint {
  return coins.reduce((sum, coin) => sum + debtIn(reading, account, coin) * reading.prices.usdE8(coin), 0n)
}

export function pairOf({ catalog }: Reading, payment: CoinId, debt: CoinId): SpotInstrument | undefined {
  const found = catalog.instruments.find(
    (one) =>
      one.kind === 'spot' &&
      ((one.base === payment && one.quote === debt) || (one.base === debt && one.quote === payment)),
  )
  return found?.kind === 'spot' ? found : undefined
}

export function orderOf(
  account: Account,
  pair: SpotInstrument,
  side: 'buy' | 'sell',
  lots: Lots,
  price: Ticks | 0,
): PlaceOrder {
  return {
    ...plainOrder,
    uid: account.uid,
    interface: 'v3',
    category: 'SPOT',
    instrument: pair.id,
    side,
    orderType: price === 0 ? 'market' : 'limit',
    price,
    quantity: { unit: 'lots', lots },
  }
}
