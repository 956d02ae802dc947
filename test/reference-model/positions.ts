/**
 * Fills of contracts in positions: add, reduce, flip.
 *
 * Entry     value φ = ⌊−side·p·x⌋ linear, ⌊±N/p⌋ inverse; its rounding is the house's
 * Reduce    ρ = ⌊F·x/q⌋, realized = ρ + φ, F −= ρ; the last reduction takes all of F
 * Isolated  M0 = ⌈worth/L⌉ out of the wallet when it opens, ⌊M·x/q⌋ back when it closes
 * Fee       out of the wallet
 * Source    risk-engine.md §4, §5, §8, §10
 */
import { feeOf, type Hold, initialMargin, notionalOf, type Side, worth } from './catalog.ts'
import { coverWallet, payFromProfit, purseOf } from './shortfall.ts'
import { down, type Fraction, least, most, zero } from './rational.ts'
import { endTpsl } from './trigger-end.ts'
import { type Desk, leverageOf, type Position, positionOf, sizeOf, type World } from './world.ts'

/** What a fill did to one position. */
export interface Leg {
  readonly effect: 'open' | 'close'
  readonly quantity: Fraction
  readonly notional: Fraction
  readonly fee: Fraction
  readonly realized: Fraction
}

/** What of a fill belongs to one position. */
interface Part {
  readonly quantity: Fraction
  readonly price: Fraction
  readonly feeRate: Fraction
}

/** One-way fills reduce the opposite position first and open with the rest: two legs when a position flips. */
export function bookFill(
  world: World,
  desk: Desk,
  fill: {
    readonly side: Side
    readonly quantity: Fraction
    readonly price: Fraction
    readonly feeRate: Fraction
    readonly opens: boolean
  },
): Leg[] {
  const { side, quantity, price, feeRate, opens } = fill
  const [against, along] = side === 'buy' ? (['short', 'long'] as const) : (['long', 'short'] as const)
  const closing = opens ? zero : least(quantity, sizeOf(desk, against))
  const legs: Leg[] = []
  if (closing.isAbove(zero)) legs.push(reduce(world, desk, against, { quantity: closing, price, feeRate }))
  if (closing.isBelow(quantity))
    legs.push(add(world, desk, along, { quantity: quantity.minus(closing), price, feeRate }))
  return legs
}

/** What a fill pays (below zero) or brings, as booked. */
function entryValueOf(desk: Desk, side: Side, quantity: Fraction, price: Fraction): Fraction {
  const value = worth(desk.market, quantity, price)
  const brings = (side === 'sell') === (desk.market.kind !== 'inverse')
  return down(brings ? value : value.negative())
}

export function add(world: World, desk: Desk, side: Hold, { quantity, price, feeRate }: Part): Leg {
  const { market } = desk
  const purse = purseOf(world, desk)
  const position = positionOf(desk, side) ?? start(world, desk, side)
  const entryValue = entryValueOf(desk, side === 'long' ? 'buy' : 'sell', quantity, price)
  const fee = feeOf(market, quantity, price, feeRate)
  world.postHouse('rounding', 'clearing', market.settle, entryValue)
  position.entryValue = position.entryValue.plus(entryValue)
  position.quantity = position.quantity.plus(quantity)
  position.openFees = position.openFees.plus(fee)

  world.post('fees', purse, fee.negative())
  coverWallet(world, desk)
  if (desk.marginMode === 'isolated') {
    const leverage = leverageOf(desk, side, world.isHedged(desk.owner, market))
    const wanted = initialMargin(market, quantity, price, leverage)
    moveMargin(world, desk, position, least(wanted, most(zero, purse.balance)))
  }
  return { effect: 'open', quantity, notional: notionalOf(market, quantity, price), fee, realized: zero }
}

export function reduce(world: World, desk: Desk, side: Hold, { quantity, price, feeRate }: Part): Leg {
  const { market } = desk
  const purse = purseOf(world, desk)
  const position = positionOf(desk, side)
  if (position === undefined || quantity.isAbove(position.quantity)) throw new Error('a close is at most the position')
  const whole = quantity.equals(position.quantity)
  const share = (money: Fraction) => (whole ? money : down(money.times(quantity).over(position.quantity)))
  const entryValue = entryValueOf(desk, side === 'long' ? 'sell' : 'buy', quantity, price)
  const released = share(position.entryValue)
  const margin = share(position.margin)
  const realized = released.plus(entryValue)
  const fee = feeOf(market, quantity, price, feeRate)
  world.postHouse('rounding', 'clearing', market.settle, entryValue)
  position.entryValue = position.entryValue.minus(released)
  position.quantity = position.quantity.minus(quantity)
  position.realized = position.realized.plus(realized)
  position.closeFees = position.closeFees.plus(fee)

  moveMargin(world, desk, position, margin.negative())
  if (desk.marginMode === 'isolated') payShortfall(world, desk, position, margin.plus(realized).negative())
  world.post('clearing', purse, realized)
  world.post('fees', purse, fee.negative())
  coverWallet(world, desk)
  if (whole && side === 'long') desk.long = undefined
  if (whole && side === 'short') desk.short = undefined
  if (whole) endTpsl(world, desk, side)
  return { effect: 'close', quantity, notional: notionalOf(market, quantity, price), fee, realized }
}

/** A loss beyond the margin of the part that closes is the rest's, then its profit's, then the fund's. */
function payShortfall(world: World, desk: Desk, position: Position, shortfall: Fraction): void {
  if (!shortfall.isAbove(zero)) return
  const purse = purseOf(world, desk)
  const fromMargin = least(shortfall, position.margin)
  moveMargin(world, desk, position, fromMargin.negative())
  const left = shortfall.minus(fromMargin)
  const won = payFromProfit(world, desk, position, left)
  world.post('clearing', purse, won)
  world.post('insurance', purse, left.minus(won))
}

/** Isolated margin out of the wallet into the position; below zero: back. */
export function moveMargin(world: World, desk: Desk, position: Position, money: Fraction): void {
  world.post('isolatedMargin', purseOf(world, desk), money.negative())
  position.margin = position.margin.plus(money)
}

function start(world: World, desk: Desk, side: Hold): Position {
  world.positionNumber++
  const position: Position = {
    number: world.positionNumber,
    side,
    quantity: zero,
    entryValue: zero,
    margin: zero,
    realized: zero,
    openFees: zero,
    closeFees: zero,
    funding: undefined,
  }
  if (side === 'long') desk.long = position
  else desk.short = position
  return position
}
