/**
 * The venue's clock with what is told of it: the manual one, one that is steered, or the system's, watched.
 *
 * Told    a leap that is not followed, its end and what was decided of it: a line in the log each
 *         stamps ahead of the clock by more than the bound, after it was set back: a line, and one when it has caught up
 * Looks   once a second, so that a leap is told although nobody asks for the time
 * Source  design.md §4.44
 */
import { type Clock, ManualClock } from './clock.ts'
import type { RuntimeLog } from './ports.ts'
import { SteeredClock } from './steered-clock.ts'
import { type LeapSeen, type OffsetKeeper, systemReadings, WatchedClock } from './watched-clock.ts'

export type ClockChoice =
  | {
      readonly kind: 'system'
      /** In place of the system's clock (tests). It is the monotonic one too, unless that is given. */
      readonly now?: () => number
      readonly monotonic?: () => number
      /** A larger leap is not followed until it is accepted. */
      readonly leapMsMax?: number
      readonly keeper?: OffsetKeeper | undefined
    }
  /** Resumes from the journal's last stamp; `startAt` is for a venue without one. */
  | { readonly kind: 'manual'; readonly startAt?: number }
  /** In somebody's hands; the same. */
  | { readonly kind: 'steered'; readonly startAt?: number; readonly frozen: boolean }

export interface ClockView {
  readonly kind: ClockChoice['kind']
  /** The venue's time, Unix milliseconds like all here. */
  readonly now: number
  readonly system: number
  /** Of the last command; zero: there is none. */
  readonly lastStamp: number
  /** What the last stamp is ahead of the venue's time: no command is stamped later until that has caught up. */
  readonly stampsAheadMs: number
  /** The leap of the system's clock that is not followed. */
  readonly leap: LeapSeen | undefined
  /** Leaps that were not followed, since the start. */
  readonly leaps: number
  readonly leapMsMax: number
  /** From the last command to the start; negative: the clock was behind it. */
  readonly startGapMs: number
}

export interface ClockPorts {
  readonly lastStamp: () => number
  readonly log: RuntimeLog
  /** The venue's time went on by a leap: timers may be due. */
  readonly onAccepted: () => void
}

const lookEveryMs = 1000
const leapMsMaxDefault = 120_000

export class VenueClock implements Clock {
  readonly manual: ManualClock | undefined
  readonly steered: SteeredClock | undefined
  readonly #watched: WatchedClock | undefined
  readonly #system: () => number
  readonly #ports: ClockPorts
  readonly #leapMsMax: number
  readonly #startGapMs: number
  readonly #looks: NodeJS.Timeout | undefined
  #toldAhead = false

  constructor(choice: ClockChoice, ports: ClockPorts) {
    this.#ports = ports
    const lastStamp = ports.lastStamp()
    if (choice.kind === 'manual') {
      this.manual = new ManualClock(lastStamp || (choice.startAt ?? Date.now()))
      this.#system = Date.now
      this.#leapMsMax = leapMsMaxDefault
      this.#startGapMs = 0
      return
    }
    if (choice.kind === 'steered') {
      this.steered = new SteeredClock(choice.startAt ?? (lastStamp || Date.now()), choice.frozen)
      this.#system = Date.now
      this.#leapMsMax = leapMsMaxDefault
      this.#startGapMs = 0
      return
    }
    const { now: system = systemReadings.system, leapMsMax = leapMsMaxDefault, keeper } = choice
    const monotonic = choice.monotonic ?? choice.now ?? systemReadings.monotonic
    this.#system = system
    this.#leapMsMax = leapMsMax
    const onLeap = (leap: LeapSeen) => this.#tellLeap(leap)
    const onBack = () => ports.log.warn({ now: Math.floor(system()) }, 'the system clock is back and is followed again')
    this.#watched = new WatchedClock({ system, monotonic, leapMsMax, keeper, onLeap, onBack })
    this.#startGapMs = lastStamp === 0 ? 0 : this.#watched.now() - lastStamp
    this.look()
    this.#looks = setInterval(() => this.look(), lookEveryMs).unref()
  }

  now(): number {
    return (this.#watched ?? this.steered ?? (this.manual as ManualClock)).now()
  }

  /** What a client's clock may say besides `now`: the system's time, unless it was refused. */
  systemNow(): number {
    return this.#watched?.unlessRefused() ?? this.steered?.systemNow() ?? this.#system()
  }

  view(): ClockView {
    const now = this.now()
    const lastStamp = this.#ports.lastStamp()
    return {
      kind: this.#watched !== undefined ? 'system' : this.manual !== undefined ? 'manual' : 'steered',
      now,
      system: this.#system(),
      lastStamp,
      stampsAheadMs: Math.max(0, lastStamp - now),
      leap: this.#watched?.leap(),
      leaps: this.#watched?.leaps ?? 0,
      leapMsMax: this.#leapMsMax,
      startGapMs: this.#startGapMs,
    }
  }

  /** The venue's time becomes the system's; whether there was a leap to be accepted. Stamps never go back for it. */
  accept(): boolean {
    const before = this.now()
    if (!this.#watched?.accept()) return false
    this.#ports.log.warn({ before, now: this.now() }, 'the leap of the system clock was accepted')
    this.look()
    this.#ports.onAccepted()
    return true
  }

  /** Time goes on by the monotonic clock; whether there was a leap to be refused. */
  refuse(): boolean {
    if (!this.#watched?.refuse()) return false
    this.#ports.log.warn({ now: this.now(), system: this.#system() }, 'the leap of the system clock was refused')
    return true
  }

  /** Finds a leap, and stamps ahead of the clock. */
  look(): void {
    const { stampsAheadMs, lastStamp, now } = this.view()
    const { log } = this.#ports
    if (stampsAheadMs > this.#leapMsMax && !this.#toldAhead) {
      this.#toldAhead = true
      log.warn(
        { stampsAheadMs, lastStamp, now },
        'the clock is behind the last stamp; stamps and timers stand until then',
      )
    } else if (stampsAheadMs === 0 && this.#toldAhead) {
      this.#toldAhead = false
      log.warn({ now }, 'the clock has caught up with the last stamp')
    }
  }

  stop(): void {
    clearInterval(this.#looks)
  }

  #tellLeap({ ms }: LeapSeen): void {
    const system = this.#system()
    this.#ports.log.warn(
      { leapMs: ms, system, now: system - ms },
      'the system clock leapt and is not followed; see `tidemark clock`, then accept or refuse',
    )
  }
}
