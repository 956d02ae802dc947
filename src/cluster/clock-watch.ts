/**
 * Whether the clock of this core is right, as far as others tell: the other cores on their links, and the log's server with each look.
 *
 * Others   their median. Of an even number the one of the two in the middle that is nearer: one wrong clock keeps no right core from
 *          leading
 * Delayed  what comes late makes a clock look behind, never ahead: of the last five seconds the greatest counts
 * Leads    a core more than 500 ms away does not claim; one that leads resigns at 2 s. From 250 ms on health says so
 * Source   scale.md §4.6
 */
import type { Degradation } from '../operator/operator.ts'

const keptMs = 5_000
const toldMs = 250
const claimMsMax = 500
const leadMsMax = 2_000

interface Seen {
  readonly differenceMs: number
  readonly seenMs: number
}

export class ClockWatch {
  readonly #wallNow: () => number
  readonly #now: () => number
  readonly #seen = new Map<string, Seen[]>()

  /** `wallNow`: the clock that is watched, Unix milliseconds. `now`: monotonic milliseconds. */
  constructor(wallNow: () => number, now: () => number) {
    this.#wallNow = wallNow
    this.#now = now
  }

  /** What another core's clock said just now. */
  heard(core: string, at: number): void {
    this.#note(core, at - this.#wallNow())
  }

  /** What the log's server said, somewhen between two moments of this clock. */
  heardOfLog(at: number, { from, to }: { readonly from: number; readonly to: number }): void {
    this.#note('log', at < from ? at - from : at > to ? at - to : 0)
  }

  /** By how much others are ahead of this clock, in milliseconds; zero where nobody was heard lately. */
  get othersAheadMs(): number {
    const sinceMs = this.#now() - keptMs
    const differences = [...this.#seen.values()].flatMap((seen) => {
      const lately = seen.filter(({ seenMs }) => seenMs >= sinceMs).map(({ differenceMs }) => differenceMs)
      return lately.length === 0 ? [] : [Math.max(...lately)]
    })
    if (differences.length === 0) return 0
    differences.sort((one, other) => one - other)
    const [low, high] = [differences[(differences.length - 1) >> 1], differences[differences.length >> 1]]
    return Math.abs(low) < Math.abs(high) ? low : high
  }

  get mayClaim(): boolean {
    return Math.abs(this.othersAheadMs) <= claimMsMax
  }

  get mayLead(): boolean {
    return Math.abs(this.othersAheadMs) <= leadMsMax
  }

  /** What somebody should look into. */
  read(): Degradation[] {
    const ms = this.othersAheadMs
    if (Math.abs(ms) <= toldMs) return []
    const where = `the clock of this core is ${Math.round(Math.abs(ms))} ms ${ms > 0 ? 'behind' : 'ahead of'} the others`
    return [['clock-off', this.mayClaim ? where : `${where}: it does not lead`]]
  }

  #note(of: string, differenceMs: number): void {
    const seenMs = this.#now()
    const kept = (this.#seen.get(of) ?? []).filter((one) => one.seenMs >= seenMs - keptMs)
    this.#seen.set(of, [...kept, { differenceMs, seenMs }])
  }
}
