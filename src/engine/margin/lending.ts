/**
 * What may be spent, borrowed and taken out, and what a wallet with debt may lose.
 *
 * Bounds    the leverage of the coin, the account's limit and the lending pool; money with debt leaves only while assets
 *           stay at twice the debt
 * Source    design.md §4.36; risk-engine.md §16, §17
 */
import type { Account, AccountHandle, WalletType } from '../accounts/accounts.ts'
import type { Coin, CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { domainAvailable, domainEquity } from '../futures/futures.ts'
import type { MarginWallet } from '../ledger/ledger.ts'
import {
  type Amount,
  cappedAmount,
  divCeil,
  divFloor,
  maxAmount,
  minAmount,
  oneCoin,
  zero,
} from '../numbers/numbers.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'

/** A level at or above this lets money leave: assets are twice the debt. */
const transferLevel = 2n

/** What a spot or margin order, a repayment or a transfer may use of one coin. */
export function spendable(venue: Venue, account: Account, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'spot' || wallet === 'p2p' || wallet === 'crossed_margin') {
    return venue.ledger.freeOf(venue.ledger.find(account.handle, wallet, coin))
  }
  return maxAmount(zero, domainAvailable(venue, account.handle, wallet, coin))
}

/**
 * Assets and debt of a margin wallet in USD of 1e-8, at index prices. Futures margin does not count as asset; what the
 * futures of a unified wallet have lost beyond its balance counts as debt, in the coin that they settle in.
 */
function marginAccount(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
): { readonly assets: bigint; readonly debt: bigint } {
  let assets = 0n
  let debt = 0n
  for (const row of venue.ledger.rowsOf(account.handle)) {
    if (venue.ledger.walletOf(row) !== wallet) continue
    const coin = venue.ledger.coinOf(row)
    const usd = venue.prices.usdE8(coin)
    assets += divFloor(assetUnits(venue, account, wallet, row, coin) * usd, oneCoin)
    debt += divCeil((venue.ledger.debtOf(row) + futuresLoss(venue, account, wallet, coin)) * usd, oneCoin)
  }
  return { assets, debt }
}

function futuresLoss(venue: Venue, account: Account, wallet: MarginWallet, coin: CoinId): bigint {
  if (wallet === 'crossed_margin') return 0n
  const equity = domainEquity(venue, account.handle, wallet, coin)
  return equity < 0n ? -equity : 0n
}

function assetUnits(venue: Venue, account: Account, wallet: MarginWallet, row: Row, coin: CoinId): bigint {
  if (wallet === 'crossed_margin') return venue.ledger.balanceOf(row)
  const free = maxAmount(zero, domainAvailable(venue, account.handle, wallet, coin))
  return minAmount(venue.ledger.balanceOf(row), cappedAmount(free + venue.ledger.heldOf(row)))
}

/** How much more of a coin the wallet may borrow now. */
export function borrowable(venue: Venue, account: Account, wallet: MarginWallet, coin: Coin): Amount {
  if (!coin.borrowable) return zero
  const { assets, debt } = marginAccount(venue, account, wallet)
  const equity = assets - debt
  const usd = venue.prices.usdE8(coin.id)
  if (equity <= 0n || usd <= 0n) return zero
  const byLeverage = divFloor((equity * BigInt(coin.marginLeverageMax - 1) - debt) * oneCoin, usd)
  const row = venue.ledger.find(account.handle, wallet, coin.id)
  const byAccount = coin.borrowLimit - venue.ledger.principal[row]
  const byPool = coin.lendingPoolLimit + venue.ledger.houseBalance('lendingPool', coin.id)
  let least = byLeverage
  if (byAccount < least) least = byAccount
  if (byPool < least) least = byPool
  return least > 0n ? cappedAmount(least) : zero
}

/** Below it a wallet is liquidated: eleven tenths. */
const liquidationLevel = { assets: 10n, debt: 11n }

/**
 * Whether a wallet may lose so much, in USD of 1e-8, and borrow for it: an order that borrows leaves the level at which
 * its coin may be borrowed, any other what lies above liquidation.
 */
export function levelAllows(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
  loss: bigint,
  loan: { readonly coin: Coin; readonly units: Amount } | undefined,
): boolean {
  const { assets, debt } = marginAccount(venue, account, wallet)
  const borrowed = loan === undefined ? 0n : divCeil(loan.units * venue.prices.usdE8(loan.coin.id), oneCoin)
  const owed = debt + borrowed
  const equity = assets - debt - loss
  if (owed === 0n) return true
  if (loan !== undefined) return owed <= equity * BigInt(loan.coin.marginLeverageMax - 1)
  return (equity + owed) * liquidationLevel.assets >= owed * liquidationLevel.debt
}

/** What a spot trade loses at index prices, in USD of 1e-8; negative: wins. */
export function indexLoss(
  venue: Venue,
  instrument: SpotInstrument,
  trade: { readonly buy: boolean; readonly quote: bigint; readonly base: bigint },
): bigint {
  const quote = trade.quote * venue.prices.usdE8(instrument.quote)
  const base = trade.base * venue.prices.usdE8(instrument.base)
  return divCeil(trade.buy ? quote - base : base - quote, oneCoin)
}

/** Whether a wallet has debt in any coin. */
export function owes(venue: Venue, account: AccountHandle, wallet: MarginWallet): boolean {
  for (const row of venue.ledger.rowsOf(account)) {
    if (venue.ledger.walletOf(row) === wallet && venue.ledger.debtOf(row) > 0n) return true
  }
  return false
}

/** What may leave a margin wallet: with debt, only so much that assets stay at twice the debt. */
export function marginTransferable(venue: Venue, account: Account, wallet: MarginWallet, coin: CoinId): Amount {
  const free = spendable(venue, account, wallet, coin)
  const { assets, debt } = marginAccount(venue, account, wallet)
  if (debt === 0n) return free
  const usd = venue.prices.usdE8(coin)
  const spare = divFloor((assets - transferLevel * debt) * oneCoin, usd)
  return spare < free ? maxAmount(zero, cappedAmount(spare)) : free
}
