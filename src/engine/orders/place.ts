/**
 * The way of an order through the engine, second half: it was admitted (admission/order.ts has the first half), and is written.
 *
 * Holds     a refused order has changed nothing, and what is admitted is not refused any more
 * Replaces  an order may take the place of a resting one. It is admitted as if that one were not there, and that one goes
 *           before it comes in
 * Accepted  then canceled at once, not refused: post-only that would cross, market or ioc that finds nothing, fok that
 *           cannot fill whole (design §4.29)
 * Source    interface.md E2, E3; design.md §1, §4.6, §4.18, §4.20, §4.29
 */
import {
  admitOrder,
  type Admitted,
  hasAttachedTpsl,
  isAskedFor,
  type Placing,
  plainly,
  staysOpen,
} from '../admission/admission.ts'
import { enqueue, sideOf } from '../book/book.ts'
import { assert, type Ticks } from '../numbers/numbers.ts'
import { exposureOf } from '../positions/positions.ts'
import { bookChanged } from '../pricing/pricing.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import {
  extendSpotAttachedTpsl,
  holdForFutures,
  holdForSpot,
  setAttachedTpsl,
  settleFutures,
  settleSpot,
} from '../settlement/settlement.ts'
import type { MatchResult, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { CancelReason, OrderCause } from '../vocabulary.ts'
import { cancelUncoveredOrders } from './cancel-uncovered.ts'
import { cutClosingOrders } from './cut-closing.ts'
import { closeOrder } from './order-end.ts'

export function placeOrder(
  state: State,
  command: PlaceOrder,
  cause: OrderCause = 'user',
  placing: Placing = plainly,
): Reply {
  const admitted = admitOrder(state, command, cause, placing)
  if ('kind' in admitted) return refused(admitted)

  const { immediateCancel: stopped } = admitted
  const { replaced } = placing
  const left = replaced === undefined ? undefined : releaseReplaced(state, replaced, admitted, stopped)
  const row = insertOrder(state, admitted)
  if (left !== undefined) inheritHold(state, row, left)
  const dailyOrders = isAskedFor(cause) ? state.accounts.countOrder(admitted.intake.account, state.at) : 0
  if (admitted.exposure !== undefined) state.futures.keep(admitted.exposure).marginMode = admitted.marginMode
  // An order that goes at once takes nobody's place.
  const superseded = stopped === undefined ? admitted.supersededReduceOnly : []
  for (const earlier of superseded) closeOrder(state, earlier, 'canceled', 'reduce-only')
  const orderId = state.orders.id.at(row)
  const clientOid = state.orders.clientOidOf(row)
  if (stopped === undefined) trade(state, admitted, row)
  else closeOrder(state, row, 'canceled', stopped)
  const answersNoId = superseded.length > 0 && admitted.reduceOnly && placing.whole === undefined
  return { kind: 'placed', orderId: answersNoId ? 0 : orderId, clientOid, dailyOrders }
}

/** What a replaced order leaves to the one that comes, in units of the coin that it held. */
interface InheritedHold {
  readonly hold: bigint
  readonly loan: bigint
}

/**
 * The replaced order goes. What a spot order holds and has borrowed stays held for the one that comes, so that nothing is
 * paid back and borrowed again; the margin of futures comes free and is asked for anew.
 */
function releaseReplaced(
  state: State,
  replaced: Row,
  { exposure }: Admitted,
  stopped: CancelReason | undefined,
): InheritedHold {
  const { orders } = state
  const left = { hold: 0n, loan: 0n }
  if (exposure === undefined && stopped === undefined) {
    left.hold = orders.hold.at(replaced)
    left.loan = orders.extrasOf(replaced).loan
    orders.hold.set(replaced, 0n)
    if (left.loan > 0n) orders.change(replaced, { loan: 0n })
  }
  closeOrder(state, replaced, 'canceled', 'user')
  return left
}

/** The order that replaces another begins with what that one held and had borrowed. */
function inheritHold({ orders }: State, row: Row, { hold, loan }: InheritedHold): void {
  orders.hold.set(row, hold)
  if (loan > 0n) orders.change(row, { loan })
}

/** Holds what the order needs, carries out its match, and lets what is left rest or go. */
export function trade(state: State, admitted: Admitted, row: Row): void {
  const { intake, match } = admitted
  assert(match.generation === admitted.generation, 'a match is written before anything else is matched')
  const { instrument } = intake
  const exposure = instrument.kind === 'spot' ? undefined : exposureOf(state, row)
  if (exposure === undefined) holdForSpot(state, admitted, row)
  else holdForFutures(state, exposure, admitted, row)

  /** Indexes of exposures. */
  const touched: number[] = exposure === undefined ? [] : [exposure.index]
  for (let step = 0; step < match.count; step++) {
    const maker = match.makers[step]
    if (match.lots[step] === 0) {
      closeOrder(state, maker, 'canceled', match.reasons[step])
      continue
    }
    state.prices.setLast(instrument.id, match.prices[step] as Ticks)
    if (!state.traded.includes(instrument.id)) state.traded.push(instrument.id)
    if (instrument.kind === 'spot') {
      settleSpot(state, admitted, row, step)
      extendSpotAttachedTpsl(state, instrument, maker)
    } else settleFutures(state, admitted, row, step, touched)
    if (state.orders.remaining.at(maker) === 0) closeOrder(state, maker, 'filled', '')
  }

  if (instrument.kind === 'spot' && match.filled > 0) extendSpotAttachedTpsl(state, instrument, row)
  settleRest(state, intake.command, row, match)
  for (const index of touched) {
    const filled = state.futures.at(index)
    cutClosingOrders(state, filled)
    cancelUncoveredOrders(state, filled)
  }
}

/** What the sweep left of the order rests, or goes. */
function settleRest(state: State, command: PlaceOrder, row: Row, match: MatchResult): void {
  const { orders } = state
  const byQuote = orders.extrasOf(row).quoteAmount !== 0n
  const left = orders.remaining.at(row)
  if (left === 0 && !byQuote) return closeOrder(state, row, 'filled', '')
  if (match.takerStopped) return closeOrder(state, row, 'canceled', 'self-trade')
  if (staysOpen(command)) return rest(state, row)
  // A market buy that spent its quote amount down to less than a lot is filled.
  if (byQuote && match.budgetSpent) return closeOrder(state, row, 'filled', '')
  return closeOrder(state, row, 'canceled', 'no-liquidity')
}

function rest(state: State, row: Row): void {
  const { orders } = state
  const book = state.book(orders.instrument.at(row))
  orders.resting.set(row, 1)
  enqueue(sideOf(book, orders.sideOf(row)), orders, row, orders.price.at(row), orders.remaining.at(row))
  bookChanged(state, orders.instrument.at(row))
  const { uid } = state.accounts.byHandle(orders.accountOf(row))
  state.emit({ kind: 'order-accepted', uid, orderId: orders.id.at(row) })
}

/** A row for the order, known by its ids and in its account's chain from now on. */
export function insertOrder(state: State, admitted: Admitted): Row {
  const { orders } = state
  const { command } = admitted.intake
  const account = state.accounts.rowOf(admitted.intake.account)
  const id = state.counters.order++
  const row = orders.insert(admitted, id, state.at, state.sequence)
  if (admitted.budget !== 0n) orders.change(row, { quoteAmount: admitted.budget })
  if (command.quantity.unit === 'base') orders.change(row, { baseAmount: command.quantity.amount })
  // An order that only reduces opens nothing that take-profit and stop-loss could close.
  const opens = !admitted.reduceOnly && admitted.intent !== 'close'
  if (opens && hasAttachedTpsl(command)) setAttachedTpsl(state, row, command)
  account.firstOrder = row
  if (command.clientOid !== '') state.accounts.takeClientOid(account, command.clientOid, id)
  if (admitted.exposure === undefined) account.openSpot++
  else account.openFutures++
  return row
}
