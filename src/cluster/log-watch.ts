/**
 * How a core stands to the log that it shares: how far behind its end, how large that is, and what its servers say of themselves.
 *
 * Looks   once a second at the end of the log, every ten seconds at its servers. Nothing of an order waits for it
 * Behind  since when: what was the end at one look is what the next ones wait for, so it tells too little by at most a second
 */
import type { DamagedServer, LogBounds } from '../jetstream/jetstream.ts'
import type { Degradation } from '../operator/operator.ts'
import type { ClockWatch } from './clock-watch.ts'
import { spanText } from '../operator/spans.ts'

export interface WatchedLog {
  bounds(): Promise<LogBounds>
  serverFaults(): Promise<readonly string[]>
  readonly damaged: readonly DamagedServer[]
}

/** The core whose log it is. */
interface WatchedCore {
  readonly position: () => number
  /** How long nobody has written. */
  readonly silentMs: () => number
  /** Servers whose copy of the log lags, each in a sentence. */
  readonly copies?: () => readonly string[]
  /** Its clock, Unix milliseconds, and what holds that against others. */
  readonly wallNow: () => number
  readonly clocks: Pick<ClockWatch, 'heardOfLog'>
}

const lookEveryMs = 1_000
const looksUntilServers = 10
/** Longer than any change of who leads. */
const silentMsMax = 5_000
const behindMsMax = 10_000

export class LogWatch {
  readonly #log: WatchedLog
  readonly #core: WatchedCore
  readonly #isChecked: boolean
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  #bounds: LogBounds | undefined
  #awaited: { readonly position: number; readonly sinceMs: number } | undefined
  #behindMs = 0
  #serverFaults: readonly string[] = []
  #looks = 0
  #isLooking = false

  /** `isChecked`: whether somebody has seen that the servers sync. `now`: monotonic milliseconds. */
  constructor(log: WatchedLog, core: WatchedCore, isChecked: boolean, now: () => number) {
    this.#log = log
    this.#core = core
    this.#isChecked = isChecked
    this.#now = now
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref()
  }

  /** What was seen last; undefined: nothing yet. */
  get bounds(): LogBounds | undefined {
    return this.#bounds
  }

  /** Messages that the log has, and this core has not taken. */
  get behind(): number {
    return Math.max(0, (this.#bounds?.last ?? 0) - this.#core.position())
  }

  get behindMs(): number {
    return this.#behindMs
  }

  get serverFaults(): readonly string[] {
    return this.#serverFaults
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** One look; those that take long are not made twice at once. */
  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const isServersTurn = this.#looks++ % looksUntilServers === 0
      const from = this.#core.wallNow()
      this.#bounds = await this.#log.bounds()
      const { at } = this.#bounds
      if (at !== undefined) this.#core.clocks.heardOfLog(at, { from, to: this.#core.wallNow() })
      this.#noteBehind(this.#bounds.last)
      if (isServersTurn) this.#serverFaults = await this.#log.serverFaults()
    } catch {
      // A log that does not answer is told by its silence.
      if (this.#bounds !== undefined) this.#noteBehind(this.#bounds.last)
    } finally {
      this.#isLooking = false
    }
  }

  /** What somebody should look into. */
  read(): Degradation[] {
    const found: Degradation[] = []
    const silentMs = this.#core.silentMs()
    if (silentMs > silentMsMax) {
      found.push([
        'no-leader',
        `nothing came to the log for ${spanText(silentMs)}: no core leads, or the log does not answer`,
      ])
    }
    if (this.#behindMs > behindMsMax) {
      const behind = `${this.behind} messages, ${spanText(this.#behindMs)}`
      found.push(['core-behind', `this core is behind the log by ${behind}: it cannot lead`])
    }
    const doubts = this.#doubts()
    if (doubts.length > 0) found.push(['log-in-doubt', doubts.join('; ')])
    return found
  }

  #noteBehind(last: number): void {
    const position = this.#core.position()
    if (this.#awaited !== undefined && position < this.#awaited.position) {
      this.#behindMs = this.#now() - this.#awaited.sinceMs
      return
    }
    this.#behindMs = 0
    this.#awaited = position < last ? { position: last, sinceMs: this.#now() } : undefined
  }

  #doubts(): string[] {
    const found = this.#log.damaged.map(({ server, from, to }) => {
      const where = from === to ? `position ${from}` : `positions ${from}..${to}`
      return `the NATS server ${server} has lost ${where}: take it out, empty its store, let it rejoin`
    })
    if (!this.#isChecked) {
      found.push('nobody has seen that the NATS servers sync what they acknowledge (--log-sync unchecked)')
    }
    return [...found, ...(this.#core.copies?.() ?? []), ...this.#serverFaults]
  }
}
