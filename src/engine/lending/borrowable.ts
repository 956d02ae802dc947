/**
 * What may be spent, borrowed and taken out, and what a wallet with debt may lose.
 *
 * Bounds    the borrow level and the leverage that the account chose for the coin, what one account may owe, the pool of
 *           the coin; money with debt leaves only while assets stay at the transfer level
 * Units     values in 1e-16 USD, as `WalletState` has them
 * Source    design.md §4.36; risk-engine.md §16, §17
 */
import type { Coin, CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { carriesRisk, marginAccountAvailable, walletSpendable } from '../margin/margin.ts'
import { type Amount, big, cappedAmount, divFloor, maxAmount, rateOne, zero } from '../numbers/numbers.ts'
import { isCoinHalted } from '../price-rules/price-rules.ts'
import { lentOut, type MarginWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'
import { coinLeverage } from './coin-leverage.ts'
import { walletStateOf } from './margin-level.ts'
import { untrustedOf } from './untrusted-prices.ts'

/** What a spot or margin order, a repayment or a transfer may use of one coin. */
export function spendable(reading: Reading, account: Account, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'spot' || wallet === 'p2p' || wallet === 'crossed_margin') {
    return reading.ledger.freeOf(reading.ledger.find(account.handle, wallet, coin))
  }
  if (wallet === 'uta') return maxAmount(zero, walletSpendable(reading, account.handle, coin))
  return maxAmount(zero, marginAccountAvailable(reading, account.handle, wallet, coin))
}

/**
 * How much more of a coin the wallet may borrow now, in units of the coin, rounded down. A, D: assets and debt, x: the loan,
 * all at index prices.
 *
 * leverage L: x <= A·(L − 1) − D·L        borrow level b: (A + x) / (D + x) >= b, so x <= (A − b·D) / (b − 1)
 */
export function borrowable(
  reading: Reading,
  account: Account,
  wallet: MarginWallet,
  coin: Coin,
  atLeverage = coinLeverage(reading, account, coin),
): Amount {
  if (!coin.borrowable || isCoinHalted(reading, coin.id)) return zero
  const usd = reading.prices.usdE8(coin.id)
  const untrusted = untrustedOf(reading, account, wallet)
  if (usd <= 0n || untrusted.owed) return zero
  const { assets: all, debt } = walletStateOf(reading, account, wallet)
  const assets = all - untrusted.assets
  const leverage = big(atLeverage)
  const { borrow } = reading.settings.margin
  const bounds = [
    divFloor(assets * (leverage - 1n) - debt * leverage, usd),
    coin.borrowLimit - owedOf(reading, account, coin.id),
    coin.lendingPoolLimit - lentOut(reading, coin.id),
    divFloor(assets * rateOne - borrow * debt, (borrow - rateOne) * usd), // the borrow level lies above 1 (venue-rules/loan-terms.ts)
  ]
  const least = bounds.reduce((a, b) => (b < a ? b : a))
  return least > 0n ? cappedAmount(least) : zero
}

/** Principal that an account owes of a coin, over its wallets. */
function owedOf(reading: Reading, account: Account, coin: CoinId): bigint {
  const { ledger } = reading
  return (
    ledger.principal[ledger.find(account.handle, 'crossed_margin', coin)] +
    ledger.principal[ledger.find(account.handle, 'uta', coin)]
  )
}

/**
 * Whether a wallet may lose `loss` (1e-16 USD) and borrow for it. An order that borrows must leave the level and the
 * leverage at which its coin may be borrowed; any other must leave the wallet above the liquidation level.
 */
export function levelAllows(
  reading: Reading,
  account: Account,
  wallet: MarginWallet,
  loss: bigint,
  loan: { readonly coin: Coin; readonly units: Amount } | undefined,
): boolean {
  // Most owe nothing and never did.
  if (loan === undefined && isPlain(reading, account.handle, wallet)) return true
  const { assets, debt } = walletStateOf(reading, account, wallet)
  const { borrow, liquidation } = reading.settings.margin
  if (loan === undefined) return debt === 0n || (assets - loss) * rateOne > debt * liquidation
  const borrowed = loan.units * reading.prices.usdE8(loan.coin.id)
  const owed = debt + borrowed
  const equity = assets - debt - loss - untrustedOf(reading, account, wallet).assets
  const leverage = big(coinLeverage(reading, account, loan.coin))
  return owed <= equity * (leverage - 1n) && (equity + owed) * rateOne >= owed * borrow
}

/** What a spot trade loses at index prices, in 1e-16 USD; negative: what it wins. */
export function indexLoss(
  reading: Reading,
  instrument: SpotInstrument,
  trade: { readonly buy: boolean; readonly quote: bigint; readonly base: bigint },
): bigint {
  const quote = trade.quote * reading.prices.usdE8(instrument.quote)
  const base = trade.base * reading.prices.usdE8(instrument.base)
  return trade.buy ? quote - base : base - quote
}

/** Whether a wallet has debt in any coin. */
export function owes(reading: Reading, account: AccountHandle, wallet: MarginWallet): boolean {
  return reading.ledger.owes(account, wallet)
}

/** Without debt, and of a unified wallet without positions that could have lost more than it has. */
function isPlain(reading: Reading, account: AccountHandle, wallet: MarginWallet): boolean {
  return wallet === 'uta' ? !carriesRisk(reading, account) : !owes(reading, account, wallet)
}

/** What may leave a margin wallet: with debt, only so much that assets stay at the transfer level. */
export function marginTransferable(reading: Reading, account: Account, wallet: MarginWallet, coin: CoinId): Amount {
  const free = spendable(reading, account, wallet, coin)
  const { assets, debt } = walletStateOf(reading, account, wallet)
  if (debt === 0n) return free
  const usd = reading.prices.usdE8(coin)
  const spare = divFloor(assets * rateOne - reading.settings.margin.transfer * debt, usd * rateOne)
  return spare < free ? maxAmount(zero, cappedAmount(spare)) : free
}
