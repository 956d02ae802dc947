/**
 * The venue's time in somebody's hands: it stands still, or goes on as fast as the system's from wherever it was put.
 *
 * Holds     to freeze and to thaw leave it where it is: time leaps only when it is put somewhere (`goTo`)
 * Pinned    for as long as somebody goes through one turn, so that all of it has one time
 * Source    lab.md §4.3, §4.4
 */
import type { Clock } from './clock.ts'

export class SteeredClock implements Clock {
  readonly #system: () => number
  /** The system's time while it is pinned. */
  #pinned: number | undefined
  /** Undefined: it goes. */
  #standsAt: number | undefined
  #ahead: number

  constructor(startAt: number, frozen: boolean, system: () => number = Date.now) {
    this.#system = system
    this.#ahead = startAt - system()
    this.#standsAt = frozen ? startAt : undefined
  }

  now(): number {
    return this.#standsAt ?? this.systemNow() + this.#ahead
  }

  systemNow(): number {
    return this.#pinned ?? this.#system()
  }

  /** Both clocks stand, the system's at `system` or where it is, until `unpin`. */
  pin(system = this.#system()): void {
    this.#pinned = system
  }

  unpin(): void {
    this.#pinned = undefined
  }

  /** Of the system's, when it goes; it may be behind. */
  get ahead(): number {
    return this.#ahead
  }

  get isFrozen(): boolean {
    return this.#standsAt !== undefined
  }

  freeze(): void {
    this.#standsAt = this.now()
  }

  thaw(): void {
    if (this.#standsAt === undefined) return
    this.#ahead = this.#standsAt - this.#system()
    this.#standsAt = undefined
  }

  /** Forward; for whoever moves it from one timer to the next. */
  moveTo(at: number): void {
    if (at > this.now()) this.goTo(at)
  }

  /** Anywhere. */
  goTo(at: number): void {
    if (this.#standsAt === undefined) this.#ahead = at - this.#system()
    else this.#standsAt = at
  }
}
