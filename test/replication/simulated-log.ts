/**
 * The shared log in memory, with all that can happen on the way to it: a request that is lost, that comes late, an answer that
 * is lost, a process that is cut off.
 */
import type { BoundedLog } from '../../src/cluster/log-place.ts'
import { Fenced, type Log, LogBroken, LogDown, type LogEntry, LogUnknown } from '../../src/replication/replication.ts'
import type { Process, World } from './world.ts'

const timeOutMs = 300

export class SimulatedLog {
  readonly #world: World
  /** All that ever stood there, what was removed as well. */
  readonly messages: Uint8Array[] = []
  /** The oldest position that is left. */
  first = 1
  /** What each writer was told is stored, by position. */
  readonly acknowledged = new Map<number, Uint8Array>()
  readonly #waiting = new Set<() => void>()
  /** How often, of a thousand, something is lost on the way. */
  lossPerMille = 0
  isDown = false
  readonly cutOff = new Set<string>()
  readonly seen = { lostBefore: 0, lostAfter: 0, late: 0, fenced: 0 }

  constructor(world: World) {
    this.#world = world
  }

  #isCut(name: string): boolean {
    return this.isDown || this.cutOff.has(name)
  }

  #loses(): boolean {
    return this.#world.random.below(1000) < this.lossPerMille
  }

  /** The log as one process reaches it. */
  for(process: Process): Log & BoundedLog {
    const { random } = this.#world
    const isCut = () => this.#isCut(process.name)
    return {
      append: async (expected, message) => {
        const bytes = Uint8Array.from(message)
        if (isCut() || this.#loses()) {
          this.seen.lostBefore++
          return process.reach(timeOutMs, () => fail(new LogUnknown()))
        }
        const isLate = this.#loses()
        // Late by much, or so that it meets the attempt that follows it.
        const lateMs = random.pick([random.below(12), random.below(2000)])
        const travelMs = isLate ? timeOutMs + lateMs : 1 + random.below(4)
        const { promise, resolve, reject } = Promise.withResolvers<number>()
        this.#world.after(travelMs, () => {
          const stored = this.#store(expected, bytes)
          if (isLate || isCut() || this.#loses()) return void (isLate ? this.seen.late++ : this.seen.lostAfter++)
          process.after(1 + random.below(4), () => {
            if (stored === undefined) return reject(new Fenced())
            this.acknowledged.set(stored, bytes)
            resolve(stored)
          })
        })
        process.after(timeOutMs, () => reject(new LogUnknown()))
        return promise
      },
      at: (position) => {
        if (isCut() || this.#loses()) return process.reach(timeOutMs, () => fail(new LogDown()))
        const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>()
        this.#world.after(1 + random.below(4), () => {
          const isRemoved = position < this.first
          const found = this.messages[position - 1]
          process.after(1, () => (isRemoved ? reject(removed(position)) : resolve(found)))
        })
        return promise
      },
      bounds: () => {
        if (isCut()) return process.reach(timeOutMs, () => fail(new LogDown()))
        return process.reach(2, () => ({ first: this.first, last: this.messages.length }))
      },
      noteSeen: () => {},
      follow: (from) => this.#follow(process, from),
      removeBefore: (position) => {
        if (isCut() || this.#loses()) return process.reach(timeOutMs, () => fail(new LogDown()))
        // It is done, whoever hears of it.
        this.#world.after(1 + random.below(4), () => (this.first = Math.max(this.first, position)))
        return process.reach(6, () => {})
      },
    }
  }

  #store(expected: number, bytes: Uint8Array): number | undefined {
    if (expected !== this.messages.length) {
      this.seen.fenced++
      return undefined
    }
    this.messages.push(bytes)
    for (const look of this.#waiting) look()
    return this.messages.length
  }

  #follow(process: Process, from: number): AsyncIterableIterator<LogEntry> {
    const { random } = this.#world
    let position = from
    let look = () => {}
    const next = () =>
      new Promise<IteratorResult<LogEntry>>((resolve, reject) => {
        look = () => {
          this.#waiting.delete(look)
          process.after(1 + random.below(5), () => {
            if (this.#isCut(process.name)) return void process.after(50, look)
            if (position < this.first) return reject(removed(position))
            const message = this.messages[position - 1]
            if (message === undefined) return void this.#waiting.add(look)
            resolve({ done: false, value: { position: position++, message } })
          })
        }
        look()
      })
    return {
      next,
      return: async () => {
        this.#waiting.delete(look)
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}

function removed(position: number): LogBroken {
  return new LogBroken(position, 'it was removed')
}

function fail(error: Error): never {
  throw error
}
