/**
 * Whether an account can absorb the loss of a fill: what a price worse than the mark loses is its own, never the house's.
 *
 * Cross     closing: W + Σ uPnL − loss − fee >= 0; opening: that covers the maintenance of all, with what opens
 * Isolated  closing: M + uPnL − loss >= 0, and the wallet has what that lacks of the fee; opening: it has ⌈worth/L⌉ + loss + fee
 * Better    closing at the mark or better is allowed to anybody in cross mode
 * Unified   whoever carries risk has the maintenance of all after a spot fill, what comes in counted at its coin's last ratio
 * Spent     what earlier fills of the same sweep took counts
 * Source    risk-engine.md §5, §6, §11, §17
 */
import { feeOf, initialMargin, type Market, type Side, worth } from './catalog.ts'
import { indexLoss, isMarginWallet, levelAllows, owes } from './loans.ts'
import { equityOf, maintenanceOf } from './margin.ts'
import { carriesRisk, unifiedMarginOf } from './unified-margin.ts'
import { maintenance, openLoss, unrealized } from './value.ts'
import { markPrice } from './prices.ts'
import { purseOf } from './shortfall.ts'
import { down, type Fraction, least, most, zero } from './rational.ts'
import { type Desk, leverageOf, type Order, positionOf, reducedSide, sizeOf, type World } from './world.ts'

/** What an order meets in its book. */
export interface Match {
  readonly maker: Order
  readonly price: Fraction
  readonly quantity: Fraction
}

/** What the earlier fills of a sweep have taken. */
export class SweepUsage {
  /** Quantities out of positions, by desk and whether they were opens of hedge mode. */
  private readonly quantities = new Map<string, Fraction>()
  private readonly money = new Map<string, Fraction>()

  quantity(desk: Desk, order: Order): Fraction {
    return this.quantities.get(quantityKey(desk, order)) ?? zero
  }

  addQuantity(desk: Desk, order: Order, quantity: Fraction): void {
    this.quantities.set(quantityKey(desk, order), this.quantity(desk, order).plus(quantity))
  }

  /** Money of a wallet and coin, or of an account in US dollars. */
  of(key: string): Fraction {
    return this.money.get(key) ?? zero
  }

  add(key: string, money: Fraction): void {
    this.money.set(key, this.of(key).plus(money))
  }
}

function quantityKey({ owner, wallet, market }: Desk, { intent }: Order): string {
  return `${owner} ${wallet} ${market.name} ${intent === 'open'}`
}

/** What a resting order's position has left to reduce in this sweep. */
export function reducible(desk: Desk, maker: Order, usage: SweepUsage): Fraction {
  return most(zero, sizeOf(desk, reducedSide(maker)).minus(usage.quantity(desk, maker)))
}

/** Whether a resting order of a contract can absorb the loss of a fill. If so, what it takes counts from now on. */
export function contractAbsorbs(
  world: World,
  desk: Desk,
  maker: Order,
  fill: { readonly quantity: Fraction; readonly price: Fraction; readonly takerAdds: boolean },
  usage: SweepUsage,
): boolean {
  const { quantity, price } = fill
  const closable = fill.takerAdds ? quantity : reducible(desk, maker, usage)
  const closing = maker.intent === 'open' ? zero : least(quantity, closable)
  const { owner, wallet, coin } = purseOf(world, desk)
  const key = `${owner} ${wallet} ${coin}`
  const cost = costOf(world, desk, { side: maker.side, quantity, closing, price }, usage.of(key))
  if (cost === undefined) return false
  usage.add(key, cost)
  usage.addQuantity(desk, maker, quantity)
  return true
}

/** What a fill takes from what the wallet is good for; undefined when that is not enough. */
function costOf(
  world: World,
  desk: Desk,
  fill: { readonly side: Side; readonly quantity: Fraction; readonly closing: Fraction; readonly price: Fraction },
  spent: Fraction,
): Fraction | undefined {
  const { side, quantity, closing, price } = fill
  const { market, owner, wallet } = desk
  const mark = markPrice(world, market)
  const fee = most(zero, feeOf(market, quantity, price, market.makerFee))
  const equity = equityOf(world, owner, wallet, market.settle)
  if (desk.marginMode === 'cross') {
    const loss = openLoss(market, side, quantity, price, mark)
    const opened = quantity.minus(closing)
    if (opened.isZero()) {
      if (loss.isZero()) return fee
      return equity.minus(spent).isBelow(loss.plus(fee)) ? undefined : loss.plus(fee)
    }
    const cost = loss.plus(fee).plus(maintenance(market, opened, mark))
    const carried = maintenanceOf(world, owner, wallet, market.settle)
    return equity.minus(spent).minus(cost).isBelow(carried) ? undefined : cost
  }

  let cost = fee
  let loss = zero
  const wealth = least(purseOf(world, desk).balance, equity)
  const position = positionOf(desk, reducedSide(fill))
  if (closing.isAbove(zero) && position !== undefined) {
    loss = openLoss(market, side, closing, price, mark)
    const own = position.margin.plus(unrealized(market, position, mark))
    if (loss.isAbove(zero) && own.isBelow(loss)) return undefined
    const brings = position.margin.plus(unrealized(market, position, price))
    if (brings.isAbove(zero)) cost = cost.minus(down(brings.times(closing).over(position.quantity)))
  }
  const opening = quantity.minus(closing)
  if (opening.isZero()) {
    const lacks = loss.isAbove(zero) && cost.isAbove(zero) && wealth.minus(spent).isBelow(cost)
    return lacks ? undefined : cost
  }
  const leverage = leverageOf(desk, side === 'buy' ? 'long' : 'short', world.isHedged(owner, market))
  cost = cost.plus(initialMargin(market, opening, price, leverage)).plus(openLoss(market, side, opening, price, mark))
  return wealth.minus(spent).isBelow(cost) ? undefined : cost
}

/** Whether a resting spot or margin order can absorb the loss of a fill: a wallet with debt keeps the level that it needs. */
export function spotAbsorbs(world: World, market: Market, match: Match, usage: SweepUsage): boolean {
  const { maker, quantity, price } = match
  if (!isMarginWallet(maker.wallet)) return true
  if (maker.wallet === 'uta' && !unifiedAbsorbs(world, market, match, usage)) return false
  const loss = indexLoss(world, market, maker.side, worth(market, quantity, price), quantity)
  if (!loss.isAbove(zero) || !owes(world, maker.owner, maker.wallet)) return true
  const lost = usage.of(maker.owner).plus(loss)
  if (!levelAllows(world, maker.owner, maker.wallet, lost, undefined)) return false
  usage.add(maker.owner, loss)
  return true
}

function unifiedAbsorbs(world: World, market: Market, match: Match, usage: SweepUsage): boolean {
  const { maker, quantity, price } = match
  if (!carriesRisk(world, maker.owner)) return true
  const dollars = (units: Fraction, coin: string) => units.times(world.usdOf(coin))
  const money = dollars(worth(market, quantity, price), market.quote)
  const base = dollars(quantity, market.base)
  const [out, come, coin] = maker.side === 'buy' ? [money, base, market.base] : [base, money, market.quote]
  const ratio = world.coins.find(({ name }) => name === coin)?.collateral.at(-1)?.ratio ?? zero
  const loss = out.minus(come.times(ratio))
  if (!loss.isAbove(zero)) return true
  const key = `pledged ${maker.owner}`
  const all = usage.of(key).plus(loss)
  const { equity, maintenance: needed } = unifiedMarginOf(world, maker.owner)
  if (!equity.minus(needed).isAbove(all)) return false
  usage.add(key, loss)
  return true
}
