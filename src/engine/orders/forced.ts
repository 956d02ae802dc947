/**
 * Fills that the venue makes without the book: takeover by the insurance fund, auto-deleveraging, netting, delivery, and
 * positions that their owner moves.
 *
 * Record   an ordinary order, filled whole at once, with its cause; an ordinary fill; no public trade
 * Closing  orders of the position that shrinks are cut to what it has left (cut-closing.ts)
 * Pair     both sides of one forced match carry one match id
 * Source   design.md §4.26; risk-engine.md §14, §15, §20.9
 */
import { noOrders, plainly, plainOrder } from '../admission/admission.ts'
import { type FuturesInstrument, notionalE12 } from '../catalog/catalog.ts'
import { isHedged } from '../margin/margin.ts'
import { cappedAmount, type Lots, type Rate, type Ticks, zero } from '../numbers/numbers.ts'
import { closeLeg, openLeg } from '../positions/positions.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { entryOf } from '../records/records.ts'
import { addFilledE12, publishFill, fillShared } from '../settlement/settlement.ts'
import { noMatch, type Exposure, leverageOf, type State } from '../state/state.ts'
import type { OrderCause, OrderId, PositionSide, Side } from '../vocabulary.ts'
import { cutClosingOrders } from './cut-closing.ts'
import { closeOrder } from './order-end.ts'
import { insertOrder } from './place.ts'

export interface ForcedFill {
  readonly exposure: Exposure
  /** The position that is closed or, for the one who takes it over, opened. */
  readonly side: PositionSide
  readonly effect: 'open' | 'close'
  readonly quantity: Lots
  readonly price: Ticks
  readonly feeRate: Rate
  readonly cause: OrderCause
  readonly matchId: number
  readonly scope: 'maker' | 'taker'
}

/** The order that was made and its fill. */
export interface Forced {
  readonly orderId: OrderId
  readonly execId: number
}

export function fillForced(state: State, forced: ForcedFill): Forced {
  const { side, effect, quantity, price } = forced
  const exposure = state.futures.keep(forced.exposure)
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const account = state.accounts.byHandle(exposure.account)
  const hedged = isHedged(state, exposure)
  const bookSide: Side = (side === 'long') === (effect === 'open') ? 'buy' : 'sell'
  const command = commandOf(forced, account.uid, instrument, bookSide)
  const scale = state.scale(instrument.id)
  const { cause } = forced
  const row = insertOrder(state, {
    intake: { account, wallet: exposure.wallet, instrument, scale, command, cause, placing: plainly },
    bookSide,
    quantity,
    budget: zero,
    priceLimit: price,
    intent: hedged ? effect : 'single',
    positionSide: hedged ? side : 'net',
    reduceOnly: !hedged && effect === 'close',
    hold: zero,
    loan: zero,
    supersededReduceOnly: noOrders,
    exposure,
    leverage: leverageOf(exposure, side, hedged),
    marginMode: exposure.marginMode,
    match: noMatch,
    generation: noMatch.generation,
    immediateCancel: undefined,
  })
  // Of a position that closes it is read before it may have ended.
  const entryBefore = entryOf(state, exposure, side)
  const book = effect === 'open' ? openLeg : closeLeg
  const leg = book(state, exposure, side, forced)
  const entry = effect === 'open' ? entryOf(state, exposure, side) : entryBefore
  state.orders.positionEntryE8.set(row, cappedAmount(entry))
  fillShared(state, row, quantity, leg)
  if (instrument.kind === 'inverse') addFilledE12(state, row, notionalE12(scale, quantity, price))
  const made = { orderId: state.orders.id.at(row), execId: leg.execId }
  publishFill(state, row, leg, {
    matchId: forced.matchId,
    scope: forced.scope,
    price,
    feeCoin: instrument.settle,
    positionSide: hedged ? side : 'net',
    paid: undefined,
  })
  closeOrder(state, row, 'filled', '')
  if (effect === 'close') cutClosingOrders(state, exposure)
  return made
}

function commandOf(forced: ForcedFill, uid: number, instrument: FuturesInstrument, side: Side): PlaceOrder {
  return {
    ...plainOrder,
    uid,
    interface: forced.exposure.wallet === 'uta' ? 'v3' : 'v2',
    category: instrument.category,
    instrument: instrument.id,
    side,
    orderType: 'limit',
    price: forced.price,
    quantity: { unit: 'lots', lots: forced.quantity },
    reduceOnly: forced.effect === 'close',
    stpMode: 'none',
  }
}
