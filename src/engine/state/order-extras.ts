/**
 * What few orders have: of a row each, kept only while there is something to keep. As columns of every order it would be a
 * quarter of what an order that rests takes.
 *
 * Holds   a row has at most one record, and none once its order has ended
 */
import type { Ticks } from '../numbers/numbers.ts'
import type { AttachedTpsl } from '../protocol/command.ts'
import type { Row } from '../storage/storage.ts'
import type { TpslTerms } from '../vocabulary.ts'

export interface OrderExtras extends AttachedTpsl {
  takeProfit: TpslTerms | undefined
  stopLoss: TpslTerms | undefined
  /** Quote units that a spot market buy may spend, and the lots that it has bought so far. */
  quoteAmount: bigint
  filledLots: number
  /** A v2 inverse size as it was given, in base coin. */
  baseAmount: bigint
  /** inverse: notional of the fills in 1e-12 base coin, fine enough for an average price. */
  filledFine: bigint
  /** Borrowed for this order at placement (category MARGIN). */
  loan: bigint
  /** spot and margin: units of what it received that take-profit and stop-loss have been set for. */
  guarded: bigint
  /** futures: lots that were taken off an order because its position had shrunk. */
  cut: number
}

const none: Readonly<OrderExtras> = Object.freeze({
  takeProfit: undefined,
  stopLoss: undefined,
  quoteAmount: 0n,
  filledLots: 0,
  baseAmount: 0n,
  filledFine: 0n,
  loan: 0n,
  guarded: 0n,
  cut: 0,
})

/** By row. Plain data, so that it is saved as it is. */
export type ExtrasByRow = Map<Row, OrderExtras>

export function extrasAt(extras: ExtrasByRow, row: Row): Readonly<OrderExtras> {
  return extras.size === 0 ? none : (extras.get(row) ?? none)
}

export function changeExtras(extras: ExtrasByRow, row: Row, changed: Partial<OrderExtras>): void {
  const own = extras.get(row)
  if (own === undefined) extras.set(row, { ...none, ...changed })
  else Object.assign(own, changed)
}

/** The columns that states had before these were records. */
export interface ExtraColumns {
  readonly quoteAmount: BigInt64Array
  readonly filledLots: Float64Array
  readonly baseAmount: BigInt64Array
  readonly filledFine: BigInt64Array
  readonly loan: BigInt64Array
  readonly guarded?: BigInt64Array
  readonly takeProfitTrigger: Int32Array
  readonly takeProfitExecute: Int32Array
  readonly takeProfitBy: Uint8Array
  readonly stopLossTrigger: Int32Array
  readonly stopLossExecute: Int32Array
  readonly stopLossBy: Uint8Array
}

/** What a state that was saved with columns says of its live orders. */
export function extrasOfColumns(columns: ExtraColumns, live: Iterable<Row>): ExtrasByRow {
  const extras: ExtrasByRow = new Map()
  for (const row of live) {
    const own: OrderExtras = {
      takeProfit: tpslTermsOf(
        columns.takeProfitTrigger[row],
        columns.takeProfitExecute[row],
        columns.takeProfitBy[row],
      ),
      stopLoss: tpslTermsOf(columns.stopLossTrigger[row], columns.stopLossExecute[row], columns.stopLossBy[row]),
      quoteAmount: columns.quoteAmount[row],
      filledLots: columns.filledLots[row],
      baseAmount: columns.baseAmount[row],
      filledFine: columns.filledFine[row],
      loan: columns.loan[row],
      guarded: columns.guarded?.[row] ?? 0n,
      cut: 0,
    }
    if (Object.values(own).some((value) => value !== undefined && Number(value) !== 0)) extras.set(row, own)
  }
  return extras
}

/** Take-profit or stop-loss from the columns of a table; a trigger of zero: none. */
export function tpslTermsOf(trigger: number, execute: number, byMark: number): TpslTerms | undefined {
  if (trigger === 0) return undefined
  return { trigger: trigger as Ticks, execute: execute as Ticks | 0, by: byMark === 1 ? 'mark' : 'last' }
}
