/**
 * Trigger orders whose price is reached become orders.
 *
 * Order     first the one that its price has passed furthest, then the lowest number. After each one the prices are read
 *           anew, because it may have moved the last price
 * Bounded   a command activates at most so many; the others follow by a timer of their own
 * Checked   like any order at that moment: margin, bands, halts. A plan that is refused ends as failed with the reason
 * Partner   a spot take-profit or stop-loss takes its partner along unless it found nobody to trade with. One of a position
 *           does so once it has closed what it asked for
 * Trailing  ones become active, and follow the best price, before any order is triggered by the same prices (0025)
 * Halted    while an instrument is not online, or its index is halted, nothing activates
 * Not here  the order that comes of a trigger order (admission/triggered-orders.ts)
 * Source    interface.md E3 presets; risk-engine.md §14, §18.3, §23
 */
import { closingOrder, planOrder, spotTpslOrder, tpslQuantity, trailingOrder } from '../admission/admission.ts'
import type { InstrumentId } from '../catalog/catalog.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import { triggerRecord } from '../records/records.ts'
import { positionQuantity, type PricesNow, type State, triggerCodes } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { endTrigger, removeTrigger } from '../triggers/triggers.ts'
import type { OrderCause } from '../vocabulary.ts'
import { placeOrder } from './place.ts'

/** Per instrument and command: some hundred microseconds of work each. */
const activatedMax = 64

/** Call it whenever the last or the mark price of an instrument may have changed. */
export function activateTriggers(state: State, instrument: InstrumentId): void {
  const { triggers, prices } = state
  if (triggers.books[instrument] === undefined && state.trailing.watches[instrument] === undefined) return
  if (state.instrument(instrument).status !== 'online' || isHalted(state, instrument)) return
  for (let activated = 0; ; activated++) {
    const now = { last: prices.lastPrice(instrument), mark: prices.markPrice(instrument) }
    followTrailing(state, instrument, now)
    const row = nextDue(state, instrument, now)
    if (row === noRow) return
    if (activated === activatedMax) return continueSoon(state, instrument)
    activate(state, row)
  }
}

/** Trailing orders follow the prices; those that become active by them are told, unless they were active at once. */
function followTrailing(state: State, instrument: InstrumentId, now: PricesNow): void {
  const { triggers } = state
  for (const row of state.trailing.follow(instrument, now)) {
    if (triggers.price.at(row) === 0) continue
    const { uid } = state.accounts.byHandle(triggers.account.at(row))
    state.emit({ kind: 'trigger-accepted', uid, orderId: triggers.id.at(row) })
  }
}

/** Of all that is due what its price has passed furthest, then the lowest number; zero: nothing is. */
function nextDue({ triggers, trailing }: State, instrument: InstrumentId, now: PricesNow): Row {
  const fixed = triggers.due(instrument, now)
  const trail = trailing.dueNow(instrument, now)
  if (trail === noRow) return fixed
  const row = trailing.trigger.at(trail)
  if (fixed === noRow) return row
  const passed = (at: Row, price: number) => Math.abs(now[triggerCodes.by[triggers.by.at(at)]] - price)
  const ahead = passed(row, trailing.priceOf(trail)) - passed(fixed, triggers.price.at(fixed))
  const isFirst = ahead === 0 ? triggers.id.at(row) < triggers.id.at(fixed) : ahead > 0
  return isFirst ? row : fixed
}

/** Activates for every instrument whose last price the command changed. */
export function activateTraded(state: State): void {
  const { traded } = state
  for (let index = 0; index < traded.length; index++) activateTriggers(state, traded[index])
  // Setting a length leaves compiled code, also where it stays what it is.
  if (traded.length > 0) traded.length = 0
}

/** Leaves the rest to a timer, one for each instrument. */
function continueSoon(state: State, instrument: InstrumentId): void {
  const { timers } = state
  const set = timers.due.some(({ timer }) => timer.kind === 'fire-triggers' && timer.instrument === instrument)
  if (!set) timers.add(state.at + 1, { kind: 'fire-triggers', instrument })
}

const causes = {
  plan: 'trigger',
  'take-profit': 'take-profit',
  'stop-loss': 'stop-loss',
  'position-take-profit': 'position-take-profit',
  'position-stop-loss': 'position-stop-loss',
  'trailing-plan': 'trailing-plan',
  'trailing-stop': 'trailing-stop',
  'position-trailing-stop': 'trailing-stop',
} as const satisfies Record<(typeof triggerCodes.kind)[number], OrderCause>

/** The row goes before its order trades; what became of it is emitted after the order's own events. */
function activate(state: State, row: Row): void {
  const { triggers } = state
  const cause = causes[triggers.kindOf(row)]
  const spot = triggers.isSpotTpsl(row)
  const plan = triggers.isPlan(row)
  const before = plan || spot ? 0 : tpslQuantity(state, row)
  const command = spot
    ? spotTpslOrder(state, row)
    : plan
      ? triggers.isTrailing(row)
        ? trailingOrder(state, row)
        : planOrder(state, row)
      : closingOrder(state, row, before)
  const partner = triggers.partner.at(row)
  const account = triggers.account.at(row)
  const wallet = triggers.walletOf(row)
  const instrument = triggers.instrument.at(row)
  const side = triggers.positionSideOf(row)
  const record = triggerRecord(state, row)
  // Before its order trades: a position that closes ends all its take-profits and stop-losses.
  removeTrigger(state, row)
  const executedOrderId = state.counters.order
  const { match } = state.counters
  const reply = placeOrder(state, command, cause)
  const at = { updatedAt: state.at }
  if (reply.kind === 'refused') {
    const trigger = { ...record, ...at, status: 'failed', failure: reply.refusal.kind } as const
    return state.emit({ kind: 'trigger-ended', trigger })
  }
  state.emit({ kind: 'trigger-ended', trigger: { ...record, ...at, status: 'executed', executedOrderId } })

  const other = partner === 0 ? noRow : triggers.find(partner)
  if (other === noRow) return
  // At market it may have found nobody: then the other goes on waiting.
  if (spot && (state.counters.match > match || state.orders.find(executedOrderId) !== noRow)) endTrigger(state, other)
  if (side === undefined) return
  if (state.orders.find(executedOrderId) !== noRow) {
    triggers.waiting.set(executedOrderId, partner)
    return
  }
  const exposure = state.futures.find(account, wallet, instrument)
  const left = exposure === undefined ? 0 : positionQuantity(exposure, side)
  const asked = command.quantity.unit === 'lots' ? command.quantity.lots : 0
  if (before - left >= asked) endTrigger(state, other)
}
