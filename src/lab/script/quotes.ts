/**
 * What a scripted maker wants in its book, and the few commands that bring it there.
 *
 * Follows   the index, or the middle of what others have in the book: the mark where that has no two sides
 * Levels    the best half a spread from the middle, the others as far from each other; of one size
 * Kept      orders that are as they are wanted keep their place in the queue
 * Source    lab.md §4.10
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import { ticks } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import { type Askable, deposits, limitOrder, restingOf, type Wanted } from '../../house-book/house-book.ts'
import { cancelOf } from '../market/house.ts'
import type { MakerPlan } from './plan.ts'

export function quotes(of: Askable, plan: MakerPlan, uid: Uid, instrument: Instrument): Command[] {
  const resting = restingOf(of, uid, instrument)
  const middle = middleOf(of, plan, instrument, resting) * (1 + (plan.skew * plan.spreadBps) / 2e4)
  const wanted = [...side(plan, middle, 'buy'), ...side(plan, middle, 'sell')]
  const isSame = (order: OrderRecord, { side: wantedSide, price, quantity }: Wanted) =>
    order.bookSide === wantedSide && order.price === price && order.quantity - order.filled === quantity
  const stale = resting.filter((order) => !wanted.some((one) => isSame(order, one)))
  const missing = wanted.filter((one) => !resting.some((order) => isSame(order, one)))
  return [
    ...stale.map(cancelOf),
    ...deposits(of, uid, instrument, missing),
    ...missing.map((one) => limitOrder(uid, instrument, one, 'post_only')),
  ]
}

/** In ticks. */
function middleOf(of: Askable, { follow }: MakerPlan, { id }: Instrument, own: readonly OrderRecord[]): number {
  const { indexPrice, markPrice } = of.query({ kind: 'prices', instrument: id })
  if (follow === 'index') return indexPrice
  const { bids, asks } = of.query({ kind: 'depth', instrument: id, limit: 100 })
  const others = (levels: typeof bids, bookSide: OrderRecord['bookSide']) =>
    levels.find(([price, quantity]) => {
      const ours = own.filter((order) => order.bookSide === bookSide && order.price === price)
      return quantity > ours.reduce((sum, order) => sum + order.quantity - order.filled, 0)
    })?.[0]
  const [bid, ask] = [others(bids, 'buy'), others(asks, 'sell')]
  return bid === undefined || ask === undefined ? markPrice : (bid + ask) / 2
}

/** Bids down and asks up to whole ticks, each level at least a tick beyond the one before. */
function side({ levels, spreadBps, size: quantity }: MakerPlan, middle: number, of: Wanted['side']): Wanted[] {
  const outwards = of === 'buy' ? -1 : 1
  const wanted: Wanted[] = []
  let last: number | undefined
  for (let level = 1; level <= levels; level++) {
    const exact = middle * (1 + (outwards * level * spreadBps) / 2e4)
    const whole = of === 'buy' ? Math.floor(exact) : Math.ceil(exact)
    const price: number = last === undefined ? whole : outwards * Math.max(outwards * whole, outwards * last + 1)
    if (price < 1) break
    wanted.push({ side: of, price: ticks(price), quantity })
    last = price
  }
  return wanted
}
