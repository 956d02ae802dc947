/**
 * What a margin domain has, needs, and may still use.
 *
 * cross      equity Eq' = W + min(0, Σ uPnL);  available = Eq' − Σ IM − held;  IM = ⌈V(mark) / L⌉, both hedge sides;
 *            with `profitAsMargin` Eq' = W + Σ uPnL for new risk, never for what leaves the wallet
 * isolated   margin and its PnL stand outside the domain
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
import { carriesRisk, unionAvailable, unionEquity, unionSpendable, unionStanding } from './unified-margin.ts'

interface Winner {
  readonly exposure: Exposure
  readonly position: Position
  readonly profit: Amount
}

/** Cross positions of the domain that win at the mark price, the largest profit first. */
export function winnersOf(venue: Reading, exposure: Exposure): Winner[] {
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  const winners: Winner[] = []
  for (const other of venue.futures.ofAccount(exposure.account)) {
    const instrument = venue.instrument(other.instrument) as FuturesInstrument
    if (other.wallet !== exposure.wallet || other.marginMode !== 'cross' || instrument.settle !== settle) continue
    for (const position of [other.long, other.short]) {
      if (position === undefined || position.quantity === 0) continue
      const profit = unrealizedPnl(venue.scale(instrument.id), position, venue.prices.markPrice(instrument.id))
      if (profit > 0n) winners.push({ exposure: other, position, profit })
    }
  }
  return winners.sort((a, b) => (a.profit === b.profit ? a.position.id - b.position.id : a.profit > b.profit ? -1 : 1))
}

export function isHedged(venue: Reading, exposure: Exposure): boolean {
  const { category } = venue.instrument(exposure.instrument) as FuturesInstrument
  return venue.accounts.byHandle(exposure.account).holdMode[category] === 'hedge_mode'
}

/** What one domain carries in cross mode, at mark prices. */
export interface CrossMargin {
  readonly unrealizedPnl: Amount
  readonly initialMargin: Amount
}

export function crossMargin(venue: Reading, account: AccountHandle, wallet: WalletType, coin: CoinId): CrossMargin {
  const { futures } = venue
  let pnl = 0n
  let initial = 0n
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== wallet || exposure.marginMode !== 'cross') continue
    const { long, short } = exposure
    if (long === undefined && short === undefined) continue
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    if (instrument.settle !== coin) continue
    const scale = venue.scale(instrument.id)
    const mark = venue.prices.markPrice(instrument.id)
    for (const position of [long, short]) {
      if (position === undefined) continue
      pnl += unrealizedPnl(scale, position, mark)
      initial += initialMarginOf(scale, position.quantity, mark, exposure.leverage)
    }
  }
  return { unrealizedPnl: cappedAmount(pnl), initialMargin: cappedAmount(initial) }
}

/**
 * What the domain would be worth if its cross positions were closed at mark prices; of a unified wallet what all of its
 * coins count for, in the coin asked for.
 */
export function domainEquity(venue: Reading, account: AccountHandle, wallet: WalletType, coin: CoinId): bigint {
  if (wallet === 'uta') return unionEquity(venue, account, coin)
  const balance = venue.ledger.balanceOf(venue.ledger.find(account, wallet, coin))
  return balance + crossMargin(venue, account, wallet, coin).unrealizedPnl
}

/** The cross exposures that stand on the same wallet and coin as one of them. */
export function* crossExposures(
  venue: Reading,
  exposure: Exposure,
  instrument: FuturesInstrument,
): Generator<Exposure> {
  for (const other of venue.futures.ofAccount(exposure.account)) {
    const settle = (venue.instrument(other.instrument) as FuturesInstrument).settle
    if (other.wallet === exposure.wallet && other.marginMode === 'cross' && settle === instrument.settle) yield other
  }
}

/** What an exposure's cross positions need to stay, at the mark. */
export function crossMaintenance(venue: Reading, exposure: Exposure): Amount {
  const larger = largerSide(exposure)
  if (larger === 0) return zero
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  return maintenanceMargin(instrument, venue.scale(instrument.id), larger, venue.prices.markPrice(instrument.id))
}

/** A domain's equity, and what its cross positions (of a unified wallet also its debts) need to stay. */
export function domainStanding(
  venue: Reading,
  account: AccountHandle,
  wallet: WalletType,
  coin: CoinId,
): { readonly equity: bigint; readonly maintenance: bigint } {
  if (wallet === 'uta') {
    const { equity, maintenance } = unionStanding(venue, account)
    const usd = venue.prices.usdE8(coin)
    if (usd === oneCoin) return { equity, maintenance }
    return { equity: divFloor(equity * oneCoin, usd), maintenance: divCeil(maintenance * oneCoin, usd) }
  }
  const { futures } = venue
  let maintenance = 0n
  for (let exposure = futures.first(account); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.wallet !== wallet || exposure.marginMode !== 'cross') continue
    const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
    if (settle === coin) maintenance += crossMaintenance(venue, exposure)
  }
  return { equity: domainEquity(venue, account, wallet, coin), maintenance }
}

/** What the cross positions of a unified wallet have lost beyond its balance of a coin. */
export function futuresLoss(venue: Reading, account: AccountHandle, coin: CoinId): bigint {
  const balance = venue.ledger.balanceOf(venue.ledger.find(account, 'uta', coin))
  const equity = balance + crossMargin(venue, account, 'uta', coin).unrealizedPnl
  return equity < 0n ? -equity : 0n
}

/** What the domain may use for new risk; negative when what it carries asks for more than it has. */
export function domainAvailable(venue: Reading, account: AccountHandle, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'uta') return bounded(unionAvailable(venue, account, coin))
  const free = venue.ledger.freeOf(venue.ledger.find(account, wallet, coin))
  const carried = crossMargin(venue, account, wallet, coin)
  const { profitAsMargin } = venue.settings.risk
  const pnl = profitAsMargin ? carried.unrealizedPnl : minAmount(zero, carried.unrealizedPnl)
  return cappedAmount(free + pnl - carried.initialMargin)
}

/** What may leave the wallet: less than available while cross positions lose or win on paper. */
export function domainTransferable(venue: Reading, account: AccountHandle, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'uta') return maxAmount(zero, walletSpendable(venue, account, coin))
  const free = venue.ledger.freeOf(venue.ledger.find(account, wallet, coin))
  const carried = crossMargin(venue, account, wallet, coin)
  return maxAmount(zero, cappedAmount(free - carried.initialMargin + minAmount(zero, carried.unrealizedPnl)))
}

/** What of a coin may leave a unified wallet or be spent: no more than lies free, and than the margin can spare. */
export function walletSpendable(venue: Reading, account: AccountHandle, coin: CoinId): Amount {
  const free = venue.ledger.freeOf(venue.ledger.find(account, 'uta', coin))
  if (!carriesRisk(venue, account)) return free
  return minAmount(free, bounded(unionSpendable(venue, account, coin)))
}

/** Availability is compared with amounts: beyond 62 bits it is as good as without end. */
function bounded(units: bigint): Amount {
  return amount(units > availableMax ? availableMax : units < availableMin ? availableMin : units)
}
const availableMax = 2n ** 62n
const availableMin = -availableMax

/** What a position's liquidation price is solved with. */
export function riskBook(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): RiskBook {
  if (exposure.marginMode === 'isolated') {
    const { margin, flow, quantity } = position
    const [long, short] = position.side === 'long' ? [quantity, 0] : [0, quantity]
    return { collateral: margin, flow, long, short }
  }
  return {
    collateral: crossCollateral(venue, exposure, instrument),
    flow: (exposure.long?.flow ?? 0n) + (exposure.short?.flow ?? 0n),
    long: exposure.long?.quantity ?? 0,
    short: exposure.short?.quantity ?? 0,
  }
}

/** X = W + Σ others' uPnL − Σ others' MM, over the domain's other cross contracts. */
function crossCollateral(venue: Reading, exposure: Exposure, instrument: FuturesInstrument): bigint {
  const slot = venue.ledger.find(exposure.account, exposure.wallet, instrument.settle)
  let collateral: bigint = venue.ledger.balanceOf(slot)
  for (const other of crossExposures(venue, exposure, instrument)) {
    if (other.index === exposure.index) continue
    collateral += crossPnl(venue, other) - crossMaintenance(venue, other)
  }
  return collateral
}

export function crossPnl(venue: Reading, exposure: Exposure): bigint {
  const mark = venue.prices.markPrice(exposure.instrument)
  let pnl = 0n
  for (const position of [exposure.long, exposure.short]) {
    if (position !== undefined) pnl += unrealizedPnl(venue.scale(exposure.instrument), position, mark)
  }
  return pnl
}
