/**
 * Trigger orders whose price is reached become orders.
 *
 * Order     the one that its price has passed furthest first, then the lowest number; after each the prices are read anew,
 *           because what it traded may have moved the last price
 * Bounded   a command fires at most so many; the others follow by a timer of their own
 * Checked   like any order at that moment: margin, bands, halts. A plan that is refused ends as failed with the reason
 * Closing   what guards a position is cut to it and only reduces, so that it never flips; closing orders that rest make
 *           way for it
 * Spot      what guards the fills of a spot or margin order sells or spends just that, and takes its partner
 *           along unless it found nobody to trade with
 * Halted    while an instrument is not online, or its index cannot be believed, nothing fires
 * Source    interface.md E3 presets; risk-engine.md §14, §18.3, §23
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import { big, type Lots, type Ticks } from '../numbers/numbers.ts'
import { isFrozen } from '../pricing/pricing.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { positionQuantity, presetOf, type Reading, triggerCodes, type Venue } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { endTrigger, quantityOf, removeTrigger, triggerRecord } from '../triggers/triggers.ts'
import type { OrderCause, OrderQuantity, PositionSide } from '../vocabulary.ts'
import { placeOrder } from './placing.ts'
import { plainOrder } from './plain-order.ts'

/** Per instrument and command: some hundred microseconds of work each. */
const firedMax = 64

/** To be called whenever the last or the mark price of an instrument may have changed. */
export function fireTriggers(venue: Venue, instrument: InstrumentId): void {
  const { triggers, prices } = venue
  if (triggers.books[instrument] === undefined) return
  if (venue.instrument(instrument).status !== 'online' || isFrozen(venue, instrument)) return
  for (let fired = 0; ; fired++) {
    const now = { last: prices.lastPrice(instrument), mark: prices.markPrice(instrument) }
    const row = triggers.due(instrument, now)
    if (row === noRow) return
    if (fired === firedMax) return continueSoon(venue, instrument)
    fire(venue, row)
  }
}

/** The last prices that the command changed. */
export function fireTraded(venue: Venue): void {
  const { traded } = venue
  for (let index = 0; index < traded.length; index++) fireTriggers(venue, traded[index])
  // Setting a length leaves compiled code, also where it stays what it is.
  if (traded.length > 0) traded.length = 0
}

function continueSoon(venue: Venue, instrument: InstrumentId): void {
  const { timers } = venue
  const set = timers.due.some(({ timer }) => timer.kind === 'fire-triggers' && timer.instrument === instrument)
  if (!set) timers.add(venue.at + 1, { kind: 'fire-triggers', instrument })
}

const causes = {
  plan: 'trigger',
  'take-profit': 'take-profit',
  'stop-loss': 'stop-loss',
  'position-take-profit': 'position-take-profit',
  'position-stop-loss': 'position-stop-loss',
} as const satisfies Record<(typeof triggerCodes.kind)[number], OrderCause>

function fire(venue: Venue, row: Row): void {
  const { triggers } = venue
  const cause = causes[triggers.kindOf(row)]
  const spot = triggers.isSpotGuard(row)
  const guarded = cause === 'trigger' || spot ? 0 : guardedQuantity(venue, row)
  const command = spot
    ? spotGuardOrder(venue, row)
    : cause === 'trigger'
      ? planOrder(venue, row)
      : closingOrder(venue, row, guarded)
  const partner = triggers.partner.at(row)
  const fired = {
    account: triggers.account.at(row),
    wallet: triggers.walletOf(row),
    instrument: triggers.instrument.at(row),
  }
  const side = triggers.positionSideOf(row)
  const record = triggerRecord(venue, row)
  // Before its order trades: a position that closes takes all its guards along.
  removeTrigger(venue, row)
  const executedOrderId = venue.counters.order
  const { match } = venue.counters
  const reply = placeOrder(venue, command, cause)
  const at = { updatedAt: venue.at }
  if (reply.kind === 'refused') {
    const trigger = { ...record, ...at, status: 'failed', failure: reply.refusal.kind } as const
    return venue.emit({ kind: 'trigger-ended', trigger })
  }
  venue.emit({ kind: 'trigger-ended', trigger: { ...record, ...at, status: 'executed', executedOrderId } })

  const other = partner === 0 ? noRow : triggers.find(partner)
  if (other === noRow) return
  // At market it may have found nobody: then the other goes on guarding.
  if (spot && (venue.counters.match > match || venue.orders.find(executedOrderId) !== noRow)) endTrigger(venue, other)
  if (side === undefined) return
  if (venue.orders.find(executedOrderId) !== noRow) {
    triggers.waiting.set(executedOrderId, partner)
    return
  }
  const exposure = venue.futures.find(fired.account, fired.wallet, fired.instrument)
  const left = exposure === undefined ? 0 : positionQuantity(exposure, side)
  const asked = command.quantity.unit === 'lots' ? command.quantity.lots : 0
  if (guarded - left >= asked) endTrigger(venue, other)
}

function guardedQuantity(venue: Reading, row: Row): number {
  const { triggers } = venue
  const exposure = venue.futures.find(triggers.account.at(row), triggers.walletOf(row), triggers.instrument.at(row))
  return exposure === undefined ? 0 : positionQuantity(exposure, triggers.positionSideOf(row) as PositionSide)
}

/** The order as it was sent when the plan was made. */
function planOrder(venue: Reading, row: Row): PlaceOrder {
  const { triggers } = venue
  return {
    ...anyOrder(venue, row, quantityOf(venue, row)),
    side: triggerCodes.bookSide[triggers.side.at(row)],
    loanType: 'autoLoanAndRepay',
    positionSide: triggers.positionSideOf(row),
    tradeSide: triggerCodes.tradeSide[triggers.tradeSide.at(row)],
    reduceOnly: triggers.reduceOnly.at(row) === 1,
    takeProfit: presetOf(
      triggers.takeProfitTrigger.at(row),
      triggers.takeProfitExecute.at(row),
      triggers.takeProfitBy.at(row),
    ),
    stopLoss: presetOf(triggers.stopLossTrigger.at(row), triggers.stopLossExecute.at(row), triggers.stopLossBy.at(row)),
  }
}

/** Sells the base coin, or buys back for the quote coin: at market all of it, at a limit what it pays for. */
function spotGuardOrder(venue: Reading, row: Row): PlaceOrder {
  const { triggers } = venue
  const execute = big(triggers.execute.at(row))
  const quantity = quantityOf(venue, row)
  const { unit } = venue.scale(triggers.instrument.at(row))
  const byLots = quantity.unit === 'quote' && execute > 0n
  const lots = byLots ? (Number(quantity.amount / (execute * unit)) as Lots) : undefined
  return {
    ...anyOrder(venue, row, lots === undefined ? quantity : { unit: 'lots', lots }),
    side: triggers.sideOf(row),
    loanType: 'autoLoanAndRepay',
  }
}

/** All of the position, or the guard's quantity of it. In hedge mode v2 names the position's direction (design §4.11). */
function closingOrder(venue: Reading, row: Row, open: number): PlaceOrder {
  const { triggers } = venue
  const lots = (triggers.isWhole(row) ? open : Math.min(open, triggers.quantity.at(row))) as Lots
  const order = anyOrder(venue, row, { unit: 'lots', lots })
  const position = triggers.positionSideOf(row)
  const hedged = triggerCodes.holdMode[triggers.holdMode.at(row)] === 'hedge_mode'
  const byDirection = hedged && order.interface === 'v2'
  return {
    ...order,
    side: (position === 'long') === byDirection ? 'buy' : 'sell',
    positionSide: byDirection ? undefined : position,
    tradeSide: 'close',
    reduceOnly: true,
  }
}

function anyOrder(venue: Reading, row: Row, quantity: OrderQuantity): PlaceOrder {
  const { triggers } = venue
  const execute = triggers.execute.at(row) as Ticks | 0
  return {
    ...plainOrder,
    uid: venue.accounts.byHandle(triggers.account.at(row)).uid,
    interface: triggerCodes.speaker[triggers.speaker.at(row)],
    category: triggerCodes.category[triggers.category.at(row)],
    instrument: triggers.instrument.at(row),
    side: 'buy',
    orderType: execute === 0 ? 'market' : 'limit',
    price: execute,
    quantity,
    timeInForce: 'gtc',
    marginMode: triggerCodes.marginMode[triggers.marginMode.at(row)],
    stpMode: triggerCodes.stpMode[triggers.stpMode.at(row)],
    channelCode: triggers.channelCode[row],
  }
}
