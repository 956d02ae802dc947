/**
 * The engine of a simulated venue, watched: every command that it applies is checked, and kept for comparison with what
 * a replay makes of it.
 *
 * New        the first time that a sequence is applied: the cheap checks, the auditor, and what one command may do
 * Replayed   again after a restart or a rebuild: the same command, reply and events, or it is a fault
 * Poison     a command whose client order id begins with `poison-N` breaks the engine as its N-th event leaves, or at its
 *            end: a defect half-way through a change of the state. Whatever else breaks the engine is a fault
 * Faults     are collected and not thrown: to throw would only be one more command that broke the engine
 */
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../../src/engine/protocol/query.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { State } from '../../src/engine/state/state.ts'
import type { OrderId, Uid } from '../../src/engine/vocabulary.ts'
import type { StateMachine, StateMachineClass } from '../../src/runtime/ports.ts'
import { Audit } from '../support/audit.ts'
import { booksFault, crossedFault, holdsFault } from './state-checks.ts'

export interface Applied {
  readonly sequence: number
  readonly at: number
  readonly command: Command
  /** Undefined: it broke the engine and was passed over. */
  readonly reply: Reply | undefined
  readonly events: readonly Event[]
}

/** Timers that run a millisecond after one another and change nothing: nothing here takes so many steps. */
const hurriesMax = 300
const forced = new Set(['liquidation', 'reduce', 'offset', 'adl'])
const clientOidHeldMs = 24 * 3_600_000

export class Watch {
  readonly faults: string[] = []
  /** What was applied since the older kept snapshot, in order. */
  readonly tape: Applied[] = []
  readonly counts = new Map<string, number>()
  /** Of the commands since the beginning. */
  events = 0
  fills = 0
  /** Of the machine that runs now. */
  current: WatchedEngine | undefined
  last = 0
  replayed = 0
  poisoned = 0
  /** The first command that broke the engine and was not meant to. */
  brokenBy: Applied | undefined
  readonly #audit: Audit
  readonly #frozen = new Set<number>()
  /** Client order ids of orders, with the order and when its day is over. */
  readonly #clientOids = new Map<string, { readonly orderId: OrderId; until: number }>()
  #lastAt = 0
  #hurries = 0

  constructor() {
    this.#audit = new Audit((query) => (this.current as WatchedEngine).query(query))
  }

  /** The engine's class for a runtime. */
  get engineClass(): StateMachineClass {
    // oxlint-disable-next-line typescript/no-this-alias -- the classes below have another `this`
    const watch = this
    return class extends WatchedEngine {
      constructor(emit: (event: Event) => void) {
        super(watch, (hear) => new Engine(hear), emit)
      }

      static load(chunks: readonly Uint8Array[], emit: (event: Event) => void): StateMachine {
        return new WatchedEngine(watch, (hear) => Engine.load(chunks, hear), emit)
      }
    }
  }

  fault(what: string): void {
    if (this.faults.length < 20 && !this.faults.includes(what)) this.faults.push(what)
  }

  hear(applied: Applied, venue: State): void {
    const { sequence } = applied
    if (sequence <= this.last) return this.#compare(applied)
    if (sequence !== this.last + 1) this.fault(`command ${sequence} came after ${this.last}`)
    if (applied.at < this.#lastAt) this.fault(`command ${sequence} is stamped before the one before it`)
    this.last = sequence
    const hurries =
      applied.command.kind === 'run-timers' && applied.events.length === 0 && venue.timers.nextAt() === applied.at + 1
    this.#hurries = hurries ? this.#hurries + 1 : 0
    if (this.#hurries > hurriesMax) this.fault(`timers run every millisecond, and nothing comes of it`)
    this.#lastAt = applied.at
    this.tape.push(applied)
    if (applied.reply === undefined) this.poisoned += 1
    else this.#check(applied, applied.reply, venue)
  }

  /** The engine was to break on this command, and did; it comes again as one that is passed over. */
  broke(command: Command, sequence: number, at: number, error: unknown): void {
    if (isPoison(command)) return
    this.brokenBy ??= { sequence, at, command, reply: undefined, events: [] }
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.fault(`command ${sequence} (${command.kind}) broke the engine: ${what}`)
  }

  /** Nothing at or before this sequence will be replayed any more. */
  forget(through: number): void {
    const first = this.tape[0]?.sequence
    if (first !== undefined && through >= first) this.tape.splice(0, through - first + 1)
  }

  since(sequence: number): readonly Applied[] {
    const first = this.tape[0]?.sequence ?? sequence + 1
    return this.tape.slice(Math.max(0, sequence + 1 - first))
  }

  /** The books, and what was emitted against what is there. */
  checkAll(): void {
    const engine = this.current as WatchedEngine
    for (const fault of engine.query({ kind: 'verify' }).faults) this.fault(fault)
    for (const fault of this.#audit.faults()) this.fault(fault)
  }

  #compare({ sequence, at, command, reply, events }: Applied): void {
    this.replayed += 1
    const known = this.tape[sequence - (this.tape[0]?.sequence ?? 0)]
    if (known === undefined) return
    if (known.at !== at || !same(known.reply, reply) || !same(known.events, events) || !same(known.command, command)) {
      this.fault(
        `command ${sequence} (${command.kind}) was replayed, and something else came of it: ${text(known)} ${text({ at, command, reply, events })}`,
      )
    }
  }

  #check(applied: Applied, reply: Reply, venue: State): void {
    const { command, sequence, at, events } = applied
    const say = (what: string | undefined) => what && this.fault(`command ${sequence} (${command.kind}): ${what}`)
    this.#count(`${command.kind} ${reply.kind === 'refused' ? 'refused' : 'accepted'}`)
    this.events += events.length
    const uids = new Set<Uid>()
    const instruments = new Set<number>()
    if ('uid' in command) uids.add(command.uid)
    if ('instrument' in command && typeof command.instrument === 'number') instruments.add(command.instrument)
    for (const event of events) {
      const subject =
        event.kind === 'order-ended' ? event.order : event.kind === 'trigger-ended' ? event.trigger : event
      if ('uid' in subject) uids.add(subject.uid)
      if ('instrument' in subject && subject.instrument !== undefined) instruments.add(subject.instrument)
      if (event.kind === 'transfer') uids.add(event.fromUid).add(event.toUid)
      this.#checkEvent(event, say)
    }
    if (reply.kind === 'refused' && events.some((event) => 'uid' in event))
      say(`it was refused (${reply.refusal.kind}), and emitted ${events.map(({ kind }) => kind).join(' ')}`)
    say(booksFault(venue))
    say(holdsFault(venue, uids))
    say(crossedFault(venue, instruments))
    say(fundingFault(events))
    this.#checkClientOid(command, reply, at, say)
    this.#audit.record({ command, reply, events })
  }

  #checkEvent(event: Event, say: (what: string | undefined) => void): void {
    switch (event.kind) {
      case 'instrument-frozen':
        this.#frozen.add(event.instrument)
        return
      case 'instrument-unfrozen':
        this.#frozen.delete(event.instrument)
        return
      case 'fill':
        this.fills += 1
        this.#count(`fill ${event.cause}`)
        if (forced.has(event.cause) && this.#frozen.has(event.instrument))
          say(`a forced fill of instrument ${event.instrument}, whose price is in doubt`)
        return
      case 'funding-settled':
        if (this.#frozen.has(event.instrument))
          say(`funding of instrument ${event.instrument}, whose price is in doubt`)
        return
      case 'order-ended': {
        const known = this.#clientOids.get(`${event.order.uid} ${event.order.clientOid}`)
        if (known?.orderId === event.order.orderId) known.until = event.order.updatedAt + clientOidHeldMs
        return
      }
      case 'margin-liquidation':
      case 'liquidation':
      case 'loan':
      case 'insurance':
        this.#count(event.kind)
        return
      default:
    }
  }

  /** One order for a client order id, however often it is sent (reliability F2). */
  #checkClientOid(command: Command, reply: Reply, at: number, say: (what: string | undefined) => void): void {
    if (command.kind !== 'place-order' || command.clientOid === '' || reply.kind !== 'placed') return
    const key = `${command.uid} ${command.clientOid}`
    const known = this.#clientOids.get(key)
    if (known !== undefined && known.until >= at) say(`client order id ${command.clientOid} has two orders`)
    if (reply.orderId === 0) return
    // Its end was emitted before its reply, when it ended at once.
    this.#clientOids.set(key, {
      orderId: reply.orderId,
      until: this.#endedNow(reply.orderId) ? at + clientOidHeldMs : Infinity,
    })
  }

  #endedNow(orderId: OrderId): boolean {
    return (this.tape.at(-1)?.events ?? []).some(
      (event) => event.kind === 'order-ended' && event.order.orderId === orderId,
    )
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}

export class WatchedEngine implements StateMachine {
  readonly #watch: Watch
  readonly #engine: Engine
  #events: Event[] = []
  #breaksAt = -1

  constructor(watch: Watch, make: (hear: (event: Event) => void) => Engine, emit: (event: Event) => void) {
    this.#watch = watch
    this.#engine = make((event) => {
      if (this.#events.length === this.#breaksAt) throw new Error('broken on purpose')
      this.#events.push(event)
      emit(event)
    })
    watch.current = this
  }

  get sequence(): number {
    return this.#engine.sequence
  }

  get rules(): number {
    return this.#engine.rules
  }

  get venue(): State {
    return Reflect.get(this.#engine, 'state') as State
  }

  prefetch(commands: readonly Command[], from: number): number {
    return this.#engine.prefetch(commands, from)
  }

  apply(command: Command, sequence: number, at: number): Reply {
    this.#events = []
    this.#breaksAt = breaksAt(command)
    let reply: Reply
    try {
      reply = this.#engine.apply(command, sequence, at)
      if (this.#breaksAt >= 0) throw new Error('broken on purpose at the end')
    } catch (error) {
      this.#watch.broke(command, sequence, at, error)
      throw error
    }
    this.#watch.hear({ sequence, at, command, reply, events: this.#events }, this.venue)
    return reply
  }

  skip(sequence: number, at: number): void {
    this.#engine.skip(sequence, at)
    this.#watch.hear({ sequence, at, command: passedOver, reply: undefined, events: [] }, this.venue)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#engine.query(query)
  }

  nextTimerAt(): number | undefined {
    return this.#engine.nextTimerAt()
  }

  save(): Uint8Array[] {
    return this.#engine.save()
  }
}

const passedOver: Command = { kind: 'run-timers' }

/** The number of the event on which a poisoned command breaks the engine; -1: it does not. */
function breaksAt(command: Command): number {
  if (command.kind !== 'place-order' || !command.clientOid.startsWith('poison-')) return -1
  return Number(command.clientOid.split('-')[1])
}

export function isPoison(command: Command): boolean {
  return breaksAt(command) >= 0
}

/** What one settlement books adds up to zero less rounding (risk-engine §20.7). */
function fundingFault(events: readonly Event[]): string | undefined {
  const booked = new Map<number, bigint[]>()
  for (const event of events) {
    if (event.kind === 'funding-payment') {
      const list = booked.get(event.instrument) ?? []
      list.push(event.amount)
      booked.set(event.instrument, list)
    }
    if (event.kind !== 'funding-settled') continue
    const payments = booked.get(event.instrument) ?? []
    booked.delete(event.instrument)
    const sum = payments.reduce((total, payment) => total + payment, 0n)
    if (sum > 0n || sum < -BigInt(Math.max(0, payments.length - 1)))
      return `funding of ${event.instrument} books ${sum}`
  }
  return undefined
}

/** Equal plain data, found out fast. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
  )
}

export function text(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member))
}
