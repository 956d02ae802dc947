/**
 * Reads of a venue of several gateways: how many each of them let pass, which the others add to their own before they let pass one more.
 *
 * Told      only what changed since it was told last (`changed`), each time the whole number of the window, so that what is lost on the
 *           way is made good by the next
 * Windows   are each gateway's own, and begin when they do there. What another one told counts until its window is over: whoever keeps
 *           to one gateway never waits for another's
 * Passed    what was refused counts at its gateway alone: else two gateways would keep each other from letting anything pass
 * Alone     while nobody tells anything, what was told is over with its window, and each gateway counts by itself
 * Hot       a read asks one map and notes its window once for each telling; nothing is made
 * Source    scale.md §7
 */
import type { Caller, Window } from './call-windows.ts'

/** Of one caller's window at one gateway. */
export interface ReadCount {
  /** `METHOD path`. */
  readonly endpoint: string
  readonly caller: Caller
  readonly passed: number
  /** Until the window is over. */
  readonly leftMs: number
}

interface Elsewhere {
  readonly from: number
  passed: number
  endsAt: number
}

const sweepEveryMs = 1_000

export class SharedReads {
  readonly #clock: () => number
  readonly #endpoints = new Map<string, EndpointReads>()
  #sweptAt: number

  /** `clock`: milliseconds, the one by which the windows go. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
    this.#sweptAt = clock()
  }

  /** Of an endpoint whose windows last that long. */
  of(endpoint: string, lengthMs: number): EndpointReads {
    const reads = this.#of(endpoint)
    reads.lengthMs = lengthMs
    return reads
  }

  /** What passed here since this was asked last; undefined: nothing did. */
  changed(): readonly ReadCount[] | undefined {
    let counts: ReadCount[] | undefined
    const now = this.#clock()
    for (const [endpoint, { noted, lengthMs }] of this.#endpoints) {
      for (const window of noted) {
        window.isNoted = false
        const { caller, passed, startedAt } = window
        const leftMs = startedAt + lengthMs - now
        if (leftMs > 0) (counts ??= []).push({ endpoint, caller, passed, leftMs })
      }
      noted.length = 0
    }
    return counts
  }

  /** What passed at another gateway. */
  heard(from: number, counts: readonly ReadCount[]): void {
    const now = this.#clock()
    if (now - this.#sweptAt >= sweepEveryMs) {
      this.#sweptAt = now
      for (const reads of this.#endpoints.values()) reads.sweep(now)
    }
    for (const { endpoint, caller, passed, leftMs } of counts) {
      this.#of(endpoint).hear(caller, from, passed, now + leftMs)
    }
  }

  #of(endpoint: string): EndpointReads {
    let reads = this.#endpoints.get(endpoint)
    if (reads === undefined) this.#endpoints.set(endpoint, (reads = new EndpointReads()))
    return reads
  }
}

export class EndpointReads {
  lengthMs = 0
  /** Windows that are to be told. */
  readonly noted: Window[] = []
  readonly #elsewhere = new Map<Caller, Elsewhere[]>()

  /** What a caller was let pass elsewhere, in windows that are not over. */
  elsewhere(caller: Caller, now: number): number {
    if (this.#elsewhere.size === 0) return 0
    const told = this.#elsewhere.get(caller)
    if (told === undefined) return 0
    let sum = 0
    for (const { endsAt, passed } of told) if (endsAt > now) sum += passed
    return sum
  }

  /** One more passed here. */
  note(window: Window): void {
    window.passed += 1
    if (window.isNoted) return
    window.isNoted = true
    this.noted.push(window)
  }

  hear(caller: Caller, from: number, passed: number, endsAt: number): void {
    const told = this.#elsewhere.get(caller)
    const known = told?.find((one) => one.from === from)
    if (known !== undefined) Object.assign(known, { passed, endsAt })
    else if (told !== undefined) told.push({ from, passed, endsAt })
    else this.#elsewhere.set(caller, [{ from, passed, endsAt }])
  }

  sweep(now: number): void {
    for (const [caller, told] of this.#elsewhere) {
      if (told.every(({ endsAt }) => endsAt <= now)) this.#elsewhere.delete(caller)
    }
  }
}
