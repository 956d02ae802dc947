/**
 * The log as a core reads it whom the leader tells what stands there: what comes next without asking for it.
 *
 * Told      by who wrote it, once the log had stored it. It counts where it comes next and its chain goes on from what was read
 *           before; whatever else is told is dropped
 * Asked     is the log for what comes first, for what was not heard, and when nothing was told for a while: nobody leads, or
 *           whoever does cannot be heard. So a core that is told nothing reads all the same
 * Not here  appends, places, what is removed: the log's
 */
import type { Log, LogEntry } from './log.ts'
import { decodeMessage } from './message.ts'
import type { Timers } from './timers.ts'

/** Longer than a leader is silent, and shorter than others wait to claim. */
const quietMsMax = 400
/** More than a core is behind that keeps up. */
const toldMax = 64

/** A log that is told what stood in it beside what was read from it. */
interface SeenLog extends Log {
  noteSeen(position: number): void
}

export class ToldLog implements Log {
  readonly #log: SeenLog
  readonly #timers: Timers
  readonly #told = new Map<number, Uint8Array>()
  /** The furthest position that was told. */
  #toldThrough = 0
  #toldMs = Number.NEGATIVE_INFINITY
  #wake = () => {}

  constructor(log: SeenLog, timers: Timers) {
    this.#log = log
    this.#timers = timers
  }

  /** Who leads says that a message stands at a position. */
  tell(position: number, message: Uint8Array): void {
    // Its own, as it came in one piece with others.
    this.#told.set(position, new Uint8Array(message))
    if (this.#told.size > toldMax) this.#told.delete(this.#told.keys().next().value!)
    this.#toldThrough = Math.max(this.#toldThrough, position)
    this.#toldMs = this.#timers.now()
    this.#wake()
  }

  append(expected: number, message: Uint8Array): Promise<number> {
    return this.#log.append(expected, message)
  }

  at(position: number): Promise<Uint8Array | undefined> {
    return this.#log.at(position)
  }

  removeBefore(position: number): Promise<void> {
    return this.#log.removeBefore(position)
  }

  follow(from: number): AsyncIterableIterator<LogEntry> {
    const reading = new Reading(from, this.#log)
    const next = async (): Promise<IteratorResult<LogEntry>> => {
      while (!reading.isOver) {
        const told = this.#takeTold(reading)
        if (told !== undefined) return { done: false, value: reading.takeTold(told) }
        const leftMs = this.#quietLeftMs(reading)
        if (leftMs <= 0) reading.ask()
        const asked = await this.#tellingOr(reading.asked, leftMs)
        if (asked !== undefined)
          return asked.done ? asked : { done: false, value: reading.takeAsked(asked.value.message) }
      }
      return { done: true, value: undefined }
    }
    return {
      next,
      return: async () => {
        reading.end()
        this.#wake()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** For how long nothing needs to be asked. */
  #quietLeftMs({ position, chain }: Reading): number {
    const isMissed = chain === undefined || position <= this.#toldThrough
    return isMissed ? 0 : this.#toldMs + quietMsMax - this.#timers.now()
  }

  #takeTold({ position, chain }: Reading): Uint8Array | undefined {
    for (const before of this.#told.keys()) if (before < position) this.#told.delete(before)
    const told = this.#told.get(position)
    if (told === undefined || chain === undefined) return undefined
    this.#told.delete(position)
    const message = decodeMessage(told)
    if (typeof message === 'string' || message.previousChain !== chain) return undefined
    this.#log.noteSeen(position)
    return told
  }

  /** What was asked for; undefined: something is told, or was not for long enough. */
  async #tellingOr<T>(asked: Promise<T> | undefined, leftMs: number): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#wake = () => resolve(undefined)
    if (asked !== undefined) return Promise.race([asked, promise])
    const callOff = this.#timers.after(leftMs, this.#wake)
    await promise
    callOff()
    return undefined
  }
}

/** One who follows: where, and what the log was asked for. */
class Reading {
  readonly #log: Log
  position: number
  /** Of the message before; undefined: none was read. */
  chain: number | undefined
  isOver = false
  asked: Promise<IteratorResult<LogEntry>> | undefined
  #asking: AsyncIterableIterator<LogEntry> | undefined

  constructor(position: number, log: Log) {
    this.position = position
    this.#log = log
  }

  ask(): void {
    if (this.asked !== undefined) return
    this.#asking ??= this.#log.follow(this.position)
    this.asked = this.#asking.next()
    // What was told meanwhile counts, and nobody hears of the answer.
    this.asked.catch(() => undefined)
  }

  takeAsked(message: Uint8Array): LogEntry {
    this.asked = undefined
    return this.#take(message)
  }

  takeTold(message: Uint8Array): LogEntry {
    this.#endAsking()
    return this.#take(message)
  }

  end(): void {
    this.isOver = true
    this.#endAsking()
  }

  #take(message: Uint8Array): LogEntry {
    const read = decodeMessage(message)
    // What is none is told apart by who reads it.
    this.chain = typeof read === 'object' ? read.chain : undefined
    return { position: this.position++, message }
  }

  #endAsking(): void {
    void this.#asking?.return?.()
    this.#asking = undefined
    this.asked = undefined
  }
}
