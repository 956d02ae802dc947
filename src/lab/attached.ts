/**
 * Who is attached to a laboratory: each client holds one answer that has no end, and a process that was told so ends when nobody
 * holds one any more.
 *
 * Grace    whoever began the process has a minute to attach; after the last one has left somebody else has five seconds
 * Source   lab.md §4.1 (worker isolation)
 */
import type { ServerResponse } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'

const firstMsMax = 60_000
const lastMsMax = 5_000

export class Attached {
  readonly #held = new Set<ServerResponse>()
  readonly #onNobody: (() => void) | undefined
  #ending: NodeJS.Timeout | undefined

  /** `onNobody` is told once, when it is over. */
  constructor(onNobody?: () => void) {
    this.#onNobody = onNobody
    this.#endIn(firstMsMax)
  }

  get count(): number {
    return this.#held.size
  }

  /** Answers at once with a line, and never again until the client leaves. */
  hold(response: ServerResponse): void {
    clearTimeout(this.#ending)
    this.#held.add(response)
    // Who sends no more has left, though the listener would still answer them.
    response.socket?.once('end', () => response.end())
    response.once('close', () => {
      this.#held.delete(response)
      if (this.#held.size === 0) this.#endIn(lastMsMax)
    })
    response.writeHead(200, { 'content-type': 'application/json', 'x-tidemark-lab': '1' })
    response.write('{"ok": true, "data": {"attached": true}}\n')
  }

  /** The process ends by itself no more, and those who are attached are let go. */
  close(): void {
    for (const response of this.#held) response.end()
    clearTimeout(this.#ending)
    this.#held.clear()
  }

  #endIn(ms: number): void {
    if (this.#onNobody === undefined) return
    clearTimeout(this.#ending)
    this.#ending = setTimeout(this.#onNobody, ms).unref()
  }
}
