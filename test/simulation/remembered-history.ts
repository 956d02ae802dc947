/**
 * A history in memory that can lose power: what was recorded and not yet synced may be forgotten, and comes again.
 *
 * Holds    sequences arrive without a gap, also when a replay begins further back; what is applied already is dropped
 * Agrees   events that are counted here are those that the engine emitted, once (life.ts)
 */
import type { Event } from '../../src/engine/protocol/event.ts'
import type { HistoryConsumer } from '../../src/runtime/ports.ts'
import type { Random } from './random.ts'

interface Recorded {
  readonly sequence: number
  readonly events: number
}

export class RememberedHistory implements HistoryConsumer {
  readonly appliedSequence: number
  readonly faults: string[] = []
  /** Events of everything that is applied. */
  events: number
  #recorded: number
  /** The last command that this process has recorded. */
  #heard: number | undefined
  #durable: number
  /** What is not durable yet, in order. */
  #tail: Recorded[] = []

  constructor(appliedSequence = 0, events = 0) {
    this.appliedSequence = appliedSequence
    this.events = events
    this.#recorded = appliedSequence
    this.#durable = appliedSequence
  }

  get recordedSequence(): number {
    return this.#recorded
  }

  get pendingEvents(): number {
    return this.#tail.length
  }

  record(sequence: number, _at: number, events: readonly Event[]): void {
    if (this.#heard !== undefined && sequence !== this.#heard + 1)
      this.faults.push(`history got command ${sequence} after ${this.#heard}`)
    this.#heard = sequence
    if (sequence <= this.#recorded) return
    if (sequence !== this.#recorded + 1) this.faults.push(`history has a gap between ${this.#recorded} and ${sequence}`)
    this.#recorded = sequence
    this.events += events.length
    this.#tail.push({ sequence, events: events.length })
  }

  async flush(): Promise<void> {}

  async flushDurably(): Promise<number> {
    this.#tail = []
    this.#durable = this.#recorded
    return this.#durable
  }

  /** What is found after the power came back. */
  afterPowerLoss(random: Random): RememberedHistory {
    const lost = random.pick([0, this.#tail.length, random.below(this.#tail.length + 1)])
    const gone = this.#tail.slice(this.#tail.length - lost)
    const events = gone.reduce((sum, record) => sum + record.events, 0)
    return new RememberedHistory(this.#recorded - lost, this.events - events)
  }
}
