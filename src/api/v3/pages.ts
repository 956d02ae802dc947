/**
 * Pages of v3: a window of at most 30 days, and the cursor from one page to the next; null at the end of the list.
 *
 * A change of mode takes nothing out of a list; what a hybrid account trades from its classic wallets is v2's.
 *
 * Source  interface.md E1; design.md §4.7; wire/v3-endpoints.md "General"
 */
import Type from 'typebox'
import type { AccountView } from '../../engine/protocol/query.ts'
import { modeRead, type WalletType } from '../../engine/vocabulary.ts'
import { type CursorList, makeCursor, readCursor } from '../parsing/cursor.ts'
import * as field from '../parsing/fields.ts'

export const pageFields = {
  startTime: Type.Optional(field.timestamp()),
  endTime: Type.Optional(field.timestamp()),
  limit: field.limit(100, 100),
  cursor: Type.Optional(field.cursor()),
}

/** Longest span of one query. */
export const spanDays = 30

/** The wallets that a history list of v3 tells of; undefined: all. */
export function recordedWallets(account: AccountView): readonly WalletType[] | undefined {
  return modeRead(account) === 'hybrid' ? ['uta'] : undefined
}

export function before(list: CursorList, cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : readCursor(list, cursor, 'v3')
}

export function nextCursor(list: CursorList, next: number | undefined): string | null {
  return next === undefined ? null : makeCursor(list, next)
}
