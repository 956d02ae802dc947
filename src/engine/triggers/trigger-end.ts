/**
 * How a trigger order leaves without having been triggered: on request, with its position, or with its partner.
 *
 * Position  when it closes, flips or is liquidated, its take-profits and stop-losses end
 * Partner   of a take-profit and a stop-loss set together, one ends when the other has closed what both would close
 * Source    interface.md E3 presets; design.md §4.6
 */
import { triggersToCancel, triggerToCancel } from '../admission/admission.ts'
import type { CancelTrigger, CancelTriggers } from '../protocol/command.ts'
import type { TriggerRecord } from '../protocol/event.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { triggerRecord, triggersOf } from '../records/records.ts'
import type { ExposureRow, State } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderId, PositionSide } from '../vocabulary.ts'

export function cancelTrigger(state: State, command: CancelTrigger): Reply {
  const decided = triggerToCancel(state, command)
  if ('kind' in decided) return refused(decided)

  const { row } = decided
  const { triggers } = state
  const canceled = { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
  endTrigger(state, row)
  return { kind: 'canceled', orders: [canceled] }
}

export function cancelTriggers(state: State, command: CancelTriggers): Reply {
  const decided = triggersToCancel(state, command)
  if ('kind' in decided) return refused(decided)

  const { account } = decided
  const { triggers } = state
  const canceled: { orderId: OrderId; clientOid: string }[] = []
  for (const row of triggersOf(state, account, command)) {
    canceled.push({ orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] })
    endTrigger(state, row)
  }
  return { kind: 'canceled', orders: canceled }
}

/** The position of a side has closed: its take-profits and stop-losses end. */
export function endTpsl(state: State, exposure: ExposureRow, side: PositionSide): void {
  if (!state.triggers.firstOf.has(exposure.account)) return
  const { account, wallet, instrument } = exposure
  for (const row of state.triggers.tpslOfPosition(account, wallet, instrument, side)) endTrigger(state, row)
}

/** An order that came of a take-profit or stop-loss has ended: if it was filled, the partner ends too. */
export function endPartner(state: State, orderId: OrderId, status: 'filled' | 'canceled'): void {
  const { triggers } = state
  const partner = triggers.waiting.get(orderId)
  if (partner === undefined) return
  triggers.waiting.delete(orderId)
  const row = triggers.find(partner)
  if (status === 'filled' && row !== noRow) endTrigger(state, row)
}

/** Cancels a waiting trigger order. */
export function endTrigger(state: State, row: Row): void {
  // Read before its row is given back.
  const trigger: TriggerRecord = triggerRecord(state, row, { status: 'canceled' })
  removeTrigger(state, row)
  state.emit({ kind: 'trigger-ended', trigger })
}

/** Takes a trigger order off the tables and publishes nothing; its client order id stays in use for a day. */
export function removeTrigger(state: State, row: Row): void {
  const { triggers } = state
  const account = state.accounts.byHandle(triggers.account.at(row))
  const id = triggers.id.at(row)
  const clientOid = triggers.clientOid[row]
  if (account.clientOids?.get(clientOid) === id) state.accounts.retireClientOid(account, clientOid, state.at)
  if (state.instrument(triggers.instrument.at(row)).kind === 'spot') account.openSpot--
  else account.openFutures--
  if (triggers.isTrailing(row)) state.trailing.remove(row)
  triggers.leave(row)
}
