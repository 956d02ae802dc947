/**
 * Booking of fills into positions: open, reduce, close; realized PnL, fees, isolated margin.
 *
 * Entry     each leg books ⌊−side·p·x⌋ (inverse ⌊±N/p⌋) into the house's clearing account, whose balance is Σ F;
 *           what the two sides of a match leave over is the rounding account's
 * Reduce    ρ = ⌊F·x/q⌋, realized = ρ + φ; isolated margin is released ⌊M·x/q⌋; the last close takes all that is left
 * Margin    an isolated position starts with M0 = ⌈p·x / L⌉; an order whose loss against the mark is more is refused
 * Losses    isolated: the margin, then the position's own profit, then the insurance fund; cross: shortfall.ts
 * Records   notional and fees over a position's life are only shown: beyond 64 bits they are capped
 * Source    risk-engine.md §4, §5, §8, §10, §11, §14, §16
 */
import {
  feeOf,
  type FuturesInstrument,
  initialMarginOf,
  notionalCeil,
  notionalE12,
  notionalFloor,
  type Scale,
} from '../catalog/catalog.ts'
import { bill, insure } from '../ledger-postings/ledger-postings.ts'
import { isHedged } from '../margin/margin.ts'
import {
  type Amount,
  amount,
  assert,
  big,
  cappedAmount,
  divFloor,
  type Lots,
  maxAmount,
  minAmount,
  type Rate,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import type { Event } from '../protocol/event.ts'
import { type ExposureRow, leverageOf, newPosition, positionOf, type PositionRow, type State } from '../state/state.ts'
import { endTpsl } from '../triggers/triggers.ts'
import type { PositionSide } from '../vocabulary.ts'
import { coverShortfall, payFromProfit } from './shortfall.ts'

/** One leg of a fill: what it did to one position. */
export interface Leg {
  readonly effect: 'open' | 'close'
  readonly side: PositionSide
  readonly quantity: Lots
  readonly notional: Amount
  readonly fee: Amount
  readonly realizedPnl: Amount
  /** Its number among the bills, and the wallet's balance after its own postings. */
  readonly execId: number
  readonly balance: Amount
}

/** A fill as it is booked into one position. */
export interface LegFill {
  readonly quantity: Lots
  readonly price: Ticks
  readonly feeRate: Rate
}

/** Adds lots to the position of a side, or starts it: entry value, fee, isolated margin. */
export function openLeg(
  state: State,
  exposure: ExposureRow,
  side: PositionSide,
  { quantity, price, feeRate }: LegFill,
): Leg {
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const scale = state.scale(instrument.id)
  const slot = state.ledger.slot(exposure.account, exposure.wallet, instrument.settle)
  const position = positionOf(exposure, side) ?? startPosition(state, exposure, side)
  const notional = notionalFloor(scale, quantity, price)
  const value = entryValueOf(scale, side === 'long', quantity, price, notional)
  const fee = feeOf(scale, quantity, price, feeRate)

  state.ledger.postHouse('rounding', 'clearing', instrument.settle, value)
  position.entryValue = amount(position.entryValue + value)
  position.quantity = (position.quantity + quantity) as Lots
  position.openedQuantity = Math.min(position.openedQuantity + quantity, Number.MAX_SAFE_INTEGER) as Lots
  position.openedNotional = cappedAmount(position.openedNotional + notional)
  position.openFees = cappedAmount(position.openFees + fee)
  position.updatedAt = state.at
  if (side === 'long') countOpenInterest(state, instrument.id, quantity)
  state.ledger.touch(exposure.account)

  state.ledger.charge(slot, 'fees', fee)
  state.ledger.updatedAt[slot] = state.at
  const execId = state.counters.exec++
  const balance = state.ledger.balanceOf(slot)
  coverShortfall(state, exposure, slot)
  if (exposure.marginMode === 'isolated') {
    const leverage = leverageOf(exposure, side, isHedged(state, exposure))
    const wanted = initialMarginOf(scale, quantity, price, leverage)
    moveMargin(state, exposure, position, minAmount(wanted, maxAmount(zero, state.ledger.balanceOf(slot))))
  }
  return { effect: 'open', side, quantity, notional, fee, realizedPnl: zero, execId, balance }
}

/** Takes lots from the position of a side; `quantity` is at most what is open. The last close ends the position. */
export function closeLeg(
  state: State,
  exposure: ExposureRow,
  side: PositionSide,
  { quantity, price, feeRate }: LegFill,
): Leg {
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const scale = state.scale(instrument.id)
  const slot = state.ledger.slot(exposure.account, exposure.wallet, instrument.settle)
  const position = positionOf(exposure, side)
  assert(position !== undefined && quantity <= position.quantity, 'a close is at most the position')
  const { quantity: open, entryValue: entry, margin: marginBefore } = position
  const last = quantity === open
  const notional = notionalFloor(scale, quantity, price)
  const value = entryValueOf(scale, side === 'short', quantity, price, notional)
  const released = last ? entry : amount(divFloor(entry * big(quantity), big(open)))
  const margin = last ? marginBefore : amount(divFloor(marginBefore * big(quantity), big(open)))
  const realized = amount(released + value)
  const fee = feeOf(scale, quantity, price, feeRate)

  state.ledger.postHouse('rounding', 'clearing', instrument.settle, value)
  position.entryValue = amount(entry - released)
  position.quantity = (open - quantity) as Lots
  position.realizedPnl = cappedAmount(position.realizedPnl + realized)
  position.closedNotional = cappedAmount(position.closedNotional + notional)
  if (scale.inverse)
    position.closedNotionalE12 = cappedAmount(position.closedNotionalE12 + notionalE12(scale, quantity, price))
  position.closeFees = cappedAmount(position.closeFees + fee)
  position.updatedAt = state.at
  if (side === 'long') countOpenInterest(state, instrument.id, -quantity)
  state.ledger.touch(exposure.account)

  if (margin !== 0n) moveMargin(state, exposure, position, amount(-margin))
  const shortfall = exposure.marginMode === 'isolated' ? amount(margin + realized) : zero
  if (shortfall < 0n) {
    const fromMargin = minAmount(amount(-shortfall), position.margin)
    moveMargin(state, exposure, position, amount(-fromMargin))
    const won = payFromProfit(state, exposure, position, amount(-shortfall - fromMargin))
    state.ledger.post('clearing', slot, won)
    bill(state, slot, 'profit', won, { instrument: instrument.id })
    insure(state, slot, amount(-shortfall - fromMargin - won), { instrument: instrument.id })
  }
  state.ledger.post('clearing', slot, realized)
  state.ledger.charge(slot, 'fees', fee)
  state.ledger.updatedAt[slot] = state.at
  const execId = state.counters.exec++
  const balance = state.ledger.balanceOf(slot)
  coverShortfall(state, exposure, slot)
  if (last) endPosition(state, exposure, position)
  return { effect: 'close', side, quantity, notional, fee, realizedPnl: realized, execId, balance }
}

/** Moves units of isolated margin from the wallet to the position; negative: back. */
export function moveMargin(
  state: State,
  exposure: ExposureRow,
  position: PositionRow,
  units: Amount,
  adding: 'append_margin' | 'leverage_margin' | 'auto_margin' = 'append_margin',
): void {
  if (units === 0n) return
  const { settle } = state.instrument(exposure.instrument) as FuturesInstrument
  const slot = state.ledger.slot(exposure.account, exposure.wallet, settle)
  state.ledger.post('isolatedMargin', slot, amount(-units))
  position.margin = amount(position.margin + units)
  bill(state, slot, units > 0n ? adding : 'reduce_margin', amount(-units), { instrument: exposure.instrument })
}

/** What a leg pays (negative) or gets, in units of the settlement coin, rounded down. `notional` is the leg's, rounded down. */
function entryValueOf(scale: Scale, buy: boolean, quantity: Lots, price: Ticks, notional: Amount): Amount {
  if (scale.inverse) return buy ? notional : amount(-notionalCeil(scale, quantity, price))
  return buy ? amount(0n - notional) : notional
}

function startPosition(state: State, exposure: ExposureRow, side: PositionSide): PositionRow {
  state.ledger.watchAccount(exposure.account)
  return state.futures.addPosition(exposure, newPosition(state.counters.position++, side, state.at))
}

function endPosition(state: State, exposure: ExposureRow, position: PositionRow): void {
  const { side } = position
  const account = state.accounts.byHandle(exposure.account)
  const { category, kind } = state.instrument(exposure.instrument) as FuturesInstrument
  // Read before its row is given back.
  const closed: Event = {
    kind: 'position-closed',
    positionId: position.id,
    uid: account.uid,
    wallet: exposure.wallet,
    instrument: exposure.instrument,
    side,
    holdMode: account.holdMode[category],
    marginMode: exposure.marginMode,
    leverage: leverageOf(exposure, side, account.holdMode[category] === 'hedge_mode'),
    openedQuantity: position.openedQuantity,
    openedNotional: position.openedNotional,
    closedNotional: position.closedNotional,
    closedFine: kind === 'inverse' ? position.closedNotionalE12 : zero,
    realizedPnl: position.realizedPnl,
    funding: position.funding ?? zero,
    openFees: position.openFees,
    closeFees: position.closeFees,
    openedAt: position.openedAt,
    closedAt: state.at,
  }
  state.futures.removePosition(exposure, side)
  endTpsl(state, exposure, side)
  state.emit(closed)
}

function countOpenInterest(state: State, instrument: number, change: number): void {
  const interest = state.futures.openInterest
  while (interest.length <= instrument) interest.push(0)
  interest[instrument] = interest[instrument] + change
}
