/**
 * Whether each NATS server's copy of the log keeps up: looked at every two seconds, never for an order.
 *
 * Behind   a server that lacks what stood in the log two seconds ago. What is under way at the moment is not counted
 * Away     a server that the one which leads does not reach
 * Unseen   a log that does not answer leaves what was found last
 */
import type { LogCopy } from '../jetstream/jetstream.ts'

interface Look {
  /** The last position of the log. */
  readonly last: number
  readonly copies: readonly LogCopy[]
}

const lookEveryMs = 2_000

export class CopiesWatch {
  readonly #look: () => Promise<Look>
  readonly #looks: NodeJS.Timeout
  #lastBefore: number | undefined
  #found: readonly string[] = []
  #isLooking = false

  constructor(look: () => Promise<Look>) {
    this.#look = look
    this.#looks = setInterval(() => void this.look(), lookEveryMs).unref()
  }

  /** A sentence for each server whose copy is not current. */
  get found(): readonly string[] {
    return this.#found
  }

  stop(): void {
    clearInterval(this.#looks)
  }

  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const { last, copies } = await this.#look()
      const before = this.#lastBefore
      this.#lastBefore = last
      this.#found = copies.flatMap((copy) => {
        if (copy.isAway) return `the NATS server ${copy.server} is away: its copy of the log is not current`
        const isBehind = before !== undefined && last - copy.lag < before
        return isBehind ? `the copy of the log at the NATS server ${copy.server} is behind by ${copy.lag} messages` : []
      })
    } catch {
      this.#lastBefore = undefined
    } finally {
      this.#isLooking = false
    }
  }
}
