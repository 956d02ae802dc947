/**
 * The fingerprint of the whole state: SHA-256 over what the engine saves, in hex.
 *
 * Pauses  the bytes are hashed in pieces with turns of the event loop between them, so that a large state stops nobody
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A few milliseconds of work. */
const pieceBytes = 4 * 1024 * 1024

export async function hashOf(saved: readonly Uint8Array[]): Promise<string> {
  const hash = createHash('sha256')
  for (const chunk of saved) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      hash.update(chunk.subarray(start, start + pieceBytes))
      await nextTurn()
    }
  }
  return hash.digest('hex')
}
