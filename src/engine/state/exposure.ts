/**
 * What one account has in one contract in one margin account: its settings, positions, and open orders' margin.
 *
 * Margin account  (account, wallet, settlement coin): one pool of collateral (design §3)
 * Position  exact entry value, not an average price (risk-engine §2, §4, §8)
 * Holds     one-way mode: at most one of long and short is there · `held` is what this exposure's opening orders hold
 *           in the ledger: Σ of what they hold, less the part of an order that would only reduce
 *           · closingLong/closingShort are what resting reduce-only or closing orders occupy
 * Kept      as rows of tables (exposures.ts): whoever finds one has a handle, which writes through; a new one, or a copy to
 *           suppose something with, is a row that nobody else finds. Two are the same exposure when their indexes are
 */
import { averagePriceE8, type InstrumentId, type Scale, valueCeil, valueFloor } from '../catalog/catalog.ts'
import {
  type Amount,
  big,
  cappedAmount,
  divHalfUp,
  type Lots,
  type Millis,
  oneCoin,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import type { Row } from '../storage/storage.ts'
import type { AccountHandle, MarginMode, PositionSide, Side, WalletType } from '../vocabulary.ts'

export interface Position {
  readonly id: number
  readonly side: PositionSide
  readonly quantity: Lots
  /** Signed entry value of the open part, units of the settlement coin. */
  readonly entryValue: Amount
  /** Isolated margin; zero in cross mode. */
  readonly margin: Amount
  readonly realizedPnl: Amount
  readonly openFees: Amount
  readonly closeFees: Amount
  /** Undefined until the first charge; positive: received. */
  readonly funding: Amount | undefined
  readonly openedQuantity: Lots
  readonly openedNotional: Amount
  readonly closedNotional: Amount
  /** inverse: the same in 1e-12 base coin, for an average price. */
  readonly closedNotionalE12: Amount
  readonly openedAt: Millis
  readonly updatedAt: Millis
}

/** Whether it is one of the state's, or only supposed to be. */
export function isKept({ index }: Pick<Exposure, 'index'>): boolean {
  return index >= 0
}

export interface Exposure {
  /** Its place among all of them, in the order in which they were kept; below zero: it is not kept, and is only supposed. */
  readonly index: number
  readonly account: AccountHandle
  readonly wallet: WalletType
  readonly instrument: InstrumentId
  readonly marginMode: MarginMode
  /** Cross mode, and one-way isolated mode. */
  readonly leverage: number
  /** Isolated hedge mode. */
  readonly leverageLong: number
  readonly leverageShort: number
  readonly long: Position | undefined
  readonly short: Position | undefined
  /** Rows of the positions, `noRow` where there is none. */
  readonly longRow: Row
  readonly shortRow: Row
  /** Lots of the positions, 0 where there is none: an order asks for them dozens of times. */
  readonly longQuantity: number
  readonly shortQuantity: number
  /** Of the resting opening orders on each side of the book: lots left, and the margin they ask for. */
  readonly buyQuantity: number
  readonly buyHold: bigint
  readonly sellQuantity: number
  readonly sellHold: bigint
  readonly closingLong: number
  readonly closingShort: number
  readonly held: bigint
  /** Isolated positions draw margin from the wallet before they are liquidated. */
  readonly autoMargin: boolean
}

/** Of a cross hedge the larger side counts (risk-engine §7). */
export function largerSide({ longQuantity, shortQuantity }: Exposure): Lots {
  return Math.max(longQuantity, shortQuantity) as Lots
}

/** What was paid or received for all that is open: |F|. */
export function entryNotional(position: Position): bigint {
  return position.entryValue < 0n ? -position.entryValue : position.entryValue
}

/** Average entry price in 1e-8 of the quote, to the nearest step of these. linear: E = |F| / q; inverse: E = N / |F|. */
export function entryPriceE8(scale: Scale, position: Position, step = 1n): bigint {
  const flow = entryNotional(position)
  if (!scale.inverse) return averagePriceE8(scale, flow, position.quantity, step)
  return flow === 0n ? 0n : divHalfUp(big(position.quantity) * scale.usdUnit * oneCoin, flow * step) * step
}

/** What it answers writes if what it is asked of does. */
export function positionOf<P extends Position>(
  exposure: { readonly long: P | undefined; readonly short: P | undefined },
  side: PositionSide,
): P | undefined {
  return side === 'long' ? exposure.long : exposure.short
}

export function positionQuantity(exposure: Exposure, side: PositionSide): number {
  return side === 'long' ? exposure.longQuantity : exposure.shortQuantity
}

export function leverageOf(exposure: Exposure, side: PositionSide, hedged: boolean): number {
  if (exposure.marginMode === 'cross' || !hedged) return exposure.leverage
  return side === 'long' ? exposure.leverageLong : exposure.leverageShort
}

/** Lots of the opening orders that rest on a side of the book. */
export function openingQuantity(exposure: Exposure, side: Side): number {
  return side === 'buy' ? exposure.buyQuantity : exposure.sellQuantity
}

/** Resting closing quantity on a position. */
export function closingOf(exposure: Exposure, side: PositionSide): number {
  return side === 'long' ? exposure.closingLong : exposure.closingShort
}

export function newPosition(id: number, side: PositionSide, at: Millis): Position {
  return {
    id,
    side,
    quantity: 0 as Lots,
    entryValue: zero,
    margin: zero,
    realizedPnl: zero,
    openFees: zero,
    closeFees: zero,
    funding: undefined,
    openedQuantity: 0 as Lots,
    openedNotional: zero,
    closedNotional: zero,
    closedNotionalE12: zero,
    openedAt: at,
    updatedAt: at,
  }
}

/** PnL of a position at a price, rounded down. linear: F + s·q·P; inverse: F − s·N/P. */
export function unrealizedPnl(scale: Scale, position: Position, price: Ticks): Amount {
  const long = position.side === 'long'
  if (!scale.inverse) {
    const value = valueFloor(scale, position.quantity, price)
    return cappedAmount(long ? position.entryValue + value : position.entryValue - value)
  }
  return cappedAmount(
    long
      ? position.entryValue - valueCeil(scale, position.quantity, price)
      : position.entryValue + valueFloor(scale, position.quantity, price),
  )
}

/** Has a position or an open order. */
export function inUse(exposure: Exposure): boolean {
  const { long, short, buyQuantity, sellQuantity, closingLong, closingShort } = exposure
  return long !== undefined || short !== undefined || buyQuantity + sellQuantity + closingLong + closingShort > 0
}
