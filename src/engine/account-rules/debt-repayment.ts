/**
 * Debts of a margin wallet, and with which coins they can be paid.
 *
 * Wallets  `uta` of v3 `repay`; of a flash repayment that which v2 borrows for (design §3)
 * Source   interface.md E11; design.md §4.36; wire/v3-endpoints.md §4 `repay`; fidelity §2
 */
import { plainOrder } from '../admission/admission.ts'
import type { Coin, CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { spendable } from '../lending/lending.ts'
import { type Amount, amount, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { FlashRepay, PlaceOrder, RepayDebts } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { debtOf, type MarginWallet, tradingWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'

/** Whose debts are repaid, and in which wallet. */
export interface Debtor {
  readonly account: Account
  readonly wallet: MarginWallet
}

/** What is owed and shall be paid, and the coins to pay with. */
interface Repayment {
  readonly debtor: Debtor
  readonly owed: readonly CoinId[]
  readonly payments: readonly CoinId[]
}

/** Those of the named coins that are owed. Refused when no named payment can pay any of them. */
export function debtsToRepay(reading: Reading, command: RepayDebts): Repayment | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v3', 'MARGIN')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  return payable(reading, { account, wallet: wallet as MarginWallet }, command.debts, command.payments)
}

/** What is owed of the coin, or of all. It is paid with itself and with every coin of the wallet that is not owed. */
export function debtsToFlashRepay(reading: Reading, command: FlashRepay): Repayment | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v2', 'MARGIN')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  const { coins } = reading.catalog
  if (command.coin !== undefined && (coins[command.coin] as Coin | undefined) === undefined) {
    return { kind: 'coin-unknown' }
  }
  const all = coins.map(({ id }) => id)
  const debtor = { account, wallet: wallet as MarginWallet }
  const debts = command.coin === undefined ? all : [command.coin]
  const payments = all.filter((coin) => debts.includes(coin) || debtIn(reading, debtor, coin) === 0n)
  return payable(reading, debtor, debts, payments)
}

function payable(
  reading: Reading,
  debtor: Debtor,
  debts: readonly CoinId[],
  payments: readonly CoinId[],
): Repayment | Refusal {
  const owed = debts.filter((coin) => debtIn(reading, debtor, coin) > 0n)
  if (owed.length === 0) return { kind: 'no-debt' }
  const usable = owed.some((debt) => payments.some((coin) => canPay(reading, debtor, debt, coin)))
  if (!usable) return { kind: 'repay-above-available', available: amount(0n) }
  return { debtor, owed, payments }
}

/** Whether there is something of a coin to pay with, and it is the debt's own or can be traded for it. */
function canPay(reading: Reading, { account, wallet }: Debtor, debt: CoinId, payment: CoinId): boolean {
  if (spendable(reading, account, wallet, payment) <= 0n) return false
  return payment === debt || pairOf(reading, payment, debt) !== undefined
}

/** What the wallet owes of a coin, interest included. */
export function debtIn(reading: Reading, { account, wallet }: Debtor, coin: CoinId): Amount {
  return debtOf(reading, reading.ledger.find(account.handle, wallet, coin))
}

/** Balance less debt: what comes in may pay debt at once. */
export function netOf(reading: Reading, debtor: Debtor, coin: CoinId): bigint {
  const row = reading.ledger.find(debtor.account.handle, debtor.wallet, coin)
  return reading.ledger.balanceOf(row) - debtIn(reading, debtor, coin)
}

/** What is owed of these coins, in 1e-16 USD at index prices. */
export function worthOf(reading: Reading, debtor: Debtor, coins: readonly CoinId[]): bigint {
  return coins.reduce((sum, coin) => sum + debtIn(reading, debtor, coin) * reading.prices.usdE8(coin), 0n)
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

/** The order that trades a payment for a debt and borrows nothing; price 0: at market. */
export function orderOf(
  { account, wallet }: Debtor,
  pair: SpotInstrument,
  side: 'buy' | 'sell',
  lots: Lots,
  price: Ticks | 0,
): PlaceOrder {
  const trades = wallet === 'uta' ? ({ interface: 'v3', category: 'SPOT' } as const) : crossMargin
  return {
    ...plainOrder,
    ...trades,
    uid: account.uid,
    instrument: pair.id,
    side,
    orderType: price === 0 ? 'market' : 'limit',
    price,
    quantity: { unit: 'lots', lots },
  }
}

const crossMargin = { interface: 'v2', category: 'MARGIN' } as const
