/**
 * Lines to standard error, written in the background and in their order.
 *
 * Unread   what nobody takes is dropped, the newest first, and nobody waits for it. The library's own writer asks a closed pipe for
 *          ever when it flushes: a process then never ended
 */
import { write, writeSync } from 'node:fs'

const waitingBytesMax = 1024 * 1024
const againMs = 100
const standardError = 2

export class LogLines {
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWriting = false

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#waitingBytes + bytes.length > waitingBytesMax) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting) this.#writeOn()
  }

  /** What waits, as far as it is taken at once. */
  flush(): void {
    let rest = this.#taken()
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(standardError, rest))
    } catch {
      // It is closed, or full: there is nobody left to tell.
    }
  }

  #writeOn(): void {
    const bytes = this.#taken()
    this.#isWriting = bytes.length > 0
    if (this.#isWriting) this.#writeAll(bytes)
  }

  #writeAll(bytes: Buffer): void {
    write(standardError, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeAll(bytes), againMs).unref()
      else if (error === null && written < bytes.length) this.#writeAll(bytes.subarray(written))
      else this.#writeOn()
    })
  }

  #taken(): Buffer {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    return bytes
  }
}
