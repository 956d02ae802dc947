/**
 * Pages of v3: a window of at most 30 days, and the cursor from one page to the next; null at the end of the list, in the live
 * dialect after it (errors/dialect.ts). That dialect takes the cursors of both.
 *
 * A change of mode takes nothing out of a list; what a hybrid account trades from its classic wallets is v2's.
 *
 * Source  interface.md E1; design.md §4.7; wire/v3-endpoints.md "General"
 */
import Type from 'typebox'
import type { AccountView } from '../../engine/protocol/query.ts'
import { modeRead, type WalletType } from '../../engine/vocabulary.ts'
import type { WrittenPage } from '../../history/history.ts'
import { cursorText, type V3Dialect, lastCursor } from '../errors/dialect.ts'
import { type CursorList, isCursor, makeCursor, readCursor } from '../parsing/cursor.ts'
import { type JsonText, listText, objectText } from '../json-text.ts'
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

/** The row behind a cursor that a client sent. */
export function before(list: CursorList, cursor: string | undefined, dialect: V3Dialect): number | undefined {
  if (cursor === undefined) return undefined
  const isId = dialect === 'live' && /^\d{1,16}$/.test(cursor) && !isCursor(list, cursor)
  return isId ? Number(cursor) : readCursor(list, cursor, 'v3')
}

/** The cursor of a page: `next` is the id of its last row if there are more rows, `last` is it anyway. */
export function nextCursor(
  dialect: V3Dialect,
  list: CursorList,
  { next, last }: { readonly next: number | undefined; readonly last: number | undefined },
): string | null {
  const id = lastCursor[dialect].write(next, last)
  return id === undefined ? null : cursorOf(dialect, list, id)
}

/** A page of rows that are written already. */
export function writtenList<Row>(
  dialect: V3Dialect,
  list: CursorList,
  page: WrittenPage,
): JsonText<{ list: Row[]; cursor: string | null }> {
  return objectText({ list: listText<Row>(page.texts), cursor: nextCursor(dialect, list, page) })
}

export function cursorOf(dialect: V3Dialect, list: CursorList, id: number): string {
  return cursorText[dialect].write(id, (row) => makeCursor(list, row))
}
