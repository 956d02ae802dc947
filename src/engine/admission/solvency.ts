/**
 * Whether an account can absorb a fill. What a price worse than the mark loses is its own loss, never the insurance fund's
 * or the lending pool's.
 *
 * Cross     closing: W + Σ uPnL(Pm) − loss − fee >= 0, over the margin account · opening: that, less the maintenance margin of what
 *           opens, covers the maintenance margin of what is open
 * Isolated  closing: M + uPnL(Pm) − loss >= 0, and the wallet has what that lacks of the fee · opening: the wallet has
 *           ⌈V/L⌉ + loss + fee, so that no position ever starts with less
 * Borrowed  a spot or margin fill that loses against the index leaves the level of a wallet with debt where it may be
 *           (lending/borrowable.ts)
 * Unified   a spot fill of a unified account that carries positions, order margin or debt leaves it its maintenance margin
 * No check  closing at the mark or better: an account under water may still close at what its position is worth
 * Asked     of a user's order at admission, and of every maker before it fills. Since it was placed its collateral may
 *           have gone, or the position that it would only have reduced
 * Source    risk-engine.md §5, §6, §11 (closing orders that would bankrupt the account), §17
 */
import {
  feeOf,
  type FuturesInstrument,
  initialMarginOf,
  type Scale,
  type SpotInstrument,
  valueFloor,
} from '../catalog/catalog.ts'
import { indexLoss, levelAllows, owes } from '../lending/lending.ts'
import {
  accountMargin,
  carriesRisk,
  isCollateral,
  isHedged,
  maintenanceMargin,
  marginAccountEquity,
  openLoss,
  unifiedMargin,
} from '../margin/margin.ts'
import {
  big,
  cappedAmount,
  divFloor,
  type Lots,
  maxAmount,
  oneCoin,
  rateOne,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import type { Refusal } from '../protocol/reply.ts'
import {
  type Exposure,
  leverageOf,
  orderCodes,
  positionOf,
  positionQuantity,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { ProposedFill } from './admitted.ts'

const openIntent = orderCodes.intent.indexOf('open')

/** Lots of one-way orders count together, those of hedge orders by what they do. */
function lotsKey(reading: Reading, exposure: Exposure, maker: Row): number {
  return exposure.index * 2 + (reading.orders.intent.at(maker) === openIntent ? 1 : 0)
}

/** Lots that a futures maker's position has left to reduce in this sweep. */
export function reducibleLots(reading: Reading, exposure: Exposure, maker: Row): number {
  const open = positionQuantity(exposure, reading.orders.reducedSide(maker))
  return Math.max(0, open - reading.scratch.sweep.usage.lots.at(lotsKey(reading, exposure, maker)))
}

/** What a maker would fill. */
interface MakerFill {
  /** Of the instrument. */
  readonly scale: Scale
  readonly quantity: number
  readonly price: number
}

/** Whether a futures maker can absorb a fill; if so, what it takes counts from now on. */
export function canAbsorbLoss(
  reading: Reading,
  exposure: Exposure,
  maker: Row,
  fill: MakerFill & { readonly instrument: FuturesInstrument; readonly adds: boolean },
): boolean {
  const { usage } = reading.scratch.sweep
  const { orders } = reading
  const { instrument, scale, quantity, price } = fill
  const opens = orders.intent.at(maker) === openIntent
  const reducible = fill.adds ? fill.quantity : reducibleLots(reading, exposure, maker)
  const closing = opens ? 0 : Math.min(fill.quantity, reducible)
  const slot = reading.ledger.find(exposure.account, exposure.wallet, instrument.settle)
  const spent = usage.units.at(slot)
  const order = {
    scale,
    buy: orders.sideOf(maker) === 'buy',
    quantity,
    closing,
    price,
    feeRate: instrument.makerFeeRate,
  }
  const cost = costOf(reading, instrument, exposure, order, spent)
  if (cost === undefined) return false
  usage.units.set(slot, spent + cost)
  const key = lotsKey(reading, exposure, maker)
  usage.lots.set(key, usage.lots.at(key) + quantity)
  return true
}

interface Fill extends MakerFill {
  readonly buy: boolean
  /** Lots of it that only reduce. */
  readonly closing: number
  readonly feeRate: FuturesInstrument['makerFeeRate']
}

/** What a fill takes from what the wallet is good for; undefined when that, or its position, cannot absorb it. */
function costOf(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  { scale, buy, quantity, closing, price, feeRate }: Fill,
  spent: bigint,
): bigint | undefined {
  const mark = reading.prices.markPrice(instrument.id)
  const fee = maxAmount(zero, feeOf(scale, quantity as Lots, price as Ticks, feeRate))
  if (exposure.marginMode === 'cross') {
    const loss = openLoss(scale, buy, quantity, price, mark)
    const opened = (quantity - closing) as Lots
    if (opened === 0) {
      if (loss === 0n) return fee
      return equityOf(reading, instrument, exposure) - spent - loss - fee < 0n ? undefined : loss + fee
    }
    // What opens may not be breached as it opens: since the order was placed its collateral may have gone.
    const cost = loss + fee + maintenanceMargin(instrument, scale, opened, mark)
    const { equity, maintenance } = accountMargin(reading, exposure.account, exposure.wallet, instrument.settle)
    return equity - spent - cost < maintenance ? undefined : cost
  }
  const opening = quantity - closing
  let cost: bigint = fee
  let loss = 0n
  const position = positionOf(exposure, buy ? 'short' : 'long')
  if (closing > 0 && position !== undefined) {
    loss = openLoss(scale, buy, closing, price, mark)
    const equity = position.margin + unrealizedPnl(scale, position, mark)
    if (loss > 0n && equity - loss < 0n) return undefined
    const left = position.margin + unrealizedPnl(scale, position, price as Ticks)
    if (left > 0n) cost -= divFloor(left * big(closing), big(position.quantity))
  }
  if (opening === 0) {
    return loss > 0n && cost > 0n && walletEquity(reading, instrument, exposure) - spent < cost ? undefined : cost
  }
  const leverage = leverageOf(exposure, buy ? 'long' : 'short', isHedged(reading, exposure))
  cost += initialMarginOf(scale, opening as Lots, price as Ticks, leverage)
  cost += openLoss(scale, buy, opening, price, mark)
  return walletEquity(reading, instrument, exposure) - spent < cost ? undefined : cost
}

/** Equity of the margin account of a cross exposure, at mark prices. */
function equityOf(reading: Reading, instrument: FuturesInstrument, { account, wallet }: Exposure): bigint {
  return marginAccountEquity(reading, account, wallet, instrument.settle)
}

/** What isolated margin may be taken from: the wallet, less what its cross positions have lost. */
function walletEquity(reading: Reading, instrument: FuturesInstrument, exposure: Exposure): bigint {
  const { account, wallet } = exposure
  const balance = reading.ledger.balanceOf(reading.ledger.find(account, wallet, instrument.settle))
  const equity = marginAccountEquity(reading, account, wallet, instrument.settle)
  return equity < balance ? equity : balance
}

/** What an order loses against the mark, at the worst planned price and for what rests at its own. */
export function worstLoss(
  reading: Reading,
  instrument: FuturesInstrument,
  proposed: ProposedFill,
  lots: number,
): bigint {
  const mark = reading.prices.markPrice(instrument.id)
  return atWorst(proposed, lots, (some, price) => openLoss(proposed.scale, proposed.buy, some, price, mark))
}

/** What lots of an order come to that trade at the worst planned price, and those that wait at its own. */
function atWorst(
  { match, rests, limit }: ProposedFill,
  lots: number,
  worth: (lots: number, price: number) => bigint,
): bigint {
  const atOnce = Math.min(lots, match.filled)
  const later = rests ? lots - atOnce : 0
  return (atOnce === 0 ? 0n : worth(atOnce, match.worstPrice)) + (later === 0 ? 0n : worth(later, limit))
}

/** Why an order that closes may not: it would leave its margin account, its isolated position or the wallet behind that below zero. */
export function refuseBankruptcy(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  proposed: ProposedFill,
): Refusal | undefined {
  if (proposed.closing === 0) return undefined
  const position = positionOf(exposure, proposed.buy ? 'short' : 'long')
  const cross = exposure.marginMode === 'cross' || position === undefined
  const loss = worstLoss(reading, instrument, proposed, cross ? proposed.quantity : proposed.closing)
  if (loss === 0n) return undefined
  const { scale } = proposed
  const fee = atWorst(proposed, proposed.closing, (lots, price) =>
    maxAmount(zero, feeOf(scale, lots as Lots, price as Ticks, instrument.takerFeeRate)),
  )
  const short = (required: bigint, available: bigint): Refusal | undefined =>
    required <= available
      ? undefined
      : {
          kind: 'insufficient-margin',
          required: cappedAmount(required),
          available: maxAmount(zero, cappedAmount(available)),
        }
  if (cross) return short(loss + fee, equityOf(reading, instrument, exposure))
  // The wallet answers for the fee alone.
  const own = position.margin + unrealizedPnl(scale, position, reading.prices.markPrice(instrument.id))
  return (
    short(loss, own) ??
    short(loss + fee, own + maxAmount(zero, cappedAmount(walletEquity(reading, instrument, exposure))))
  )
}

/** Whether a spot or margin maker can absorb a fill; if so, what it loses counts from now on. */
export function canAbsorbSpotLoss(reading: Reading, instrument: SpotInstrument, maker: Row, fill: MakerFill): boolean {
  const { usage } = reading.scratch.sweep
  const { orders } = reading
  const wallet = orders.walletOf(maker)
  if (wallet !== 'crossed_margin' && wallet !== 'uta') return true
  if (wallet === 'uta' && !unifiedCanAbsorbLoss(reading, instrument, maker, fill)) return false
  const { scale } = fill
  const loss = indexLoss(reading, instrument, {
    buy: orders.sideOf(maker) === 'buy',
    quote: valueFloor(scale, fill.quantity, fill.price),
    base: big(fill.quantity) * scale.baseUnit,
  })
  if (loss <= 0n) return true
  const handle = orders.accountOf(maker)
  if (!owes(reading, handle, wallet)) return true
  const before = usage.usd.at(handle)
  const account = reading.accounts.byHandle(handle)
  if (!levelAllows(reading, account, wallet, before + loss, undefined)) return false
  usage.usd.set(handle, before + loss)
  return true
}

/**
 * Whether a unified account that carries positions, order margin or debt still has its maintenance margin after a spot
 * fill. What comes in counts at the lowest ratio of its coin, for what it replaces counted in full.
 */
function unifiedCanAbsorbLoss(reading: Reading, instrument: SpotInstrument, maker: Row, fill: MakerFill): boolean {
  const { usage } = reading.scratch.sweep
  const { orders, prices, catalog } = reading
  const handle = orders.accountOf(maker)
  if (!carriesRisk(reading, handle)) return true
  const { scale } = fill
  const quote = valueFloor(scale, fill.quantity, fill.price) * prices.usdE8(instrument.quote)
  const base = big(fill.quantity) * scale.baseUnit * prices.usdE8(instrument.base)
  const buys = orders.sideOf(maker) === 'buy'
  const [out, come, coin] = buys ? [quote, base, instrument.base] : [base, quote, instrument.quote]
  const counts = isCollateral(reading, reading.accounts.byHandle(handle).collateral, coin)
  const ratio: bigint = (counts ? catalog.coins[coin].collateral.at(-1)?.ratio : undefined) ?? 0n
  const loss = out - divFloor(come * ratio, rateOne)
  if (loss <= 0n) return true
  const before = usage.pledged.at(handle)
  const { equity, maintenance } = unifiedMargin(reading, handle)
  if ((equity - maintenance) * oneCoin <= before + loss) return false
  usage.pledged.set(handle, before + loss)
  return true
}
