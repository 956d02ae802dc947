/**
 * Which gateway runs the simulated market of a demo venue: one at a time, whichever core leads.
 *
 * Turn     is asked for again and again. It lasts for five seconds from the last time
 * Leader   answers behind a read barrier, so a core that leads no more gives no turn. One that leads anew knows of no turn. It
 *          believes who says that it has one. Anybody else gets none before every earlier turn is over
 * Before   a turn that begins the agents have their accounts, and the engine expects prices
 * Nobody   has had it for a minute: what the agents left in the books is withdrawn, and prices stand
 * Source   scale.md §9
 */
import { CommandNotSequenced } from '../runtime/core.ts'

/** `waits`: nobody is known to have it, and somebody may. */
export type Turn = 'yours' | 'others' | 'waits'

interface MarketTurnPorts {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Rejects where this core does not lead. */
  readonly fresh: () => Promise<unknown>
  readonly prepare: () => Promise<void>
  /** What is left of a market that nobody runs is taken away. */
  readonly end: () => Promise<void>
}

const turnMs = 5_000
const nobodyMsMax = 60_000

export class MarketTurn {
  readonly #ports: MarketTurnPorts
  #leads = false
  #holder: number | undefined
  /** Until then nobody else gets it. */
  #untilMs = 0
  #isEnding = false

  constructor(ports: MarketTurnPorts) {
    this.#ports = ports
  }

  leads(): void {
    this.#leads = true
    this.#holder = undefined
    this.#untilMs = this.#ports.now() + turnMs
  }

  follows(): void {
    this.#leads = false
  }

  /** `session`: of the gateway that asks. `has`: by its own reckoning its turn is not over. Rejects where this core does not lead. */
  async take(session: number, has: boolean): Promise<Turn> {
    const { fresh, now, prepare } = this.#ports
    await fresh()
    if (!this.#leads) throw new CommandNotSequenced('this core does not lead')
    const isOver = now() >= this.#untilMs
    const goesOn = this.#holder === session || (this.#holder === undefined && has)
    if (!isOver && !goesOn) return this.#holder === undefined ? 'waits' : 'others'
    this.#holder = session
    this.#untilMs = now() + turnMs
    if (!has) await prepare()
    return 'yours'
  }

  /** Who has it lets it go. */
  release(session: number): void {
    if (this.#holder !== session) return
    this.#holder = undefined
    this.#untilMs = this.#ports.now()
  }

  /** To be called every second or so. */
  async look(): Promise<void> {
    const { now, end } = this.#ports
    if (!this.#leads || this.#isEnding || now() < this.#untilMs + nobodyMsMax) return
    this.#isEnding = true
    try {
      await end()
    } finally {
      this.#isEnding = false
    }
  }
}
