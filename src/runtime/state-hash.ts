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

/** Less is hashed sooner than a thread begins. */
const threadBytesMin = 8 * 1024 * 1024

/** The same of chunks as they come: of a large state by a thread beside this one. */
export class StateHashing {
  readonly #answer = Promise.withResolvers<string>()
  /** As long as they are not worth a thread. */
  #chunks: Uint8Array[] = []
  #bytes = 0
  #thread: Worker | undefined

  constructor() {
    // Whoever ends it early does not ask.
    this.#answer.promise.catch(() => {})
  }

  /** Of all chunks, after `finish`. */
  get hash(): Promise<string> {
    return this.#answer.promise
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= threadBytesMin) this.#handOver()
  }

  /** No chunk follows; those that came may be changed from now on. */
  finish(): void {
    if (this.#thread !== undefined) {
      this.#thread.postMessage('end')
    } else {
      const hash = createHash('sha256')
      for (const chunk of this.#chunks) hash.update(chunk)
      this.#answer.resolve(hash.digest('hex'))
    }
  }

  async end(): Promise<void> {
    await this.#thread?.terminate()
  }

  #handOver(): void {
    const thread = (this.#thread ??= this.#begin())
    for (const chunk of this.#chunks) {
      // A copy that moves: what a message clones is copied twice.
      const copy = new Uint8Array(chunk)
      thread.postMessage(copy, [copy.buffer])
    }
    this.#chunks = []
  }

  #begin(): Worker {
    const { resolve, reject } = this.#answer
    const thread = new Worker(new URL('./state-hash-thread.ts', import.meta.url), { name: 'state hash' })
    thread.on('message', resolve)
    thread.on('error', reject)
    thread.on('exit', () => reject(new Error('the thread that hashes a state ended')))
    return thread
  }
}
