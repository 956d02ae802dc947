/**
 * Where a position would be liquidated after an order of some lots has filled at a price: v2 `liq-price`.
 *
 * Supposed  the whole order fills at once at that price; lots of the other side in one-way mode are closed first. Isolated, what
 *           opens brings its initial margin along, and what closes takes its share out
 * Left out  the fee of the order, and what closing realizes: it stays in the wallet either way
 * Source    risk-engine.md §5, §6, §8; the formulas are those of open positions (margin/)
 */
import {
  type FuturesInstrument,
  initialMarginOf,
  type InstrumentId,
  isFutures,
  valueCeil,
  valueFloor,
} from '../catalog/catalog.ts'
import { isHedged, liquidationPrice, riskBook, unifiedLiquidationPrice } from '../margin/margin.ts'
import { amount, big, divFloor, type Lots, type Ticks, zero } from '../numbers/numbers.ts'
import { readingWallet } from '../records/records.ts'
import { type Exposure, leverageOf, newPosition, type Position, positionOf, type Reading } from '../state/state.ts'
import type { Interface, PositionSide, Uid } from '../vocabulary.ts'

interface Ask {
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly lots: Lots
  readonly price: Ticks
}

/** In ticks; 0: nothing would be left, or it cannot be liquidated. Undefined: no such account or contract. */
export function estimatedLiquidation(reading: Reading, ask: Ask): Ticks | 0 | undefined {
  const account = reading.accounts.byUid(ask.uid)
  const instrument = reading.catalog.instruments[ask.instrument]
  if (account === undefined || instrument === undefined || !isFutures(instrument)) return undefined
  const wallet = readingWallet(account, ask.interface, instrument.category)
  const exposure = reading.futures.findOrNew(account.handle, wallet, instrument)
  const supposed = afterOrder(reading, instrument, exposure, ask)
  const position = positionOf(supposed, ask.side) ?? positionOf(supposed, opposite(ask.side))
  if (position === undefined) return 0
  if (wallet === 'uta' && exposure.marginMode === 'cross') return unifiedLiquidationPrice(reading, supposed)
  return liquidationPrice(instrument, reading.scale(instrument.id), riskBook(reading, instrument, supposed, position))
}

function opposite(side: PositionSide): PositionSide {
  return side === 'long' ? 'short' : 'long'
}

/** The exposure with the order's lots in it. */
function afterOrder(reading: Reading, instrument: FuturesInstrument, exposure: Exposure, ask: Ask): Exposure {
  const other = isHedged(reading, exposure) ? undefined : positionOf(exposure, opposite(ask.side))
  const closed = Math.min(ask.lots, other?.quantity ?? 0)
  const left = other === undefined ? positionOf(exposure, opposite(ask.side)) : reduced(other, closed)
  const opened = (ask.lots - closed) as Lots
  const own =
    opened === 0 ? positionOf(exposure, ask.side) : increased(reading, instrument, exposure, { ...ask, lots: opened })
  const [long, short] = ask.side === 'long' ? [own, left] : [left, own]
  return {
    ...settingsOf(exposure),
    long,
    short,
    longQuantity: long?.quantity ?? 0,
    shortQuantity: short?.quantity ?? 0,
  }
}

/** A handle's fields are read, not copied by a spread. */
function settingsOf(exposure: Exposure): Exposure {
  const { index, account, wallet, instrument, marginMode, leverage, leverageLong, leverageShort } = exposure
  const { long, short, longRow, shortRow, longQuantity, shortQuantity } = exposure
  const { buyQuantity, buyHold, sellQuantity, sellHold, closingLong, closingShort, held, autoMargin } = exposure
  return {
    index,
    account,
    wallet,
    instrument,
    marginMode,
    leverage,
    leverageLong,
    leverageShort,
    long,
    short,
    longRow,
    shortRow,
    longQuantity,
    shortQuantity,
    buyQuantity,
    buyHold,
    sellQuantity,
    sellHold,
    closingLong,
    closingShort,
    held,
    autoMargin,
  }
}

/** What is left of a position: its share of entry value and margin. */
function reduced(position: Position, closed: number): Position | undefined {
  const quantity = (position.quantity - closed) as Lots
  if (quantity === 0) return undefined
  const share = (units: bigint) => amount(divFloor(units * big(quantity), big(position.quantity)))
  return { ...termsOf(position), quantity, entryValue: share(position.entryValue), margin: share(position.margin) }
}

/** The position with the lots of the order. linear long: F − q·p; inverse long: F + N/p; rounded against the account. */
function increased(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  { side, lots, price }: Ask,
): Position {
  const scale = reading.scale(instrument.id)
  const before = positionOf(exposure, side)
  const long = side === 'long'
  const position = before === undefined ? newPosition(0, side, reading.at) : termsOf(before)
  const paid = long !== scale.inverse ? -valueCeil(scale, lots, price) : valueFloor(scale, lots, price)
  const leverage = leverageOf(exposure, side, isHedged(reading, exposure))
  const margin = exposure.marginMode === 'isolated' ? initialMarginOf(scale, lots, price, leverage) : zero
  return {
    ...position,
    quantity: (position.quantity + lots) as Lots,
    entryValue: amount(position.entryValue + paid),
    margin: amount(position.margin + margin),
  }
}

/** A position as plain data: a handle's fields are read, not copied by a spread. */
function termsOf({ id, side, quantity, entryValue, margin, openedAt }: Position): Position {
  return { ...newPosition(id, side, openedAt), quantity, entryValue, margin }
}
