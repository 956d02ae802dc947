/**
 * The unified account: every coin of the `uta` wallet is collateral for all of its positions and debts.
 *
 *   equity_c = balance_c − debt_c + Σ uPnL settled in c          (isolated positions stand outside)
 *   adj      = Σ_{equity > 0} Σ_slices ⌊slice × ratio⌋ − Σ_{equity < 0} ⌈|equity| × index⌉
 *   IMR      = (Σ IM + Σ order margin + Σ |equity_c < 0| × imr_c) / adj       MMR likewise with maintenance
 *
 * Chosen    coins that the account did not choose as collateral add nothing (accounts/collateral.ts)
 * Units     USD of 1e-8, collateral rounded down, what is needed rounded up
 * Rules     no new risk at IMR >= 1, liquidation at MMR >= 1
 * Source    risk-engine.md §16; design.md §3
 */
import {
  type Coin,
  type CoinId,
  type FuturesInstrument,
  initialMarginOf,
  isFutures,
  type Scale,
  valueCeil,
} from '../catalog/catalog.ts'
import { divCeil, divFloor, type Lots, oneCoin, rateOne, type Ticks, worthFloor } from '../numbers/numbers.ts'
import { debtOf } from '../records/records.ts'
import { type Exposure, largerSide, type Reading, unrealizedPnl } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { AccountHandle, CollateralChoice } from '../vocabulary.ts'
import { maintenanceMargin } from './maintenance.ts'

export interface UnifiedMargin {
  readonly equity: bigint
  readonly initial: bigint
  readonly maintenance: bigint
}

export function unifiedMargin(
  reading: Reading,
  account: AccountHandle,
  collateral = reading.accounts.byHandle(account).collateral,
): UnifiedMargin {
  return unifiedParts(reading, account, collateral, 'all')
}

/** As much of it as is asked for; what is left out is zero, or too little. */
function unifiedParts(
  reading: Reading,
  account: AccountHandle,
  collateral: CollateralChoice,
  asked: 'equity' | 'initial' | 'all',
): UnifiedMargin {
  countBalances(reading, account)
  const { futures } = reading
  const { equities } = reading.scratch
  let initial = 0n
  let maintenance = 0n
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== 'uta') continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const usd = reading.prices.usdE8(instrument.settle)
    if (exposure.held > 0n) initial += usdCeil(exposure.held, usd)
    if (exposure.marginMode !== 'cross') continue
    // Most of what was once traded has no position any more.
    if (exposure.longRow === noRow && exposure.shortRow === noRow) continue
    const scale = reading.scale(instrument.id)
    const mark = reading.prices.markPrice(instrument.id)
    equities.add(instrument.settle, pnlOf(exposure, scale, mark))
    if (asked === 'equity') continue
    initial += usdCeil(initialOf(exposure, scale, mark), usd)
    if (asked === 'all') maintenance += usdCeil(maintenanceOf(exposure, instrument, scale, mark), usd)
  }
  let equity = 0n
  for (let place = 0; place < equities.count; place++) {
    const coin = equities.coins[place]
    const units = equities.units[place]
    const usd = reading.prices.usdE8(coin)
    if (units >= 0n) {
      equity += countedUsd(reading, collateral, coin, units, usd)
      continue
    }
    const record = reading.catalog.coins[coin]
    const owed = usdCeil(-units, usd)
    equity -= owed
    initial += divCeil(owed * record.debtInitialRate, rateOne)
    maintenance += divCeil(owed * record.debtMaintenanceRate, rateOne)
  }
  return { equity, initial, maintenance }
}

/** Begins the equities of an account: what it has of each coin, less what it owes. */
export function countBalances(reading: Reading, account: AccountHandle): void {
  const { equities } = reading.scratch
  equities.begin(account)
  const { ledger } = reading
  for (let row = ledger.first[account] ?? noRow; row !== noRow; row = ledger.next[row]) {
    if (ledger.walletOf(row) !== 'uta') continue
    const debt = ledger.principal[row] === 0n && ledger.interest[row] === 0n ? 0n : debtOf(reading, row)
    equities.add(ledger.coinOf(row), ledger.balance[row] - debt)
  }
}

/** What equity of a coin, not negative, counts for. */
export function countedUsd(
  reading: Reading,
  choice: CollateralChoice,
  coin: CoinId,
  units: bigint,
  usd: bigint,
): bigint {
  if (!isCollateral(reading, choice, coin)) return 0n
  return collateralValue(reading.catalog.coins[coin], usdFloor(units, usd))
}

/** Whether a coin counts for an account that chose so. */
export function isCollateral({ catalog }: Reading, choice: CollateralChoice, coin: CoinId): boolean {
  if (choice === 'all') return true
  if (choice !== 'mainstream') return choice.includes(coin)
  return catalog.instruments.some((instrument) => isFutures(instrument) && instrument.settle === coin)
}

/**
 * Σ of what can move with prices, in USD of 1e-8: collateral, debts, cross positions on both sides. Bounds how fast the
 * margin can change whose equities were counted last: those of this account.
 */
export function lastGross(reading: Reading, account: AccountHandle): bigint {
  const { equities } = reading.scratch
  equities.assertOf(account)
  let gross = 0n
  for (let place = 0; place < equities.count; place++) {
    const units = equities.units[place]
    gross += usdCeil(units < 0n ? -units : units, reading.prices.usdE8(equities.coins[place]))
  }
  for (const exposure of reading.futures.ofAccount(account)) {
    if (exposure.wallet !== 'uta' || exposure.marginMode !== 'cross') continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const scale = reading.scale(instrument.id)
    const quantity = exposure.longQuantity + exposure.shortQuantity
    const worth = valueCeil(scale, quantity, reading.prices.markPrice(instrument.id))
    gross += usdCeil(2n * worth, reading.prices.usdE8(instrument.settle))
  }
  return gross
}

/** Worth of units of a coin in USD of 1e-8, rounded up. Most are of a coin that is worth just one. */
export function usdCeil(units: bigint, usd: bigint): bigint {
  return usd === oneCoin ? units : divCeil(units * usd, oneCoin)
}

/** As usdCeil, rounded down, of what is not negative. */
function usdFloor(units: bigint, usd: bigint): bigint {
  return usd === oneCoin ? units : worthFloor(units, usd)
}

/** What a cross exposure of a unified account adds and needs, in units of its settlement coin. */
export function needsOf(reading: Reading, exposure: Exposure, instrument: FuturesInstrument, supposed?: Ticks) {
  const scale = reading.scale(instrument.id)
  const mark = supposed ?? reading.prices.markPrice(instrument.id)
  return {
    pnl: pnlOf(exposure, scale, mark),
    initial: initialOf(exposure, scale, mark),
    maintenance: maintenanceOf(exposure, instrument, scale, mark),
  }
}

function pnlOf({ long, short }: Exposure, scale: Scale, mark: Ticks): bigint {
  const ofLong = long === undefined ? 0n : unrealizedPnl(scale, long, mark)
  if (short === undefined) return ofLong
  const ofShort = unrealizedPnl(scale, short, mark)
  return long === undefined ? ofShort : ofLong + ofShort
}

function initialOf({ longQuantity, shortQuantity, leverage }: Exposure, scale: Scale, mark: Ticks): bigint {
  const ofLong = longQuantity === 0 ? 0n : initialMarginOf(scale, longQuantity as Lots, mark, leverage)
  if (shortQuantity === 0) return ofLong
  const ofShort = initialMarginOf(scale, shortQuantity as Lots, mark, leverage)
  return longQuantity === 0 ? ofShort : ofLong + ofShort
}

function maintenanceOf(exposure: Exposure, instrument: FuturesInstrument, scale: Scale, mark: Ticks): bigint {
  const larger = largerSide(exposure)
  return larger === 0 ? 0n : maintenanceMargin(instrument, scale, larger, mark)
}

/** Value that counts as collateral: each slice of value at its own ratio; what lies beyond the last slice does not count. */
export function collateralValue(coin: Coin, usd: bigint): bigint {
  const [first] = coin.collateral
  if (first !== undefined && first.ratio === rateOne && usd <= first.to) return usd
  let counted = 0n
  let from = 0n
  for (const slice of coin.collateral) {
    if (usd <= from) break
    const part = (usd < slice.to ? usd : slice.to) - from
    counted += slice.ratio === rateOne ? part : divFloor(part * slice.ratio, rateOne)
    from = slice.to
  }
  return counted
}

/** Adjusted equity in units of a coin at its index. */
export function unifiedEquity(reading: Reading, account: AccountHandle, coin: CoinId): bigint {
  const { equity } = unifiedParts(reading, account, reading.accounts.byHandle(account).collateral, 'equity')
  const usd = reading.prices.usdE8(coin)
  return usd === oneCoin ? equity : divFloor(equity * oneCoin, usd)
}

/** What new risk may use, in units of a coin at its index; negative when the account needs more than it has. */
export function unifiedAvailable(reading: Reading, account: AccountHandle, coin: CoinId): bigint {
  const { equity, initial } = unifiedParts(reading, account, reading.accounts.byHandle(account).collateral, 'initial')
  const usd = reading.prices.usdE8(coin)
  return usd === oneCoin ? equity - initial : divFloor((equity - initial) * oneCoin, usd)
}

/**
 * What of a coin the margin can spare: what leaves beyond the coin's own equity becomes debt, which needs margin itself.
 * x <= e, or e + (spare − e) / (1 + imr_c), e the equity of the coin above zero
 */
export function unifiedSpendable(reading: Reading, account: AccountHandle, coin: CoinId): bigint {
  const spare = unifiedAvailable(reading, account, coin)
  const equity = reading.scratch.equities.of(coin)
  const own = equity < 0n ? 0n : equity
  if (!isCollateral(reading, reading.accounts.byHandle(account).collateral, coin)) {
    // What does not count may leave; what leaves beyond it is a debt of its own.
    return spare <= 0n ? own : own + divFloor(spare * rateOne, rateOne + reading.catalog.coins[coin].debtInitialRate)
  }
  if (spare <= own) return spare
  return own + divFloor((spare - own) * rateOne, rateOne + reading.catalog.coins[coin].debtInitialRate)
}

/** Whether anything but plain balances stands in the wallet: positions, order margin or debt. */
export function carriesRisk(reading: Reading, account: AccountHandle): boolean {
  const { ledger, futures } = reading
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== 'uta') continue
    if (exposure.longRow !== noRow || exposure.shortRow !== noRow || exposure.held > 0n) return true
  }
  return ledger.owes(account, 'uta')
}

/** Coins that count for an account, in the order of the catalogue. */
export function collateralCoins(reading: Reading, choice: CollateralChoice): readonly CoinId[] {
  return reading.catalog.coins.map(({ id }) => id).filter((coin) => isCollateral(reading, choice, coin))
}
