/**
 * Futures orders: which position they mean, what margin they ask for, how a match settles.
 *
 * Direction  one-way: the book's side decides; hedge: v3 names the position, v2 its direction (design §4.11)
 * Inverse    whole USD contracts; a v2 size in base coin is converted here (design §4.12)
 * Closing    reduce-only and hedge closes occupy their position (reduce-only.ts)
 * Margin     an order that opens asks for its freeze; it must fit into what the domain has available. An isolated one
 *            may lose no more at once than its initial margin, and the wallet pays its fills as the plan has them
 * Forced     what the venue itself closes is held to no price band, and may bankrupt: it already is
 * Source     interface.md E2 rules 4-6, E3 rules 1-4; risk-engine.md §3, §4, §7, §11, §18
 */
import type { Account } from '../accounts/accounts.ts'
import { feeOf, type FuturesInstrument, initialMarginOf, notionalFine, type Scale } from '../catalog/catalog.ts'
import {
  closeLeg,
  domainAvailable,
  domainTransferable,
  isHedged,
  type Leg,
  mayFreeze,
  openLeg,
  orderFreeze,
  reduceDebt,
  requiredHold,
  sideHold,
  tierLeverageMax,
  updateHold,
} from '../futures/futures.ts'
import {
  type Amount,
  amount,
  assert,
  big,
  cappedAmount,
  divFloor,
  type Lots,
  maxAmount,
  oneCoin,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import { isFrozen } from '../pricing/pricing.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import {
  addClosing,
  addOpening,
  entryPriceE8,
  type Exposure,
  leverageOf,
  openingQuantity,
  orderCodes,
  type Position,
  positionOf,
  positionQuantity,
  type Reading,
  removeOpening,
  unrealizedPnl,
  type Venue,
} from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderCause, OrderIntent, PositionSide, Side, WalletType } from '../vocabulary.ts'
import { type Asked, refuseBankruptcy, worstLoss } from './carrying.ts'
import { priceLimit, refuseNotional, refuseOversize, refusePrice, refuseQuantity } from './checks.ts'
import { leaveExposure } from './ending.ts'
import { announceFill, announceTrade, fillShared, type FillTotals, payRebate } from './fills.ts'
import { planSweep } from './matching.ts'
import type { Admitted, Placing } from './placing.ts'
import { growPresets } from './presets.ts'
import { fitClosing } from './reduce-only.ts'

/** Orders of the venue itself; triggered ones are their owner's. */
const forcedCauses: ReadonlySet<OrderCause> = new Set(['reduce', 'liquidation', 'offset', 'adl', 'delivery'])

/** What is held to the bounds of one order, and gives way to closing orders that rest. */
const bounded: ReadonlySet<OrderCause> = new Set(['user', 'trigger', 'replace', 'reverse'])

export interface Direction {
  readonly bookSide: Side
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  /** The position that the order may only take from; undefined: it may open. */
  readonly reduces: PositionSide | undefined
}

export function admitFutures(
  venue: Reading,
  command: PlaceOrder,
  account: Account,
  wallet: WalletType,
  instrument: FuturesInstrument,
  cause: OrderCause,
  { replaced, filled = 0, whole: closesAll }: Placing = {},
): Admitted | Refusal {
  if (command.marginCoin !== undefined && command.marginCoin !== instrument.settle) return { kind: 'margin-coin-wrong' }
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const direction = directionOf(command, hedged)
  if (direction === undefined) return { kind: 'position-side-required' }
  if (direction.reduces === undefined && isFrozen(venue, instrument.id)) return { kind: 'index-stale' }
  const existing = venue.futures.findOrNew(account.handle, wallet, instrument)
  const inMode = withMarginMode(venue, existing, command)
  if (inMode === undefined) return { kind: 'margin-mode-in-use' }
  const exposure = replaced === undefined ? inMode : withoutOrder(venue, inMode, replaced)

  const scale = venue.scale(instrument.id)
  const asked = askedQuantity(venue, command, instrument, scale, exposure, direction)
  // What the venue itself closes, it closes whole: no maximum of one order, and closing orders that rest make way.
  const must = direction.reduces !== undefined && (closesAll === true || !bounded.has(cause))
  const total = (asked + filled) as Lots
  // What only reduces is cut to its position, however much it asks for.
  const most = direction.reduces === undefined ? asked : Math.min(asked, positionQuantity(exposure, direction.reduces))
  const shape =
    refuseOversize(venue, instrument, command, (most + filled) as Lots) ??
    (forcedCauses.has(cause) ? undefined : refusePrice(venue, instrument, direction.bookSide, command.price)) ??
    (must ? undefined : refuseQuantity(instrument, command, total, direction.reduces !== undefined)) ??
    (direction.reduces === undefined ? refuseNotional(venue, instrument, scale, command, total) : undefined)
  if (shape !== undefined) return shape

  const fit =
    direction.reduces === undefined
      ? { quantity: asked, displaced: nobody }
      : fitClosing(venue, exposure, direction.reduces, asked, {
          hedged: hedged && !must,
          market: command.orderType === 'market',
          replaced,
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
  const buy = direction.bookSide === 'buy'
  const opposite = positionQuantity(exposure, buy ? 'short' : 'long')
  const mayRest = command.orderType === 'limit' && command.timeInForce !== 'ioc' && command.timeInForce !== 'fok'
  const whole: Asked = {
    buy,
    quantity: fit.quantity,
    closing: direction.reduces !== undefined ? fit.quantity : hedged ? 0 : Math.min(fit.quantity, opposite),
    limit,
    rests: mayRest,
    plan,
  }
  const bankruptcy = forcedCauses.has(cause) ? undefined : refuseBankruptcy(venue, instrument, exposure, whole)
  if (bankruptcy !== undefined) return bankruptcy
  const leverage = leverageOf(exposure, direction.reduces ?? (buy ? 'long' : 'short'), hedged)
  const margin =
    direction.reduces === undefined
      ? admitMargin(venue, instrument, exposure, command, whole, leverage, hedged)
      : nothingHeld
  if ('kind' in margin) return margin
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

const nobody: readonly Row[] = []
const nothingHeld = { hold: zero }

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

/** The exposure as it would be if a resting order of it were not there; `held` stays what is held now. */
function withoutOrder(venue: Reading, exposure: Exposure, row: Row): Exposure {
  const { orders } = venue
  const lots = orders.remaining.at(row)
  const supposed = venue.futures.copyOf(exposure)
  if (orders.onlyReduces(row)) addClosing(supposed, orders.reducedSide(row), -lots)
  else removeOpening(supposed, orders.sideOf(row), lots, orders.hold.at(row))
  return supposed
}

/** The exposure as the order's margin mode would have it; undefined when the mode in force is in use. */
function withMarginMode(venue: Reading, exposure: Exposure, command: PlaceOrder): Exposure | undefined {
  if (command.marginMode === undefined || command.marginMode === exposure.marginMode) return exposure
  if (!isIdle(exposure)) return undefined
  const supposed = venue.futures.copyOf(exposure)
  supposed.marginMode = command.marginMode
  return supposed
}

function isIdle({ longRow, shortRow, buyQuantity, sellQuantity }: Exposure): boolean {
  return longRow === noRow && shortRow === noRow && buyQuantity === 0 && sellQuantity === 0
}

/**
 * Lots asked for. A v2 inverse size in base coin becomes contracts: opening at the order's or mark price, closing at
 * the entry price, capped at the position; a size of at least the shown total means all of it (design §4.12).
 */
function askedQuantity(
  venue: Reading,
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
    const price = big(command.price === 0 ? venue.prices.markPrice(instrument.id) : command.price) * scale.tickE8
    return Number(divFloor(quantity.amount * price, oneCoin * scale.usdUnit)) as Lots
  }
  return contractsOf(instrument, closing, quantity.amount)
}

/** Contracts of a position that an amount of base coin closes: base × N / |F|, for E = N / |F|. */
export function contractsOf(instrument: FuturesInstrument, closing: Position, base: Amount): Lots {
  const entry = closing.flow < 0n ? -closing.flow : closing.flow
  const shownUnit = 10n ** BigInt(8 - instrument.sizeDecimals)
  if (base >= entry - (entry % shownUnit)) return closing.quantity
  return Number(divFloor(base * big(closing.quantity), entry)) as Lots
}

/** Tier, leverage and margin of an order that may open; market orders count what they will trade, at their worst price. */
function admitMargin(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  command: PlaceOrder,
  asked: Asked,
  leverage: number,
  hedged: boolean,
): { readonly hold: Amount } | Refusal {
  const { plan } = asked
  const market = command.orderType === 'market'
  if (market && plan.filled === 0) return nothingHeld
  const order = { long: asked.buy, quantity: asked.quantity as Lots, price: asked.limit as Ticks, leverage }
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  const priced = market ? { ...order, quantity: plan.filled as Lots, price: plan.worstPrice as Ticks } : order
  const side = order.long ? 'buy' : 'sell'
  const opening = openingQuantity(exposure, side) + priced.quantity
  const held = positionQuantity(exposure, order.long ? 'long' : 'short')
  const reducible = hedged ? 0 : positionQuantity(exposure, order.long ? 'short' : 'long')
  const after = held + Math.max(0, opening - reducible)
  if (after > held && order.leverage > tierLeverageMax(instrument, scale, after as Lots, mark)) {
    return { kind: 'position-tier-exceeded', notionalMax: instrument.tiers.at(-1)?.to ?? zero }
  }
  const oversize = refuseOversize(venue, instrument, command, (held + opening) as Lots)
  if (after > held && oversize !== undefined) return oversize
  const oneMore = held === 0 && reducible === 0 ? venue.futures.refuseOneMore(exposure.account) : undefined
  if (oneMore !== undefined) return oneMore
  const freeze = orderFreeze(venue, instrument, priced)
  const grown = sideHold(exposure, side, hedged, priced.quantity, freeze)
  const required = amount(grown + sideHold(exposure, order.long ? 'sell' : 'buy', hedged) - exposure.held)
  // Isolated margin is set apart in its own coin, whatever other coins a unified wallet has.
  const most = exposure.marginMode === 'isolated' ? domainTransferable : domainAvailable
  const available = most(venue, exposure.account, exposure.wallet, instrument.settle)
  const fits =
    (required <= 0n || required <= available) &&
    mayFreeze(venue, exposure, freeze) &&
    (exposure.marginMode !== 'isolated' || maySetApart(venue, instrument, exposure, asked, leverage))
  return fits ? { hold: freeze } : { kind: 'insufficient-margin', required, available: maxAmount(zero, available) }
}

/**
 * Whether an isolated order starts a position that is worth something, and the wallet has what its fills take. A sell
 * that meets dearer bids takes more margin than it asks for at its own price.
 */
function maySetApart(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  asked: Asked,
  leverage: number,
): boolean {
  const scale = venue.scale(instrument.id)
  const opening = (asked.quantity - asked.closing) as Lots
  if (opening === 0) return true
  const loss = worstLoss(venue, instrument, { ...asked, quantity: opening }, opening)
  if (loss > 0n && loss > initialMarginOf(scale, opening, asked.limit as Ticks, leverage)) return false
  const atOnce = Math.min(asked.plan.filled, asked.quantity) - asked.closing
  if (atOnce <= 0) return true
  // Of all planned prices the dearest takes the most margin of a linear contract, the cheapest of an inverse one.
  const first = asked.plan.prices[asked.plan.reasons.indexOf('')]
  const worst = asked.plan.worstPrice
  const price = (scale.inverse ? Math.min(first, worst) : Math.max(first, worst)) as Ticks
  const taken = atOnce as Lots
  const need =
    initialMarginOf(scale, taken, price, leverage) + feeOf(scale, taken, price, instrument.takerFeeRate) + loss
  const { account, wallet } = exposure
  // Of an order that takes the place of another, what that one holds comes free first.
  const freed = exposure.held - requiredHold(exposure, isHedged(venue, exposure))
  const free = domainTransferable(venue, account, wallet, instrument.settle) + freed
  return need <= free + releasedAt(venue, exposure, asked)
}

/** What a flip gives back of the isolated position that it closes. */
function releasedAt(venue: Reading, exposure: Exposure, { buy, closing, plan }: Asked): bigint {
  const position = positionOf(exposure, buy ? 'short' : 'long')
  if (closing === 0 || position === undefined) return 0n
  const left = position.margin + unrealizedPnl(venue.scale(exposure.instrument), position, plan.worstPrice as Ticks)
  return left > 0n ? left : 0n
}

/** The order counts among its exposure's orders from now on, and its margin is held. */
export function holdForFutures(venue: Venue, exposure: Exposure, admitted: Admitted, row: Row): void {
  const { orders } = venue
  orders.registered.set(row, 1)
  orders.hold.set(row, admitted.hold)
  if (orders.onlyReduces(row)) {
    addClosing(exposure, orders.reducedSide(row), admitted.quantity)
    return
  }
  addOpening(exposure, admitted.bookSide, admitted.quantity, admitted.hold)
  updateHold(venue, exposure)
}

export function settleFutures(
  venue: Venue,
  instrument: FuturesInstrument,
  taker: Row,
  maker: Row,
  quantity: Lots,
  price: Ticks,
  touched: number[],
): void {
  const matchId = venue.counters.match++
  for (const row of [taker, maker]) {
    const feeRate = row === taker ? instrument.takerFeeRate : instrument.makerFeeRate
    const { orders } = venue
    const wallet = orders.walletOf(row)
    const exposure = venue.futures.find(orders.accountOf(row), wallet, instrument.id) as Exposure
    if (!touched.includes(exposure.index)) touched.push(exposure.index)

    // The part of the freeze that belongs to these lots goes with them; the last fill takes what is left.
    const remaining = orders.remaining.at(row)
    const hold = orders.hold.at(row)
    const freed = amount(quantity === remaining ? hold : divFloor(hold * big(quantity), big(remaining)))
    leaveExposure(venue, exposure, row, quantity, freed)
    orders.hold.set(row, hold - freed)

    const legs = bookLegs(venue, exposure, row, quantity, price, feeRate)
    updateHold(venue, exposure)
    const totals = totalsOf(legs)
    fillShared(venue, row, quantity, totals)
    if (instrument.kind === 'inverse') addFine(venue, row, quantity, price)
    for (const leg of legs) {
      const positionSide = orders.intent.at(row) === singleIntent ? 'net' : leg.side
      announceFill(venue, row, matchId, row === taker ? 'taker' : 'maker', price, instrument.settle, leg, positionSide)
      payRebate(venue, row, instrument.settle, leg.fee)
      if (leg.effect === 'open') growPresets(venue, exposure, row, leg)
    }
    // What a unified wallet won pays its debt first (design §4.36).
    const won = cappedAmount(totals.realizedPnl - totals.fee)
    if (won > 0n) reduceDebt(venue, venue.accounts.byHandle(orders.accountOf(row)), wallet, instrument.settle, won)
  }
  announceTrade(venue, taker, matchId, quantity, price)
}

/** Adds a fill of an inverse contract to what its order's average price is made of. */
export function addFine(venue: Venue, row: Row, quantity: Lots, price: Ticks): void {
  const fine = notionalFine(venue.scale(venue.orders.instrument.at(row)), quantity, price)
  // At its end it is too coarse to be of use: record.ts then takes the notional itself.
  venue.orders.change(row, { filledFine: cappedAmount(venue.orders.extrasOf(row).filledFine + fine) })
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
  const intent = orders.intent.at(row)
  const closing = intent === openIntent ? 0 : Math.min(quantity, positionQuantity(exposure, closes))
  let closed: Leg | undefined
  if (closing > 0) {
    // Read before the close may end the position.
    orders.positionEntryE8.set(row, cappedAmount(entryOf(venue, exposure, closes)))
    closed = closeLeg(venue, exposure, closes, closing as Lots, price, feeRate)
    if (closing === quantity) return [closed]
  }
  assert(!orders.onlyReduces(row), 'an order that only reduces never opens')
  const opened = openLeg(venue, exposure, opens, (quantity - closing) as Lots, price, feeRate)
  orders.positionEntryE8.set(row, cappedAmount(entryOf(venue, exposure, opens)))
  return closed === undefined ? [opened] : [closed, opened]
}

/** Average entry price of the position of a side as records show it, 1e-8; zero: none. */
export function entryOf(venue: Reading, exposure: Exposure, side: PositionSide): bigint {
  const position = positionOf(exposure, side)
  if (position === undefined) return 0n
  const scale = venue.scale(exposure.instrument)
  return entryPriceE8(scale, position, scale.averageStepE8)
}

function totalsOf(legs: readonly Leg[]): FillTotals {
  if (legs.length === 1) return legs[0]
  let notional = 0n
  let fee = 0n
  let realizedPnl = 0n
  for (const leg of legs) {
    notional += leg.notional
    fee += leg.fee
    realizedPnl += leg.realizedPnl
  }
  return { notional: cappedAmount(notional), fee: cappedAmount(fee), realizedPnl: cappedAmount(realizedPnl) }
}
