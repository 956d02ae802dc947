/**
 * Trailing orders as they are set and changed: what is checked of other trigger orders, but for the side of the price on
 * which they lie. An activation price may lie on either side of the price now.
 *
 * Price    their quantity is measured at the activation price, or at the price now if there is none
 * Whole    a position has one trailing stop for all of it: a new one replaces the old
 * Source   interface.md E3 presets; docs/decisions/0025-trailing-orders.md
 */
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import type { Lots } from '../numbers/numbers.ts'
import type { ModifyTrailing, PlacePositionTrailing, PlaceTrailing, PlaceTrigger } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { findTrigger, quantityOf } from '../records/records.ts'
import { type Account, type Exposure, positionOf, type Reading, triggerCodes } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderQuantity, PositionSide } from '../vocabulary.ts'
import { refuseByLimits } from './limits.ts'
import {
  type AdmittedPlan,
  admitTrigger,
  lotsOf,
  onlySide,
  positionShort,
  reference,
  refuseShape,
  refuseUnit,
  targetOf,
  unknownKind,
} from './triggers.ts'

type Activation = Pick<PlaceTrailing, 'trigger' | 'by'>

/** Admits a trailing plan; `plan` is the order that waits for the activation price, in a plan's words. */
export function admitTrailing(
  reading: Reading,
  command: PlaceTrailing,
): { readonly admitted: AdmittedPlan; readonly plan: PlaceTrigger } | Refusal {
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  const { rate: _rate, takeProfitRate: _profit, stopLossRate: _loss, ...terms } = command
  const trigger = measuredAt(reading, instrument, command)
  const attached = { takeProfit: undefined, stopLoss: undefined }
  const plan: PlaceTrigger = { ...terms, ...attached, kind: 'place-trigger', trigger, execute: 0 }
  const admitted = admitTrigger(reading, plan)
  return 'kind' in admitted ? admitted : { admitted, plan }
}

/** Admits a trailing stop of a position; undefined lots: of all of it, where it replaces another. */
export function admitPositionTrailing(
  reading: Reading,
  command: PlacePositionTrailing,
):
  | {
      readonly account: Account
      readonly instrument: FuturesInstrument
      readonly exposure: Exposure
      readonly side: PositionSide
      readonly lots: Lots | undefined
      readonly replaced: readonly Row[]
    }
  | Refusal {
  const named = reading.catalog.instruments[command.instrument]
  if (named === undefined || !isFutures(named)) return { kind: 'instrument-unknown' }
  const target = targetOf(reading, { ...command, category: named.category })
  if ('kind' in target) return target
  const { account, wallet } = target
  const exposure = reading.futures.find(account.handle, wallet, named.id)
  const side = command.positionSide ?? onlySide(exposure)
  const position = exposure === undefined || side === undefined ? undefined : positionOf(exposure, side)
  if (exposure === undefined || side === undefined || position === undefined) return positionShort
  const lots = lotsOf(named, exposure, side, command.quantity)
  const replaced = lots === undefined ? wholeTrailing(reading, exposure, side) : []
  const refusal =
    refuseUnit(named, command.quantity) ??
    refuseByLimits(reading, account, named, { clientOid: command.clientOid, resting: 1 - replaced.length }) ??
    refuseLots(lots, position.quantity)
  return refusal ?? { account, instrument: named, exposure, side, lots, replaced }
}

/** Admits other terms of a trailing order; `change`: its quantity, where that changes. */
export function admitTrailingChange(
  reading: Reading,
  command: ModifyTrailing,
):
  | {
      readonly account: Account
      readonly row: Row
      readonly instrument: FuturesInstrument
      readonly change: OrderQuantity | undefined
    }
  | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen) return { kind: 'account-frozen' }
  const { triggers } = reading
  const row = findTrigger(reading, account, command.order)
  const { kinds } = command
  if (row === noRow || !triggers.isTrailing(row) || (kinds.length > 0 && !kinds.includes(triggers.kindOf(row)))) {
    return { kind: unknownKind(kinds) }
  }
  const instrument = reading.instrument(triggers.instrument.at(row)) as FuturesInstrument
  const change = triggers.isPlan(row)
    ? changeOfPlan(reading, row, instrument, command)
    : changeOfStop(reading, row, instrument, command)
  if (change !== undefined && 'kind' in change) return change
  return { account, row, instrument, change }
}

/** Whether its activation price lies above the price now, so that it waits for a rise. */
export function trailingRises(reading: Reading, instrument: FuturesInstrument, { trigger, by }: Activation): boolean {
  return trigger === 0 || trigger >= reference(reading, instrument, by)
}

function measuredAt(reading: Reading, instrument: FuturesInstrument, { trigger, by }: Activation) {
  return trigger === 0 ? reference(reading, instrument, by) : trigger
}

function refuseLots(lots: Lots | undefined, position: number): Refusal | undefined {
  if (lots === undefined) return undefined
  if (lots > position) return positionShort
  return lots === 0 ? { kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' } : undefined
}

/** The trailing stop of the whole position. */
function wholeTrailing({ triggers }: Reading, { account, wallet, instrument }: Exposure, side: PositionSide) {
  return [...triggers.tpslOfPosition(account, wallet, instrument, side)].filter(
    (row) => triggers.isWhole(row) && triggers.isTrailing(row),
  )
}

function changeOfPlan(
  reading: Reading,
  row: Row,
  instrument: FuturesInstrument,
  command: ModifyTrailing,
): OrderQuantity | Refusal | undefined {
  const { triggers } = reading
  const quantity = command.quantity ?? quantityOf(reading, row)
  const reduces = triggers.reduceOnly.at(row) === 1 || triggerCodes.intent[triggers.intent.at(row)] === 'close'
  const side = triggerCodes.bookSide[triggers.side.at(row)]
  const trigger = measuredAt(reading, instrument, command)
  return refuseShape(reading, instrument, { trigger, execute: 0, side, quantity, reduces }) ?? command.quantity
}

function changeOfStop(
  reading: Reading,
  row: Row,
  instrument: FuturesInstrument,
  { quantity }: ModifyTrailing,
): OrderQuantity | Refusal | undefined {
  const { triggers } = reading
  const wrong = refuseUnit(instrument, quantity)
  if (wrong !== undefined || triggers.isWhole(row) || quantity === undefined) return wrong
  const side = triggers.positionSideOf(row) as PositionSide
  const exposure = reading.futures.find(triggers.account.at(row), triggers.walletOf(row), instrument.id) as Exposure
  const lots = lotsOf(instrument, exposure, side, quantity) as Lots
  return refuseLots(lots, positionOf(exposure, side)?.quantity ?? 0) ?? { unit: 'lots', lots }
}
