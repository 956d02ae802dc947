/**
 * Prices at which a position is liquidated or breaks even, and how far its margin is used.
 *
 * Liquidation  the price at which what stands behind the position equals its maintenance, other marks as they are; of
 *              the roots of all tiers the one whose value lies in its tier; a hedge counts its larger side
 * Shown        prices to the tick, long up, short down; 0: none
 * Source       risk-engine.md §5-§9, §21
 */
import { deduction, type Market, tierValue } from './catalog.ts'
import { crossDesks } from './margin.ts'
import { largerSide } from './pools.ts'
import { markPrice } from './prices.ts'
import { down, downTo, type Fraction, fraction, least, most, one, sum, up, upTo, zero } from './rational.ts'
import { purseOf } from './shortfall.ts'
import { unifiedMarginOf } from './unified-margin.ts'
import { deskMaintenance, deskProfit, exactMaintenance, exactProfit } from './value.ts'
import { type Desk, type Position, positionsOf, sizeOf, type World } from './world.ts'

/** MM / equity, both exact, up at 8 decimals; 1 when nothing is left. */
export function marginRatio(world: World, desk: Desk, position: Position): Fraction {
  if (isUnified(desk)) {
    const unified = unifiedMarginOf(world, desk.owner)
    return unified.equity.sign() <= 0 ? one : up(unified.maintenance.over(unified.equity))
  }
  const isolated = desk.marginMode === 'isolated'
  const desks = isolated ? [desk] : crossDesks(world, desk.owner, desk.wallet, desk.market.settle)
  const counted = (other: Desk) => (isolated ? position.quantity : largerSide(other))
  const needed = desks.map((other) => exactMaintenance(other.market, counted(other), markPrice(world, other.market)))
  const profits = desks.flatMap((other) =>
    (isolated ? [position] : positionsOf(other)).map((each) =>
      exactProfit(other.market, each, markPrice(world, other.market)),
    ),
  )
  const equity = sum([isolated ? position.margin : purseOf(world, desk).balance, ...profits])
  return equity.sign() <= 0 ? one : up(sum(needed).over(equity))
}

/** A cross position of a unified account stands on all of its coins. */
export function isUnified({ wallet, marginMode }: Desk): boolean {
  return wallet === 'uta' && marginMode === 'cross'
}

export function liquidationPrice(world: World, desk: Desk, position: Position): Fraction {
  const { market } = desk
  if (desk.marginMode === 'isolated') {
    const { side, quantity, entryValue, margin } = position
    const [long, short] = side === 'long' ? [quantity, zero] : [zero, quantity]
    return liquidationOf(market, { long, short, entryValue, behind: margin })
  }
  // X = W + Σ others' uPnL − Σ others' MM
  const others = crossDesks(world, desk.owner, desk.wallet, desk.market.settle).filter((other) => other !== desk)
  const behind = purseOf(world, desk).balance.plus(
    sum(others.map((other) => deskProfit(world, other).minus(deskMaintenance(world, other)))),
  )
  const entryValue = sum(positionsOf(desk).map((held) => held.entryValue))
  return liquidationOf(market, { long: sizeOf(desk, 'long'), short: sizeOf(desk, 'short'), entryValue, behind })
}

interface OpenPositions {
  readonly long: Fraction
  readonly short: Fraction
  /** Entry value of both sides. */
  readonly entryValue: Fraction
  /** Money that stands behind them. */
  readonly behind: Fraction
}

export function liquidationOf(market: Market, { long, short, entryValue, behind }: OpenPositions): Fraction {
  const larger = most(long, short)
  const net = long.minus(short)
  const money = behind.plus(entryValue)
  for (const tier of market.tiers) {
    const rate = tier.rate.plus(market.takerFee)
    const cum = deduction(market, tier)
    // linear: X + F + net·P = larger·P·rate − cum; inverse: X + F − net/P = (larger·rate − cum) / P
    const [top, bottom] =
      market.kind === 'inverse'
        ? [net.plus(larger.times(rate)).minus(cum), money]
        : [money.plus(cum), larger.times(rate).minus(net)]
    if (bottom.isZero()) continue
    // A net-long book is liquidated downward, any other upward.
    if (market.kind === 'linear' && bottom.sign() < 0 !== net.sign() > 0) continue
    const root = top.over(bottom)
    if (root.sign() <= 0) continue
    const value = tierValue(market, larger, root)
    // The last tier also takes what lies beyond it.
    if (value.isBelow(tier.from) || !(value.isBelow(tier.to) || tier === market.tiers.at(-1))) continue
    return net.sign() > 0 ? upTo(market.tick, root) : downTo(market.tick, root)
  }
  return zero
}

/**
 * Whether a price is that at which a unified account is liquidated: the contract's mark moves there and its base coin's
 * price in step with it, all others stand. Net long from above, up to the tick; net short from below, down; none (zero)
 * when the account is sound as far as prices go.
 */
export function isUnifiedLiquidation(world: World, desk: Desk, price: Fraction): boolean {
  const { market, owner } = desk
  const { tick } = market
  const netLong = sizeOf(desk, 'long').isAbove(sizeOf(desk, 'short'))
  const spareAt = (mark: Fraction): Fraction =>
    supposing(world, market, mark, () => {
      const { equity, maintenance: needed } = unifiedMarginOf(world, owner)
      return equity.minus(needed)
    })
  if (price.isZero()) {
    const [lowest, highest] = [tick, tick.times(ticksMax)]
    return spareAt(markPrice(world, market)).sign() > 0
      ? spareAt(netLong ? lowest : highest).sign() > 0
      : spareAt(netLong ? highest : lowest).sign() <= 0
  }
  const here = spareAt(price).sign()
  const beyond = netLong ? price.minus(tick) : price.plus(tick)
  return here === 0 || (here > 0 && spareAt(beyond).sign() < 0)
}

/** What would be found with another mark of a contract. */
function supposing<T>(world: World, market: Market, mark: Fraction, find: () => T): T {
  const now = markPrice(world, market)
  const usd = world.usdOf(market.base)
  world.marks.set(market, mark)
  world.usd.set(market.base, down(usd.times(mark).over(now)))
  const found = find()
  world.marks.set(market, now)
  world.usd.set(market.base, usd)
  return found
}

/** Prices lie on the ladder of the book: from one tick to 2^30 − 1. */
const ticksMax = fraction(2n ** 30n - 1n)

export function shownPrice(market: Market, exact: Fraction, upward: boolean): Fraction {
  const price = upward ? upTo(market.tick, exact) : downTo(market.tick, exact)
  return price.isBelow(market.tick) || price.isAbove(market.tick.times(ticksMax)) ? zero : price
}

/**
 * P_bk: where closing leaves exactly nothing of what stands behind a position besides its profit, fee paid; undefined when
 * no price that the book carries does.
 * linear: (s·q·E − X) / ( q·(s − f) ); inverse: N·(s + f) / ( X + s·N/E )
 */
export function bankruptcyPrice(market: Market, position: Position, behind: Fraction): Fraction | undefined {
  const { side, quantity, entryValue } = position
  const sign = fraction(side === 'long' ? 1 : -1)
  const money = behind.plus(entryValue)
  const [top, bottom] =
    market.kind === 'inverse'
      ? [quantity.times(sign.plus(market.takerFee)), money]
      : [money.negative(), quantity.times(sign.minus(market.takerFee))]
  if (bottom.isZero()) return undefined
  const exact = top.over(bottom)
  const price = side === 'long' ? upTo(market.tick, exact) : downTo(market.tick, exact)
  return price.isBelow(market.tick) || price.isAbove(highestPrice(market)) ? undefined : price
}

/** Of an inverse contract no price at which one is worth less than a unit. */
export function highestPrice(market: Market): Fraction {
  const ladder = market.tick.times(ticksMax)
  return market.kind === 'inverse' ? least(ladder, market.lot.times(fraction(100_000_000))) : ladder
}

/**
 * Where closing now as taker nets zero after opening fees a and funding u (above zero: received).
 * linear: (s·q·E + a − u) / ( q·(s − f) ); inverse: N·(s + f) / ( s·N/E − a + u )
 */
export function breakEvenPrice(market: Market, position: Position): Fraction {
  const { side, quantity, entryValue, openFees, funding = zero } = position
  const sign = fraction(side === 'long' ? 1 : -1)
  const net = entryValue.minus(openFees).plus(funding)
  const [top, bottom] =
    market.kind === 'inverse'
      ? [quantity.times(sign.plus(market.takerFee)), net]
      : [net.negative(), quantity.times(sign.minus(market.takerFee))]
  return bottom.isZero() ? zero : shownPrice(market, top.over(bottom), side === 'long')
}
