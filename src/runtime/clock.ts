/**
 * Where the venue's time comes from: the system (watched-clock.ts), or a clock that stands still until somebody moves it.
 *
 * Holds     the manual clock never goes back, over a restart neither: a move that was acknowledged is in the journal
 * Not here  the stamps of commands, which never go back whatever the clock does (sequencer.ts); timers (timers.ts)
 */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
}

export class ManualClock implements Clock {
  #now: number

  constructor(startAt: number) {
    this.#now = startAt
  }

  now(): number {
    return this.#now
  }

  moveTo(at: number): void {
    if (at > this.#now) this.#now = at
  }
}
