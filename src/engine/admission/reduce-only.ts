/**
 * Closing orders against the position they take from.
 *
 * One-way    a reduce-only order is cut to the position; earlier ones go, oldest first, until all fit (design §4.9, §4.28)
 * Hedge      free = position less what resting closes occupy. With some free, a market close is cut to it and a larger
 *            limit close is refused. With nothing free, resting closes go, oldest first, until the new one fits (design §4.10)
 * Triggered  a plan that closes was sized when it was set: it closes at most what is free, also at a limit
 * Not here   what becomes of closing orders whose position has shrunk (orders/cut-closing.ts)
 * Source     interface.md E2 rule 6, E3 rules 2-4; design.md §4.39; risk-engine.md §18
 */
import type { Lots } from '../numbers/numbers.ts'
import type { Refusal } from '../protocol/reply.ts'
import { closingOf, type Exposure, positionQuantity, type Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { PositionSide } from '../vocabulary.ts'
import { noOrders } from './admitted.ts'

/** Lots that a closing order may close, and the resting orders that it supersedes. */
export interface ClosingFit {
  readonly quantity: Lots
  readonly supersededReduceOnly: readonly Row[]
}

/** Fits a closing order to its position; a replaced order does not count as superseded. */
export function fitClosing(
  reading: Reading,
  exposure: Exposure,
  side: PositionSide,
  asked: Lots,
  order: {
    readonly hedged: boolean
    /** It closes what it can, and is not refused for more: at market, or triggered. */
    readonly cut: boolean
    readonly replaced: Row | undefined
  },
): ClosingFit | Refusal {
  const position = positionQuantity(exposure, side)
  if (position === 0) return { kind: 'nothing-to-reduce' }
  const occupied = closingOf(exposure, side)
  if (order.hedged && occupied < position) {
    const free = (position - occupied) as Lots
    if (asked <= free) return { quantity: asked, supersededReduceOnly: noOrders }
    return order.cut ? { quantity: free, supersededReduceOnly: noOrders } : { kind: 'insufficient-position', free }
  }
  if (order.hedged && !order.cut && asked > position) return { kind: 'insufficient-position', free: 0 as Lots }
  const quantity = Math.min(asked, position) as Lots
  return { quantity, supersededReduceOnly: oldestBeyond(reading, exposure, side, position - quantity, order.replaced) }
}

/** The oldest closing orders that must go so that the others together are at most `room` lots. */
function oldestBeyond(reading: Reading, exposure: Exposure, side: PositionSide, room: number, except?: Row): Row[] {
  let occupied = closingOf(exposure, side)
  if (occupied <= room) return []
  const superseded: Row[] = []
  for (const row of closingOrders(reading, exposure, side)) {
    if (occupied <= room) break
    if (row === except) continue
    occupied -= reading.orders.remaining.at(row)
    superseded.push(row)
  }
  return superseded
}

/** Closing orders that rest against a position, oldest first. */
export function closingOrders({ accounts, orders }: Reading, exposure: Exposure, side: PositionSide): Row[] {
  const { firstOrder } = accounts.byHandle(exposure.account)
  const found = [...orders.of(firstOrder)].filter(
    (row) =>
      orders.instrument.at(row) === exposure.instrument &&
      orders.walletOf(row) === exposure.wallet &&
      orders.registered.at(row) === 1 &&
      orders.onlyReduces(row) &&
      orders.reducedSide(row) === side,
  )
  return found.reverse()
}
