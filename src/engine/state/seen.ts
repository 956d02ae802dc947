/**
 * A part of the state as rules and readers see it: all that it holds, and nothing by which it could be changed.
 *
 * Names     a method of the state is seen only if it is named here (`Asking`). A new one is not, until somebody has made
 *           sure that it writes nothing
 * Columns   are read by row and cannot be written, whether they are typed arrays or fields; lists, maps and sets likewise
 * Handles   of accounts, exposures and positions are seen as what they hold (`Account`, `Exposure`, `Position`)
 * Costs     nothing: it is a type; what is passed is the state itself
 */
import type { Book, ReadonlyBook } from '../book/book.ts'
import type { Account } from './account.ts'
import type { AccountRow } from './account-table.ts'
import type { Exposure, Position } from './exposure.ts'
import type { ExposureRow, PositionRow } from './exposure-table.ts'

/** Methods that only read. */
type Asking =
  // the state
  | 'instrument'
  | 'book'
  | 'bookSequence'
  | 'scale'
  // accounts
  | 'byUid'
  | 'handleOf'
  | 'newestOrderOf'
  | 'byHandle'
  | 'all'
  | 'subsOf'
  | 'ordersToday'
  // tables and their rows
  | 'at'
  | 'find'
  | 'touchRows'
  | 'of'
  | 'live'
  | 'guess'
  | 'walletOf'
  | 'coinOf'
  | 'accountOf'
  | 'sideOf'
  | 'after'
  // ledger
  | 'rowsOf'
  | 'owes'
  | 'balanceOf'
  | 'heldOf'
  | 'freeOf'
  | 'debtOf'
  | 'houseBalance'
  // orders
  | 'extrasOf'
  | 'filledOf'
  | 'clientOidOf'
  | 'onlyReduces'
  | 'reducedSide'
  // trigger orders
  | 'tpslOf'
  | 'tpslOfPosition'
  | 'due'
  | 'isSpotTpsl'
  | 'isPlan'
  | 'isWhole'
  | 'isTakeProfit'
  | 'isTrailing'
  | 'isActive'
  | 'bestOf'
  | 'priceOf'
  | 'kindOf'
  | 'positionSideOf'
  // exposures
  | 'findOrNew'
  | 'first'
  | 'next'
  | 'ofAccount'
  | 'ofInstrument'
  | 'positionCount'
  | 'positionsPossible'
  // prices
  | 'usdE8'
  | 'indexOf'
  | 'isBeyondRange'
  | 'indexPrice'
  | 'markPrice'
  | 'lastPrice'

/** Entries by row, as a typed column has them. */
interface ReadonlyColumn<Value> {
  readonly [row: number]: Value
  readonly length: number
}

type Primitive = string | number | bigint | boolean | symbol | null | undefined

/** The same value, seen without what writes. */
type Seen<Value> = Value extends Primitive
  ? Value
  : Value extends Book
    ? ReadonlyBook
    : Value extends AccountRow
      ? Account
      : Value extends ExposureRow
        ? Exposure
        : Value extends PositionRow
          ? Position
          : Value extends BigInt64Array
            ? ReadonlyColumn<bigint>
            : Value extends Float64Array | Int32Array | Uint16Array | Uint8Array
              ? ReadonlyColumn<number>
              : Value extends (...parameters: infer Parameters) => infer Answer
                ? (...parameters: Parameters) => Seen<Answer>
                : Value extends Generator<infer Item>
                  ? Generator<Seen<Item>, void, void>
                  : Value extends ReadonlyMap<infer Key, infer Item>
                    ? ReadonlyMap<Key, Seen<Item>>
                    : Value extends ReadonlySet<infer Item>
                      ? ReadonlySet<Item>
                      : Value extends readonly (infer Item)[]
                        ? readonly Seen<Item>[]
                        : SeenPart<Value>

export type SeenPart<Part> = {
  readonly [Name in keyof Part as Part[Name] extends (...parameters: never) => unknown
    ? Name extends Asking
      ? Name
      : never
    : Name]: Seen<Part[Name]>
}
