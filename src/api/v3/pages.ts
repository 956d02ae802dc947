/**
 * Pages of v3: a window of at most 30 days, and the cursor from one page to the next; null at the end of the list.
 *
 * Source  interface.md E1; design.md §4.7; wire/v3-endpoints.md "General"
 */
import Type from 'typebox'
import { type CursorList, makeCursor, readCursor } from '../cursor.ts'
import * as field from '../fields.ts'

export const pageFields = {
  startTime: Type.Optional(field.timestamp()),
  endTime: Type.Optional(field.timestamp()),
  limit: field.limit(100, 100),
  cursor: Type.Optional(field.cursor()),
}

/** Longest span of one query. */
export const spanDays = 30

export function before(list: CursorList, cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : readCursor(list, cursor, 'v3')
}

export function nextCursor(list: CursorList, next: number | undefined): string | null {
  return next === undefined ? null : makeCursor(list, next)
}
