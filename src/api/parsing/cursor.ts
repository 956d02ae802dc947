/**
 * Cursors: a place in a list, opaque to clients, the number of the last row they have seen.
 *
 * Stable    rows have numbers that grow with time, so pages neither repeat nor miss a row while new ones arrive, and a
 *           cursor stays good across restarts
 * Checked   each carries a checksum over the list's name and the number: a text that the venue did not make, or made
 *           for another list, is refused (design §4.7, §4.32). It is no secret: what one may read is decided elsewhere
 * Form      16 characters of base64url: 8 bytes number, 4 bytes checksum
 */
import { createHash } from 'node:crypto'
import { type Version, wrongParameter } from '../errors/errors.ts'

export type CursorList =
  | 'bills'
  | 'conversions'
  | 'fills'
  | 'funding-bills'
  | 'keys'
  | 'liquidations'
  | 'open-orders'
  | 'orders'
  | 'position-moves'
  | 'positions'
  | 'sub-accounts'
  | 'sub-assets'
  | 'transfers'
  | 'triggers'
  | 'withdrawal-addresses'

const form = /^[A-Za-z0-9_-]{16}$/

export function makeCursor(list: CursorList, id: number): string {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(BigInt(id))
  bytes.set(checksum(list, bytes), 8)
  return bytes.toString('base64url')
}

/** Whether the venue made a text for this list. */
export function isCursor(list: CursorList, text: string): boolean {
  return numberBehind(list, text) !== undefined
}

/** The number behind a cursor that a client sent. */
export function readCursor(list: CursorList, text: string, version: Version): number {
  const found = numberBehind(list, text)
  if (found === undefined) throw wrongParameter(version, 'cursor', 'should be the cursor of an earlier answer')
  return found
}

function numberBehind(list: CursorList, text: string): number | undefined {
  const bytes = form.test(text) ? Buffer.from(text, 'base64url') : undefined
  if (bytes === undefined || !checksum(list, bytes).equals(bytes.subarray(8))) return undefined
  return Number(bytes.readBigUInt64BE())
}

function checksum(list: CursorList, bytes: Buffer): Buffer {
  return createHash('sha256').update(`tidemark cursor ${list} `).update(bytes.subarray(0, 8)).digest().subarray(0, 4)
}
