/**
 * How a breached pool is taken apart, step by step, and tested again after each.
 *
 * Cross     cancel its orders · net long against short at mark, free of fees · reduce by tiers · close
 * Isolated  cancel the position's orders · top up when auto margin is on · close
 * Closing   an IOC order limited at the bankruptcy price (and the limit band), or at the mark where there is none. What
 *           the book does not take, the insurance fund or auto-deleveraging takes at that price (takeover.ts)
 * Rest      of an isolated position it is the insurance fund's, gain or loss. A cross account closed at its bankruptcy
 *           price ends at zero; one closed at a better price keeps the rest
 * Source    risk-engine.md §5, §6, §14
 */
import { plainOrder } from '../admission/admission.ts'
import { bestPrice } from '../book/book.ts'
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import { insure } from '../ledger-postings/ledger-postings.ts'
import {
  backingIn,
  beginReport,
  crossBankruptcyPrice,
  allCoins,
  isPoolHalted,
  isStuck,
  markOf,
  mostNeeding,
  noteStep,
  type Pool,
  poolsOf,
  reducingQuantity,
  type Report,
  stillBreached,
  withinBand,
} from '../liquidation-rules/liquidation-rules.ts'
import { bankruptcyPrice, marginAccountTransferable, isHedged, maintenanceMargin } from '../margin/margin.ts'
import { amount, type Lots, maxAmount, minAmount, rate, rateOne, zero } from '../numbers/numbers.ts'
import { closeOrder, fillForced, placeOrder } from '../orders/orders.ts'
import { moveMargin } from '../positions/positions.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { LiquidationStep } from '../protocol/event.ts'
import { type Breached, type Exposure, positionOf, type State, unrealizedPnl } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'
import { liquidateMargin } from './loan-liquidation.ts'
import { takeOver, type Leftover } from './takeover.ts'

/**
 * Takes a pool apart, if it is still breached. `stuck`: what is left of it cannot trade now. `later`: the queue that takes
 * the rest over is not ranked yet.
 */
export function liquidate(
  state: State,
  breached: Breached,
): { readonly outcome: 'done' | 'later' } | { readonly outcome: 'stuck'; readonly pool: Pool } {
  const pool = stillBreached(state, breached)
  if (pool === undefined) return { outcome: 'done' }
  const { exposures } = pool
  const noneTrades = exposures.length > 0 && exposures.every((exposure) => isStuck(state, exposure))
  if (noneTrades || isPoolHalted(state, pool)) return { outcome: 'stuck', pool }
  const report = beginReport(state, pool)
  if (pool.side === undefined) cancelMarginAccountOrders(state, pool)
  else cancelOrders(state, pool.exposures[0], pool.side)
  const handed =
    pool.side === undefined
      ? liquidateCross(state, breached, report.steps)
      : liquidateIsolated(state, pool.exposures[0], pool.side, report.steps)
  publishReport(state, report)
  if (!handed) return { outcome: 'later' }
  const left = stillBreached(state, breached)
  return left?.exposures.some((exposure) => isStuck(state, exposure))
    ? { outcome: 'stuck', pool: left }
    : { outcome: 'done' }
}

/** Publishes the report, if anything came of the liquidation. */
function publishReport(state: State, { found, steps }: Report): void {
  const { counters } = state
  if (counters.order === found.firstOrder && counters.flow === found.firstFlow && steps.length === 0) return
  state.emit({ ...found, liquidationId: counters.flow++, steps, lastOrder: counters.order - 1 })
}

/** Answers false while the rest waits to be handed over. */
function liquidateCross(state: State, breached: Breached, steps: LiquidationStep[]): boolean {
  let handed = false
  for (const exposure of stillBreached(state, breached)?.exposures ?? []) netSides(state, exposure, steps)
  for (;;) {
    const pool = stillBreached(state, breached)
    const largest = pool && mostNeeding(state, pool)
    if (pool === undefined || largest === undefined) break
    const { exposure, side } = largest
    const position = positionOf(exposure, side)
    if (position === undefined) break
    const quantity = reducingQuantity(state, exposure, position.quantity)
    const cause = quantity < position.quantity ? 'reduce' : 'liquidation'
    const price = crossBankruptcyPrice(state, pool, exposure, side)
    const kind = cause === 'reduce' ? 'reduce' : 'close'
    noteStep(state, steps, exposure, side, { kind, quantity, price, ...backingIn(state, pool, exposure, side) })
    const taken = closeAt(state, { exposure, side, quantity, price, cause })
    // An account closed at a better price keeps what is left, whatever was handed over before.
    handed = false
    if (taken === quantity) continue
    const again = stillBreached(state, breached)
    if (again === undefined || positionOf(exposure, side) === undefined) break
    // The book has no more at this price: what this step lacks is handed over.
    const rest = (quantity - taken) as Lots
    const bankruptcy = crossBankruptcyPrice(state, again, exposure, side)
    const step = { kind: 'hand-over', quantity: rest, price: bankruptcy } as const
    noteStep(state, steps, exposure, side, { ...step, ...backingIn(state, again, exposure, side) })
    if (!takeOver(state, { exposure, side, quantity: rest, price: bankruptcy, cause })) return false
    handed = true
  }
  if (handed) settleEnd(state, breached)
  // A unified account that still owes too much sells collateral, as cross margin does.
  if (breached.coin === allCoins && stillBreached(state, breached) !== undefined) {
    liquidateMargin(state, state.accounts.byHandle(breached.account), 'uta')
  }
  return true
}

/** Long against short at mark, fee-free. */
function netSides(state: State, exposure: Exposure, steps: LiquidationStep[]): void {
  const quantity = Math.min(exposure.long?.quantity ?? 0, exposure.short?.quantity ?? 0) as Lots
  if (quantity === 0 || isStuck(state, exposure)) return
  const price = state.prices.markPrice(exposure.instrument)
  for (const side of ['long', 'short'] as const) {
    noteStep(state, steps, exposure, side, { kind: 'offset', quantity, price })
  }
  const shared = { exposure, effect: 'close', quantity, price, feeRate: rate(0n), cause: 'offset' } as const
  const matchId = state.counters.match++
  fillForced(state, { ...shared, side: 'long', matchId, scope: 'taker' })
  fillForced(state, { ...shared, side: 'short', matchId, scope: 'maker' })
}

/** A cross pool that ended at its bankruptcy price ends at zero: what tick rounding left is the fund's. */
function settleEnd(state: State, breached: Breached): void {
  const pools = poolsOf(state, breached.account)
  const more = pools.some((pool) => pool.wallet === breached.wallet && pool.coin === breached.coin)
  if (more || breached.wallet === 'uta') return
  const slot = state.ledger.slot(breached.account, breached.wallet, breached.coin)
  const left = state.ledger.freeOf(slot)
  if (left > 0n) insure(state, slot, amount(-left))
}

/** Answers whether nothing is left to hand over. */
function liquidateIsolated(state: State, exposure: Exposure, side: PositionSide, steps: LiquidationStep[]): boolean {
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const slot = state.ledger.slot(exposure.account, exposure.wallet, instrument.settle)
  if (exposure.autoMargin && topUp(state, exposure, side, steps)) return true
  const position = positionOf(exposure, side)
  if (position === undefined) return true
  const before = state.ledger.balanceOf(slot)
  const price =
    bankruptcyPrice(instrument, state.scale(instrument.id), position, position.margin) || markOf(state, exposure)
  noteStep(state, steps, exposure, side, {
    kind: 'close',
    quantity: position.quantity,
    price,
    backing: position.margin,
  })
  closeAt(state, { exposure, side, quantity: position.quantity, price, cause: 'liquidation' })
  const rest = positionOf(exposure, side)
  if (rest !== undefined) noteStep(state, steps, exposure, side, { kind: 'hand-over', quantity: rest.quantity, price })
  const handed =
    rest === undefined || takeOver(state, { exposure, side, quantity: rest.quantity, price, cause: 'liquidation' })
  // The wallet neither gains nor loses: what is left over, or missing, is the fund's.
  const left = amount(before - state.ledger.balanceOf(slot))
  insure(state, slot, left, { instrument: instrument.id })
  return handed
}

/**
 * Auto margin: brings the position's equity to twice its maintenance margin, as far as the wallet can. Answers whether that
 * saved it.
 */
function topUp(state: State, { index }: Exposure, side: PositionSide, steps: LiquidationStep[]): boolean {
  const exposure = state.futures.at(index)
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const scale = state.scale(instrument.id)
  const mark = state.prices.markPrice(instrument.id)
  const position = positionOf(exposure, side)
  if (position === undefined) return true
  const before = position.margin
  const equity = before + unrealizedPnl(scale, position, mark)
  const wanted = amount(2n * maintenanceMargin(instrument, scale, position.quantity, mark) - equity)
  moveMargin(
    state,
    exposure,
    position,
    minAmount(
      maxAmount(zero, wanted),
      marginAccountTransferable(state, exposure.account, exposure.wallet, instrument.settle),
    ),
    'auto_margin',
  )
  const backing = position.margin - before
  if (backing > 0n)
    noteStep(state, steps, exposure, side, { kind: 'top-up', quantity: position.quantity, price: 0, backing })
  const after = (position.margin + unrealizedPnl(scale, position, mark)) * rateOne
  return after > maintenanceMargin(instrument, scale, position.quantity, mark) * rateOne
}

/** Offers a close to the book at a limit; answers what it took. */
function closeAt(state: State, { exposure, side, quantity, price: bankruptcy, cause }: Leftover): number {
  const before = positionOf(exposure, side)?.quantity ?? 0
  const price = withinBand(state, exposure, side, bankruptcy)
  const best = bestPrice(state.book(exposure.instrument), side === 'long' ? 'buy' : 'sell')
  if (best === 0 || (side === 'long' ? best < price : best > price)) return 0
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const hedged = isHedged(state, exposure)
  const command: PlaceOrder = {
    ...plainOrder,
    uid: state.accounts.byHandle(exposure.account).uid,
    interface: exposure.wallet === 'uta' ? 'v3' : 'v2',
    category: instrument.category,
    instrument: instrument.id,
    side: side === 'long' ? 'sell' : 'buy',
    orderType: 'limit',
    price,
    quantity: { unit: 'lots', lots: quantity },
    positionSide: hedged ? side : undefined,
    reduceOnly: true,
    stpMode: 'none',
  }
  placeOrder(state, command, cause)
  return before - (positionOf(exposure, side)?.quantity ?? 0)
}

/** All orders that use the pool's collateral, also where it has no position; of a unified account all of its wallet. */
function cancelMarginAccountOrders(state: State, pool: Pool): void {
  const { orders } = state
  for (const row of orders.of(state.accounts.byHandle(pool.account).firstOrder)) {
    const instrument = state.instrument(orders.instrument.at(row))
    const usesCollateral = pool.coin === allCoins || (isFutures(instrument) && instrument.settle === pool.coin)
    if (usesCollateral && orders.walletOf(row) === pool.wallet) closeOrder(state, row, 'canceled', 'system')
  }
}

/** Open orders of an isolated position; in hedge mode only those that concern its side. */
function cancelOrders(state: State, exposure: Exposure, side: PositionSide): void {
  const { orders } = state
  const oneSide = isHedged(state, exposure)
  for (const row of orders.of(state.accounts.byHandle(exposure.account).firstOrder)) {
    if (orders.instrument.at(row) !== exposure.instrument || orders.walletOf(row) !== exposure.wallet) continue
    const concerns = orders.onlyReduces(row) ? orders.reducedSide(row) : orders.sideOf(row) === 'buy' ? 'long' : 'short'
    if (!oneSide || concerns === side) closeOrder(state, row, 'canceled', 'system')
  }
}
