/**
 * Debts of a unified wallet, and with which coins they can be paid.
 *
 * Source  interface.md E11; design.md §4.36; wire/v3-endpoints.md §4 `repay`
 */
import { plainOrder } from '../admission/admission.ts'
import type { CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { spendable } from '../lending/lending.ts'
import { type Amount, amount, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder, RepayDebts } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { debtOf, tradingWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'

/** The wallet whose debts are repaid. */
export const unified = 'uta'

/** Those of the named coins that are owed. Refused when no named payment can pay any of them. */
export function debtsToRepay(
  reading: Reading,
  command: RepayDebts,
): { readonly account: Account; readonly owed: readonly CoinId[] } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v3', 'MARGIN')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  const owed = command.debts.filter((coin) => debtIn(reading, account, coin) > 0n)
  if (owed.length === 0) return { kind: 'no-debt' }
  const usable = owed.some((debt) => command.payments.some((coin) => canPay(reading, account, debt, coin)))
  if (!usable) return { kind: 'repay-above-available', available: amount(0n) }
  return { account, owed }
}

/** Whether there is something of a coin to pay with, and it is the debt's own or can be traded for it. */
function canPay(reading: Reading, account: Account, debt: CoinId, payment: CoinId): boolean {
  if (spendable(reading, account, unified, payment) <= 0n) return false
  return payment === debt || pairOf(reading, payment, debt) !== undefined
}

/** What the unified wallet owes of a coin, interest included. */
export function debtIn(reading: Reading, account: Account, coin: CoinId): Amount {
  return debtOf(reading, reading.ledger.find(account.handle, unified, coin))
}

/** Balance less debt: what comes in may pay debt at once. */
export function netOf(reading: Reading, account: Account, coin: CoinId): bigint {
  return reading.ledger.balanceOf(reading.ledger.find(account.handle, unified, coin)) - debtIn(reading, account, coin)
}

/** What is owed of these coins, in 1e-16 USD at index prices. */
export function worthOf(reading: Reading, account: Account, coins: readonly CoinId[]): bigint {
  return coins.reduce((sum, coin) => sum + debtIn(reading, account, coin) * reading.prices.usdE8(coin), 0n)
}

/** The spot pair of two coins, whichever of them is its base. */
export function pairOf({ catalog }: Reading, payment: CoinId, debt: CoinId): SpotInstrument | undefined {
  const found = catalog.instruments.find(
    (pair) =>
      pair.kind === 'spot' &&
      ((pair.base === payment && pair.quote === debt) || (pair.base === debt && pair.quote === payment)),
  )
  return found?.kind === 'spot' ? found : undefined
}

/** The spot order that trades a payment for a debt; price 0: at market. */
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
