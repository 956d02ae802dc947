/**
 * What every fill does to its order, and how it is published.
 *
 * Links    each match has one id, the public trade's; each private fill has its own (design §4.34)
 * Source   interface.md Fill, Public fill; design.md §4.25, §4.34
 */
import { shrink } from '../book/book.ts'
import type { CoinId } from '../catalog/catalog.ts'
import { type Amount, cappedAmount, type Lots, type Ticks, zero } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import type { FillEvent } from '../protocol/event.ts'
import { orderCodes, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { PositionSide } from '../vocabulary.ts'

/** Sums of one fill over its legs. */
export interface FillTotals {
  readonly notional: Amount
  readonly fee: Amount
  readonly realizedPnl: Amount
}

/** Adds a fill to its order; a resting order keeps its place with less. Sums that are only shown end at 64 bits. */
export function fillShared(state: State, row: Row, quantity: Lots, totals: FillTotals): void {
  const { orders } = state
  const { quoteAmount, filledLots } = orders.extrasOf(row)
  if (quoteAmount !== 0n) orders.change(row, { filledLots: filledLots + quantity })
  else orders.remaining.set(row, orders.remaining.at(row) - quantity)
  orders.filledNotional.set(row, cappedAmount(orders.filledNotional.at(row) + totals.notional))
  orders.fee.set(row, cappedAmount(orders.fee.at(row) + totals.fee))
  if (totals.realizedPnl !== 0n) {
    orders.realizedPnl.set(row, cappedAmount(orders.realizedPnl.at(row) + totals.realizedPnl))
  }
  orders.updatedAt.set(row, state.at)
  if (orders.resting.at(row) === 1) {
    shrink(state.book(orders.instrument.at(row)), orders.sideOf(row), orders.price.at(row), quantity)
    bookChanged(state, orders.instrument.at(row))
  }
}

/** One leg of a fill, as it is published. */
export interface FillLeg extends FillTotals {
  readonly effect: FillEvent['effect']
  readonly quantity: Lots
  /** Its number and the balance after it, taken right after its postings. */
  readonly execId: number
  readonly balance: Amount
}

/** What a spot fill gave away. */
interface Paid {
  readonly coin: CoinId
  readonly balance: Amount
  readonly baseAmount: Amount
}

/** The match that a fill is one side of. */
export interface FillMatch {
  readonly matchId: number
  readonly scope: 'maker' | 'taker'
  readonly price: Ticks
  readonly feeCoin: CoinId
  readonly positionSide: PositionSide | 'net'
  /** Spot only. */
  readonly paid: Paid | undefined
}

/** The private side of a fill: one event for each leg. */
export function publishFill(state: State, row: Row, leg: FillLeg, match: FillMatch): void {
  const { paid } = match
  const { orders } = state
  state.emit({
    kind: 'fill',
    execId: leg.execId,
    matchId: match.matchId,
    orderId: orders.id.at(row),
    clientOid: orders.clientOidOf(row),
    uid: state.accounts.byHandle(orders.accountOf(row)).uid,
    wallet: orders.walletOf(row),
    category: orderCodes.category[orders.category.at(row)],
    instrument: orders.instrument.at(row),
    side: orderCodes.side[orders.side.at(row)],
    bookSide: orders.sideOf(row),
    orderType: orderCodes.orderType[orders.orderType.at(row)],
    scope: match.scope,
    cause: orderCodes.cause[orders.cause.at(row)],
    holdMode: orderCodes.holdMode[orders.holdMode.at(row)],
    effect: leg.effect,
    positionSide: match.positionSide,
    price: match.price,
    quantity: leg.quantity,
    notional: leg.notional,
    fee: leg.fee,
    feeCoin: match.feeCoin,
    realizedPnl: leg.realizedPnl,
    balance: leg.balance,
    paidCoin: paid?.coin,
    paidBalance: paid?.balance ?? zero,
    baseAmount: paid?.baseAmount ?? zero,
    at: state.at,
  })
}

/** The public side of a match. */
export function publishTrade(state: State, taker: Row, matchId: number, quantity: Lots, price: Ticks): void {
  state.emit({
    kind: 'trade',
    matchId,
    instrument: state.orders.instrument.at(taker),
    price,
    quantity,
    side: state.orders.sideOf(taker),
    at: state.at,
  })
}
