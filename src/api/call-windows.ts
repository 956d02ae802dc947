/**
 * Windows in which calls are counted, each begun by a caller's first call.
 *
 * Memory    two generations of them, the older dropped whole after a window's length: never more than the callers of the last two
 * Clock     is the caller's to give. One that went back begins new windows
 */
import type { Uid } from '../engine/vocabulary.ts'

export type Caller = Uid | string

export interface SavedWindows {
  readonly lengthMs: number
  readonly current: ReadonlyMap<Caller, SavedWindow>
  readonly previous: ReadonlyMap<Caller, SavedWindow>
  readonly rotatedAt: number
}

interface SavedWindow {
  readonly startedAt: number
  readonly calls: number
}

export class Window {
  readonly caller: Caller
  readonly startedAt: number
  calls: number
  /** Of reads that other gateways are told: calls that were not refused. */
  passed = 0
  /** They are to be told. */
  isNoted = false

  constructor(caller: Caller, startedAt: number, calls: number) {
    this.caller = caller
    this.startedAt = startedAt
    this.calls = calls
  }
}

/** Of one endpoint (or of one rule) over all its callers. */
export class Windows {
  readonly #lengthMs: number
  #current = new Map<Caller, Window>()
  #previous = new Map<Caller, Window>()
  #rotatedAt = Number.NEGATIVE_INFINITY

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  get lengthMs(): number {
    return this.#lengthMs
  }

  /** Counts one call and answers how many the caller has now made in its window. */
  count(caller: Caller, now: number): number {
    return this.counted(caller, now).calls
  }

  /** Counts one call in the caller's window. */
  counted(caller: Caller, now: number): Window {
    const age = now - this.#rotatedAt
    if (age >= this.#lengthMs || age < 0) {
      this.#previous = age >= 2 * this.#lengthMs || age < 0 ? new Map() : this.#current
      this.#current = new Map()
      this.#rotatedAt = now
    }
    const open = this.#current.get(caller) ?? this.#previous.get(caller)
    if (open !== undefined && now - open.startedAt < this.#lengthMs) {
      open.calls += 1
      return open
    }
    const window = new Window(caller, now, 1)
    this.#current.set(caller, window)
    return window
  }

  save(): SavedWindows {
    const [lengthMs, rotatedAt] = [this.#lengthMs, this.#rotatedAt]
    return { lengthMs, rotatedAt, current: savedWindows(this.#current), previous: savedWindows(this.#previous) }
  }

  static restored({ lengthMs, rotatedAt, current, previous }: SavedWindows): Windows {
    const windows = new Windows(lengthMs)
    windows.#rotatedAt = rotatedAt
    windows.#current = openWindows(current)
    windows.#previous = openWindows(previous)
    return windows
  }
}

function savedWindows(windows: ReadonlyMap<Caller, Window>): Map<Caller, SavedWindow> {
  return new Map([...windows].map(([caller, { startedAt, calls }]) => [caller, { startedAt, calls }]))
}

function openWindows(windows: ReadonlyMap<Caller, SavedWindow>): Map<Caller, Window> {
  return new Map([...windows].map(([caller, { startedAt, calls }]) => [caller, new Window(caller, startedAt, calls)]))
}
