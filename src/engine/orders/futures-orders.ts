/**
 * Futures orders: which position they mean, what margin they ask for, how a match settles.
 *
 * Direction  one-way: the book's side decides; hedge: v3 names the position, v2 its direction (design §4.11)
 * Inverse    whole USD contracts; a v2 size in base coin is converted here (design §4.12)
 * Closing    reduce-only and hedge closes occupy their position (reduce-only.ts)
 * Margin     an order that opens asks for its freeze; it must fit into what the domain has available
 * Source     interface.md E2 rules 4-6, E3 rules 1-4; risk-engine.md §3, §4, §7, §11, §18
 */
import type { Account, WalletType } from '../accounts/accounts.ts'
import { type FuturesInstrument, type Scale, tierValue } from '../catalog/catalog.ts'
import type { PlaceOrder, PositionSide, Side } from '../command.ts'
import type { OrderCause, OrderIntent } from '../event.ts'
import {
  closeLeg,
  domainAvailable,
  entryPriceE8,
  type Exposure,
  type Leg,
  leverageOf,
  openLeg,
  orderFreeze,
  type Position,
  positionOf,
  positionQuantity,
  requiredHold,
  tierLeverageMax,
  updateHold,
} from '../futures/futures.ts'
import {
  type Amount,
  amount,
  assert,
  divFloor,
  type Lots,
  maxAmount,
  oneCoin,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import { isFrozen } from '../pricing/pricing.ts'
import type { Refusal } from '../reply.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'
import { priceLimit, refuseNotional, refuseOversize, refusePrice, refuseQuantity } from './checks.ts'
import { leaveExposure } from './ending.ts'
import { announceFill, announceTrade, fillShared, payRebate } from './fills.ts'
import { type Plan, planSweep } from './matching.ts'
import { orderCodes } from './order-table.ts'
import type { Admitted } from './placing.ts'
import { growPresets } from './presets.ts'
import { fitClosing } from './reduce-only.ts'

export interface Direction {
  readonly bookSide: Side
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  /** The position that the order may only take from; undefined: it may open. */
  readonly reduces: PositionSide | undefined
}

export function admitFutures(
  venue: Venue,
  command: PlaceOrder,
  account: Account,
  wallet: WalletType,
  instrument: FuturesInstrument,
  cause: OrderCause,
): Admitted | Refusal {
  if (command.marginCoin !== undefined && command.marginCoin !== instrument.settle) return { kind: 'margin-coin-wrong' }
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const direction = directionOf(command, hedged)
  if (direction === undefined) return { kind: 'position-side-required' }
  if (direction.reduces === undefined && isFrozen(venue, instrument.id)) return { kind: 'index-stale' }
  const existing = venue.futures.findOrNew(account.handle, wallet, instrument)
  const exposure = withMarginMode(existing, command)
  if (exposure === undefined) return { kind: 'margin-mode-in-use' }

  const scale = venue.scale(instrument.id)
  const asked = askedQuantity(venue, command, instrument, scale, exposure, direction)
  // What the venue itself closes, it closes whole: no maximum of one order, and closing orders that rest make way.
  const must = cause !== 'user' && cause !== 'trigger' && direction.reduces !== undefined
  const shape =
    refuseOversize(venue, instrument, command, asked) ??
    refusePrice(venue, instrument, direction.bookSide, command.price) ??
    (must ? undefined : refuseQuantity(instrument, command, asked, direction.reduces !== undefined)) ??
    (direction.reduces === undefined ? refuseNotional(venue, instrument, scale, command, asked) : undefined)
  if (shape !== undefined) return shape

  const fit =
    direction.reduces === undefined
      ? { quantity: asked, displaced: [] }
      : fitClosing(venue, exposure, direction.reduces, asked, {
          hedged: hedged && !must,
          market: command.orderType === 'market',
        })
  if ('kind' in fit) return fit

  const limit = priceLimit(venue, instrument, direction.bookSide, command.price)
  const plan = planSweep(venue, {
    instrument: instrument.id,
    side: direction.bookSide,
    account: account.handle,
    wallet,
    main: account.main,
    stpMode: command.stpMode ?? account.stpMode,
    priceLimit: limit,
    quantity: fit.quantity,
    budget: undefined,
  })
  const leverage = leverageOf(exposure, direction.bookSide === 'buy' ? 'long' : 'short', hedged)
  const margin = { hold: zero }
  if (direction.reduces === undefined) {
    const opening = { long: direction.bookSide === 'buy', quantity: fit.quantity, price: limit, leverage }
    const answer = admitMargin(venue, instrument, exposure, command, opening, plan, hedged)
    if ('kind' in answer) return answer
    margin.hold = answer.hold
  }
  return {
    wallet,
    bookSide: direction.bookSide,
    quantity: fit.quantity,
    budget: zero,
    priceLimit: limit,
    intent: direction.intent,
    positionSide: direction.positionSide,
    reduceOnly: direction.reduces !== undefined && !hedged,
    hold: margin.hold,
    loan: zero,
    displaced: fit.displaced,
    exposure: existing,
    leverage,
    // The margin mode of a symbol without position and orders follows the order (E3 marginMode).
    marginMode: exposure.marginMode,
    plan,
  }
}

/** Undefined in hedge mode when the order does not say which position it means. */
export function directionOf(
  command: Pick<PlaceOrder, 'side' | 'positionSide' | 'tradeSide' | 'reduceOnly'>,
  hedged: boolean,
): Direction | undefined {
  const { side, positionSide, tradeSide } = command
  if (!hedged) {
    const reduces: PositionSide | undefined = command.reduceOnly ? (side === 'sell' ? 'long' : 'short') : undefined
    return { bookSide: side, intent: 'single', positionSide: 'net', reduces }
  }
  if (positionSide !== undefined) {
    const opens = (side === 'buy') === (positionSide === 'long')
    return { bookSide: side, intent: opens ? 'open' : 'close', positionSide, reduces: opens ? undefined : positionSide }
  }
  if (tradeSide === undefined) return undefined
  const meant: PositionSide = side === 'buy' ? 'long' : 'short'
  if (tradeSide === 'open') return { bookSide: side, intent: 'open', positionSide: meant, reduces: undefined }
  return { bookSide: side === 'buy' ? 'sell' : 'buy', intent: 'close', positionSide: meant, reduces: meant }
}

/** The exposure as the order's margin mode would have it; undefined when the mode in force is in use. */
function withMarginMode(exposure: Exposure, command: PlaceOrder): Exposure | undefined {
  if (command.marginMode === undefined || command.marginMode === exposure.marginMode) return exposure
  return isIdle(exposure) ? { ...exposure, marginMode: command.marginMode } : undefined
}

function isIdle(exposure: Exposure): boolean {
  const { long, short, buys, sells } = exposure
  return long === undefined && short === undefined && buys.quantity === 0 && sells.quantity === 0
}

/**
 * Lots asked for. A v2 inverse size in base coin becomes contracts: opening at the order's or mark price, closing at
 * the entry price, capped at the position; a size of at least the shown total means all of it (design §4.12).
 */
function askedQuantity(
  venue: Venue,
  command: PlaceOrder,
  instrument: FuturesInstrument,
  scale: Scale,
  exposure: Exposure,
  direction: Direction,
): Lots {
  const { quantity } = command
  if (quantity.unit === 'lots') return quantity.lots
  const closing = direction.reduces === undefined ? undefined : positionOf(exposure, direction.reduces)
  if (closing === undefined) {
    const price = BigInt(command.price === 0 ? venue.prices.markPrice(instrument.id) : command.price) * scale.tickE8
    return Number(divFloor(quantity.amount * price, oneCoin * scale.usdUnit)) as Lots
  }
  return contractsOf(scale, instrument, closing, quantity.amount)
}

/** Contracts of a position that an amount of base coin closes. */
export function contractsOf(scale: Scale, instrument: FuturesInstrument, closing: Position, base: Amount): Lots {
  const entry = entryPriceE8(scale, closing)
  const shownUnit = 10n ** BigInt(8 - instrument.sizeDecimals)
  const shownTotal =
    divFloor(divFloor(BigInt(closing.quantity) * scale.usdUnit * oneCoin, entry), shownUnit) * shownUnit
  if (base >= shownTotal) return closing.quantity
  const contracts = Number(divFloor(base * entry, oneCoin * scale.usdUnit))
  return Math.min(contracts, closing.quantity) as Lots
}

/** Tier, leverage and margin of an order that may open; market orders count what they will trade, at their worst price. */
function admitMargin(
  venue: Venue,
  instrument: FuturesInstrument,
  exposure: Exposure,
  command: PlaceOrder,
  order: { readonly long: boolean; readonly quantity: Lots; readonly price: Ticks; readonly leverage: number },
  plan: Plan,
  hedged: boolean,
): { readonly hold: Amount } | Refusal {
  const market = command.orderType === 'market'
  if (market && plan.filled === 0) return { hold: zero }
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  const priced = market ? { ...order, quantity: plan.filled as Lots, price: plan.worstPrice as Ticks } : order
  const resting = order.long ? exposure.buys : exposure.sells
  const held = positionQuantity(exposure, order.long ? 'long' : 'short')
  const reducible = hedged ? 0 : positionQuantity(exposure, order.long ? 'short' : 'long')
  const after = held + Math.max(0, resting.quantity + priced.quantity - reducible)
  const value = tierValue(scale, after as Lots, mark)
  const notionalMax = instrument.tiers.at(-1)?.to ?? zero
  if (order.leverage > tierLeverageMax(instrument, value) && after > held) {
    return { kind: 'position-tier-exceeded', notionalMax }
  }
  const freeze = orderFreeze(scale, priced, mark, instrument.takerFeeRate)
  const grown = { quantity: resting.quantity + priced.quantity, freeze: resting.freeze + freeze }
  const required = amount(
    requiredHold({ ...exposure, ...(order.long ? { buys: grown } : { sells: grown }) }, hedged) - exposure.held,
  )
  const available = domainAvailable(venue, exposure.account, exposure.wallet, instrument.settle)
  if (required > 0n && required > available) {
    return { kind: 'insufficient-margin', required, available: maxAmount(zero, available) }
  }
  return { hold: freeze }
}

/** The order counts among its exposure's orders from now on, and its margin is held. */
export function holdForFutures(venue: Venue, exposure: Exposure, admitted: Admitted, row: Row): void {
  const { orders } = venue
  orders.registered[row] = 1
  orders.hold[row] = admitted.hold
  if (orders.onlyReduces(row)) {
    if (orders.reducedSide(row) === 'long') exposure.closingLong += admitted.quantity
    else exposure.closingShort += admitted.quantity
    return
  }
  const opening = admitted.bookSide === 'buy' ? exposure.buys : exposure.sells
  opening.quantity += admitted.quantity
  opening.freeze += admitted.hold
  updateHold(venue, exposure)
}

export function settleFutures(
  venue: Venue,
  instrument: FuturesInstrument,
  taker: Row,
  maker: Row,
  quantity: Lots,
  price: Ticks,
  touched: Exposure[],
): void {
  const matchId = venue.counters.match++
  for (const row of [taker, maker]) {
    const feeRate = row === taker ? instrument.takerFeeRate : instrument.makerFeeRate
    const { orders } = venue
    const wallet = orders.walletOf(row)
    const exposure = venue.futures.find(orders.accountOf(row), wallet, instrument.id) as Exposure
    if (!touched.includes(exposure)) touched.push(exposure)

    // The part of the freeze that belongs to these lots goes with them; the last fill takes what is left.
    const remaining = orders.remaining[row]
    const hold = orders.hold[row]
    const freed = amount(quantity === remaining ? hold : divFloor(hold * BigInt(quantity), BigInt(remaining)))
    leaveExposure(venue, row, quantity, freed)
    orders.hold[row] = hold - freed

    const legs = bookLegs(venue, exposure, row, quantity, price, feeRate)
    updateHold(venue, exposure)
    fillShared(venue, row, quantity, totalsOf(legs))
    if (instrument.kind === 'inverse') addFine(venue, row, quantity, price)
    for (const leg of legs) {
      announceFill(venue, row, matchId, row === taker ? 'taker' : 'maker', price, instrument.settle, {
        ...leg,
        positionSide: orders.intent[row] === singleIntent ? 'net' : leg.side,
      })
      payRebate(venue, row, instrument.settle, leg.fee)
      if (leg.effect === 'open') growPresets(venue, exposure, row, leg.side, leg.quantity)
    }
  }
  announceTrade(venue, taker, matchId, quantity, price)
}

/** Adds a fill of an inverse contract to what its order's average price is made of. */
function addFine(venue: Venue, row: Row, quantity: Lots, price: Ticks): void {
  const scale = venue.scale(venue.orders.instrument[row])
  const fine = (BigInt(quantity) * scale.numerator * 10_000n) / (BigInt(price) * scale.priceStep)
  venue.orders.filledFine[row] = venue.orders.filledFine[row] + fine
}

const singleIntent = orderCodes.intent.indexOf('single')
const openIntent = orderCodes.intent.indexOf('open')

/** One-way fills reduce the opposite position first and open with the rest: two legs when a position flips. */
function bookLegs(
  venue: Venue,
  exposure: Exposure,
  row: Row,
  quantity: Lots,
  price: Ticks,
  feeRate: FuturesInstrument['takerFeeRate'],
): Leg[] {
  const { orders } = venue
  const buy = orders.sideOf(row) === 'buy'
  const opens: PositionSide = buy ? 'long' : 'short'
  const closes: PositionSide = buy ? 'short' : 'long'
  const legs: Leg[] = []
  const intent = orders.intent[row]
  const closing = intent === openIntent ? 0 : Math.min(quantity, positionQuantity(exposure, closes))
  if (closing > 0) {
    // Read before the close may end the position.
    orders.positionEntryE8[row] = entryOf(venue, exposure, closes)
    legs.push(closeLeg(venue, exposure, closes, closing as Lots, price, feeRate))
  }
  if (closing < quantity) {
    assert(!orders.onlyReduces(row), 'an order that only reduces never opens')
    legs.push(openLeg(venue, exposure, opens, (quantity - closing) as Lots, price, feeRate))
    orders.positionEntryE8[row] = entryOf(venue, exposure, opens)
  }
  return legs
}

function entryOf(venue: Venue, exposure: Exposure, side: PositionSide): bigint {
  const position = positionOf(exposure, side)
  return position === undefined ? 0n : entryPriceE8(venue.scale(exposure.instrument), position)
}

function totalsOf(legs: readonly Leg[]): { notional: Amount; fee: Amount; realizedPnl: Amount } {
  let notional = 0n
  let fee = 0n
  let realizedPnl = 0n
  for (const leg of legs) {
    notional += leg.notional
    fee += leg.fee
    realizedPnl += leg.realizedPnl
  }
  return { notional: amount(notional), fee: amount(fee), realizedPnl: amount(realizedPnl) }
}
