/**
 * Leverage, margin mode and hold mode.
 *
 * Leverage  cross: changes what positions need; isolated: moves margin between wallet and position by the difference of
 *           the initial margins at entry; orders ask for margin by the new leverage; refused where margin or tier
 *           does not suffice
 * By hand   isolated margin is added out of what is available, and taken down to the initial margin
 * Modes     change only without positions and orders of the contract (margin mode) or the line (hold mode)
 * Source    design.md §4.16, §4.37; interface.md E12
 */
import { type Hold, initialMargin, leverageCap, type Line, type Market, type Side, tierValue } from './catalog.ts'
import type { Answer } from './commands.ts'
import { askingOf, deskHold, deskOrders, heldFor, leftOf, openingOrders } from './holds.ts'
import { availableOf, ownAvailable } from './margin.ts'
import { unifiedMarginOf } from './unified-margin.ts'
import { orderMargin, unrealized } from './value.ts'
import { moveMargin } from './positions.ts'
import { markPrice } from './prices.ts'
import { type Fraction, fraction, least, most, sum, up, zero } from './rational.ts'
import {
  type Desk,
  leverageOf,
  type MarginMode,
  type Order,
  type Position,
  positionOf,
  positionsOf,
  sizeOf,
  type World,
  tradingWallet,
} from './world.ts'

export function setLeverage(
  world: World,
  owner: string,
  market: Market,
  leverage: number,
  hold: Hold | undefined,
): Answer {
  if (leverage < 1 || leverage > market.leverageMax) return 'leverage-out-of-range'
  const desk = world.deskOrNew(owner, tradingWallet(world.account(owner), market, false), market)
  if (!tierAllows(world, desk, leverage)) return 'leverage-out-of-range'
  const need = needOf(world, desk, leverage, hold)
  if (need === undefined || !affords(world, [{ desk, need }])) return 'leverage-margin-short'
  world.keep(desk)
  take(world, desk, leverage, hold)
  return 'accepted'
}

/** All contracts of a line with a position take it, or none does. */
export function setLineLeverage(world: World, owner: string, line: Line, leverage: number): Answer {
  const markets = world.markets.filter((market) => market.line === line)
  const fits = (market: Market) => leverage >= 1 && leverage <= market.leverageMax
  if (markets.length > 0 && !markets.some(fits)) return 'leverage-out-of-range'
  const desks = markets
    .map((market) => world.desk(owner, tradingWallet(world.account(owner), market, false), market))
    .filter((desk) => desk !== undefined && positionsOf(desk).length > 0) as Desk[]
  const needs: Need[] = []
  for (const desk of desks) {
    if (!fits(desk.market) || !tierAllows(world, desk, leverage)) return 'not-taken'
    const need = needOf(world, desk, leverage, undefined)
    if (need === undefined) return 'not-taken'
    needs.push({ desk, need })
  }
  if (!affords(world, needs)) return 'not-taken'
  for (const desk of desks) take(world, desk, leverage, undefined)
  return 'accepted'
}

/** What a leverage takes for one contract. */
interface Need {
  readonly desk: Desk
  readonly need: Fraction
}

/** Whether a wallet has it: of each coin what is set apart, and as margin what all of it comes to. */
function affords(world: World, needs: readonly Need[]): boolean {
  for (const { desk } of needs) {
    const { owner, wallet, market } = desk
    const ofCoin = needs.filter((need) => need.desk.market.settle === market.settle)
    const apart = sum(ofCoin.filter((need) => need.desk.marginMode === 'isolated').map(({ need }) => need))
    if (apart.sign() > 0 && apart.isAbove(ownAvailable(world, owner, wallet, market.settle))) return false
    const all = sum(ofCoin.map(({ need }) => need))
    if (wallet === 'uta') continue
    if (all.sign() > 0 && all.isAbove(availableOf(world, owner, wallet, market.settle))) return false
  }
  const [first] = needs
  if (first?.desk.wallet !== 'uta') return true
  const dollars = sum(needs.map(({ desk, need }) => up(need.times(world.usdOf(desk.market.settle)))))
  const { equity, initial } = unifiedMarginOf(world, first.desk.owner)
  return dollars.sign() <= 0 || !dollars.isAbove(equity.minus(initial))
}

function tierAllows(world: World, desk: Desk, leverage: number): boolean {
  const after = (side: Side, hold: Hold) => leftOf(openingOrders(world, desk, side)).plus(sizeOf(desk, hold))
  const larger = most(after('buy', 'long'), after('sell', 'short'))
  if (larger.isZero()) return true
  return leverage <= leverageCap(desk.market, tierValue(desk.market, larger, markPrice(world, desk.market)))
}

/** What must be available for a leverage; undefined when a position could not give up its margin. */
function needOf(world: World, desk: Desk, leverage: number, hold: Hold | undefined): Fraction | undefined {
  const { market } = desk
  const mark = markPrice(world, market)
  let need = holdAt(world, desk, leverage, hold).minus(deskHold(world, desk))
  for (const position of meantPositions(world, desk, hold)) {
    if (desk.marginMode === 'cross') {
      const before = initialMargin(market, position.quantity, mark, desk.leverage)
      need = need.plus(initialMargin(market, position.quantity, mark, leverage)).minus(before)
      continue
    }
    const change = marginChange(world, desk, position, leverage)
    need = need.plus(change)
    const equity = position.margin.plus(change).plus(unrealized(market, position, mark))
    if (change.sign() < 0 && equity.isBelow(initialMargin(market, position.quantity, mark, leverage))) return undefined
  }
  return need
}

function isHedgedIsolated(world: World, desk: Desk): boolean {
  return desk.marginMode === 'isolated' && world.isHedged(desk.owner, desk.market)
}

function meantPositions(world: World, desk: Desk, hold: Hold | undefined): Position[] {
  const both = hold === undefined || !isHedgedIsolated(world, desk)
  return positionsOf(desk).filter(({ side }) => both || side === hold)
}

function meantOrders(world: World, desk: Desk, hold: Hold | undefined): Order[] {
  const both = hold === undefined || !isHedgedIsolated(world, desk)
  const meant = hold === 'long' ? 'buy' : 'sell'
  return (['buy', 'sell'] as const)
    .filter((side) => both || side === meant)
    .flatMap((side) => openingOrders(world, desk, side))
}

/** Margin into an isolated position, below zero out of it: never more than it has. */
function marginChange(world: World, desk: Desk, position: Position, leverage: number): Fraction {
  const before = leverageOf(desk, position.side, world.isHedged(desk.owner, desk.market))
  const at = (divisor: number) => up(position.entryValue.size().over(fraction(divisor)))
  return most(at(leverage).minus(at(before)), position.margin.negative())
}

function marginAt(world: World, { market, side, remaining, price }: Order, leverage: number): Fraction {
  const order = { side, quantity: remaining, price: price ?? zero, leverage }
  return orderMargin(market, order, markPrice(world, market))
}

/** What the desk's orders would hold. */
function holdAt(world: World, desk: Desk, leverage: number, hold: Hold | undefined): Fraction {
  const hedged = world.isHedged(desk.owner, desk.market)
  const meant = meantOrders(world, desk, hold)
  return sum(
    (['buy', 'sell'] as const).map((side) => {
      const asking = askingOf(world, desk, side)
      const changes = meant
        .filter((order) => order.side === side)
        .map((order) => marginAt(world, order, leverage).minus(order.hold))
      return heldFor({ ...asking, margin: asking.margin.plus(sum(changes)) }, desk, side, hedged)
    }),
  )
}

function take(world: World, desk: Desk, leverage: number, hold: Hold | undefined): void {
  if (desk.marginMode === 'isolated') {
    for (const position of meantPositions(world, desk, hold)) {
      moveMargin(world, desk, position, marginChange(world, desk, position, leverage))
    }
  }
  for (const order of meantOrders(world, desk, hold)) order.hold = marginAt(world, order, leverage)
  const apart = isHedgedIsolated(world, desk)
  if (!apart) desk.leverage = leverage
  if (desk.marginMode === 'cross') return
  if (hold !== 'short' || !apart) desk.leverageLong = leverage
  if (hold !== 'long' || !apart) desk.leverageShort = leverage
}

export function setMarginMode(world: World, owner: string, market: Market, marginMode: MarginMode): Answer {
  const desk = world.deskOrNew(owner, tradingWallet(world.account(owner), market, false), market)
  if (desk.marginMode === marginMode) return 'accepted'
  if (isInUse(world, desk)) return 'margin-mode-in-use'
  world.keep(desk)
  desk.marginMode = marginMode
  return 'accepted'
}

export function setHoldMode(world: World, owner: string, line: Line, hedged: boolean): Answer {
  const { hedged: lines } = world.account(owner)
  if (lines.has(line) === hedged) return 'accepted'
  const desks = world.desks.filter((desk) => desk.owner === owner && desk.market.line === line)
  if (desks.some((desk) => isInUse(world, desk))) return 'hold-mode-in-use'
  // A plan to close would open in the other mode.
  if (world.triggers.some((other) => other.owner === owner && other.market.line === line)) return 'hold-mode-in-use'
  if (hedged) lines.add(line)
  else lines.delete(line)
  return 'accepted'
}

/** Adding takes no more than is available, taking leaves the position its initial margin at the mark. */
export function setPositionMargin(
  world: World,
  owner: string,
  market: Market,
  hold: Hold | undefined,
  money: Fraction,
): Answer {
  const desk = world.deskOrNew(owner, tradingWallet(world.account(owner), market, false), market)
  if (desk.marginMode !== 'isolated') return 'margin-mode-not-isolated'
  const position = positionOf(desk, hold ?? (desk.long === undefined ? 'short' : 'long'))
  if (position === undefined) return 'no-position'
  if (money.isZero()) return 'amount-not-positive'
  const bound =
    money.sign() > 0 ? ownAvailable(world, owner, desk.wallet, market.settle) : spareMargin(world, desk, position)
  if (money.size().isAbove(bound)) return 'margin-change-exceeded'
  moveMargin(world, desk, position, money)
  return 'accepted'
}

function spareMargin(world: World, desk: Desk, position: Position): Fraction {
  const { market, owner } = desk
  const { side, quantity, margin } = position
  const mark = markPrice(world, market)
  const needed = initialMargin(market, quantity, mark, leverageOf(desk, side, world.isHedged(owner, market)))
  const profit = unrealized(market, position, mark)
  return margin.plus(least(zero, profit)).minus(needed)
}

export function setAutoMargin(world: World, owner: string, market: Market, on: boolean): Answer {
  const desk = world.deskOrNew(owner, tradingWallet(world.account(owner), market, false), market)
  if (desk.marginMode !== 'isolated') return 'margin-mode-not-isolated'
  world.keep(desk)
  desk.autoMargin = on
  return 'accepted'
}

function isInUse(world: World, desk: Desk): boolean {
  return positionsOf(desk).length > 0 || deskOrders(world, desk).length > 0
}
