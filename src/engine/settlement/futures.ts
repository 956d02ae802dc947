/**
 * Settlement of futures matches: a fill booked into the positions of both sides.
 *
 * Hold     the part that belongs to the filled lots is released with them; the last fill releases what is left
 * Flip     one-way fills reduce the opposite position first and open with the rest
 * Not here  the booking of one leg into a position (positions/legs.ts)
 * Source   risk-engine.md §3, §4, §10, §11
 */
import type { Admitted } from '../admission/admission.ts'
import { type FuturesInstrument, notionalE12 } from '../catalog/catalog.ts'
import { reduceDebt } from '../loans/loans.ts'
import { amount, assert, big, cappedAmount, divFloor, type Lots, type Ticks } from '../numbers/numbers.ts'
import { closeLeg, type Leg, type LegFill, openLeg, updateHold } from '../positions/positions.ts'
import { entryOf } from '../records/records.ts'
import { type ExposureRow, orderCodes, positionQuantity, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { PositionSide } from '../vocabulary.ts'
import { extendAttachedTpsl } from './attached-tpsl.ts'
import { publishFill, publishTrade, fillShared, type FillTotals } from './fills.ts'
import { payRebate } from './rebates.ts'
import { leaveExposure } from './release.ts'

const singleIntent = orderCodes.intent.indexOf('single')
const openIntent = orderCodes.intent.indexOf('open')

/** Settles one step of the taker's match that is a fill; adds the exposures that it touches to `touched`. */
export function settleFutures(
  state: State,
  { intake, match }: Admitted,
  taker: Row,
  step: number,
  touched: number[],
): void {
  const { orders } = state
  const instrument = intake.instrument as FuturesInstrument
  const maker = match.makers[step]
  const quantity = match.lots[step] as Lots
  const price = match.prices[step] as Ticks
  const matchId = state.counters.match++
  for (const row of [taker, maker]) {
    const feeRate = row === taker ? instrument.takerFeeRate : instrument.makerFeeRate
    const wallet = orders.walletOf(row)
    const exposure = state.futures.find(orders.accountOf(row), wallet, instrument.id) as ExposureRow
    if (!touched.includes(exposure.index)) touched.push(exposure.index)

    // The part of the hold that belongs to these lots goes with them; the last fill takes what is left.
    const remaining = orders.remaining.at(row)
    const hold = orders.hold.at(row)
    const freed = amount(quantity === remaining ? hold : divFloor(hold * big(quantity), big(remaining)))
    leaveExposure(state, exposure, row, quantity, freed)
    orders.hold.set(row, hold - freed)

    const legs = bookLegs(state, exposure, row, { quantity, price, feeRate })
    updateHold(state, exposure)
    const totals = totalsOf(legs)
    fillShared(state, row, quantity, totals)
    if (instrument.kind === 'inverse') addFilledE12(state, row, notionalE12(intake.scale, quantity, price))
    for (const leg of legs) {
      const positionSide = orders.intent.at(row) === singleIntent ? 'net' : leg.side
      const scope = row === taker ? 'taker' : 'maker'
      publishFill(state, row, leg, {
        matchId,
        scope,
        price,
        feeCoin: instrument.settle,
        positionSide,
        paid: undefined,
      })
      payRebate(state, row, instrument.settle, leg.fee)
      if (leg.effect === 'open') extendAttachedTpsl(state, exposure, row, leg)
    }
    // What a unified wallet won pays its debt first (design §4.36).
    const won = cappedAmount(totals.realizedPnl - totals.fee)
    if (won > 0n) reduceDebt(state, state.accounts.byHandle(orders.accountOf(row)), wallet, instrument.settle, won)
  }
  publishTrade(state, taker, matchId, quantity, price)
}

/** Books a fill as one leg, or as two when a position flips: first the close, then the open. */
function bookLegs(state: State, exposure: ExposureRow, row: Row, fill: LegFill): Leg[] {
  const { orders } = state
  const { quantity } = fill
  const buy = orders.sideOf(row) === 'buy'
  const opens: PositionSide = buy ? 'long' : 'short'
  const closes: PositionSide = buy ? 'short' : 'long'
  const intent = orders.intent.at(row)
  const closing = intent === openIntent ? 0 : Math.min(quantity, positionQuantity(exposure, closes))
  let closed: Leg | undefined
  if (closing > 0) {
    // Read before the close may end the position.
    orders.positionEntryE8.set(row, cappedAmount(entryOf(state, exposure, closes)))
    if (closing === quantity) return [closeLeg(state, exposure, closes, fill)]
    closed = closeLeg(state, exposure, closes, { ...fill, quantity: closing as Lots })
  }
  assert(!orders.onlyReduces(row), 'an order that only reduces never opens')
  const rest = closing === 0 ? fill : { ...fill, quantity: (quantity - closing) as Lots }
  const opened = openLeg(state, exposure, opens, rest)
  orders.positionEntryE8.set(row, cappedAmount(entryOf(state, exposure, opens)))
  return closed === undefined ? [opened] : [closed, opened]
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

/** Adds a fill of an inverse contract to what its order's average price is computed from, 1e-12 base coin. */
export function addFilledE12(state: State, row: Row, e12: bigint): void {
  // Once it is capped it is useless: records/order-record.ts then takes the notional itself.
  state.orders.change(row, { filledFine: cappedAmount(state.orders.extrasOf(row).filledFine + e12) })
}

/** From now on the order counts among the orders of its exposure, and its margin is held. */
export function holdForFutures(state: State, exposure: ExposureRow, admitted: Admitted, row: Row): void {
  const { orders } = state
  orders.registered.set(row, 1)
  orders.hold.set(row, admitted.hold)
  if (orders.onlyReduces(row)) {
    exposure.addClosing(orders.reducedSide(row), admitted.quantity)
    return
  }
  exposure.addOpening(admitted.bookSide, admitted.quantity, admitted.hold)
  updateHold(state, exposure)
}
