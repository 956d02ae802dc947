/**
 * The unified account: every coin of the `uta` wallet is collateral for all of its positions and debts.
 *
 *   equity_c = balance_c − debt_c + Σ uPnL settled in c          (isolated positions stand outside)
 *   adj      = Σ_{equity > 0} Σ_slices ⌊slice × ratio⌋ − Σ_{equity < 0} ⌈|equity| × index⌉
 *   IMR      = (Σ IM + Σ order margin + Σ |equity_c < 0| × imr_c) / adj       MMR likewise with maintenance
 *
 * Units     USD of 1e-8, collateral rounded down, what is needed rounded up
 * Rules     no new risk at IMR >= 1, liquidation at MMR >= 1
 * Source    risk-engine.md §16; design.md §3
 */
import type { AccountHandle } from '../accounts/accounts.ts'
import type { Coin, CoinId, FuturesInstrument } from '../catalog/catalog.ts'
import { initialMarginOf } from '../catalog/catalog.ts'
import { divCeil, divFloor, type Lots, oneCoin, rateOne } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { type Exposure, unrealizedPnl } from './exposure.ts'
import { maintenanceMargin } from './risk.ts'

export interface UnionStanding {
  readonly equity: bigint
  readonly initial: bigint
  readonly maintenance: bigint
  /** Σ of what can move with prices: collateral, debts, positions. Bounds how fast the standing can change. */
  readonly gross: bigint
}

export function unionStanding(venue: Venue, account: AccountHandle): UnionStanding {
  const equities = new Map<CoinId, bigint>()
  const add = (coin: CoinId, units: bigint) => equities.set(coin, (equities.get(coin) ?? 0n) + units)
  const { ledger } = venue
  for (const row of ledger.rowsOf(account)) {
    if (ledger.walletOf(row) === 'uta') add(ledger.coinOf(row), ledger.balanceOf(row) - ledger.debtOf(row))
  }
  let initial = 0n
  let maintenance = 0n
  let gross = 0n
  for (const exposure of venue.futures.ofAccount(account)) {
    if (exposure.wallet !== 'uta') continue
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    const usd = venue.prices.usdE8(instrument.settle)
    initial += usdCeil(exposure.held, usd)
    if (exposure.marginMode !== 'cross') continue
    const needs = needsOf(venue, exposure, instrument)
    add(instrument.settle, needs.pnl)
    initial += usdCeil(needs.initial, usd)
    maintenance += usdCeil(needs.maintenance, usd)
    gross += usdCeil(needs.gross, usd)
  }
  let equity = 0n
  for (const [coin, units] of equities) {
    const record = venue.catalog.coins[coin]
    const usd = venue.prices.usdE8(coin)
    if (units >= 0n) {
      equity += collateralValue(record, divFloor(units * usd, oneCoin))
      gross += divCeil(units * usd, oneCoin)
      continue
    }
    const owed = usdCeil(-units, usd)
    equity -= owed
    gross += owed
    initial += divCeil(owed * record.debtInitialRate, rateOne)
    maintenance += divCeil(owed * record.debtMaintenanceRate, rateOne)
  }
  return { equity, initial, maintenance, gross }
}

/** Worth of units of a coin in USD of 1e-8, rounded up. */
export function usdCeil(units: bigint, usd: bigint): bigint {
  return divCeil(units * usd, oneCoin)
}

/** What a cross exposure of a unified account adds and needs, in units of its settlement coin. */
export function needsOf(venue: Venue, exposure: Exposure, instrument: FuturesInstrument) {
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  let pnl = 0n
  let initial = 0n
  let gross = 0n
  for (const position of [exposure.long, exposure.short]) {
    if (position === undefined) continue
    pnl += unrealizedPnl(scale, position, mark)
    initial += initialMarginOf(scale, position.quantity, mark, exposure.leverage)
    gross += 2n * initialMarginOf(scale, position.quantity, mark, 1)
  }
  const larger = Math.max(exposure.long?.quantity ?? 0, exposure.short?.quantity ?? 0) as Lots
  const maintenance = larger === 0 ? 0n : maintenanceMargin(instrument, scale, larger, mark)
  return { pnl, initial, maintenance, gross }
}

/** Value that counts as collateral: each slice of value at its own ratio; what lies beyond the last slice does not count. */
export function collateralValue(coin: Coin, usd: bigint): bigint {
  let counted = 0n
  let from = 0n
  for (const slice of coin.collateral) {
    if (usd <= from) break
    const part = (usd < slice.to ? usd : slice.to) - from
    counted += divFloor(part * slice.ratio, rateOne)
    from = slice.to
  }
  return counted
}

/** Adjusted equity in units of a coin at its index. */
export function unionEquity(venue: Venue, account: AccountHandle, coin: CoinId): bigint {
  return divFloor(unionStanding(venue, account).equity * oneCoin, venue.prices.usdE8(coin))
}

/** What new risk may use, in units of a coin at its index; negative when the account needs more than it has. */
export function unionAvailable(venue: Venue, account: AccountHandle, coin: CoinId): bigint {
  const { equity, initial } = unionStanding(venue, account)
  return divFloor((equity - initial) * oneCoin, venue.prices.usdE8(coin))
}

/** Whether anything but plain balances stands in the wallet: positions, order margin or debt. */
export function carriesRisk(venue: Venue, account: AccountHandle): boolean {
  const { ledger } = venue
  for (const exposure of venue.futures.ofAccount(account)) {
    if (exposure.wallet !== 'uta') continue
    if (exposure.long !== undefined || exposure.short !== undefined || exposure.held > 0n) return true
  }
  for (const row of ledger.rowsOf(account)) {
    if (ledger.walletOf(row) === 'uta' && ledger.debtOf(row) > 0n) return true
  }
  return false
}
