/**
 * The time of a venue in a test's hands.
 *
 * Durations  `250ms`, `8h`, `90d`, or whole milliseconds; times: Unix milliseconds, or ISO 8601 with a zone
 * Answers    once history is written and pushes have left: a read afterwards sees all of that time
 * Driven     fake timers follow the venue's clock: their time is its time, and what they have due runs as it passes
 */
import type { Calls } from './calls.ts'

export type Duration = string | number
export type Condition = Readonly<Record<string, unknown>>

/** What a call of the clock came to. */
export interface Moved {
  /** Unix milliseconds. */
  readonly now: number
  readonly fired: readonly { readonly kind: string; readonly at: number; readonly symbol?: string }[]
  readonly reached?: boolean
}

/** Fake timers of vitest (`vi`), of jest (`jest`), or of @sinonjs/fake-timers (the installed clock). */
export interface FakeTimers {
  useFakeTimers?(options?: { readonly now: number }): unknown
  setSystemTime(now: number): unknown
  advanceTimersByTimeAsync?(ms: number): Promise<unknown>
  tickAsync?(ms: number): Promise<unknown>
}

/** How far the venue goes at most before timers that are driven follow. */
const stepMsDefault = 1_000
const stepsMax = 1_000

export class Clock {
  readonly #calls: Calls
  #driven: { readonly timers: FakeTimers; readonly stepMs: number } | undefined
  #drivenAt = 0

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** The venue's time, Unix milliseconds. */
  async now(): Promise<number> {
    return (await this.#standing()).now
  }

  /** How it goes: 0 is a clock that stands still, and 1 the system's. */
  async mode(): Promise<{ readonly mode: 'system' | 'manual'; readonly speed: number }> {
    return (await this.#standing()).clock
  }

  freeze(): Promise<Moved> {
    return this.#move({ freeze: true })
  }

  /** Goes on as the system's clock does, from where it stands. */
  thaw(): Promise<Moved> {
    return this.#move({ thaw: true })
  }

  /** So much time passes, with all that falls due on the way; 0 runs what is due now. */
  async step(duration: Duration): Promise<Moved> {
    const ms = millisecondsOf(duration)
    if (this.#driven === undefined || ms === undefined) return this.#move({ step: duration })
    const length = Math.max(this.#driven.stepMs, Math.ceil(ms / stepsMax))
    const fired: Moved['fired'][number][] = []
    let left = ms
    let moved: Moved
    do {
      const step = Math.min(left, length)
      moved = await this.#move({ step })
      fired.push(...moved.fired)
      left -= step
    } while (left > 0)
    return { ...moved, fired }
  }

  async to(time: string | number): Promise<Moved> {
    const at = typeof time === 'number' ? time : Date.parse(time)
    const ms = this.#driven === undefined ? Number.NaN : at - (await this.now())
    return ms >= 0 ? this.step(ms) : this.#move({ to: time })
  }

  /** To the next `funding`, `interest`, `candle:1m`, `delivery` or `timer`. */
  next(what: string, symbol?: string): Promise<Moved> {
    return this.#move({ next: what, ...(symbol !== undefined && { symbol }) })
  }

  /** To the millisecond at which it holds; LabError `until-not-reached` after `max` of the venue's time, 7 days unless told. */
  until(condition: Condition, options: { readonly max?: Duration } = {}): Promise<Moved> {
    return this.#move({ until: condition, ...options })
  }

  /** Milliseconds of the venue in one real millisecond. */
  speed(factor: number): Promise<Moved> {
    return this.#move({ speed: factor })
  }

  /**
   * From here on fake timers move with this clock. The clock is frozen, and both times are the venue's. `step` and `to` go in steps
   * of a second, or of `every`, and timers run after each; after `next` and `until` they run all that they have missed.
   */
  async drive(timers: FakeTimers, options: { readonly every?: Duration } = {}): Promise<void> {
    const { now } = await this.freeze()
    timers.useFakeTimers?.({ now })
    timers.setSystemTime(now)
    this.#driven = { timers, stepMs: Math.max(1, millisecondsOf(options.every ?? stepMsDefault) ?? stepMsDefault) }
    this.#drivenAt = now
  }

  /** Fake timers follow no more. They stay fake. */
  release(): void {
    this.#driven = undefined
  }

  /** After a way back the venue's time is another. */
  async follow(now: number): Promise<void> {
    const { timers } = this.#driven ?? {}
    if (timers === undefined || now === this.#drivenAt) return
    const ms = now - this.#drivenAt
    this.#drivenAt = now
    if (ms < 0) timers.setSystemTime(now)
    else await (timers.advanceTimersByTimeAsync?.(ms) ?? timers.tickAsync?.(ms))
  }

  async #move(body: object): Promise<Moved> {
    const moved = await this.#calls.lab<Moved>('POST', '/clock', body)
    await this.follow(moved.now)
    return moved
  }

  #standing() {
    return this.#calls.lab<{ readonly now: number; readonly clock: { mode: 'system' | 'manual'; speed: number } }>(
      'GET',
      '',
    )
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Undefined: it is no duration, which the venue says. */
export function millisecondsOf(duration: Duration): number | undefined {
  if (typeof duration === 'number') return Number.isSafeInteger(duration) && duration >= 0 ? duration : undefined
  const [, figure, unit = 'ms'] = /^([0-9]{1,12})(ms|s|m|h|d)?$/.exec(duration) ?? []
  return figure === undefined ? undefined : Number(figure) * unitMs[unit]
}
