/**
 * Setting and changing trigger orders.
 *
 * Checked   now: who asks, the instrument, quantity and value at the price it will ask for, the number of open orders, and
 *           of guards the position and on which side of the price they lie · when it fires: everything that any order is
 *           checked for, margin and price bands first of all (firing.ts)
 * Holds     nothing of the account's money until it fires
 * Plan      waits for a rise or a fall, whichever leads from the price now to its own
 * Whole     a position has one take-profit and one stop-loss for all of it: a new one takes the place of the old
 * Source    interface.md E3 presets; design.md §4.11, §4.12, §4.18; wire/errors.md (Price, Position); wire/client-endpoints.md §4
 */
import { type Account, tradingWallet } from '../accounts/accounts.ts'
import { type FuturesInstrument, type Instrument, isFutures } from '../catalog/catalog.ts'
import { big, divFloor, type Lots, oneCoin, type Ticks } from '../numbers/numbers.ts'
import type { ModifyTrigger, PlacePositionTriggers, PlaceTrigger, TriggerLeg } from '../protocol/command.ts'
import { type Refusal, refused, type Reply } from '../protocol/reply.ts'
import { type Exposure, positionOf, type Reading, triggerCodes, type Venue } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import {
  endTrigger,
  findTrigger,
  guardRow,
  newRow,
  partner,
  quantityOf,
  startWaiting,
  unknownKind,
  writePresets,
  writeQuantity,
} from '../triggers/triggers.ts'
import type { OrderQuantity, PositionSide, Preset, TriggerPrice, WalletType } from '../vocabulary.ts'
import { refuseNotional, refuseOversize, refuseQuantity, unitFits } from './checks.ts'
import { fireTriggers } from './firing.ts'
import { contractsOf, type Direction, directionOf } from './futures-orders.ts'
import { refuseByStanding, refuseUnannounced, tradedAs } from './placing.ts'

export function placeTrigger(venue: Venue, command: PlaceTrigger): Reply {
  const target = targetOf(venue, command)
  if ('kind' in target) return refused(target)
  const { account, instrument, wallet } = target
  const direction = meant(account, instrument, command)
  if (direction === undefined) return refused({ kind: 'position-side-required' })
  const refusal =
    refuseUnannounced(account, instrument, command) ??
    refuseByStanding(venue, account, instrument, { clientOid: command.clientOid, resting: 1 }) ??
    refuseShape(venue, instrument, { ...command, reduces: direction.reduces !== undefined })
  if (refusal !== undefined) return refused(refusal)

  const { triggers } = venue
  const row = newRow(venue, account, wallet, instrument, command)
  const { quantity } = command
  triggers.kind.set(row, triggerCodes.kind.indexOf('plan'))
  triggers.category.set(row, triggerCodes.category.indexOf(command.category))
  triggers.speaker.set(row, triggerCodes.speaker.indexOf(command.interface))
  triggers.rises.set(row, command.trigger >= reference(venue, instrument, command.by) ? 1 : 0)
  triggers.side.set(row, triggerCodes.bookSide.indexOf(command.side))
  triggers.bookSide.set(row, triggerCodes.bookSide.indexOf(direction.bookSide))
  triggers.intent.set(row, triggerCodes.intent.indexOf(direction.intent))
  triggers.positionSide.set(row, triggerCodes.positionSide.indexOf(command.positionSide))
  triggers.tradeSide.set(row, triggerCodes.tradeSide.indexOf(command.tradeSide))
  triggers.reduceOnly.set(row, direction.reduces !== undefined && direction.intent === 'single' ? 1 : 0)
  triggers.marginMode.set(row, triggerCodes.marginMode.indexOf(command.marginMode))
  triggers.stpMode.set(row, triggerCodes.stpMode.indexOf(command.stpMode))
  writeQuantity(venue, row, quantity)
  const opens = direction.reduces === undefined
  writePresets(venue, row, opens ? command.takeProfit : undefined, opens ? command.stopLoss : undefined)
  const dailyOrders = enter(venue, account, row, command.clientOid)
  const placed = { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
  fireTriggers(venue, instrument.id)
  return { kind: 'placed', ...placed, dailyOrders }
}

export function placePositionTriggers(venue: Venue, command: PlacePositionTriggers): Reply {
  const named = venue.catalog.instruments[command.instrument]
  if (named === undefined || !isFutures(named)) return refused({ kind: 'instrument-unknown' })
  const target = targetOf(venue, { ...command, category: named.category })
  if ('kind' in target) return refused(target)
  const { account, wallet } = target
  const exposure = venue.futures.find(account.handle, wallet, named.id)
  const side = command.positionSide ?? onlySide(exposure)
  const position = exposure === undefined || side === undefined ? undefined : positionOf(exposure, side)
  if (exposure === undefined || side === undefined || position === undefined) {
    return refused({ kind: 'trigger-position-short' })
  }
  const { takeProfit, stopLoss } = command
  const legs = [
    ...(takeProfit === undefined ? [] : [{ ...takeProfit, profit: true }]),
    ...(stopLoss === undefined ? [] : [{ ...stopLoss, profit: false }]),
  ].map((leg) => ({ ...leg, lots: lotsOf(named, exposure, side, leg.quantity) }))
  const replaced = legs.flatMap((leg) => (leg.lots === undefined ? wholeGuards(venue, exposure, side, leg.profit) : []))
  for (const [index, leg] of legs.entries()) {
    const refusal =
      refuseUnit(named, leg.quantity) ??
      refuseByStanding(venue, account, named, { clientOid: leg.clientOid, resting: legs.length - replaced.length }) ??
      (leg.lots !== undefined && leg.lots > position.quantity ? positionShort : undefined) ??
      (leg.lots === 0 ? ({ kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' } as const) : undefined) ??
      refuseGuard(venue, named, side, leg.profit, leg)
    if (refusal !== undefined) return refused(refusal)
    if (index > 0 && leg.clientOid !== '' && leg.clientOid === legs[0].clientOid) {
      return refused({ kind: 'duplicate-client-order-id', orderId: 0 })
    }
  }

  for (const row of replaced) endTrigger(venue, row)
  let dailyOrders = 0
  const rows = legs.map((leg) => {
    const guard = { ...leg, speaker: command.interface, stpMode: command.stpMode, channelCode: command.channelCode }
    const row = guardRow(venue, exposure, side, { ...guard, entry: 0 })
    if (leg.quantity?.unit === 'base') venue.triggers.baseAmount.set(row, leg.quantity.amount)
    dailyOrders = enter(venue, account, row, leg.clientOid)
    return row
  })
  partner(venue, rows)
  const orders = rows.map((row) => ({ orderId: venue.triggers.id.at(row), clientOid: venue.triggers.clientOid[row] }))
  fireTriggers(venue, named.id)
  return { kind: 'triggers-placed', orders, dailyOrders }
}

const positionShort: Refusal = { kind: 'trigger-position-short' }

interface Target {
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: Instrument
}

function targetOf(
  venue: Reading,
  command: Pick<PlaceTrigger, 'uid' | 'interface' | 'category' | 'instrument' | 'marginCoin'>,
): Target | Refusal {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen) return { kind: 'account-frozen' }
  const wallet = tradingWallet(account, command.interface, command.category)
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  const instrument = venue.catalog.instruments[command.instrument]
  if (instrument === undefined || !tradedAs(instrument, command.category)) return { kind: 'instrument-unknown' }
  if (instrument.status !== 'online') return { kind: 'instrument-closed', status: instrument.status }
  if (isFutures(instrument) && command.marginCoin !== undefined && command.marginCoin !== instrument.settle) {
    return { kind: 'margin-coin-wrong' }
  }
  return { account, wallet, instrument }
}

/** Undefined in hedge mode when the order does not say which position it means. */
function meant(account: Account, instrument: Instrument, command: PlaceTrigger): Direction | undefined {
  if (isFutures(instrument)) return directionOf(command, account.holdMode[instrument.category] === 'hedge_mode')
  return { bookSide: command.side, intent: 'spot', positionSide: 'net', reduces: undefined }
}

/** The price that a trigger price is compared with; before the first trade the mark price. */
function reference(venue: Reading, instrument: Instrument, by: TriggerPrice): Ticks {
  const last = by === 'last' ? venue.prices.lastPrice(instrument.id) : 0
  return last === 0 ? venue.prices.markPrice(instrument.id) : last
}

interface Shape extends Pick<PlaceTrigger, 'side' | 'quantity' | 'execute' | 'trigger'> {
  /** It cannot open anything: no minimum (checks.ts). */
  readonly reduces: boolean
}

/** Quantity and value of the order to come, at the price that it will ask for. */
function refuseShape(venue: Reading, instrument: Instrument, asked: Shape): Refusal | undefined {
  const { quantity, execute, trigger, reduces } = asked
  if (!unitFits(instrument, { ...asked, price: execute })) return { kind: 'quantity-unit-unsuitable' }
  const price = execute === 0 ? trigger : execute
  const order = { price, orderType: execute === 0 ? ('market' as const) : ('limit' as const) }
  if (quantity.unit === 'quote') {
    const { notionalMin } = instrument
    return quantity.amount < notionalMin || quantity.amount <= 0n
      ? { kind: 'notional-below-minimum', minimum: notionalMin }
      : undefined
  }
  const lots = quantity.unit === 'lots' ? quantity.lots : baseInLots(venue, instrument, quantity, price)
  return (
    refuseOversize(venue, instrument, order, lots) ??
    refuseQuantity(instrument, order, lots, reduces) ??
    (reduces ? undefined : refuseNotional(venue, instrument, venue.scale(instrument.id), order, lots))
  )
}

function baseInLots(
  venue: Reading,
  instrument: Instrument,
  quantity: Extract<OrderQuantity, { unit: 'base' }>,
  price: Ticks,
): Lots {
  const scale = venue.scale(instrument.id)
  return Number(divFloor(quantity.amount * big(price) * scale.tickE8, oneCoin * scale.usdUnit)) as Lots
}

/** A take-profit lies beyond the price, a stop-loss before it, in the position's direction. */
function refuseGuard(
  venue: Reading,
  instrument: Instrument,
  side: PositionSide,
  profit: boolean,
  { trigger, by }: Pick<Preset, 'trigger' | 'by'>,
): Refusal | undefined {
  const price = reference(venue, instrument, by)
  const above = profit === (side === 'long')
  if (above ? trigger > price : trigger < price) return undefined
  if (side === 'long') return { kind: profit ? 'long-take-profit-not-above' : 'long-stop-loss-not-below', price }
  return { kind: profit ? 'short-take-profit-not-below' : 'short-stop-loss-not-above', price }
}

function onlySide(exposure: Exposure | undefined): PositionSide | undefined {
  if (exposure === undefined || (exposure.long !== undefined && exposure.short !== undefined)) return undefined
  return exposure.long === undefined ? 'short' : 'long'
}

function refuseUnit(instrument: FuturesInstrument, quantity: TriggerLeg['quantity']): Refusal | undefined {
  const fits =
    quantity === undefined || quantity.unit === 'lots' || (quantity.unit === 'base' && instrument.kind === 'inverse')
  return fits ? undefined : { kind: 'quantity-unit-unsuitable' }
}

/** Lots of a leg; undefined for the whole position, zero in a unit that does not fit. */
function lotsOf(
  instrument: FuturesInstrument,
  exposure: Exposure,
  side: PositionSide,
  quantity: TriggerLeg['quantity'],
): Lots | undefined {
  const position = positionOf(exposure, side)
  if (quantity === undefined || position === undefined) return undefined
  if (quantity.unit === 'lots') return quantity.lots
  if (refuseUnit(instrument, quantity) !== undefined) return 0 as Lots
  return contractsOf(instrument, position, quantity.amount)
}

function wholeGuards(venue: Reading, { account, wallet, instrument }: Exposure, side: PositionSide, profit: boolean) {
  const { triggers } = venue
  return [...triggers.guarding(account, wallet, instrument, side)].filter(
    (row) => triggers.isWhole(row) && triggers.isTakeProfit(row) === profit,
  )
}

/** The row waits from now on, as an order of the day. Answers how many the family has placed. */
function enter(venue: Venue, account: Account, row: Row, clientOid: string): number {
  startWaiting(venue, account, row, clientOid)
  return venue.accounts.countOrder(account, venue.at)
}

export function modifyTrigger(venue: Venue, command: ModifyTrigger): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.frozen) return refused({ kind: 'account-frozen' })
  const { triggers } = venue
  const row = findTrigger(venue, account, command.order)
  const { kinds } = command
  if (row === noRow || (kinds.length > 0 && !kinds.includes(triggers.kindOf(row)))) {
    return refused({ kind: unknownKind(kinds) })
  }
  const instrument = venue.instrument(triggers.instrument.at(row))
  const change = triggers.isPlan(row)
    ? changeOfPlan(venue, row, instrument, command)
    : isFutures(instrument)
      ? changeOfGuard(venue, row, instrument, command)
      : changeOfSpotGuard(venue, row, instrument, command)
  if (change !== undefined && 'kind' in change) return refused(change)

  triggers.unqueue(row)
  triggers.price.set(row, command.trigger)
  triggers.by.set(row, triggerCodes.by.indexOf(command.by))
  triggers.execute.set(row, command.execute)
  if (triggers.isPlan(row)) {
    triggers.rises.set(row, command.trigger >= reference(venue, instrument, command.by) ? 1 : 0)
    const opens = triggers.reduceOnly.at(row) === 0 && triggerCodes.intent[triggers.intent.at(row)] !== 'close'
    if (opens) writePresets(venue, row, command.takeProfit, command.stopLoss)
  }
  if (change !== undefined) {
    writeQuantity(venue, row, change)
    // What a guard counts in lots is shown as it was sent.
    if (command.quantity?.unit === 'base') triggers.baseAmount.set(row, command.quantity.amount)
  }
  triggers.updatedAt.set(row, venue.at)
  triggers.queue(row)
  venue.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(row) })
  const modified = { orderId: triggers.id.at(row), clientOid: triggers.clientOid[row] }
  fireTriggers(venue, instrument.id)
  return { kind: 'modified', ...modified }
}

function changeOfPlan(
  venue: Reading,
  row: Row,
  instrument: Instrument,
  command: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = venue
  const quantity = command.quantity ?? quantityOf(venue, row)
  const reduces = triggers.reduceOnly.at(row) === 1 || triggerCodes.intent[triggers.intent.at(row)] === 'close'
  const side = triggerCodes.bookSide[triggers.side.at(row)]
  return refuseShape(venue, instrument, { ...command, side, quantity, reduces }) ?? command.quantity
}

/** It counts in the unit in which it was set. */
function changeOfSpotGuard(
  venue: Reading,
  row: Row,
  instrument: Instrument,
  { trigger, by, execute, quantity }: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = venue
  const profit = triggers.isTakeProfit(row)
  const price = reference(venue, instrument, by)
  const above = profit === (triggers.sideOf(row) === 'sell')
  if (above ? trigger <= price : trigger >= price) {
    return { kind: above ? 'trigger-not-above' : 'trigger-not-below', price }
  }
  if (quantity === undefined) return undefined
  if (quantity.unit !== quantityOf(venue, row).unit) return { kind: 'quantity-unit-unsuitable' }
  if (quantity.unit !== 'lots') return quantity.amount > 0n ? quantity : noQuantity
  const order = { price: execute === 0 ? trigger : execute, orderType: execute === 0 ? 'market' : 'limit' } as const
  return (
    refuseOversize(venue, instrument, order, quantity.lots) ??
    refuseQuantity(instrument, order, quantity.lots, true) ??
    quantity
  )
}

const noQuantity: Refusal = { kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' }

/** A guard of the whole position has no quantity to change. */
function changeOfGuard(
  venue: Reading,
  row: Row,
  instrument: FuturesInstrument,
  command: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = venue
  const side = triggers.positionSideOf(row) as PositionSide
  const wrong =
    refuseUnit(instrument, command.quantity) ??
    refuseGuard(venue, instrument, side, triggers.isTakeProfit(row), command)
  if (wrong !== undefined || triggers.isWhole(row) || command.quantity === undefined) return wrong
  const exposure = venue.futures.find(triggers.account.at(row), triggers.walletOf(row), instrument.id) as Exposure
  const lots = lotsOf(instrument, exposure, side, command.quantity) ?? (0 as Lots)
  if (lots === 0) return { kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' }
  if (lots > (positionOf(exposure, side)?.quantity ?? 0)) return positionShort
  return { unit: 'lots', lots }
}
