/**
 * How quick a gateway's link is: once a second it asks what stands, and waits until that is in its own engine.
 *
 * Lag    what a read of somebody else's order would wait for. One that is asked and not answered counts from when it was asked
 * Costs  the core nothing that the first private request of that second would not ask anyway
 */
import type { RemoteCore } from '../replication/replication.ts'
import { monotonicNow } from '../runtime/runtime.ts'

const askEveryMs = 1_000

export class LinkWatch {
  readonly #remote: Pick<RemoteCore, 'fresh' | 'isReady'>
  readonly #timer: NodeJS.Timeout
  #lagMs = 0
  #askedMs: number | undefined

  constructor(remote: Pick<RemoteCore, 'fresh' | 'isReady'>) {
    this.#remote = remote
    this.#timer = setInterval(() => void this.#ask(), askEveryMs).unref()
  }

  /** Zero while no core is heard: that is told elsewhere. */
  get lagMs(): number {
    if (!this.#remote.isReady) return 0
    const waitedMs = this.#askedMs === undefined ? 0 : monotonicNow() - this.#askedMs
    return Math.max(this.#lagMs, waitedMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    if (this.#askedMs !== undefined || !this.#remote.isReady) return
    const askedMs = monotonicNow()
    this.#askedMs = askedMs
    const isAnswered = await this.#remote.fresh().then(
      () => true,
      () => false,
    )
    this.#askedMs = undefined
    this.#lagMs = isAnswered ? monotonicNow() - askedMs : 0
  }
}
