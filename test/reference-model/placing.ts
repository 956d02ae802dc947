/**
 * The way of an order: may it be, what does it meet, what is left of it.
 *
 * Canceled  at once, not refused: post-only that would cross, market or ioc that finds nothing, fok that cannot fill whole
 * Source    design.md §4.6, §4.18, §4.29; interface.md E2, E3
 */
import { opposite, priceOf, reaches } from './books.ts'
import type { Market } from './catalog.ts'
import { cutClosing } from './closing.ts'
import type { Answer, Place } from './commands.ts'
import { admitContract, directionOf, type Manner } from './contracts.ts'
import { closeOrder } from './order-end.ts'
import type { Earlier } from './holds.ts'
import { lend } from './debts.ts'
import { payWithIncoming } from './loans.ts'
import { bookFill } from './positions.ts'
import { cancelUncoveredOrders } from './cancel-uncovered.ts'
import { purseOf } from './shortfall.ts'
import type { Match } from './solvency.ts'
import { admitSpot, giveBack, settleSpot } from './spot.ts'
import { coverReceived } from './covers.ts'
import { extendAttached } from './triggers.ts'
import type { MatchResult } from './sweep.ts'
import { down, type Fraction, sum, zero } from './rational.ts'
import { type Desk, onlyReduces, openOrdersMax, type Order, tradingWallet, type Wallet, type World } from './world.ts'

/** What the venue itself places for an account: it does not rest, and is asked for nothing but what it trades. */
export function placeForced(
  world: World,
  order: Pick<Place, 'owner' | 'market' | 'side' | 'price' | 'hold' | 'reduceOnly'> & { readonly quantity: Fraction },
): void {
  const { quantity, ...meant } = order
  const market = world.market(order.market)
  const shape = { kind: 'place', id: '', margin: market.kind === 'spot', timeInForce: 'ioc', stp: 'none' } as const
  const loanType = 'normal'
  const amount = { of: 'quantity', quantity } as const
  const none = { trade: undefined, marginMode: undefined, attached: undefined }
  const command: Place = { ...meant, ...shape, ...none, loanType, amount }
  const wallet = tradingWallet(world.account(order.owner), market, command.margin)
  if (market.kind === 'spot') placeSpot(world, command, wallet, market, { forced: true })
  else placeContract(world, command, wallet, market, { manner: 'forced', full: false })
}

export function placeOrder(world: World, command: Place): Answer {
  const { owner, id } = command
  const market = world.market(command.market)
  const wallet = tradingWallet(world.account(owner), market, command.margin)
  if (world.halted.has(market)) return 'instrument-closed'
  if (world.isTaken(owner, id)) return 'duplicate-client-order-id'
  const mayStay = command.price !== undefined && ['gtc', 'post_only'].includes(command.timeInForce)
  const full = mayStay && world.openOf(owner, market) >= openOrdersMax
  const direction = market.kind === 'spot' ? undefined : directionOf(command, world.isHedged(owner, market))
  if (full && direction?.reduces === undefined) return 'open-orders-max'
  return market.kind === 'spot'
    ? placeSpot(world, command, wallet, market, { forced: false })
    : placeContract(world, command, wallet, market, { manner: 'user', full })
}

/** What comes of a trigger order: no limit of entry holds it up, all else does. */
export function placeTriggered(world: World, command: Place, manner: 'plan' | 'tpsl'): Answer {
  const market = world.market(command.market)
  const wallet = tradingWallet(world.account(command.owner), market, command.margin)
  if (market.kind === 'spot') {
    return placeSpot(world, command, wallet, market, { forced: false, covers: manner === 'tpsl' })
  }
  return placeContract(world, command, wallet, market, { manner, full: false })
}

/** A resting order with other terms, or with `filled` undefined a new one in its place. */
export function placeAgain(world: World, command: Place, order: Order, filled: Fraction | undefined): Answer {
  const { wallet, market } = order
  const earlier = { order, filled }
  return market.kind === 'spot'
    ? placeSpot(world, command, wallet, market, { forced: false, earlier })
    : placeContract(world, command, wallet, market, { manner: 'user', full: false, earlier })
}

/** The order that is placed: a new one, or one with other terms, out of its book until it rests again. */
function begin(earlier: Earlier | undefined, make: () => Order, terms: Partial<Order>): Order {
  if (earlier?.filled === undefined) return make()
  const { order, filled } = earlier
  order.resting = false
  const { price, quantity = zero } = terms
  return Object.assign(order, { price, quantity: quantity.plus(filled), remaining: quantity })
}

/** Among the open orders, the one in whose place it comes gone. */
function enter(world: World, order: Order, earlier: Earlier | undefined): void {
  if (earlier !== undefined && order.market.kind !== 'spot') world.bookChanged = true
  if (earlier?.order === order) return
  world.orders.push(order)
  if (earlier === undefined) return
  order.loan = earlier.order.loan
  order.hold = earlier.order.hold
  earlier.order.loan = zero
  closeOrder(world, earlier.order, 'canceled', 'user')
}

interface SpotManner {
  /** By the venue itself. */
  readonly forced: boolean
  /** As a take-profit or stop-loss of what an order received. */
  readonly covers?: boolean
  readonly earlier?: Earlier | undefined
}

function placeSpot(
  world: World,
  command: Place,
  wallet: Wallet,
  market: Market,
  { forced, covers = false, earlier }: SpotManner,
): Answer {
  const admitted = admitSpot(world, command, wallet, market, { forced, covers, earlier })
  if (typeof admitted === 'string') return admitted
  const { quantity, budget, hold, loan, coin, matched, limit } = admitted
  const shape = { ...spotShape, side: command.side, quantity, budget, forced }
  const terms = { price: command.price, quantity }
  const order = begin(earlier, () => openOrder(world, command, wallet, market, shape), terms)
  const stopped = immediateCancelReason(world, command, order, matched, limit)
  if (stopped !== undefined) return cancelAtOnce(world, order, stopped, earlier)
  enter(world, order, earlier)
  const freed = order.hold.minus(hold)
  if (loan.isAbove(zero)) lend(world, world.purse(command.owner, wallet, coin), loan)
  order.hold = hold
  order.loan = order.loan.plus(loan)
  giveBack(world, order, freed)
  run(world, matched, (match) => {
    settleSpot(world, order, match)
    coverReceived(world, match.maker)
  })
  if (matched.filled.isAbove(zero)) coverReceived(world, order)
  settleRest(world, command, order, matched)
  return 'accepted'
}

const spotShape: Pick<Order, 'intent' | 'reduceOnly'> = { intent: 'spot', reduceOnly: false }

/** `full`: the account has as many open orders as it may, so that a closing order has to displace one. */
function placeContract(
  world: World,
  command: Place,
  wallet: Wallet,
  market: Market,
  {
    manner,
    full,
    earlier,
  }: { readonly manner: Manner; readonly full: boolean; readonly earlier?: Earlier | undefined },
): Answer {
  const admitted = admitContract(world, command, wallet, market, { manner, earlier })
  if (typeof admitted === 'string') return admitted
  const { desk, matched, limit, superseded } = admitted
  if (full && superseded.length === 0) return 'open-orders-max'
  const shape = { ...admitted, budget: undefined, forced: manner === 'forced' }
  const terms = { price: command.price, quantity: admitted.quantity }
  const order = begin(earlier, () => openOrder(world, command, wallet, market, shape), terms)
  const stopped = immediateCancelReason(world, command, order, matched, limit)
  world.keep(desk)
  desk.marginMode = admitted.marginMode
  if (stopped !== undefined) return cancelAtOnce(world, order, stopped, earlier)
  enter(world, order, earlier)
  for (const displaced of superseded) closeOrder(world, displaced, 'canceled', 'reduce-only')
  order.hold = admitted.hold
  const touched = new Set([desk])
  run(world, matched, (match) => settleContract(world, order, match, touched))
  settleRest(world, command, order, matched)
  for (const other of touched) {
    cutClosing(world, other)
    cancelUncoveredOrders(world, other)
  }
  return 'accepted'
}

function openOrder(
  world: World,
  { id, owner, margin, loanType, price, attached, stp, timeInForce }: Place,
  wallet: Wallet,
  market: Market,
  shape: Pick<Order, 'side' | 'intent' | 'reduceOnly' | 'quantity' | 'budget' | 'forced'>,
): Order {
  world.orderNumber++
  if (id !== '') world.ids.set(`${owner} ${id}`, Number.POSITIVE_INFINITY)
  const { side, intent, reduceOnly, quantity, budget, forced } = shape
  const order: Order = {
    number: world.orderNumber,
    id,
    owner,
    wallet,
    market,
    margin,
    loanType,
    side,
    price,
    timeInForce,
    turn: 0,
    intent,
    reduceOnly,
    forced,
    quantity,
    remaining: quantity,
    budget,
    hold: zero,
    loan: zero,
    resting: false,
    filled: zero,
    fee: zero,
    realized: zero,
    stp,
    attached: reduceOnly || intent === 'close' ? undefined : attached,
    received: zero,
    covered: zero,
  }
  return order
}

/** Why an order goes before it does anything. */
function immediateCancelReason(
  world: World,
  { price, timeInForce }: Place,
  { market, side, quantity }: Order,
  matched: MatchResult,
  limit: Fraction,
): string | undefined {
  const none = matched.stopped ? 'self-trade' : 'no-liquidity'
  if (price !== undefined && timeInForce === 'post_only') {
    const best = opposite(world, market, side)[0]
    return best !== undefined && reaches(side, limit, priceOf(best)) ? 'post-only' : undefined
  }
  if (price !== undefined && timeInForce === 'gtc') return undefined
  if (price !== undefined && timeInForce === 'fok' && matched.filled.isBelow(quantity)) return none
  return matched.steps.length === 0 ? none : undefined
}

function cancelAtOnce(world: World, order: Order, reason: string, earlier: Earlier | undefined): Answer {
  if (earlier !== undefined && order.market.kind !== 'spot') world.bookChanged = true
  if (earlier !== undefined && earlier.order !== order) closeOrder(world, earlier.order, 'canceled', 'user')
  if (earlier?.order !== order) world.orders.push(order)
  closeOrder(world, order, 'canceled', reason)
  return 'accepted'
}

/** Settles the matches. */
function run(world: World, matched: MatchResult, settle: (match: Match) => void): void {
  for (const step of matched.steps) {
    const { maker, price, quantity, reason } = step
    if (quantity.isZero()) {
      closeOrder(world, maker, 'canceled', reason)
      continue
    }
    settle(step)
    world.lastPrice.set(maker.market.name, price)
    if (!world.traded.includes(maker.market)) world.traded.push(maker.market)
    if (maker.remaining.isZero()) closeOrder(world, maker, 'filled', '')
  }
}

/** What the book left of the order rests, or goes. */
function settleRest(world: World, { price, timeInForce }: Place, order: Order, matched: MatchResult): void {
  const byBudget = order.budget !== undefined
  if (!byBudget && order.remaining.isZero()) closeOrder(world, order, 'filled', '')
  else if (matched.stopped) closeOrder(world, order, 'canceled', 'self-trade')
  else if (price !== undefined && (timeInForce === 'gtc' || timeInForce === 'post_only')) rest(world, order)
  else if (byBudget && matched.spent) closeOrder(world, order, 'filled', '')
  else closeOrder(world, order, 'canceled', 'no-liquidity')
}

function rest(world: World, order: Order): void {
  order.resting = true
  order.turn = ++world.turns
  if (order.market.kind !== 'spot') world.bookChanged = true
}

/** Both sides of a match of a contract, the taker's first. */
function settleContract(world: World, taker: Order, match: Match, touched: Set<Desk>): void {
  const { maker, quantity, price } = match
  const { market } = taker
  for (const order of [taker, maker]) {
    const desk = world.desk(order.owner, order.wallet, market) as Desk
    touched.add(desk)
    const whole = quantity.equals(order.remaining)
    const freed = whole ? order.hold : down(order.hold.times(quantity).over(order.remaining))
    order.hold = order.hold.minus(freed)
    order.remaining = order.remaining.minus(quantity)
    if (order.resting) world.bookChanged = true

    const feeRate = order === taker ? market.takerFee : market.makerFee
    const opens = order.intent === 'open'
    const legs = bookFill(world, desk, { side: order.side, quantity, price, feeRate, opens })
    if (onlyReduces(order) && legs.some(({ effect }) => effect === 'open')) throw new Error('a close has opened')
    for (const leg of legs) {
      world.fills.push({
        owner: order.owner,
        order: order.id,
        market: market.name,
        side: order.side,
        scope: order === taker ? 'taker' : 'maker',
        price,
        ...leg,
      })
      if (leg.effect === 'open') {
        extendAttached(world, desk, order, order.side === 'buy' ? 'long' : 'short', leg.quantity)
      }
    }
    const fee = sum(legs.map((leg) => leg.fee))
    const realized = sum(legs.map((leg) => leg.realized))
    order.filled = order.filled.plus(quantity)
    order.fee = order.fee.plus(fee)
    order.realized = order.realized.plus(realized)
    payWithIncoming(world, purseOf(world, desk), realized.minus(fee))
  }
}
