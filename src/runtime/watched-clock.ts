/**
 * The system's clock, watched: compared with the monotonic one, so that a leap is not taken for time that passed.
 *
 *   offset    what the system's clock is ahead of the monotonic one: the same all the time, but for corrections and leaps
 *   trusted   the offset that the venue goes by; it comes nearer to the present one by a thousandth of the time that passes
 *
 * Followed  as long as the offset is within the bound of the trusted one. Steps add up, so many small ones are a leap too
 * Leapt     beyond it: time goes on by the monotonic clock from where it was, until the clock is back or somebody decides
 * Accepted  the offset is the trusted one from then on. Refused: as leapt, but known to be wrong; another leap is a new one
 * Suspend   the monotonic clock of Linux stands still meanwhile, so a machine that wakes has leapt
 * Kept      the trusted offset, while the machine runs: a restart in the midst of a leap goes on by it (OffsetKeeper)
 * Not here  stamps, which never go back whatever this says (sequencer.ts)
 * Source    design.md §4.44
 */
import type { Clock } from './clock.ts'

export interface ClockReadings {
  /** The system's clock, Unix milliseconds. */
  readonly system: () => number
  /** Milliseconds of a clock that nobody sets, since the machine was started. */
  readonly monotonic: () => number
}

/** Where the trusted offset outlives the process. */
export interface OffsetKeeper {
  /** Undefined: none is known for the time that the machine has been running. */
  read(): number | undefined
  write(offsetMs: number): void
}

export type Leap = 'undecided' | 'refused'

export interface LeapSeen {
  readonly kind: Leap
  /** What the system's clock is ahead of the venue's time; negative: behind it. */
  readonly ms: number
}

export interface WatchedClockOptions extends ClockReadings {
  readonly leapMsMax: number
  readonly keeper?: OffsetKeeper | undefined
  readonly onLeap?: (leap: LeapSeen) => void
  /** The clock came back by itself. */
  readonly onBack?: () => void
}

/** Of the time that passes: more than any correction that is spread out over time (NTP slews by a two-thousandth). */
const trustShare = 1 / 1000
/** A keeper is told when the trusted offset has changed by so much, for it is a file. */
const keptWithinMs = 1000
/** Between two looks at the monotonic clock, with one at the system's between them. */
const lookMsMax = 50
const looksMax = 10

export class WatchedClock implements Clock {
  readonly #options: WatchedClockOptions
  #trusted: number
  /** On the monotonic clock, when the trusted offset was last looked at. */
  #trustedAtMs: number
  /** The offset that the venue's time has. */
  #followed: number
  #kept: number | undefined
  /** `offset`: what it was when the leap was told. */
  #leap: { readonly kind: Leap; readonly offset: number } | undefined
  #leaps = 0

  constructor(options: WatchedClockOptions) {
    this.#options = options
    const { offset, monotonicMs } = this.#look()
    this.#trustedAtMs = monotonicMs
    this.#kept = options.keeper?.read()
    this.#trusted = this.#kept ?? offset
    this.#followed = this.#trusted
    this.now()
    this.#keep()
  }

  now(): number {
    const { system, monotonic, leapMsMax } = this.#options
    const monotonicMs = monotonic()
    const now = system()
    const offset = now - monotonicMs
    if (Math.abs(offset - this.#trusted) <= leapMsMax) {
      this.#follow(offset, monotonicMs)
      return now
    }
    return this.#lookAgain()
  }

  /** Leaps that were not followed, since the process started. */
  get leaps(): number {
    return this.#leaps
  }

  /** The leap that is not followed now. */
  leap(): LeapSeen | undefined {
    const now = this.now()
    return this.#leap && { kind: this.#leap.kind, ms: this.#options.system() - now }
  }

  /** The system's clock, as far as anybody may rely on it: not once it was refused. */
  unlessRefused(): number {
    const now = this.now()
    return this.#leap?.kind === 'refused' ? now : this.#options.system()
  }

  /** The leap is the time: it is followed from now on. Whether there was one. */
  accept(): boolean {
    if (this.leap() === undefined) return false
    const { offset, monotonicMs } = this.#look()
    this.#trustedAtMs = monotonicMs
    this.#trusted = offset
    this.#followed = offset
    this.#leap = undefined
    this.#keep()
    return true
  }

  /** The leap is none: time goes on by the monotonic clock. Whether there was one. */
  refuse(): boolean {
    if (this.leap() === undefined) return false
    this.#leap = { kind: 'refused', offset: this.#look().offset }
    return true
  }

  /** What both clocks say at one moment: the process may stand still between the two. */
  #look(): { readonly now: number; readonly monotonicMs: number; readonly offset: number } {
    const { system, monotonic } = this.#options
    for (let tries = looksMax; ; tries--) {
      const monotonicMs = monotonic()
      const now = system()
      if (tries === 1 || monotonic() - monotonicMs < lookMsMax) return { now, monotonicMs, offset: now - monotonicMs }
    }
  }

  #lookAgain(): number {
    const { leapMsMax, onLeap } = this.#options
    const { now, monotonicMs, offset } = this.#look()
    if (Math.abs(offset - this.#trusted) <= leapMsMax) {
      this.#follow(offset, monotonicMs)
      return now
    }
    const kept = Math.floor(monotonicMs + this.#followed)
    if (this.#leap === undefined || Math.abs(offset - this.#leap.offset) > leapMsMax) {
      this.#leap = { kind: 'undecided', offset }
      this.#leaps += 1
      onLeap?.({ kind: 'undecided', ms: now - kept })
    }
    return kept
  }

  #follow(offset: number, monotonicMs: number): void {
    const most = (monotonicMs - this.#trustedAtMs) * trustShare
    this.#trusted += Math.max(-most, Math.min(most, offset - this.#trusted))
    this.#trustedAtMs = monotonicMs
    this.#followed = offset
    if (this.#kept !== undefined && Math.abs(this.#trusted - this.#kept) > keptWithinMs) this.#keep()
    if (this.#leap === undefined) return
    this.#leap = undefined
    this.#options.onBack?.()
  }

  #keep(): void {
    if (this.#options.keeper === undefined) return
    this.#kept = this.#trusted
    this.#options.keeper.write(this.#trusted)
  }
}

/** Since the process was started, and since the machine was when the process was. */
const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** The monotonic clock of this process. */
export function monotonicNow(): number {
  return originMs + performance.now()
}

export const systemReadings: ClockReadings = { system: Date.now, monotonic: monotonicNow }
