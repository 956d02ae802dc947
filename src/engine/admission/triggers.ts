/**
 * Trigger orders as they are set and changed: shape, quantity, and the side of the price on which they lie.
 *
 * Not here  margin and price bands: the order is checked for them when it is triggered (orders/activation.ts)
 * Source    interface.md E3 presets; design.md §4.11, §4.12, §4.18; wire/errors.md (Price, Position)
 */
import { type FuturesInstrument, type Instrument, isFutures } from '../catalog/catalog.ts'
import { big, divFloor, type Lots, oneCoin, type Ticks } from '../numbers/numbers.ts'
import type {
  CancelTrigger,
  ModifyTrigger,
  PlacePositionTriggers,
  PlaceTrigger,
  TriggerLeg,
} from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { findTrigger, quantityOf, tradingWallet } from '../records/records.ts'
import { type Account, type Exposure, positionOf, type Reading, triggerCodes } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type {
  OrderIntent,
  OrderQuantity,
  PositionSide,
  Side,
  TpslTerms,
  TriggerPrice,
  WalletType,
} from '../vocabulary.ts'
import { refuseNotional, refuseOversize, refuseQuantity, unitFits } from './checks.ts'
import { contractsOf, type Direction, directionOf } from './direction.ts'
import { refuseByLimits, refuseUnannounced, tradedAs } from './limits.ts'

export const positionShort: Refusal = { kind: 'trigger-position-short' }

const noQuantity: Refusal = { kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' }

/** What was decided of a plan, an order that waits for a price. */
export interface AdmittedPlan {
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: Instrument
  readonly bookSide: Side
  readonly intent: OrderIntent
  /** Whether it only takes away from a position. */
  readonly reduces: boolean
  /** It waits for a rise to its price; else for a fall. */
  readonly rises: boolean
}

/** Admits a plan, an order that waits for a price. */
export function admitTrigger(reading: Reading, command: PlaceTrigger): AdmittedPlan | Refusal {
  const target = targetOf(reading, command)
  if ('kind' in target) return target
  const { account, instrument, wallet } = target
  const direction = meant(account, instrument, command)
  if (direction === undefined) return { kind: 'position-side-required' }
  const { bookSide, intent } = direction
  const reduces = direction.reduces !== undefined
  const refusal =
    refuseUnannounced(account, instrument, command) ??
    refuseByLimits(reading, account, instrument, { clientOid: command.clientOid, resting: 1 }) ??
    refuseShape(reading, instrument, { ...command, reduces })
  if (refusal !== undefined) return refusal
  const rises = command.trigger >= reference(reading, instrument, command.by)
  return { account, instrument, wallet, bookSide, intent, reduces, rises }
}

/** A take-profit or stop-loss; undefined lots: of the whole position. */
export interface PositionTrigger extends TriggerLeg {
  readonly profit: boolean
  readonly lots: Lots | undefined
}

/** Admits take-profit and stop-loss of a position; `replaced` are those of the whole position that they replace. */
export function admitPositionTriggers(
  reading: Reading,
  command: PlacePositionTriggers,
):
  | {
      readonly account: Account
      readonly exposure: Exposure
      readonly side: PositionSide
      readonly legs: readonly PositionTrigger[]
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
  if (exposure === undefined || side === undefined || position === undefined) {
    return { kind: 'trigger-position-short' }
  }
  const { takeProfit, stopLoss } = command
  const legs = [
    ...(takeProfit === undefined ? [] : [{ ...takeProfit, profit: true }]),
    ...(stopLoss === undefined ? [] : [{ ...stopLoss, profit: false }]),
  ].map((leg) => ({ ...leg, lots: lotsOf(named, exposure, side, leg.quantity) }))
  const replaced = legs.flatMap((leg) => (leg.lots === undefined ? wholeTpsl(reading, exposure, side, leg.profit) : []))
  for (const [index, leg] of legs.entries()) {
    const refusal =
      refuseUnit(named, leg.quantity) ??
      refuseByLimits(reading, account, named, { clientOid: leg.clientOid, resting: legs.length - replaced.length }) ??
      (leg.lots !== undefined && leg.lots > position.quantity ? positionShort : undefined) ??
      (leg.lots === 0 ? ({ kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' } as const) : undefined) ??
      refuseTpsl(reading, named, side, leg.profit, leg)
    if (refusal !== undefined) return refusal
    if (index > 0 && leg.clientOid !== '' && leg.clientOid === legs[0].clientOid) {
      return { kind: 'duplicate-client-order-id', orderId: 0 }
    }
  }
  return { account, exposure, side, legs, replaced }
}

/** Admits other terms of a waiting trigger order; `change`: its quantity, where that changes. */
export function admitTriggerChange(
  reading: Reading,
  command: ModifyTrigger,
):
  | {
      readonly account: Account
      readonly row: Row
      readonly instrument: Instrument
      readonly change: OrderQuantity | undefined
    }
  | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen) return { kind: 'account-frozen' }
  const { triggers } = reading
  const row = findTrigger(reading, account, command.order)
  const { kinds } = command
  if (row === noRow || triggers.isTrailing(row) || (kinds.length > 0 && !kinds.includes(triggers.kindOf(row)))) {
    return { kind: unknownKind(kinds) }
  }
  const instrument = reading.instrument(triggers.instrument.at(row))
  const change = triggers.isPlan(row)
    ? changeOfPlan(reading, row, instrument, command)
    : isFutures(instrument)
      ? changeOfTpsl(reading, row, instrument, command)
      : changeOfSpotTpsl(reading, row, instrument, command)
  if (change !== undefined && 'kind' in change) return change
  return { account, row, instrument, change }
}

/** The refusal for an unknown trigger order; it has its own when only take-profits and stop-losses are meant. */
export function unknownKind(kinds: CancelTrigger['kinds']): 'trigger-unknown' | 'position-trigger-unknown' {
  const includesPlans = kinds.includes('plan') || kinds.includes('trailing-plan')
  return kinds.length > 0 && !includesPlans ? 'position-trigger-unknown' : 'trigger-unknown'
}

/** The price that a trigger price is compared with; by last price, before the first trade, the mark price. */
export function reference(reading: Reading, instrument: Instrument, by: TriggerPrice): Ticks {
  const last = by === 'last' ? reading.prices.lastPrice(instrument.id) : 0
  return last === 0 ? reading.prices.markPrice(instrument.id) : last
}

/** Who sets a trigger order, in which wallet, on what. */
interface Target {
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: Instrument
}

export function targetOf(
  reading: Reading,
  command: Pick<PlaceTrigger, 'uid' | 'interface' | 'category' | 'instrument' | 'marginCoin'>,
): Target | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen) return { kind: 'account-frozen' }
  const wallet = tradingWallet(account, command.interface, command.category)
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  const instrument = reading.catalog.instruments[command.instrument]
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

interface Shape extends Pick<PlaceTrigger, 'side' | 'quantity' | 'execute' | 'trigger'> {
  /** It cannot open anything, so it needs no minimum (checks.ts). */
  readonly reduces: boolean
}

/** Quantity and value of the order to come, at the price that it will ask for. */
export function refuseShape(reading: Reading, instrument: Instrument, asked: Shape): Refusal | undefined {
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
  const scale = reading.scale(instrument.id)
  const lots = quantity.unit === 'lots' ? quantity.lots : baseInLots(reading, instrument, quantity, price)
  return (
    refuseOversize(reading, instrument, scale, order, lots) ??
    refuseQuantity(instrument, order, lots, reduces) ??
    (reduces ? undefined : refuseNotional(reading, instrument, scale, order, lots))
  )
}

/** Contracts of an inverse instrument for an amount of base coin, rounded down. */
function baseInLots(
  reading: Reading,
  instrument: Instrument,
  quantity: Extract<OrderQuantity, { unit: 'base' }>,
  price: Ticks,
): Lots {
  const scale = reading.scale(instrument.id)
  return Number(divFloor(quantity.amount * big(price) * scale.tickE8, oneCoin * scale.usdUnit)) as Lots
}

/** A take-profit must lie beyond the price, a stop-loss before it, in the position's direction. */
function refuseTpsl(
  reading: Reading,
  instrument: Instrument,
  side: PositionSide,
  profit: boolean,
  { trigger, by }: Pick<TpslTerms, 'trigger' | 'by'>,
): Refusal | undefined {
  const price = reference(reading, instrument, by)
  const above = profit === (side === 'long')
  if (above ? trigger > price : trigger < price) return undefined
  if (side === 'long') return { kind: profit ? 'long-take-profit-not-above' : 'long-stop-loss-not-below', price }
  return { kind: profit ? 'short-take-profit-not-below' : 'short-stop-loss-not-above', price }
}

export function refuseUnit(instrument: FuturesInstrument, quantity: TriggerLeg['quantity']): Refusal | undefined {
  const fits =
    quantity === undefined || quantity.unit === 'lots' || (quantity.unit === 'base' && instrument.kind === 'inverse')
  return fits ? undefined : { kind: 'quantity-unit-unsuitable' }
}

/** Lots of a leg; undefined for the whole position, zero in a unit that does not fit. */
export function lotsOf(
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

/** The side of the only position; undefined: there is none, or there are two. */
export function onlySide(exposure: Exposure | undefined): PositionSide | undefined {
  if (exposure === undefined || (exposure.long !== undefined && exposure.short !== undefined)) return undefined
  return exposure.long === undefined ? 'short' : 'long'
}

/** Take-profits, or stop-losses, of the whole position. */
function wholeTpsl(reading: Reading, { account, wallet, instrument }: Exposure, side: PositionSide, profit: boolean) {
  const { triggers } = reading
  return [...triggers.tpslOfPosition(account, wallet, instrument, side)].filter(
    (row) => triggers.isWhole(row) && !triggers.isTrailing(row) && triggers.isTakeProfit(row) === profit,
  )
}

function changeOfPlan(
  reading: Reading,
  row: Row,
  instrument: Instrument,
  command: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = reading
  const quantity = command.quantity ?? quantityOf(reading, row)
  const reduces = triggers.reduceOnly.at(row) === 1 || triggerCodes.intent[triggers.intent.at(row)] === 'close'
  const side = triggerCodes.bookSide[triggers.side.at(row)]
  return refuseShape(reading, instrument, { ...command, side, quantity, reduces }) ?? command.quantity
}

/** Of a position's take-profit or stop-loss; one of the whole position has no quantity to change. */
function changeOfTpsl(
  reading: Reading,
  row: Row,
  instrument: FuturesInstrument,
  command: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = reading
  const side = triggers.positionSideOf(row) as PositionSide
  const wrong =
    refuseUnit(instrument, command.quantity) ??
    refuseTpsl(reading, instrument, side, triggers.isTakeProfit(row), command)
  if (wrong !== undefined || triggers.isWhole(row) || command.quantity === undefined) return wrong
  const exposure = reading.futures.find(triggers.account.at(row), triggers.walletOf(row), instrument.id) as Exposure
  const lots = lotsOf(instrument, exposure, side, command.quantity) ?? (0 as Lots)
  if (lots === 0) return { kind: 'quantity-below-minimum', minimum: 1 as Lots, unit: 'lots' }
  if (lots > (positionOf(exposure, side)?.quantity ?? 0)) return positionShort
  return { unit: 'lots', lots }
}

/** Of a spot take-profit or stop-loss, which counts in the unit in which it was set. */
function changeOfSpotTpsl(
  reading: Reading,
  row: Row,
  instrument: Instrument,
  { trigger, by, execute, quantity }: ModifyTrigger,
): OrderQuantity | Refusal | undefined {
  const { triggers } = reading
  const profit = triggers.isTakeProfit(row)
  const price = reference(reading, instrument, by)
  const above = profit === (triggers.sideOf(row) === 'sell')
  if (above ? trigger <= price : trigger >= price) {
    return { kind: above ? 'trigger-not-above' : 'trigger-not-below', price }
  }
  if (quantity === undefined) return undefined
  if (quantity.unit !== quantityOf(reading, row).unit) return { kind: 'quantity-unit-unsuitable' }
  if (quantity.unit !== 'lots') return quantity.amount > 0n ? quantity : noQuantity
  const order = { price: execute === 0 ? trigger : execute, orderType: execute === 0 ? 'market' : 'limit' } as const
  return (
    refuseOversize(reading, instrument, reading.scale(instrument.id), order, quantity.lots) ??
    refuseQuantity(instrument, order, quantity.lots, true) ??
    quantity
  )
}
