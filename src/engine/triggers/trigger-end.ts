/**
 * How a trigger order leaves without having fired: on request, with its position, or with its partner.
 *
 * Position  when it closes, flips or is liquidated, whatever guards it goes
 * Partner   of a take-profit and a stop-loss that were set together one goes when the other has closed what both guard
 * Source    interface.md E3 presets; design.md §4.6
 */
import { unknownKind } from '../admission/admission.ts'
import type { CancelTrigger, CancelTriggers } from '../protocol/command.ts'
import type { TriggerRecord } from '../protocol/event.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { findTrigger, triggerRecord, triggersOf } from '../records/records.ts'
import { type ExposureRow, triggerCodes, type Venue } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderId, PositionSide } from '../vocabulary.ts'

/** Takes a trigger order off the tables; its client order id stays taken for a day. */
export function removeTrigger(venue: Venue, row: Row): void {
  const { triggers } = venue
  const account = venue.accounts.byHandle(triggers.account.at(row))
  const id = triggers.id.at(row)
  const clientOid = triggers.clientOid[row]
  if (account.clientOids?.get(clientOid) === id) venue.accounts.retireClientOid(account, clientOid, venue.at)
  if (venue.instrument(triggers.instrument.at(row)).kind === 'spot') account.openSpot--
  else account.openFutures--
  triggers.leave(row)
}

export function endTrigger(venue: Venue, row: Row): void {
  const trigger: TriggerRecord = triggerRecord(venue, row, { status: 'canceled' })
  removeTrigger(venue, row)
  venue.emit({ kind: 'trigger-ended', trigger })
}

export function cancelTrigger(venue: Venue, command: CancelTrigger): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { triggers } = venue
  const row = findTrigger(venue, account, command.order)
  const { kinds, category, instrument } = command
  const meant =
    row !== noRow &&
    (kinds.length === 0 || kinds.includes(triggers.kindOf(row))) &&
    (category === undefined || triggerCodes.category[triggers.category.at(row)] === category) &&
    (instrument === undefined || triggers.instrument.at(row) === instrument)
  if (!meant) return refused({ kind: unknownKind(kinds) })

  const canceled = { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
  endTrigger(venue, row)
  return { kind: 'canceled', orders: [canceled] }
}

export function cancelTriggers(venue: Venue, command: CancelTriggers): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })

  const { triggers } = venue
  const canceled: { orderId: OrderId; clientOid: string }[] = []
  for (const row of triggersOf(venue, account, command)) {
    canceled.push({ orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] })
    endTrigger(venue, row)
  }
  return { kind: 'canceled', orders: canceled }
}

/** A position is no more: neither are its guards. */
export function endGuards(venue: Venue, exposure: ExposureRow, side: PositionSide): void {
  if (!venue.triggers.firstOf.has(exposure.account)) return
  const { account, wallet, instrument } = exposure
  for (const row of venue.triggers.guarding(account, wallet, instrument, side)) endTrigger(venue, row)
}

/** An order that came of a guard has ended: if it was filled, the guard's partner has nothing to do any more. */
export function endPartner(venue: Venue, orderId: OrderId, status: 'filled' | 'canceled'): void {
  const { triggers } = venue
  const partner = triggers.waiting.get(orderId)
  if (partner === undefined) return
  triggers.waiting.delete(orderId)
  const row = triggers.find(partner)
  if (status === 'filled' && row !== noRow) endTrigger(venue, row)
}
