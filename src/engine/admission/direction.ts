/**
 * Which side of which position a futures order means, and how many contracts.
 *
 * Direction  one-way: the book's side decides; hedge: v3 names the position, v2 its direction (design §4.11)
 * Inverse    whole USD contracts; a v2 size in base coin is converted (design §4.12)
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { type Amount, big, divFloor, type Lots } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Position } from '../state/state.ts'
import type { OrderIntent, PositionSide, Side } from '../vocabulary.ts'

/** Side of the book, and what the order does to which position. */
export interface Direction {
  readonly bookSide: Side
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  /** The position that the order may only take from; undefined: it may open. */
  readonly reduces: PositionSide | undefined
}

/** Undefined in hedge mode when the order does not say which position it means. */
export function directionOf(
  command: Pick<PlaceOrder, 'side' | 'positionSide' | 'tradeSide' | 'reduceOnly'>,
  hedged: boolean,
): Direction | undefined {
  const { side, positionSide, tradeSide } = command
  if (!hedged) {
    const reduces: PositionSide | undefined = command.reduceOnly ? (side === 'sell' ? 'long' : 'short') : undefined
    return { bookSide: side, intent: 'single', positionSide: 'net', reduces }
  }
  if (positionSide !== undefined) {
    const opens = (side === 'buy') === (positionSide === 'long')
    return { bookSide: side, intent: opens ? 'open' : 'close', positionSide, reduces: opens ? undefined : positionSide }
  }
  if (tradeSide === undefined) return undefined
  const meant: PositionSide = side === 'buy' ? 'long' : 'short'
  if (tradeSide === 'open') return { bookSide: side, intent: 'open', positionSide: meant, reduces: undefined }
  return { bookSide: side === 'buy' ? 'sell' : 'buy', intent: 'close', positionSide: meant, reduces: meant }
}

/**
 * Contracts of an inverse position that an amount of base coin closes: base × N / |F|, rounded down, for E = N / |F|.
 * At least the total as it is shown means all of them.
 */
export function contractsOf(instrument: FuturesInstrument, closing: Position, base: Amount): Lots {
  const entry = closing.entryValue < 0n ? -closing.entryValue : closing.entryValue
  const shownUnit = 10n ** BigInt(8 - instrument.sizeDecimals)
  if (base >= entry - (entry % shownUnit)) return closing.quantity
  return Number(divFloor(base * big(closing.quantity), entry)) as Lots
}
