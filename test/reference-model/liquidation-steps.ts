/**
 * The steps of a liquidation: how a breached pool is taken apart, tested again after each step.
 *
 * Isolated  cancel the position's orders · draw margin when that is on · close it; what is left over or missing is the insurance fund's
 * Cross     cancel the orders · net long against short · from the third tier on cut two tiers, from the second one · close
 * Close     an order at the bankruptcy price, without one at the mark, that does not rest; what the book does not take is handed over
 * Ends      a cross wallet whose last position was handed over ends at zero, one that was closed better keeps the rest
 * Unified   who still owes too much has its collateral sold
 * Source    risk-engine.md §6, §14, §16
 */
import { backingIn } from './backing.ts'
import { opposite, priceOf, reaches } from './books.ts'
import { bandPrice, type Hold, type Side, tierValue } from './catalog.ts'
import { sellCollateral } from './collateral.ts'
import { closeOrder } from './order-end.ts'
import { deskOrders, freeOf } from './holds.ts'
import { ownAvailable } from './margin.ts'
import { placeForced } from './placing.ts'
import { breachedPools, largerSide, type Pool, poolsOf, stillBreached } from './pools.ts'
import { moveMargin } from './positions.ts'
import { markPrice } from './prices.ts'
import { type Fraction, fraction, least, most, zero } from './rational.ts'
import { bankruptcyPrice } from './risk.ts'
import { purseOf } from './shortfall.ts'
import { takeOver, netSides } from './takeover.ts'
import { deskMaintenance, maintenance, unrealized } from './value.ts'
import {
  type Desk,
  onlyReduces,
  type Order,
  type Position,
  positionOf,
  reducedSide,
  sizeOf,
  type World,
} from './world.ts'

/** Takes apart whoever is breached; answers whether anybody was. */
export function liquidateBreached(world: World): boolean {
  const found = breachedPools(world)
  for (const breached of found) {
    const pool = stillBreached(world, breached)
    if (pool !== undefined) liquidate(world, pool)
  }
  return found.length > 0
}

function liquidate(world: World, pool: Pool): void {
  const newestFirst = (orders: Order[]) => [...orders].sort((a, b) => b.number - a.number)
  const { side } = pool
  const own = world.orders.filter(({ owner, wallet }) => owner === pool.owner && wallet === pool.wallet)
  const concerned =
    side === undefined
      ? own.filter(({ market }) => pool.coin === undefined || market.settle === pool.coin)
      : deskOrders(world, pool.desks[0]).filter((order) => concerns(world, pool.desks[0], side, order))
  for (const order of newestFirst(concerned)) closeOrder(world, order, 'canceled', 'system')
  if (pool.side === undefined) liquidateCross(world, pool)
  else liquidateIsolated(world, pool.desks[0], pool.side)
}

/** Of an isolated hedge position only its own orders go. */
function concerns(world: World, desk: Desk, side: Hold, order: Order): boolean {
  if (!world.isHedged(desk.owner, desk.market)) return true
  const opened = order.side === 'buy' ? 'long' : 'short'
  return side === (onlyReduces(order) ? reducedSide(order) : opened)
}

function liquidateIsolated(world: World, desk: Desk, side: Hold): void {
  const purse = purseOf(world, desk)
  const position = positionOf(desk, side)
  if (position === undefined) throw new Error('a breached pool has a position')
  if (desk.autoMargin && topsUp(world, desk, position)) return
  const before = purse.balance
  const price = bankruptcyPrice(desk.market, position, position.margin) ?? markPrice(world, desk.market)
  close(world, desk, side, position.quantity, price)
  const left = sizeOf(desk, side)
  if (left.sign() > 0) takeOver(world, desk, side, left, price)
  world.post('insurance', purse, before.minus(purse.balance))
}

/** Auto margin: brings the position to twice its maintenance, as far as the wallet has it. Whether that saved it. */
function topsUp(world: World, desk: Desk, position: Position): boolean {
  const { market, owner, wallet } = desk
  const mark = markPrice(world, market)
  const needed = maintenance(market, position.quantity, mark)
  const equity = () => position.margin.plus(unrealized(market, position, mark))
  const wanted = needed.plus(needed).minus(equity())
  moveMargin(world, desk, position, least(most(zero, wanted), ownAvailable(world, owner, wallet, market.settle)))
  return equity().isAbove(needed)
}

function liquidateCross(world: World, breached: Pool): void {
  let handedOver = false
  for (const desk of stillBreached(world, breached)?.desks ?? []) netSides(world, desk)
  for (;;) {
    const pool = stillBreached(world, breached)
    const desk = pool === undefined ? undefined : mostNeeding(world, pool)
    if (pool === undefined || desk === undefined) break
    const side = sizeOf(desk, 'long').isBelow(sizeOf(desk, 'short')) ? 'short' : 'long'
    const quantity = cutOf(world, desk, sizeOf(desk, side))
    const taken = close(world, desk, side, quantity, crossBankruptcyPrice(world, pool, desk, side))
    handedOver = false
    if (taken.equals(quantity)) continue
    const again = stillBreached(world, breached)
    if (again === undefined || sizeOf(desk, side).isZero()) break
    handedOver = true
    takeOver(world, desk, side, quantity.minus(taken), crossBankruptcyPrice(world, again, desk, side))
  }
  if (handedOver) takeRest(world, breached)
  if (breached.coin === undefined && stillBreached(world, breached) !== undefined) {
    sellCollateral(world, breached.owner, 'uta')
  }
}

/** Ticks leave a wallet something when its last position goes at the bankruptcy price: that is the fund's. */
function takeRest(world: World, { owner, wallet, coin }: Pool): void {
  if (coin === undefined) return
  const open = poolsOf(world, owner).some((pool) => pool.wallet === wallet && pool.coin === coin)
  const left = freeOf(world, owner, wallet, coin)
  if (!open && left.sign() > 0) world.post('insurance', world.purse(owner, wallet, coin), left.negative())
}

/** The contract that needs most maintenance, in US dollars of a unified account; of equals the first. */
function mostNeeding(world: World, pool: Pool): Desk | undefined {
  const weight = ({ market }: Desk) => (pool.coin === undefined ? world.usdOf(market.settle) : fraction(1))
  const needs = pool.desks
    .filter((desk) => !largerSide(desk).isZero())
    .map((desk) => ({ desk, need: deskMaintenance(world, desk).times(weight(desk)) }))
  return needs.sort((a, b) => b.need.compare(a.need))[0]?.desk
}

/** How much of a position goes at once. */
function cutOf(world: World, { market }: Desk, quantity: Fraction): Fraction {
  const mark = markPrice(world, market)
  const value = tierValue(market, quantity, mark)
  const found = market.tiers.findIndex((tier) => value.isBelow(tier.to))
  const tier = found < 0 ? market.tiers.length - 1 : found
  if (tier === 0) return quantity
  const keepValue = (market.tiers[Math.max(0, tier - 2)] as { to: Fraction }).to
  // The upper bound of a tier belongs to the next one.
  const lots = keepValue
    .minus(fraction('0.00000001'))
    .over(tierValue(market, market.lot, mark))
    .floor()
  const keep = market.lot.times(fraction(lots))
  return keep.isBelow(quantity) ? quantity.minus(keep) : quantity
}

function crossBankruptcyPrice(world: World, pool: Pool, desk: Desk, side: Hold): Fraction {
  const position = positionOf(desk, side)
  if (position === undefined) throw new Error('who goes bankrupt has a position')
  return bankruptcyPrice(desk.market, position, backingIn(world, pool, desk, position)) ?? markPrice(world, desk.market)
}

/** Offers a close to the book; answers what it took. */
function close(world: World, desk: Desk, side: Hold, quantity: Fraction, bankruptcy: Fraction): Fraction {
  const price = withinBand(world, desk, side, bankruptcy)
  const before = sizeOf(desk, side)
  const bookSide: Side = side === 'long' ? 'sell' : 'buy'
  const best = opposite(world, desk.market, bookSide)[0]
  if (best === undefined || !reaches(bookSide, price, priceOf(best))) return zero
  placeForced(world, {
    owner: desk.owner,
    market: desk.market.name,
    side: bookSide,
    price,
    quantity,
    hold: side,
    reduceOnly: true,
  })
  return before.minus(sizeOf(desk, side))
}

/** An order of the venue does not reach further than anybody's. */
function withinBand(world: World, { market }: Desk, side: Hold, price: Fraction): Fraction {
  if (market.limitBand.isZero()) return price
  const worst = bandPrice(market, markPrice(world, market), side === 'long' ? 'sell' : 'buy', market.limitBand)
  return side === 'long' ? most(price, worst) : least(price, worst)
}
