/**
 * Turns the engine's next timer into a `run-timers` command when it falls due.
 *
 * Only   one such command is on its way at a time
 * Holds  on the manual clock a timer runs at its own time to the millisecond, and all of them in order · a move ends with a
 *        command stamped with where it went, due or not: the journal knows how far the clock had come
 * Slow   the manual clock moves no faster than history writes
 * Not    what is due, and what happens then: the engine decides that from the command's stamp
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { ManualClock } from './clock.ts'
import type { RuntimeLog } from './ports.ts'

export interface TimerPorts {
  readonly nextTimerAt: () => number | undefined
  readonly now: () => number
  /** The time that a command would be stamped with now. */
  readonly stampNow: () => number
  readonly submit: (command: Command) => Promise<Reply>
  /** What the manual clock waits for before it goes on; undefined: nothing. Never rejects. */
  readonly keepsUp: () => Promise<void> | undefined
  readonly log: RuntimeLog
}

const runTimers: Command = { kind: 'run-timers' }
/** The system's own limit is 24 days; a clock that was set is noticed within the minute. */
const sleepMsMax = 60_000
/** A timer that did not go away is tried again after this time, so that it can neither fill the journal nor, if it breaks
 * the engine, stop the venue by doing so too often. */
const retryMs = 60_000

/** Wakes when the next timer is due by the venue's clock, which is then the system's. */
export class SystemTimers {
  readonly #ports: TimerPorts
  #timeout: NodeJS.Timeout | undefined
  #submitted = false
  #resting = false
  #stopped = false

  constructor(ports: TimerPorts) {
    this.#ports = ports
  }

  /** To be called whenever the engine's next timer may have changed. */
  arm(): void {
    if (this.#stopped) return
    this.#resting = false
    if (this.#submitted) return
    const { nextTimerAt, now, stampNow } = this.#ports
    const dueAt = nextTimerAt()
    if (dueAt === undefined) clearTimeout(this.#timeout)
    // Stamps ahead of the clock stand: what is due after them is due when the clock says so.
    else this.#sleep(dueAt <= stampNow() ? 0 : dueAt - now())
  }

  /** Nothing wakes until it is armed again. */
  rest(): void {
    this.#resting = true
    clearTimeout(this.#timeout)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timeout)
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timeout)
    this.#timeout = setTimeout(() => void this.#wake(), Math.min(Math.max(ms, 0), sleepMsMax)).unref()
  }

  async #wake(): Promise<void> {
    const { nextTimerAt, stampNow, submit, log } = this.#ports
    const dueAt = nextTimerAt()
    if (dueAt === undefined || dueAt > stampNow()) return this.arm()
    this.#submitted = true
    try {
      await submit(runTimers)
    } catch (error) {
      if (!this.#resting) log.warn({ err: error, dueAt }, 'timers could not run')
    } finally {
      this.#submitted = false
    }
    if (this.#stopped || this.#resting) return
    if (nextTimerAt() !== dueAt) return this.arm()
    log.warn({ dueAt }, 'a timer that was due is still there')
    this.#sleep(retryMs)
  }
}

type Movable = Pick<ManualClock, 'now' | 'moveTo'>

/** Moves the manual clock, from one timer to the next. */
export class ManualTimers {
  readonly #clock: Movable
  readonly #ports: TimerPorts
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Movable, ports: TimerPorts) {
    this.#clock = clock
    this.#ports = ports
  }

  /**
   * One call after the other; rejects, with the clock at the timer in question, when a timer cannot run. It stops behind the
   * command after which `isThere` says so. `isPassing`: it does not end with a command of its own, since others follow.
   */
  advance(ms: number, isThere?: () => boolean, isPassing = false): Promise<void> {
    const walk = this.#last.then(() => this.#walkTo(this.#clock.now() + ms, isThere, isPassing))
    this.#last = walk.catch(() => {})
    return walk
  }

  async #walkTo(target: number, isThere = () => false, isPassing = false): Promise<void> {
    const { nextTimerAt, submit, keepsUp } = this.#ports
    for (let dueAt = nextTimerAt(); dueAt !== undefined && dueAt <= target; dueAt = nextTimerAt()) {
      this.#clock.moveTo(dueAt)
      await submit(runTimers)
      if (nextTimerAt() === dueAt) throw new Error(`the timer of ${dueAt} did not run`)
      await keepsUp()
      if (isThere()) return
    }
    if (this.#clock.now() >= target) return
    this.#clock.moveTo(target)
    if (isPassing) return
    await submit(runTimers)
    await keepsUp()
  }
}
