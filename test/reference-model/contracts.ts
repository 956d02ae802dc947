/**
 * Orders of contracts: which position they mean, how much, and whether the wallet has the margin.
 *
 * Direction  one-way: the side; hedge: v3 names the position, v2 its direction (design §4.11)
 * Inverse    a size in base coin becomes contracts: opening at the order's or mark price, closing at the entry price
 *            (design §4.12)
 * Margin     what would open asks for its margin; it must fit into what is available
 * Apart      an isolated order may lose at once no more than its initial margin, and the wallet pays its fills
 * Closing    that would leave less than nothing is refused
 * Source     risk-engine.md §3, §8, §11, §18
 */
import {
  bandPrice,
  feeOf,
  type Hold,
  initialMargin,
  leverageCap,
  type Market,
  type Side,
  tierValue,
} from './catalog.ts'
import { checkPrice, checkQuantity, checkValue } from './checks.ts'
import { fitClosing } from './closing.ts'
import type { Place } from './commands.ts'
import { askingOf, type Earlier, heldFor, sideHold, without } from './holds.ts'
import { availableOf, equityOf, ownAvailable } from './margin.ts'
import { openLoss, orderMargin, unrealized } from './value.ts'
import { markPrice } from './prices.ts'
import { purseOf } from './shortfall.ts'
import { type MatchResult, sweep } from './sweep.ts'
import { downTo, type Fraction, fraction, least, most, nearestUnit, zero } from './rational.ts'
import {
  type Desk,
  type Intent,
  leverageOf,
  type MarginMode,
  type Order,
  type Position,
  positionOf,
  positionsOf,
  sizeOf,
  type Wallet,
  type World,
} from './world.ts'

export interface ContractOrder {
  readonly desk: Desk
  readonly marginMode: MarginMode
  readonly side: Side
  readonly intent: Intent
  readonly reduceOnly: boolean
  readonly quantity: Fraction
  /** Margin that it asks for. */
  readonly hold: Fraction
  readonly limit: Fraction
  readonly superseded: readonly Order[]
  readonly matched: MatchResult
}

/** An order as far as it is decided, with what it will trade at once. */
interface ProposedFill {
  readonly side: Side
  readonly quantity: Fraction
  /** How much of it only reduces. */
  readonly closing: Fraction
  readonly limit: Fraction
  readonly rests: boolean
  readonly atMarket: boolean
  readonly matched: MatchResult
}

export interface Direction {
  readonly side: Side
  readonly intent: Intent
  /** The position that it may only take from. */
  readonly reduces: Hold | undefined
}

/** Who places it: its owner, the venue, a plan, or a take-profit or stop-loss. */
export type Manner = 'user' | 'forced' | 'plan' | 'tpsl'

export function directionOf(command: Place, hedged: boolean): Direction | undefined {
  const { side, hold, trade, reduceOnly } = command
  if (!hedged) {
    const against = side === 'sell' ? 'long' : 'short'
    return { side, intent: 'single', reduces: reduceOnly ? against : undefined }
  }
  if (hold !== undefined) {
    const opens = (side === 'buy') === (hold === 'long')
    return { side, intent: opens ? 'open' : 'close', reduces: opens ? undefined : hold }
  }
  if (trade === undefined) return undefined
  const meant = side === 'buy' ? 'long' : 'short'
  if (trade === 'open') return { side, intent: 'open', reduces: undefined }
  return { side: side === 'buy' ? 'sell' : 'buy', intent: 'close', reduces: meant }
}

export function admitContract(
  world: World,
  command: Place,
  wallet: Wallet,
  market: Market,
  { manner, earlier }: { readonly manner: Manner; readonly earlier: Earlier | undefined },
): ContractOrder | string {
  const { owner, price } = command
  const forced = manner === 'forced'
  const filled = earlier?.filled ?? zero
  // What closes by itself closes whole: it has no maximum, and closing orders that rest make way.
  const must = forced || manner === 'tpsl'
  const hedged = world.isHedged(owner, market)
  const direction = directionOf(command, hedged)
  if (direction === undefined) return 'position-side-required'
  const { side, intent, reduces } = direction
  const existing = world.deskOrNew(owner, wallet, market)
  const marginMode = command.marginMode ?? existing.marginMode
  if (marginMode !== existing.marginMode && !isIdle(world, existing)) return 'margin-mode-in-use'
  const desk = { ...existing, marginMode }

  const mark = markPrice(world, market)
  const quantity = quantityOf(command, market, mark, reduces === undefined ? undefined : positionOf(desk, reduces))
  const fault = forced
    ? undefined
    : (checkPrice(market, side, price, mark) ??
      (must ? undefined : checkQuantity(market, price, quantity.plus(filled), reduces !== undefined)) ??
      (reduces === undefined ? checkValue(market, price ?? mark, quantity.plus(filled)) : undefined))
  if (fault !== undefined) return fault

  const fit =
    reduces === undefined
      ? { quantity, superseded: [] }
      : without(world, earlier, () =>
          fitClosing(world, desk, reduces, quantity, {
            hedged: hedged && !must,
            market: price === undefined || manner === 'plan',
          }),
        )
  if (typeof fit === 'string') return fit

  const limit = price ?? bandPrice(market, mark, side, market.marketBand)
  const { stp } = command
  const matched = sweep(world, { owner, wallet, market, side, stp, limit, quantity: fit.quantity, budget: undefined })
  const against = sizeOf(desk, side === 'buy' ? 'short' : 'long')
  const proposed: ProposedFill = {
    side,
    quantity: fit.quantity,
    closing: reduces !== undefined ? fit.quantity : hedged ? zero : least(fit.quantity, against),
    limit,
    rests: price !== undefined && (command.timeInForce === 'gtc' || command.timeInForce === 'post_only'),
    atMarket: price === undefined,
    matched,
  }
  if (!forced && bankrupts(world, desk, proposed)) return 'insufficient-margin'
  const hold = reduces === undefined ? admitMargin(world, desk, proposed, { hedged, earlier }) : zero
  if (typeof hold === 'string') return hold
  return {
    desk: existing,
    marginMode,
    side,
    intent,
    reduceOnly: reduces !== undefined && !hedged,
    quantity: fit.quantity,
    hold,
    limit,
    superseded: fit.superseded,
    matched,
  }
}

/** Without positions and opening orders its margin mode follows the order. */
function isIdle(world: World, desk: Desk): boolean {
  const asking = [askingOf(world, desk, 'buy'), askingOf(world, desk, 'sell')]
  return positionsOf(desk).length === 0 && asking.every(({ quantity }) => quantity.isZero())
}

function quantityOf({ amount, price }: Place, market: Market, mark: Fraction, closing: Position | undefined): Fraction {
  if (amount.of === 'quantity') return amount.quantity
  if (amount.of === 'quote') throw new Error('contracts are not bought by quote amount')
  if (closing === undefined) return downTo(market.lot, amount.size.times(price ?? mark))
  const entry = shownEntry(market, closing)
  const shownTotal = downTo(market.sizeStep, downTo(fraction('0.00000001'), closing.quantity.over(entry)))
  if (!amount.size.isBelow(shownTotal)) return closing.quantity
  return least(closing.quantity, downTo(market.lot, amount.size.times(entry)))
}

/** E = |F| / q linear, N / |F| inverse; to the nearest 1e-8. */
function shownEntry(market: Market, { entryValue, quantity }: Position): Fraction {
  const entry = market.kind === 'inverse' ? quantity.over(entryValue.size()) : entryValue.size().over(quantity)
  return nearestUnit(entry)
}

/** What the order loses at the mark: at the worst price of its matches, and for what rests at its own. */
function worstLoss(world: World, market: Market, proposed: ProposedFill, quantity: Fraction): Fraction {
  const mark = markPrice(world, market)
  return atWorst(proposed, quantity, (some, price) => openLoss(market, proposed.side, some, price, mark))
}

function atWorst(
  proposed: ProposedFill,
  quantity: Fraction,
  worth: (some: Fraction, price: Fraction) => Fraction,
): Fraction {
  const now = least(quantity, proposed.matched.filled)
  const later = proposed.rests ? quantity.minus(now) : zero
  const first = now.isZero() ? zero : worth(now, proposed.matched.worst)
  return later.isZero() ? first : first.plus(worth(later, proposed.limit))
}

/** A closing order that would leave its wallet or its isolated position below zero. */
function bankrupts(world: World, desk: Desk, proposed: ProposedFill): boolean {
  if (proposed.closing.isZero()) return false
  const { market, owner, wallet } = desk
  const position = positionOf(desk, proposed.side === 'buy' ? 'short' : 'long')
  const cross = desk.marginMode === 'cross' || position === undefined
  const loss = worstLoss(world, market, proposed, cross ? proposed.quantity : proposed.closing)
  if (loss.isZero()) return false
  const fee = atWorst(proposed, proposed.closing, (some, price) =>
    most(zero, feeOf(market, some, price, market.takerFee)),
  )
  const equity = equityOf(world, owner, wallet, market.settle)
  if (cross) return loss.plus(fee).isAbove(equity)
  const own = position.margin.plus(unrealized(market, position, markPrice(world, market)))
  const wealth = most(zero, least(purseOf(world, desk).balance, equity))
  return loss.isAbove(own) || loss.plus(fee).isAbove(own.plus(wealth))
}

/**
 * The margin that an order asks for, or why it may not. Market orders count what they will trade, at their worst price. What
 * an earlier order holds comes free: only more than that has to be there.
 */
function admitMargin(
  world: World,
  desk: Desk,
  proposed: ProposedFill,
  { hedged, earlier }: { readonly hedged: boolean; readonly earlier: Earlier | undefined },
): Fraction | string {
  const { market, owner, wallet } = desk
  const { side, matched } = proposed
  if (proposed.atMarket && matched.filled.isZero()) return zero
  const quantity = proposed.atMarket ? matched.filled : proposed.quantity
  const price = proposed.atMarket ? matched.worst : proposed.limit
  const [along, against] = side === 'buy' ? (['long', 'short'] as const) : (['short', 'long'] as const)
  const leverage = leverageOf(desk, along, hedged)
  const mark = markPrice(world, market)

  const asking = without(world, earlier, () => askingOf(world, desk, side))
  const held = sideHold(world, desk, side)
  const freed = held.minus(without(world, earlier, () => sideHold(world, desk, side)))
  const open = sizeOf(desk, along)
  const reducible = hedged ? zero : sizeOf(desk, against)
  const opening = most(zero, asking.quantity.plus(quantity).minus(reducible))
  if (opening.sign() > 0 && leverage > leverageCap(market, tierValue(market, open.plus(opening), mark))) {
    return 'position-tier-exceeded'
  }
  const margin = orderMargin(market, { side, quantity, price, leverage }, mark)
  const grown = { quantity: asking.quantity.plus(quantity), margin: asking.margin.plus(margin) }
  const required = heldFor(grown, desk, side, hedged).minus(held)
  // Isolated margin is set apart in its own coin, whatever other coins a unified wallet has.
  const bound = desk.marginMode === 'isolated' ? ownAvailable : availableOf
  const available = bound(world, owner, wallet, market.settle)
  if (required.sign() > 0 && required.isAbove(available)) return 'insufficient-margin'
  if (desk.marginMode === 'isolated' && !setsApart(world, desk, proposed, { leverage, freed }))
    return 'insufficient-margin'
  return margin
}

/** Whether an isolated order starts a position that is worth something, and the wallet has what its fills take. */
function setsApart(
  world: World,
  desk: Desk,
  proposed: ProposedFill,
  { leverage, freed }: { readonly leverage: number; readonly freed: Fraction },
): boolean {
  const { market, owner, wallet } = desk
  const { matched, side } = proposed
  const opening = proposed.quantity.minus(proposed.closing)
  if (opening.isZero()) return true
  const loss = worstLoss(world, market, proposed, opening)
  if (loss.isAbove(zero) && loss.isAbove(initialMargin(market, opening, proposed.limit, leverage))) return false
  const now = least(matched.filled, proposed.quantity).minus(proposed.closing)
  if (now.sign() <= 0) return true
  // The dearest price takes the most margin of a linear contract, the cheapest of an inverse one.
  const prices = matched.steps.filter(({ reason }) => reason === '').map((step) => step.price)
  const price = market.kind === 'inverse' ? least(matched.worst, ...prices) : most(matched.worst, ...prices)
  const need = initialMargin(market, now, price, leverage)
    .plus(feeOf(market, now, price, market.takerFee))
    .plus(loss)
  const closed = positionOf(desk, side === 'buy' ? 'short' : 'long')
  const back =
    proposed.closing.isZero() || closed === undefined
      ? zero
      : most(zero, closed.margin.plus(unrealized(market, closed, matched.worst)))
  return !need.isAbove(ownAvailable(world, owner, wallet, market.settle).plus(freed).plus(back))
}
