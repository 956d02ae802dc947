/**
 * The fingerprint of the whole state: SHA-256 over what the engine saves, in hex.
 *
 * Pauses  the bytes are hashed in pieces with turns of the event loop between them, so that a large state stops nobody
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

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

/** The same by a thread beside this one, of chunks as they come. */
export class HashingThread {
  /** Of all chunks, after `finish`. */
  readonly hash: Promise<string>
  readonly #thread = new Worker(new URL('./state-hash-thread.ts', import.meta.url), { name: 'state hash' })

  constructor() {
    this.hash = new Promise((resolve, reject) => {
      this.#thread.on('message', resolve)
      this.#thread.on('error', reject)
      this.#thread.on('exit', () => reject(new Error('the thread that hashes a state ended')))
    })
    // Whoever ends it early does not ask.
    this.hash.catch(() => {})
  }

  add(chunk: Uint8Array): void {
    // A copy that moves: what a message clones is copied twice.
    const copy = new Uint8Array(chunk)
    this.#thread.postMessage(copy, [copy.buffer])
  }

  /** No chunk follows. */
  finish(): void {
    this.#thread.postMessage('end')
  }

  end(): Promise<number> {
    return this.#thread.terminate()
  }
}
