/**
 * Which rows of fills, ended orders and bills are meant, described once: SQL asks by it (`whereAsked`), and so do the rows
 * that are kept beside the venue (kept-list.ts).
 *
 * Conditions  all have to hold; an empty cell meets none but what asks for it
 * Bills       are of two tables: their own rows, and fills, of which one of spot is two bills (bill-table.ts)
 */
import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { balanceUnknown, type BillPart, billsBehind } from './bill-table.ts'
import type { BillKind, FillKind, ReadQuery } from './reads.ts'
import type { Schema } from './tables.ts'

/** A condition on one column by its name in SQL, or one of several lists of them. */
export type Condition =
  | { readonly column: string; readonly is: '=' | '<' | '>'; readonly cell: number | bigint | string }
  | { readonly column: string; readonly is: 'in'; readonly cells: readonly (number | string)[] }
  | { readonly column: string; readonly is: 'not null' }
  | { readonly is: 'any'; readonly of: readonly (readonly Condition[])[] }

/** The newest rows that meet conditions, inside of a window and before a number. */
export interface RowsAsked {
  readonly conditions: readonly Condition[]
  readonly from: number | undefined
  readonly to: number | undefined
  readonly before: number | undefined
  readonly limit: number
  /** One order is named, so that few rows can match. */
  readonly few: boolean
}

export function fillsAsked(query: ReadQuery<'fills'>): RowsAsked {
  const { uid, orderId, from, to, limit } = query
  const conditions = [
    equal('uid', uid),
    ...among('category', query.categories),
    ...among('wallet', query.wallets),
    ...given('instrument_id', query.instrument),
    ...given('order_id', orderId),
  ]
  return { conditions, from, to, before: query.beforeExecId, limit, few: orderId !== undefined }
}

export function ordersAsked(query: ReadQuery<'orders'>): RowsAsked {
  const { uid, orderId, clientOid, from, to, limit } = query
  const conditions = [
    equal('uid', uid),
    ...among('category', query.categories),
    ...among('wallet', query.wallets),
    ...given('instrument_id', query.instrument),
    ...given('order_id', orderId),
    ...given('client_oid', clientOid),
    ...among('cause', query.causes),
    ...among('order_type', query.orderTypes),
    ...among('position_side', query.positionSides),
    ...given('book_side', query.bookSide),
    ...among('status', query.statuses),
  ]
  const few = orderId !== undefined || clientOid !== undefined
  return { conditions, from, to, before: query.beforeOrderId, limit, few }
}

/** Of the table of bills. */
export function ownBillsAsked(query: ReadQuery<'bills'>): RowsAsked {
  const { uid, wallet, from, to, limit } = query
  const kinds = query.kinds?.bills
  const conditions = [
    equal('uid', uid),
    equal('wallet', wallet),
    ...given('coin_id', query.coin),
    ...among('category', query.categories),
    ...given('instrument_id', query.instrument),
    ...(kinds === undefined ? [] : [any(kinds.map(billKindConditions))]),
  ]
  return { conditions, from, to, before: query.beforeId, limit, few: false }
}

/** Of the table of fills. */
export function fillBillsAsked(query: ReadQuery<'bills'>, part: BillPart): RowsAsked {
  const { uid, wallet, beforeId, from, to, limit } = query
  const isPaid = part === 'paid'
  const kinds = query.kinds?.fills.filter(({ type }) => (type === 'deal_out') === isPaid)
  const conditions = [
    equal('uid', uid),
    equal('wallet', wallet),
    { column: 'balance_e8', is: '>', cell: balanceUnknown } as const,
    ...(isPaid ? [{ column: 'paid_coin_id', is: 'not null' } as const] : []),
    ...given(isPaid ? 'paid_coin_id' : 'fee_coin_id', query.coin),
    ...among('category', query.categories),
    ...given('instrument_id', query.instrument),
    ...(kinds === undefined ? [] : [any(kinds.map(fillKindConditions))]),
  ]
  const before = beforeId === undefined ? undefined : beforeId - billsBehind[part]
  return { conditions, from, to, before, limit, few: false }
}

function billKindConditions({ type, comes, otherWallet }: BillKind): readonly Condition[] {
  const sign = { column: 'amount_e8', is: comes === 'in' ? '>' : '<', cell: 0n } as const
  return [equal('type', type), sign, equal('other_wallet', otherWallet)]
}

function fillKindConditions({ cause, effect, bookSide, holdMode }: FillKind): readonly Condition[] {
  return [
    ...given('cause', cause),
    ...given('effect', effect),
    ...given('book_side', bookSide),
    ...given('hold_mode', holdMode),
  ]
}

function equal(column: string, cell: number | string): Condition {
  return { column, is: '=', cell }
}

function given(column: string, cell: number | string | undefined): readonly Condition[] {
  return cell === undefined ? [] : [equal(column, cell)]
}

function among(column: string, cells: readonly (number | string)[] | undefined): readonly Condition[] {
  return cells === undefined ? [] : [{ column, is: 'in', cells }]
}

function any(of: readonly (readonly Condition[])[]): Condition {
  return { is: 'any', of }
}

/** Nothing can meet these: not worth a search. */
export function asksForNone({ conditions }: RowsAsked): boolean {
  return conditions.some((condition) => condition.is === 'any' && condition.of.length === 0)
}

/** The same in SQL. */
export function whereAsked<From extends keyof Schema, Selected>(
  select: SelectQueryBuilder<Schema, From, Selected>,
  { conditions }: RowsAsked,
): SelectQueryBuilder<Schema, From, Selected> {
  return conditions.reduce((narrowed, condition) => narrowed.where(expressionOf(condition)), select)
}

const builder = expressionBuilder<Record<'rows', Record<string, number | bigint | string | null>>, 'rows'>()

function expressionOf(condition: Condition): Expression<SqlBool> {
  switch (condition.is) {
    case 'any':
      return builder.or(condition.of.map((all) => builder.and(all.map(expressionOf))))
    case 'in':
      return builder(condition.column, 'in', condition.cells)
    case 'not null':
      return builder(condition.column, 'is not', null)
    default:
      return builder(condition.column, condition.is, condition.cell)
  }
}
