/**
 * Matching: decides against a book who trades how much, before anything is written.
 *
 * Order       best price first, oldest first; the fill price is the maker's
 * STP         the taker's mode decides on meeting an order of the same family: trade, drop the taker's rest, remove
 *             the maker, or both; earlier fills stand
 * Reduce      a resting reduce-only or closing order fills at most what its position has left in this sweep
 * Solvent     a maker whose account cannot absorb what the fill loses is removed (solvency.ts)
 * Budget      a spot market buy takes whole lots while its quote amount lasts
 * Source      interface.md E2, E3; design.md §4.25, §4.35; risk-engine.md §18, §19
 */
import { bestPrice, firstAt, nextPrice } from '../book/book.ts'
import { type Instrument, type InstrumentId, notionalFloor, type Scale } from '../catalog/catalog.ts'
import { big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { MatchResult, Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { AccountHandle, CancelReason, Side, StpMode, WalletType } from '../vocabulary.ts'
import { canAbsorbLoss, canAbsorbSpotLoss, reducibleLots } from './solvency.ts'

export interface Taker {
  readonly instrument: Instrument
  /** Of the instrument. */
  readonly scale: Scale
  readonly side: Side
  readonly account: AccountHandle
  readonly wallet: WalletType
  /** Family for self-trade prevention. */
  readonly main: AccountHandle
  readonly stpMode: StpMode
  /** Worst price it may trade at. */
  readonly priceLimit: Ticks
  /** Lots wanted; without bound for a market buy by quote amount. */
  readonly quantity: number
  /** Quote units to spend at most; undefined: no bound. */
  readonly budget: bigint | undefined
}

export function matchTaker(reading: Reading, taker: Taker): MatchResult {
  const { sweep } = reading.scratch
  sweep.begin()
  const { orders } = reading
  const { scale } = taker
  const book = reading.book(taker.instrument.id)
  const makerSide: Side = taker.side === 'buy' ? 'sell' : 'buy'
  let left = taker.quantity
  let budget = taker.budget
  for (let price = bestPrice(book, makerSide); price !== 0; price = nextPrice(book, makerSide, price)) {
    if (taker.side === 'buy' ? price > taker.priceLimit : price < taker.priceLimit) break
    for (let maker = firstAt(book, makerSide, price); maker !== noRow; maker = orders.next.at(maker)) {
      if (left === 0) return sweep
      if (taker.stpMode !== 'none' && isOwn(reading, maker, taker.main)) {
        if (taker.stpMode !== 'cancel_taker') sweep.addRemoval(maker, price, 'self-trade')
        if (taker.stpMode === 'cancel_maker') continue
        sweep.takerStopped = true
        return sweep
      }
      let take = Math.min(left, fillable(reading, taker, maker))
      if (budget !== undefined) take = Math.min(take, affordable(budget, big(price) * scale.unit))
      if (take === 0 && budget === undefined) continue
      if (take === 0) {
        sweep.budgetSpent = true
        return sweep
      }
      if (!makerCanAbsorb(reading, taker, maker, take, price)) {
        sweep.addRemoval(maker, price, 'system')
        continue
      }
      const notional = notionalFloor(scale, take as Lots, price as Ticks)
      sweep.addFill(maker, take, price)
      sweep.filled += take
      sweep.notional += notional
      sweep.worstPrice = price
      left -= take
      if (budget === undefined) continue
      budget -= notional
      sweep.budgetSpent = budget < big(price) * scale.unit
    }
  }
  return sweep
}

/** Whether an order at this price would meet any resting order. */
function wouldCross(reading: Reading, instrument: InstrumentId, side: Side, price: Ticks): boolean {
  const best = bestPrice(reading.book(instrument), side === 'buy' ? 'sell' : 'buy')
  return best !== 0 && (side === 'buy' ? best <= price : best >= price)
}

function isOwn(reading: Reading, maker: Row, main: number): boolean {
  return reading.accounts.byHandle(reading.orders.accountOf(maker)).main === main
}

function affordable(budget: bigint, unitPrice: bigint): number {
  const lots = budget / unitPrice
  return lots > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(lots)
}

/** What a maker can fill in this sweep: all it has left, or for an order that only reduces what its position leaves. */
function fillable(reading: Reading, taker: Taker, maker: Row): number {
  const { orders } = reading
  const remaining = orders.remaining.at(maker)
  if (!orders.onlyReduces(maker)) return remaining
  if (addsTo(reading, taker, maker)) return remaining
  const exposure = reading.futures.find(orders.accountOf(maker), orders.walletOf(maker), orders.instrument.at(maker))
  if (exposure === undefined) return 0
  return Math.min(remaining, reducibleLots(reading, exposure, maker))
}

/** A taker of the same position adds to it whatever its makers take: they always find enough. */
function addsTo(reading: Reading, taker: Taker, maker: Row): boolean {
  const { orders } = reading
  return orders.accountOf(maker) === taker.account && orders.walletOf(maker) === taker.wallet
}

function makerCanAbsorb(reading: Reading, taker: Taker, maker: Row, quantity: number, price: number): boolean {
  const { orders } = reading
  const { instrument, scale } = taker
  if (instrument.kind === 'spot') return canAbsorbSpotLoss(reading, instrument, maker, { scale, quantity, price })
  const exposure = reading.futures.find(orders.accountOf(maker), orders.walletOf(maker), instrument.id)
  if (exposure === undefined) return false
  const adds = addsTo(reading, taker, maker)
  return canAbsorbLoss(reading, exposure, maker, { instrument, scale, quantity, price, adds })
}

/** Why an order that is admitted goes at once; undefined: it trades, or rests. */
export function immediateCancelReason(
  reading: Reading,
  command: PlaceOrder,
  { side, quantity, priceLimit }: Taker,
  match: MatchResult,
): CancelReason | undefined {
  if (command.orderType === 'limit' && command.timeInForce === 'gtc') return undefined
  if (command.orderType === 'limit' && command.timeInForce === 'post_only') {
    return wouldCross(reading, command.instrument, side, priceLimit) ? 'post-only' : undefined
  }
  if (command.orderType === 'limit' && command.timeInForce === 'fok' && match.filled < quantity) {
    return match.takerStopped ? 'self-trade' : 'no-liquidity'
  }
  // What finds nothing goes at once, unless it has own orders to remove on its way.
  return match.count === 0 ? (match.takerStopped ? 'self-trade' : 'no-liquidity') : undefined
}
