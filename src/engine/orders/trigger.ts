/**
 * Setting and changing trigger orders.
 *
 * Checked   now: account, instrument, quantity, value at the price it will ask for, and the number of open orders. Of
 *           take-profit and stop-loss also the position, and on which side of the price they lie. When it is triggered it is
 *           checked like any order, margin and price bands included (activation.ts)
 * Holds     nothing of the account's money until it is triggered
 * Plan      waits for a rise or a fall, whichever leads from the price now to its own
 * Whole     a position has one take-profit and one stop-loss for all of it: a new one replaces the old
 * Source    interface.md E3 presets; design.md §4.11, §4.12, §4.18; wire/errors.md (Price, Position); wire/client-endpoints.md §4
 */
import { admitPositionTriggers, admitTrigger, admitTriggerChange, reference } from '../admission/admission.ts'
import type { ModifyTrigger, PlacePositionTriggers, PlaceTrigger } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { type Account, type State, triggerCodes } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import {
  endTrigger,
  tpslRow,
  partner,
  planRow,
  startWaiting,
  writeAttachedTpsl,
  writeQuantity,
} from '../triggers/triggers.ts'
import { activateTriggers } from './activation.ts'

export function placeTrigger(state: State, command: PlaceTrigger): Reply {
  const decided = admitTrigger(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, instrument } = decided
  const row = planRow(state, decided, command)
  const dailyOrders = enter(state, account, row, command.clientOid)
  const placed = { orderId: state.triggers.id.at(row), clientOid: state.triggers.clientOid[row] }
  activateTriggers(state, instrument.id)
  return { kind: 'placed', ...placed, dailyOrders }
}

export function placePositionTriggers(state: State, command: PlacePositionTriggers): Reply {
  const decided = admitPositionTriggers(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, exposure, side, legs, replaced } = decided
  for (const row of replaced) endTrigger(state, row)
  let dailyOrders = 0
  const rows = legs.map((leg) => {
    const terms = { ...leg, speaker: command.interface, stpMode: command.stpMode, channelCode: command.channelCode }
    const row = tpslRow(state, exposure, side, { ...terms, entry: 0 })
    if (leg.quantity?.unit === 'base') state.triggers.baseAmount.set(row, leg.quantity.amount)
    dailyOrders = enter(state, account, row, leg.clientOid)
    return row
  })
  partner(state, rows)
  const orders = rows.map((row) => ({ orderId: state.triggers.id.at(row), clientOid: state.triggers.clientOid[row] }))
  activateTriggers(state, command.instrument)
  return { kind: 'triggers-placed', orders, dailyOrders }
}

export function modifyTrigger(state: State, command: ModifyTrigger): Reply {
  const decided = admitTriggerChange(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, row, instrument, change } = decided
  const { triggers } = state
  triggers.unqueue(row)
  triggers.price.set(row, command.trigger)
  triggers.by.set(row, triggerCodes.by.indexOf(command.by))
  triggers.execute.set(row, command.execute)
  if (triggers.isPlan(row)) {
    triggers.rises.set(row, command.trigger >= reference(state, instrument, command.by) ? 1 : 0)
    const opens = triggers.reduceOnly.at(row) === 0 && triggerCodes.intent[triggers.intent.at(row)] !== 'close'
    if (opens) writeAttachedTpsl(state, row, command.takeProfit, command.stopLoss)
  }
  if (change !== undefined) {
    writeQuantity(state, row, change)
    // A quantity sent in base coin counts in lots and is shown as it was sent.
    if (command.quantity?.unit === 'base') triggers.baseAmount.set(row, command.quantity.amount)
  }
  triggers.updatedAt.set(row, state.at)
  triggers.queue(row)
  state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(row) })
  const modified = { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
  activateTriggers(state, instrument.id)
  return { kind: 'modified', ...modified }
}

/** The row waits from now on, and counts as an order of the day. Answers how many the family has placed. */
function enter(state: State, account: Account, row: Row, clientOid: string): number {
  startWaiting(state, state.accounts.byHandle(account.handle), row, clientOid)
  return state.accounts.countOrder(account, state.at)
}
