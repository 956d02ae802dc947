/**
 * One command into the engine, its reply out, its events to every consumer: the same for live and for replayed commands.
 *
 * Holds     consumers see every command once and in order, also those without events
 *           · the events of a command leave only after it was applied whole; those of a poisoned one never do
 * Throws    what the engine or a consumer throws is a defect, and the caller stops the venue
 */
import type { Command } from '../engine/command.ts'
import type { Event } from '../engine/event.ts'
import type { Reply } from '../engine/reply.ts'
import type { EventConsumer, StateMachine, StateMachineClass } from './ports.ts'

const noEvents: readonly Event[] = Object.freeze([])

export class EngineDriver {
  readonly engine: StateMachine
  readonly #consumers: EventConsumer[]
  #events: Event[] = []

  /** An engine without history, or one with the state that `saved` holds. */
  constructor(engineClass: StateMachineClass, saved: Uint8Array | undefined, consumers: readonly EventConsumer[]) {
    const emit = (event: Event) => void this.#events.push(event)
    this.#consumers = [...consumers]
    this.engine = saved === undefined ? new engineClass(emit) : engineClass.load(saved, emit)
    this.#events = []
  }

  /** From the next command on. */
  addConsumer(consumer: EventConsumer): void {
    this.#consumers.push(consumer)
  }

  removeConsumer(consumer: EventConsumer): void {
    const place = this.#consumers.indexOf(consumer)
    if (place >= 0) this.#consumers.splice(place, 1)
  }

  apply(command: Command, sequence: number, at: number): Reply {
    const reply = this.engine.apply(command, sequence, at)
    const events = this.#takeEvents(reply)
    for (const consumer of this.#consumers) consumer.record(sequence, at, events)
    return reply
  }

  #takeEvents(reply: Reply): readonly Event[] {
    if (this.#events.length === 0) return noEvents
    const events = this.#events
    this.#events = []
    return isPoisoned(reply) ? noEvents : events
  }
}

function isPoisoned(reply: Reply): boolean {
  return reply.kind === 'refused' && reply.refusal.kind === 'poisoned'
}
