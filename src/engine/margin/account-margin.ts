/**
 * What a margin account has, needs, and may still use.
 *
 * Account    a wallet and margin coin; of a unified account its whole wallet (unified-margin.ts)
 * cross      equity Eq' = W + min(0, Σ uPnL);  available = Eq' − Σ IM − held;  IM = ⌈V(mark) / L⌉, both hedge sides;
 *            with `profitAsMargin` Eq' = W + Σ uPnL for new risk, never for what leaves the wallet
 * isolated   margin and its PnL stand outside the margin account
 * Rounding   equity and available down, margin and holds up
 * Source     risk-engine.md §6, §7, §11, §21
 */
import { type CoinId, type FuturesInstrument, initialMarginOf } from '../catalog/catalog.ts'
import {
  type Amount,
  amount,
  cappedAmount,
  divCeil,
  divFloor,
  maxAmount,
  minAmount,
  oneCoin,
  zero,
} from '../numbers/numbers.ts'
import { type Exposure, largerSide, type Position, type Reading, unrealizedPnl } from '../state/state.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'
import type { RiskBook } from './liquidation-price.ts'
import { maintenanceMargin } from './maintenance.ts'
import { carriesRisk, unifiedAvailable, unifiedEquity, unifiedSpendable, unifiedMargin } from './unified-margin.ts'

/** A margin account's equity, and what its cross positions (of a unified wallet also its debts) need to stay. */
export function accountMargin(
  reading: Reading,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
): { readonly equity: bigint; readonly maintenance: bigint } {
  if (wallet === 'uta') {
    const { equity, maintenance } = unifiedMargin(reading, account)
    const usd = reading.prices.usdE8(coin)
    if (usd === oneCoin) return { equity, maintenance }
    return { equity: divFloor(equity * oneCoin, usd), maintenance: divCeil(maintenance * oneCoin, usd) }
  }
  const { futures } = reading
  let maintenance = 0n
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== wallet || exposure.marginMode !== 'cross') continue
    const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
    if (settle === coin) maintenance += crossMaintenance(reading, exposure)
  }
  return { equity: marginAccountEquity(reading, account, wallet, coin), maintenance }
}

/**
 * What the margin account would be worth if its cross positions were closed at mark prices, in units of the coin.
 * Of a unified wallet: what all of its coins count for.
 */
export function marginAccountEquity(
  reading: Reading,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
): bigint {
  if (wallet === 'uta') return unifiedEquity(reading, account, coin)
  const balance = reading.ledger.balanceOf(reading.ledger.find(account, wallet, coin))
  return balance + crossMargin(reading, account, wallet, coin).unrealizedPnl
}

/** What the margin account may use for new risk; negative when what it carries asks for more than it has. */
export function marginAccountAvailable(
  reading: Reading,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
): Amount {
  if (wallet === 'uta') return bounded(unifiedAvailable(reading, account, coin))
  const free = reading.ledger.freeOf(reading.ledger.find(account, wallet, coin))
  const carried = crossMargin(reading, account, wallet, coin)
  const { profitAsMargin } = reading.settings.risk
  const pnl = profitAsMargin ? carried.unrealizedPnl : minAmount(zero, carried.unrealizedPnl)
  return cappedAmount(free + pnl - carried.initialMargin)
}

/** What may leave the wallet: less than available while cross positions lose or win on paper. */
export function marginAccountTransferable(
  reading: Reading,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
): Amount {
  if (wallet === 'uta') return maxAmount(zero, walletSpendable(reading, account, coin))
  const free = reading.ledger.freeOf(reading.ledger.find(account, wallet, coin))
  const carried = crossMargin(reading, account, wallet, coin)
  return maxAmount(zero, cappedAmount(free - carried.initialMargin + minAmount(zero, carried.unrealizedPnl)))
}

/** What of a coin may leave a unified wallet or be spent: no more than lies free, and than the margin can spare. */
export function walletSpendable(reading: Reading, account: AccountHandle, coin: CoinId): Amount {
  const free = reading.ledger.freeOf(reading.ledger.find(account, 'uta', coin))
  if (!carriesRisk(reading, account)) return free
  return minAmount(free, bounded(unifiedSpendable(reading, account, coin)))
}

/** What the cross positions of a unified wallet have lost beyond its balance of a coin. */
export function futuresLoss(reading: Reading, account: AccountHandle, coin: CoinId): bigint {
  const balance = reading.ledger.balanceOf(reading.ledger.find(account, 'uta', coin))
  const equity = balance + crossMargin(reading, account, 'uta', coin).unrealizedPnl
  return equity < 0n ? -equity : 0n
}

/** What the cross positions of one margin account come to, at mark prices. */
export interface CrossMargin {
  readonly unrealizedPnl: Amount
  readonly initialMargin: Amount
}

export function crossMargin(reading: Reading, account: AccountHandle, wallet: WalletType, coin: CoinId): CrossMargin {
  const { futures } = reading
  let pnl = 0n
  let initial = 0n
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== wallet || exposure.marginMode !== 'cross') continue
    const { long, short } = exposure
    if (long === undefined && short === undefined) continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    if (instrument.settle !== coin) continue
    const scale = reading.scale(instrument.id)
    const mark = reading.prices.markPrice(instrument.id)
    for (const position of [long, short]) {
      if (position === undefined) continue
      pnl += unrealizedPnl(scale, position, mark)
      initial += initialMarginOf(scale, position.quantity, mark, exposure.leverage)
    }
  }
  return { unrealizedPnl: cappedAmount(pnl), initialMargin: cappedAmount(initial) }
}

/** The cross exposures of one margin account, the given one among them. */
export function* crossExposures(
  reading: Reading,
  exposure: Exposure,
  instrument: FuturesInstrument,
): Generator<Exposure> {
  for (const other of reading.futures.ofAccount(exposure.account)) {
    const settle = (reading.instrument(other.instrument) as FuturesInstrument).settle
    if (other.wallet === exposure.wallet && other.marginMode === 'cross' && settle === instrument.settle) yield other
  }
}

/** Maintenance margin of an exposure's cross positions at the mark, rounded up: the larger side counts. */
export function crossMaintenance(reading: Reading, exposure: Exposure): Amount {
  const larger = largerSide(exposure)
  if (larger === 0) return zero
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  return maintenanceMargin(instrument, reading.scale(instrument.id), larger, reading.prices.markPrice(instrument.id))
}

/** Unrealized PnL of an exposure's positions at the mark, each rounded down. */
export function crossPnl(reading: Reading, exposure: Exposure): bigint {
  const mark = reading.prices.markPrice(exposure.instrument)
  let pnl = 0n
  for (const position of [exposure.long, exposure.short]) {
    if (position !== undefined) pnl += unrealizedPnl(reading.scale(exposure.instrument), position, mark)
  }
  return pnl
}

/** What a position's liquidation price is solved with. */
export function riskBook(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): RiskBook {
  if (exposure.marginMode === 'isolated') {
    const { margin, entryValue, quantity } = position
    const [long, short] = position.side === 'long' ? [quantity, 0] : [0, quantity]
    return { collateral: margin, entryValue, long, short }
  }
  return {
    collateral: crossCollateral(reading, exposure, instrument),
    entryValue: (exposure.long?.entryValue ?? 0n) + (exposure.short?.entryValue ?? 0n),
    long: exposure.long?.quantity ?? 0,
    short: exposure.short?.quantity ?? 0,
  }
}

/** X = W + Σ others' uPnL − Σ others' MM, over the other cross contracts of the margin account. */
function crossCollateral(reading: Reading, exposure: Exposure, instrument: FuturesInstrument): bigint {
  const slot = reading.ledger.find(exposure.account, exposure.wallet, instrument.settle)
  let collateral: bigint = reading.ledger.balanceOf(slot)
  for (const other of crossExposures(reading, exposure, instrument)) {
    if (other.index === exposure.index) continue
    collateral += crossPnl(reading, other) - crossMaintenance(reading, other)
  }
  return collateral
}

/** Cross positions of an exposure's margin account that win at the mark price, the largest profit first. */
export function winnersOf(reading: Reading, exposure: Exposure): Winner[] {
  const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
  const winners: Winner[] = []
  for (const other of reading.futures.ofAccount(exposure.account)) {
    const instrument = reading.instrument(other.instrument) as FuturesInstrument
    if (other.wallet !== exposure.wallet || other.marginMode !== 'cross' || instrument.settle !== settle) continue
    for (const position of [other.long, other.short]) {
      if (position === undefined || position.quantity === 0) continue
      const profit = unrealizedPnl(reading.scale(instrument.id), position, reading.prices.markPrice(instrument.id))
      if (profit > 0n) winners.push({ exposure: other, position, profit })
    }
  }
  return winners.sort((a, b) => (a.profit === b.profit ? a.position.id - b.position.id : a.profit > b.profit ? -1 : 1))
}

interface Winner {
  readonly exposure: Exposure
  readonly position: Position
  readonly profit: Amount
}

/** Whether the account may hold long and short of this contract side by side. */
export function isHedged(reading: Reading, exposure: Exposure): boolean {
  const { category } = reading.instrument(exposure.instrument) as FuturesInstrument
  return reading.accounts.byHandle(exposure.account).holdMode[category] === 'hedge_mode'
}

/** Availability is compared with amounts: beyond 62 bits it is as good as endless. */
function bounded(units: bigint): Amount {
  return amount(units > availableMax ? availableMax : units < availableMin ? availableMin : units)
}

export const availableMax = 2n ** 62n
const availableMin = -availableMax
