/**
 * Admission of a futures order: which position it means, how much of it, and what it would meet in the book.
 *
 * Closing    reduce-only orders and hedge closes must fit their position (reduce-only.ts)
 * Opening    an order that may open needs margin (futures-margin.ts)
 * Bankrupt   a match that an account could not absorb is refused (solvency.ts)
 * Forced     what the venue itself closes is held to no price band, and may bankrupt: the account already is
 * Source     interface.md E2 rules 4-6, E3 rules 1-4; risk-engine.md §3, §4, §7, §11, §18
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { big, divFloor, type Lots, oneCoin, zero } from '../numbers/numbers.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { type Exposure, leverageOf, positionOf, positionQuantity, type Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderCause } from '../vocabulary.ts'
import { type Admitted, noOrders, type ProposedFill } from './admitted.ts'
import { priceLimit, refuseNotional, refuseOversize, refusePrice, refuseQuantity, refuseUncounted } from './checks.ts'
import { contractsOf, type Direction, directionOf } from './direction.ts'
import { admitMargin, nothingHeld } from './futures-margin.ts'
import type { OrderIntake } from './intake.ts'
import { staysOpen } from './limits.ts'
import { immediateCancelReason, matchTaker, type Taker } from './matching.ts'
import { fitClosing } from './reduce-only.ts'
import { refuseBankruptcy } from './solvency.ts'

/** Orders of the venue itself; triggered orders are their owners'. */
const forcedCauses: ReadonlySet<OrderCause> = new Set(['reduce', 'liquidation', 'offset', 'adl', 'delivery'])

/** Orders held to the maximum of one order; if they close, they give way to closing orders that rest. */
const bounded: ReadonlySet<OrderCause> = new Set(['user', 'trigger', 'trailing-plan', 'replace', 'reverse'])

/**
 * What the order would do, or why it may not be.
 * Refusals in order: margin coin, direction, halted index, margin mode, shape, closing fit, bankruptcy, margin
 */
export function admitFutures(reading: Reading, intake: OrderIntake<FuturesInstrument>): Admitted | Refusal {
  const { account, wallet, instrument, scale, command, cause } = intake
  const { replaced, filled = 0, whole: closesAll } = intake.placing
  if (command.marginCoin !== undefined && command.marginCoin !== instrument.settle) return { kind: 'margin-coin-wrong' }
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const direction = directionOf(command, hedged)
  if (direction === undefined) return { kind: 'position-side-required' }
  if (direction.reduces === undefined && isHalted(reading, instrument.id)) return { kind: 'index-stale' }
  const existing = reading.futures.findOrNew(account.handle, wallet, instrument)
  const inMode = withMarginMode(reading, existing, command)
  if (inMode === undefined) return { kind: 'margin-mode-in-use' }
  const exposure = replaced === undefined ? inMode : withoutOrder(reading, inMode, replaced)

  const asked = askedQuantity(reading, intake, exposure, direction)
  // What the venue itself closes, it closes whole: no maximum of one order, and closing orders that rest make way.
  const must = direction.reduces !== undefined && (closesAll === true || !bounded.has(cause))
  const total = (asked + filled) as Lots
  // An order that only reduces is cut to its position, however much it asks for.
  const most = direction.reduces === undefined ? asked : Math.min(asked, positionQuantity(exposure, direction.reduces))
  const shape =
    refuseOversize(reading, instrument, scale, command, (most + filled) as Lots) ??
    (forcedCauses.has(cause) ? undefined : refusePrice(reading, instrument, direction.bookSide, command.price)) ??
    (must ? undefined : refuseQuantity(instrument, command, total, direction.reduces !== undefined)) ??
    (direction.reduces === undefined ? refuseNotional(reading, instrument, scale, command, total) : undefined)
  if (shape !== undefined) return shape

  const fit =
    direction.reduces === undefined
      ? { quantity: asked, supersededReduceOnly: noOrders }
      : fitClosing(reading, exposure, direction.reduces, asked, {
          hedged: hedged && !must,
          cut: command.orderType === 'market' || cause === 'trigger',
          replaced,
        })
  if ('kind' in fit) return fit
  const uncounted = refuseUncounted(
    reading,
    instrument,
    {
      side: direction.bookSide,
      price: command.price,
      rests: staysOpen(command),
      opens: direction.reduces === undefined,
    },
    fit.quantity,
  )
  if (uncounted !== undefined) return uncounted

  const limit = priceLimit(reading, instrument, direction.bookSide, command.price)
  const taker: Taker = {
    instrument,
    scale,
    side: direction.bookSide,
    account: account.handle,
    wallet,
    main: account.main,
    stpMode: command.stpMode ?? account.stpMode,
    priceLimit: limit,
    quantity: fit.quantity,
    budget: undefined,
  }
  const match = matchTaker(reading, taker)
  const buy = direction.bookSide === 'buy'
  const opposite = positionQuantity(exposure, buy ? 'short' : 'long')
  const proposed: ProposedFill = {
    scale,
    buy,
    quantity: fit.quantity,
    closing: direction.reduces !== undefined ? fit.quantity : hedged ? 0 : Math.min(fit.quantity, opposite),
    limit,
    rests: staysOpen(command),
    leverage: leverageOf(exposure, direction.reduces ?? (buy ? 'long' : 'short'), hedged),
    hedged,
    match,
  }
  const bankruptcy = forcedCauses.has(cause) ? undefined : refuseBankruptcy(reading, instrument, exposure, proposed)
  if (bankruptcy !== undefined) return bankruptcy
  const margin = direction.reduces === undefined ? admitMargin(reading, intake, exposure, proposed) : nothingHeld
  if ('kind' in margin) return margin
  return {
    intake,
    bookSide: direction.bookSide,
    quantity: fit.quantity,
    budget: zero,
    priceLimit: limit,
    intent: direction.intent,
    positionSide: direction.positionSide,
    reduceOnly: direction.reduces !== undefined && !hedged,
    hold: margin.hold,
    loan: zero,
    supersededReduceOnly: fit.supersededReduceOnly,
    exposure: existing,
    leverage: proposed.leverage,
    // The margin mode of a symbol without position and orders follows the order (E3 marginMode).
    marginMode: exposure.marginMode,
    match,
    generation: match.generation,
    immediateCancel: immediateCancelReason(reading, command, taker, match),
  }
}

/** The exposure as if one of its resting orders were not there; `held` stays what is held now. */
function withoutOrder(reading: Reading, exposure: Exposure, row: Row): Exposure {
  const { orders } = reading
  const lots = orders.remaining.at(row)
  const supposed = reading.futures.copyOf(exposure)
  if (orders.onlyReduces(row)) supposed.addClosing(orders.reducedSide(row), -lots)
  else supposed.removeOpening(orders.sideOf(row), lots, orders.hold.at(row))
  return supposed
}

/** The exposure as the order's margin mode would have it; undefined when the present mode is in use. */
function withMarginMode(reading: Reading, exposure: Exposure, command: PlaceOrder): Exposure | undefined {
  if (command.marginMode === undefined || command.marginMode === exposure.marginMode) return exposure
  if (!isIdle(exposure)) return undefined
  const supposed = reading.futures.copyOf(exposure)
  supposed.marginMode = command.marginMode
  return supposed
}

function isIdle({ longRow, shortRow, buyQuantity, sellQuantity }: Exposure): boolean {
  return longRow === noRow && shortRow === noRow && buyQuantity === 0 && sellQuantity === 0
}

/**
 * Lots asked for. A v2 size in base coin becomes contracts. Opening: at the order's price or the mark. Closing: at the
 * entry price, capped at the position. A size of at least the shown total means all of it (design §4.12).
 */
function askedQuantity(
  reading: Reading,
  { command, instrument, scale }: OrderIntake<FuturesInstrument>,
  exposure: Exposure,
  direction: Direction,
): Lots {
  const { quantity } = command
  if (quantity.unit === 'lots') return quantity.lots
  const closing = direction.reduces === undefined ? undefined : positionOf(exposure, direction.reduces)
  if (closing === undefined) {
    const price = big(command.price === 0 ? reading.prices.markPrice(instrument.id) : command.price) * scale.tickE8
    return Number(divFloor(quantity.amount * price, oneCoin * scale.usdUnit)) as Lots
  }
  return contractsOf(instrument, closing, quantity.amount)
}
