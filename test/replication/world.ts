/**
 * One seeded clock for everything: what happens next is decided here alone. A process of it can be killed and paused; whatever
 * would call into it then is dropped, or waits.
 */
import type { Timers } from '../../src/replication/replication.ts'
import { Random } from '../simulation/random.ts'

/** All that happens comes in steps of this length: what is closer together is one moment. */
const tickMs = 4

interface Alarm {
  readonly at: number
  readonly order: number
  readonly call: () => void
  isOff: boolean
}

export class World {
  readonly random: Random
  now = 0
  #order = 0
  /** A heap, the soonest first. */
  readonly #coming: Alarm[] = []

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  after(ms: number, call: () => void): () => void {
    const alarm = {
      at: this.now + Math.ceil(Math.max(0, ms) / tickMs) * tickMs,
      order: this.#order++,
      call,
      isOff: false,
    }
    this.#push(alarm)
    return () => void (alarm.isOff = true)
  }

  /** Until a moment; whatever those of one moment set off is done before the next one. */
  async runUntil(ms: number): Promise<void> {
    for (let next: Alarm | undefined = this.#coming[0]; next !== undefined && next.at <= ms; next = this.#coming[0]) {
      this.now = next.at
      // Those of one moment come together.
      for (; next !== undefined && next.at === this.now; next = this.#coming[0]) {
        this.#pop()
        if (!next.isOff) next.call()
      }
      await new Promise(setImmediate)
    }
    this.now = ms
  }

  #push(alarm: Alarm): void {
    const heap = this.#coming
    let at = heap.push(alarm) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isSooner(alarm, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = alarm
  }

  #pop(): void {
    const heap = this.#coming
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isSooner(heap[child + 1], heap[child])) child++
      if (!isSooner(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
  }
}

function isSooner(one: Alarm, other: Alarm): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

/** One life of a process. */
export class Process implements Timers {
  readonly name: string
  readonly #world: World
  isAlive = true
  #pausedUntil = 0
  #wallAhead = 0

  constructor(world: World, name: string) {
    this.#world = world
    this.name = name
  }

  now(): number {
    return this.#world.now
  }

  wallNow(): number {
    return 1_767_225_600_000 + this.#world.now + this.#wallAhead
  }

  setWall(ahead: number): void {
    this.#wallAhead = ahead
  }

  pause(ms: number): void {
    this.#pausedUntil = this.#world.now + ms
  }

  kill(): void {
    this.isAlive = false
  }

  after(ms: number, call: () => void): () => void {
    let callOff = this.#world.after(ms, () => (callOff = this.enter(call)))
    return () => callOff()
  }

  /** Something reaches this process now, or when it goes on. */
  enter(call: () => void): () => void {
    if (!this.isAlive) return () => {}
    if (this.#world.now < this.#pausedUntil) {
      let callOff = this.#world.after(this.#pausedUntil - this.#world.now, () => (callOff = this.enter(call)))
      return () => callOff()
    }
    call()
    return () => {}
  }

  /** A promise that resolves or rejects only while this process lives. */
  reach<T>(ms: number, answer: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.after(ms, () => {
        // What it throws rejects.
        Promise.try(answer).then(resolve, reject)
      })
    })
  }
}
