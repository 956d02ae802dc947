/**
 * Explanations: what may be asked for, and the answer (explain/ makes them).
 *
 * Source  risk-engine.md; design.md §6 (`operator/explain`)
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import type { OrderId, PositionSide, Uid } from '../vocabulary.ts'
import type { FillEvent, InsuranceEvent, Liquidation, MarginLiquidation, OrderRecord, TriggerRecord } from './event.ts'

export interface ExplainInput {
  readonly of: string
  readonly name: string
  readonly value: string
  /** A coin or currency; empty: a plain number, a word or a time. */
  readonly unit: string
}

export type Rounding = 'none' | 'up' | 'down' | 'nearest' | 'toward zero'

export interface ExplainLine {
  readonly of: string
  readonly name: string
  /** Where the formula is, such as `risk-engine.md §5`. */
  readonly source: string
  readonly formula: string
  /** The numbers put in, by their sign in the formula. */
  readonly values: Readonly<Record<string, string>>
  readonly exact: string
  /** The exact value as a fraction, where its decimals do not end; else empty. */
  readonly fraction: string
  readonly rounding: Rounding
  /** What it is rounded to a multiple of; empty: it is not rounded. */
  readonly step: string
  readonly result: string
  readonly unit: string
}

export interface Explained {
  /** The last command that had been applied, and its stamp. */
  readonly sequence: number
  readonly at: Millis
  readonly inputs: readonly ExplainInput[]
  readonly lines: readonly ExplainLine[]
}

/** What belongs to a liquidation besides its own record. */
export interface Aftermath {
  readonly orders: readonly OrderRecord[]
  readonly fills: readonly FillEvent[]
  readonly insurance: readonly InsuranceEvent[]
}

/** What is to be explained. Records of the past come with the question: the engine keeps none. */
export type ExplainSubject =
  | { readonly kind: 'account'; readonly uid: Uid }
  /** Every position of the account in the contract, or of one side. */
  | {
      readonly kind: 'position'
      readonly uid: Uid
      readonly instrument: InstrumentId
      readonly side: PositionSide | undefined
    }
  | { readonly kind: 'instrument'; readonly instrument: InstrumentId }
  /** A live order of any account, with what is known of its fills. */
  | { readonly kind: 'live-order'; readonly orderId: OrderId; readonly fills: readonly FillEvent[] }
  | { readonly kind: 'ended-order'; readonly order: OrderRecord; readonly fills: readonly FillEvent[] }
  /** A trigger order that waits, of any account. */
  | { readonly kind: 'waiting-trigger'; readonly orderId: OrderId }
  | { readonly kind: 'ended-trigger'; readonly trigger: TriggerRecord }
  | { readonly kind: 'liquidation'; readonly past: Liquidation | MarginLiquidation; readonly aftermath: Aftermath }
