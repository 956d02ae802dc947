/**
 * Setting and changing trailing orders: at market once the price has turned back from its best by a rate.
 *
 * Holds     nothing of the account's money until it is triggered; it is checked then like any order
 * Changed   with another activation price, or the other kind of price, it waits anew; else it keeps the best price
 * Closing   it closes no more than the position has left when it is triggered
 * Source    interface.md E3 presets; docs/decisions/0025-trailing-orders.md
 */
import { admitPositionTrailing, admitTrailing, admitTrailingChange, trailingRises } from '../admission/admission.ts'
import type { ModifyTrailing, PlacePositionTrailing, PlaceTrailing } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { type State, type TrailingTerms, triggerCodes } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { asTrailing, endTrigger, planRow, startTrailing, tpslRow, writeQuantity } from '../triggers/triggers.ts'
import { activateTriggers } from './activation.ts'

export function placeTrailing(state: State, command: PlaceTrailing): Reply {
  const decided = admitTrailing(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, instrument, bookSide, reduces, rises } = decided.admitted
  const row = planRow(state, decided.admitted, decided.plan)
  const terms: TrailingTerms = {
    instrument: instrument.id,
    by: command.by,
    sells: bookSide === 'sell',
    rate: command.rate,
    price: command.trigger,
    rises,
    takeProfitRate: reduces ? 0 : command.takeProfitRate,
    stopLossRate: reduces ? 0 : command.stopLossRate,
  }
  asTrailing(state, row, 'trailing-plan', terms)
  startTrailing(state, state.accounts.byHandle(account.handle), row, { ...terms, clientOid: command.clientOid })
  const dailyOrders = state.accounts.countOrder(account, state.at)
  const placed = named(state, row)
  activateTriggers(state, instrument.id)
  return { kind: 'placed', ...placed, dailyOrders }
}

export function placePositionTrailing(state: State, command: PlacePositionTrailing): Reply {
  const decided = admitPositionTrailing(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, instrument, exposure, side, lots, replaced } = decided
  for (const row of replaced) endTrigger(state, row)
  const { trigger, by, clientOid, quantity } = command
  const row = tpslRow(state, exposure, side, {
    trigger: trigger === 0 ? state.prices.markPrice(instrument.id) : trigger,
    execute: 0,
    by,
    profit: false,
    lots,
    speaker: command.interface,
    stpMode: command.stpMode,
    channelCode: command.channelCode,
    entry: 0,
  })
  if (quantity?.unit === 'base') state.triggers.baseAmount.set(row, quantity.amount)
  const terms: TrailingTerms = {
    instrument: instrument.id,
    by,
    sells: side === 'long',
    rate: command.rate,
    price: trigger,
    rises: trailingRises(state, instrument, command),
    takeProfitRate: 0,
    stopLossRate: 0,
  }
  asTrailing(state, row, lots === undefined ? 'position-trailing-stop' : 'trailing-stop', terms)
  startTrailing(state, state.accounts.byHandle(account.handle), row, { ...terms, clientOid })
  const dailyOrders = state.accounts.countOrder(account, state.at)
  const placed = named(state, row)
  activateTriggers(state, instrument.id)
  return { kind: 'triggers-placed', orders: [placed], dailyOrders }
}

export function modifyTrailing(state: State, command: ModifyTrailing): Reply {
  const decided = admitTrailingChange(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, row, instrument, change } = decided
  const { triggers, trailing } = state
  const { trigger, by, rate } = command
  const trail = trailing.find(row)
  const restarts = trigger !== triggers.price.at(row) || by !== triggerCodes.by[triggers.by.at(row)]
  if (restarts) {
    const rises = trailingRises(state, instrument, command)
    triggers.price.set(row, trigger)
    triggers.by.set(row, triggerCodes.by.indexOf(by))
    triggers.rises.set(row, rises ? 1 : 0)
    trailing.restart(row, { by, rate, price: trigger, rises })
  } else if (rate !== trailing.rate.at(trail)) trailing.setRate(row, rate)
  const opens = triggers.reduceOnly.at(row) === 0 && triggerCodes.intent[triggers.intent.at(row)] !== 'close'
  trailing.takeProfitRate.set(trail, opens ? command.takeProfitRate : 0)
  trailing.stopLossRate.set(trail, opens ? command.stopLossRate : 0)
  if (change !== undefined) {
    writeQuantity(state, row, change)
    // A quantity sent in base coin counts in lots and is shown as it was sent.
    if (command.quantity?.unit === 'base') triggers.baseAmount.set(row, command.quantity.amount)
  }
  triggers.updatedAt.set(row, state.at)
  state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(row) })
  const modified = named(state, row)
  activateTriggers(state, instrument.id)
  return { kind: 'modified', ...modified }
}

function named({ triggers }: State, row: Row) {
  return { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
}
