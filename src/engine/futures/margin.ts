/**
 * What a margin domain has, needs, and may still use.
 *
 * cross      equity Eq' = W + min(0, Σ uPnL);  available = Eq' − Σ IM − held;  IM = ⌈V(mark) / L⌉, both hedge sides;
 *            with `profitAsMargin` Eq' = W + Σ uPnL for new risk, never for what leaves the wallet
 * isolated   margin and its PnL stand outside the domain
 * Rounding   equity and available down, margin and holds up
 * Source     risk-engine.md §6, §7, §11, §21
 */
import {
  type CoinId,
  feeOf,
  type FuturesInstrument,
  initialMarginOf,
  type Scale,
  tierValue,
  valueFloor,
} from '../catalog/catalog.ts'
import {
  type Amount,
  amount,
  big,
  cappedAmount,
  divCeil,
  divFloor,
  type Lots,
  maxAmount,
  minAmount,
  numberOf,
  oneCoin,
  rateOne,
  smallCeil,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import {
  type Exposure,
  largerSide,
  openingQuantity,
  positionQuantity,
  type Reading,
  unrealizedPnl,
  type Venue,
} from '../state/state.ts'
import type { AccountHandle, Side, WalletType } from '../vocabulary.ts'
import { maintenanceMargin } from './risk.ts'
import { carriesRisk, unionAvailable, unionEquity, unionSpendable, unionStanding } from './union.ts'

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

interface OpeningOrder {
  readonly quantity: Lots
  readonly price: Ticks
  readonly leverage: number
}

/**
 * Margin that an opening order asks for.
 * freeze = ⌈V/L·(1 + k1)⌉ + ⌈V·f·(1 + k2)⌉ + openLoss;  openLoss = what the order would lose at once at the mark price
 */
export function orderFreeze(
  venue: Reading,
  instrument: FuturesInstrument,
  order: OpeningOrder & { readonly long: boolean },
): Amount {
  const loss = openLoss(
    venue.scale(instrument.id),
    order.long,
    order.quantity,
    order.price,
    venue.prices.markPrice(instrument.id),
  )
  return cappedAmount(orderCost(venue, instrument, order) + loss)
}

/** Margin and fee of an opening order, each with its markup: what it asks for besides what it would lose at once. */
export function orderCost(
  venue: Reading,
  instrument: FuturesInstrument,
  { quantity, price, leverage }: OpeningOrder,
): bigint {
  const scale = venue.scale(instrument.id)
  const { orderMarginMarkup, orderFeeMarkup } = venue.settings.risk
  const margin =
    orderMarginMarkup === 0n
      ? initialMarginOf(scale, quantity, price, leverage)
      : partOf(scale, quantity, price, rateOne + orderMarginMarkup, big(leverage) * rateOne)
  const { takerFeeRate } = instrument
  // A rebate is not marked up: the order would hold less.
  const fee =
    orderFeeMarkup === 0n || takerFeeRate <= 0n
      ? feeOf(scale, quantity, price, takerFeeRate)
      : partOf(scale, quantity, price, takerFeeRate * (rateOne + orderFeeMarkup), rateOne * rateOne)
  return margin + fee
}

/** ⌈V × dividend / divisor⌉ of the unrounded value. */
function partOf(scale: Scale, quantity: number, price: number, dividend: bigint, divisor: bigint): bigint {
  if (!scale.inverse) return divCeil(big(quantity) * big(price) * scale.unit * dividend, divisor)
  return divCeil(big(quantity) * scale.numerator * dividend, big(price) * scale.priceStep * divisor)
}

/** What a fill at a price worse than the mark loses at once. linear: x·s·(p − Pm); inverse: ⌈N·s·(1/Pm − 1/p)⌉; else 0. */
export function openLoss(scale: Scale, long: boolean, quantity: number, price: number, mark: number): bigint {
  if (long ? price <= mark : price >= mark) return 0n
  if (scale.inverse) {
    const ticks = Math.abs(price - mark)
    return (
      smallCeil(quantity * scale.numeratorNumber * ticks, price * mark * scale.priceStepNumber) ??
      divCeil(big(quantity) * scale.numerator * big(ticks), big(price) * big(mark) * scale.priceStep)
    )
  }
  const difference = valueFloor(scale, quantity, price) - valueFloor(scale, quantity, mark)
  return difference < 0n ? -difference : difference
}

/**
 * What the opening orders of an exposure hold. In one-way mode the part of a side that would only reduce the opposite
 * position asks for no margin: the freeze counts in proportion to the lots that would open, rounded up.
 */
export function requiredHold(exposure: Exposure, hedged: boolean): bigint {
  return sideHold(exposure, 'buy', hedged) + sideHold(exposure, 'sell', hedged)
}

/** The part of it that one side of the book holds, or would hold with more orders than it has. */
export function sideHold(exposure: Exposure, side: Side, hedged: boolean, moreQuantity = 0, moreFreeze = 0n): bigint {
  const quantity = openingQuantity(exposure, side) + moreQuantity
  if (quantity === 0) return 0n
  const freeze = (side === 'buy' ? exposure.buyFreeze : exposure.sellFreeze) + moreFreeze
  const reducible = hedged ? 0 : positionQuantity(exposure, side === 'buy' ? 'short' : 'long')
  if (reducible === 0) return freeze
  return quantity <= reducible ? 0n : divCeil(freeze * big(quantity - reducible), big(quantity))
}

/** Brings the ledger's hold to what the exposure's orders ask for. */
export function updateHold(venue: Venue, exposure: Exposure): void {
  const required = requiredHold(exposure, isHedged(venue, exposure))
  if (required === exposure.held) return
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  const slot = venue.ledger.slot(exposure.account, exposure.wallet, settle)
  // It stops at what is beyond 64 bits: only then may the exposure take it.
  venue.ledger.hold(slot, amount(required - exposure.held))
  exposure.held = required
}

/** Leverage cap of the tier that the value of lots at a price lies in, 0 when it lies beyond the last. */
export function tierLeverageMax({ tiers }: FuturesInstrument, scale: Scale, quantity: Lots, price: Ticks): number {
  const small = scale.inverse ? Number.NaN : quantity * price * scale.unitNumber
  if (!(small <= Number.MAX_SAFE_INTEGER)) {
    const value = tierValue(scale, quantity, price)
    return tiers.find((tier) => value < tier.to)?.leverageMax ?? 0
  }
  // A bound that is no number below 2^53 lies above any such value.
  for (const tier of tiers) if (!(small >= numberOf(tier.to))) return tier.leverageMax
  return 0
}
