/**
 * One command into the engine, its reply out, its events to every consumer: the same for live and for replayed commands.
 *
 * Holds     consumers see every command once and in order, also those without events
 *           · the events of a command leave only after it was applied whole; those of a poisoned one never do
 * Broken    after a command that it threw on the engine is gone, and nobody can read from it by mistake, until another
 *           one is installed (rebuild.ts)
 * Throws    RulesBeyond as it is; CommandPoisoned for what else the engine throws; what a consumer throws is a defect, and the caller stops the venue
 */
import assert from 'node:assert/strict'
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { RulesBeyond } from '../engine/protocol/rules.ts'
import { EngineRebuilding } from './core.ts'
import type { EventConsumer, StateMachine } from './ports.ts'
import { CommandPoisoned } from './trouble.ts'

const noEvents: readonly Event[] = Object.freeze([])

export class EngineDriver {
  readonly #consumers: EventConsumer[]
  /** Undefined from the command that broke one engine until the next is installed. */
  #engine: StateMachine | undefined
  #events: Event[] = []
  #sequence = 0
  #rules = 0
  #rulesSince = 0

  constructor(consumers: readonly EventConsumer[]) {
    this.#consumers = [...consumers]
  }

  /** Puts an engine in its place, from before the next command; nobody gets what it emits while it is being made. */
  async install(make: (emit: (event: Event) => void) => Promise<StateMachine>): Promise<void> {
    const engine = await make((event) => {
      if (this.#engine !== undefined) this.#events.push(event)
    })
    assert(engine.sequence >= this.#sequence, 'an engine goes on where the one before it stood')
    this.#put(engine)
  }

  /** Nobody reads from the engine any more, until another one is installed. */
  takeOut(): void {
    this.#engine = undefined
    this.#events = []
  }

  /** Puts an engine in its place that stood somewhere else: its state, its sequence. Nobody gets what it emits while it is made. */
  replace(make: (emit: (event: Event) => void) => StateMachine): void {
    this.takeOut()
    this.#rules = 0
    const engine = make((event) => {
      if (this.#engine === engine) this.#events.push(event)
    })
    this.#put(engine)
  }

  #put(engine: StateMachine): void {
    this.#sequence = engine.sequence
    this.#noteRules(engine.rules, engine.sequence)
    this.#engine = engine
  }

  #noteRules(rules: number, sequence: number): void {
    if (rules === this.#rules) return
    this.#rules = rules
    this.#rulesSince = sequence
  }

  /** Throws EngineRebuilding while there is none. */
  get engine(): StateMachine {
    if (this.#engine === undefined) throw new EngineRebuilding('the engine is being rebuilt')
    return this.#engine
  }

  get hasEngine(): boolean {
    return this.#engine !== undefined
  }

  /** The last command applied or skipped. */
  get sequence(): number {
    return this.#sequence
  }

  /** By which rules the next command is applied. */
  get rules(): number {
    return this.#rules
  }

  /** The first command behind which it is known to have stood at these rules. */
  get rulesSince(): number {
    return this.#rulesSince
  }

  /** From the next command on. */
  addConsumer(consumer: EventConsumer): void {
    this.#consumers.push(consumer)
  }

  removeConsumer(consumer: EventConsumer): void {
    const place = this.#consumers.indexOf(consumer)
    if (place >= 0) this.#consumers.splice(place, 1)
  }

  /** Before some of these commands are applied, from a place on; answers the place behind them. */
  prefetch(commands: readonly Command[], from: number): number {
    return this.#engine === undefined ? commands.length : this.#engine.prefetch(commands, from)
  }

  apply(command: Command, sequence: number, at: number): Reply {
    const reply = this.#applyToEngine(command, sequence, at)
    if (command.kind === 'upgrade-rules') this.#noteRules(this.engine.rules, sequence)
    const events = this.#events.length === 0 ? noEvents : this.#events
    if (events !== noEvents) this.#events = []
    this.#publish({ sequence, at, events, command: command.kind, reply })
    return reply
  }

  /** Passes over a poisoned command: it is counted, and nothing else happens. */
  skip(sequence: number, at: number): void {
    this.engine.skip(sequence, at)
    this.#publish({ sequence, at, events: noEvents, command: '', reply: undefined })
  }

  #applyToEngine(command: Command, sequence: number, at: number): Reply {
    const { engine } = this
    try {
      return engine.apply(command, sequence, at)
    } catch (cause) {
      this.takeOut()
      if (cause instanceof RulesBeyond) throw cause
      throw new CommandPoisoned(command, sequence, at, { cause })
    }
  }

  #publish({ sequence, at, events, command, reply }: Published): void {
    const engine = reply === undefined ? undefined : this.engine
    this.#sequence = sequence
    for (const consumer of this.#consumers) consumer.record(sequence, at, events, command, reply, engine)
  }
}

interface Published {
  readonly sequence: number
  readonly at: number
  readonly events: readonly Event[]
  readonly command: Command['kind'] | ''
  readonly reply: Reply | undefined
}
