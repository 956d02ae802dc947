/**
 * What the laboratory has to do at a time of the venue: a command that is on its way, a message, a line of a script.
 *
 * Order     by time, then in the order in which it was put down. What the venue itself has to do at that millisecond comes before
 * Clock     one that stands still is moved by somebody, who runs what falls due on the way (`runDue`) and waits for it; one that
 *           goes runs it by itself
 * Whole     what is done on a clock that stands still is carried out before the next thing is done, and before time goes on: the
 *           commands too that it only handed on
 * Planned   what goes back with the venue is a part of its own: it says when it acts next, and saves that as plain data. Parts act
 *           behind the other things of a moment, in the order of the parts, on a clock that goes in turn with calls
 * Bounded   so many things at a time
 * Source    lab.md §4.3, §4.7
 */
import { LabRefusal } from '../refusals.ts'

export const agendaMax = 100_000

/** Of one thing, in one move of the clock. */
const repeatsMax = 3_600

/** The longest that a timer of the system takes. */
const timerMsMax = 2 ** 31 - 1

interface Entry {
  readonly at: number
  readonly number: number
  readonly act: () => unknown
  /** It will not be done: the venue went back, or stops. */
  readonly dropped: (() => void) | undefined
}

/** Something that acts at moments, and goes back with the venue. */
export interface Planned {
  readonly name: string
  /** Unix milliseconds; undefined: nothing. What comes again and again leaves so much time between. */
  nextAt(leastMs: number): number | undefined
  /** All that is due by now. Never rejects. */
  runDue(now: number, leastMs: number): Promise<void>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** Plain data. */
  save(): unknown
  /** What it saved itself, or nothing. What was due by `dueBefore` has been done. */
  restore(saved: unknown, dueBefore: number): void
}

/** By the names of the parts. */
export type SavedAgenda = Readonly<Record<string, unknown>>

export interface AgendaClock {
  /** Of the venue, Unix milliseconds. */
  now(): number
  isFrozen(): boolean
  /** Resolves when the commands that were sent are carried out, and those that followed from them. */
  carriedOut(): Promise<void>
  /** Runs when all calls that were made before have ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

export class Agenda {
  readonly #clock: AgendaClock
  /** A binary heap by (at, number). */
  #entries: Entry[] = []
  readonly #parts: Planned[] = []
  #leastMs = 0
  #isOver = false
  #counted = 0
  #timer: NodeJS.Timeout | undefined

  constructor(clock: AgendaClock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.length
  }

  /** When the next thing falls due; undefined: never. */
  get nextAt(): number | undefined {
    let next = this.#entries[0]?.at
    for (const part of this.#parts) {
      const at = part.nextAt(this.#leastMs)
      if (at !== undefined && (next === undefined || at < next)) next = at
    }
    return next
  }

  /** A move of the clock by so much begins; 0: it has ended. What comes again and again comes a bounded number of times in it. */
  moveBy(ms: number): void {
    this.#leastMs = Math.ceil(ms / repeatsMax)
  }

  /** Of what was put down, parts left aside. */
  get nextEntryAt(): number | undefined {
    return this.#entries[0]?.at
  }

  add(part: Planned): void {
    this.#parts.push(part)
  }

  save(): SavedAgenda {
    return Object.fromEntries(this.#parts.map((part) => [part.name, part.save()]))
  }

  /** Of the parts. */
  restore(saved: SavedAgenda, dueBefore = 0): void {
    for (const part of this.#parts) part.restore(saved[part.name], dueBefore)
    this.arm()
  }

  /** Resolves when no part has anything under way. */
  async settled(): Promise<void> {
    for (const part of this.#parts) await part.settled()
  }

  /**
   * What `act` answers is waited for, so it must not wait for a later time of the venue. `dropped` is called when it will not be
   * done. Throws LabRefusal when there is no room.
   */
  put(at: number, act: () => unknown, dropped?: () => void): void {
    if (this.#entries.length >= agendaMax) {
      throw new LabRefusal(409, 'waiting-max', `${agendaMax} things are waiting already`)
    }
    this.#counted += 1
    const entry = { at, number: this.#counted, act, dropped }
    this.#entries.push(entry)
    this.#up(this.#entries.length - 1)
    if (this.#entries[0] === entry) this.arm()
  }

  /** Does what is due now, one thing after the other, until `isThere` says so behind one; resolves when it is done. */
  async runDue(isThere = () => false): Promise<void> {
    if (await this.runEntries(isThere)) return
    await this.#runParts()
  }

  /** Sets the timer anew: for whoever freezes, thaws or moves the clock. */
  arm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { nextAt } = this
    if (nextAt === undefined || this.#isOver || this.#clock.isFrozen()) return
    const ms = Math.min(timerMsMax, Math.max(0, nextAt - this.#clock.now()))
    this.#timer = setTimeout(() => this.#ring(), ms).unref()
  }

  /** Nothing of it will be done, and whoever waits for it is told. */
  clear(): void {
    const dropped = this.#entries
    this.#entries = []
    this.arm()
    for (const entry of dropped) entry.dropped?.()
  }

  /** For good. */
  stop(): void {
    this.#isOver = true
    this.clear()
  }

  #ring(): void {
    const parts = () => (this.#clock.isFrozen() ? Promise.resolve() : this.#runParts())
    void this.runEntries()
      .then(() => this.#clock.inTurn(parts))
      .finally(() => this.arm())
  }

  /** The same, parts left aside. Whether `isThere` ended it. */
  async runEntries(isThere = () => false): Promise<boolean> {
    for (;;) {
      const first = this.#entries[0]
      if (first === undefined || first.at > this.#clock.now()) return false
      this.#take()
      await first.act()
      if (this.#clock.isFrozen()) await this.#clock.carriedOut()
      if (isThere()) return true
    }
  }

  async #runParts(): Promise<void> {
    const now = this.#clock.now()
    const least = this.#leastMs
    for (const part of this.#parts) {
      if ((part.nextAt(least) ?? Number.POSITIVE_INFINITY) <= now) await part.runDue(now, least)
    }
  }

  #take(): void {
    const last = this.#entries.pop()
    if (last === undefined || this.#entries.length === 0) return
    this.#entries[0] = last
    this.#down(0)
  }

  #up(from: number): void {
    const entries = this.#entries
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entries[at], entries[parent])) return
      ;[entries[at], entries[parent]] = [entries[parent], entries[at]]
      at = parent
    }
  }

  #down(from: number): void {
    const entries = this.#entries
    let at = from
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      let least = at
      if (left < entries.length && isBefore(entries[left], entries[least])) least = left
      if (right < entries.length && isBefore(entries[right], entries[least])) least = right
      if (least === at) return
      ;[entries[at], entries[least]] = [entries[least], entries[at]]
      at = least
    }
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.number < other.number)
}
