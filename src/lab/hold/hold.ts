/**
 * Held commands: what clients send waits after admission until somebody says in which order it is carried out. A layer of the way,
 * and the door of the room.
 *
 *   hold.ts      which commands wait, and how they are let go
 *   order.ts     in which order
 *   answers.ts   what the client gets whose command is dropped
 *
 * Waits      however long: a client that gives up takes nothing back
 * Let go     one after the other, each carried out before the next one is sent. What its request sends behind it is not held again
 * Ended      holding ends, and what waits goes on waiting for its release
 * Bounded    so many at a time; one more is refused as too much (40015, 503)
 * Goes back  with the venue: what waits is answered 45001 and never lands. A snapshot has none of it
 * Source     lab.md §4.6
 */
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { CommandNotSequenced, OutcomeUnknown, VenueOverloaded } from '../../runtime/core.ts'
import { type Answer, Call } from '../faults/call.ts'
import { sendsCommands } from '../faults/endpoints.ts'
import { type Gate, GatedCore, type Submit } from '../faults/passing.ts'
import { type On, Selector } from '../faults/selector.ts'
import { shownFields } from '../journal.ts'
import { LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import type { WayLog } from '../way/way-log.ts'
import type { Layer } from '../way/way.ts'
import { answerOverSocket, answerTo, type Dropped } from './answers.ts'
import { type ReleaseOrder, inOrder } from './order.ts'

export const heldMax = 10_000

/** Commands that were sent at once. */
interface Held {
  readonly id: string
  /** When they came, Unix milliseconds. */
  readonly at: number
  readonly journey: Journey
  readonly commands: readonly Command[]
  readonly letGo: () => Promise<readonly Reply[]>
  readonly fail: (error: Error) => void
}

/** A call, some commands of which were held. */
interface Journey {
  readonly call: Call
  /** Its commands are not held any more. */
  isLetGo: boolean
  dropped: Dropped | undefined
}

interface SavedHold {
  readonly on: On | undefined
  readonly counted: number
}

export class Hold implements Layer {
  readonly name = 'hold'
  log: WayLog | undefined
  readonly #venue: LabVenue
  readonly #held = new Map<string, Held>()
  #counted = 0
  #on: On | undefined
  /** Undefined: nothing is held. */
  #selector: Selector | undefined
  /** Called whenever something more waits. */
  #cameIn: (() => void)[] = []

  constructor(venue: LabVenue) {
    this.#venue = venue
  }

  get isActive(): boolean {
    return this.#selector !== undefined
  }

  get shown() {
    return { holding: this.isActive, on: this.#on ?? null, pending: this.#held.size }
  }

  /** From now on; undefined ends it. Throws LabRefusal. */
  hold(on: On | undefined): void {
    this.#selector = on && new Selector(on, this.#venue, { at: 'on', usual: 'write' })
    this.#on = on
  }

  /** Oldest first. */
  get pending() {
    return [...this.#held.values()].map(({ id, at, journey: { call }, commands }) => ({
      id,
      at,
      uid: call.uid === undefined ? null : String(call.uid),
      endpoint: `${call.over === 'socket' ? 'ws' : call.endpoint.method} ${call.endpoint.path}`,
      ...(call.over === 'http' ? { requestId: call.requestId } : { connection: call.connection }),
      orders: call.orders,
      commands: commands.map(shownFields),
    }))
  }

  get size(): number {
    return this.#held.size
  }

  /** `come` is called whenever something more waits; answers how to end that. */
  watch(come: () => void): () => void {
    this.#cameIn.push(come)
    return () => (this.#cameIn = this.#cameIn.filter((one) => one !== come))
  }

  /** Throws LabRefusal for an id that is not pending. */
  async release(order: ReleaseOrder, seed: number) {
    const chosen = inOrder([...this.#held.keys()], order, seed).map((id) => this.#find(id, 'order'))
    const released: { readonly id: string; readonly sequence: number | null; readonly replies: readonly string[] }[] =
      []
    this.log?.letGo?.(chosen.map(({ id }) => id))
    for (const { id, journey, letGo } of chosen) {
      // Somebody else may have dropped it meanwhile.
      if (!this.#held.delete(id)) continue
      journey.isLetGo = true
      const replies = await letGo().catch((): readonly Reply[] => [])
      await this.#venue.carriedOut()
      released.push({
        id,
        sequence: journey.call.sent.at(-1)?.sequence ?? null,
        replies: replies.map(({ kind }) => kind),
      })
    }
    return { released, pending: this.#held.size }
  }

  /** It never happens. Throws LabRefusal for an id that is not pending, and for an answer that its client cannot be given. */
  drop(id: string, dropped: Dropped): void {
    const held = this.#find(id, 'id')
    if (held.journey.call.over === 'socket' && dropped.status !== undefined) {
      throw new LabRefusal(400, 'body-wrong', 'answer.status: over a socket an answer has a code and no status', {
        field: 'answer.status',
      })
    }
    this.#held.delete(id)
    held.journey.dropped = dropped
    held.fail(new CommandNotSequenced('it was dropped'))
  }

  async request(asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Answer>): Promise<Answer> {
    const journey = this.#begin(asked)
    if (journey === undefined) return serve(inside)
    const answer = await serve(this.#through(inside, journey))
    const { dropped, call } = journey
    return dropped === undefined ? answer : answerTo(call, dropped, answer)
  }

  async call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const journey = this.#begin(asked)
    if (journey === undefined) return serve(inside)
    try {
      return await serve(this.#through(inside, journey))
    } catch (error) {
      const { dropped, call } = journey
      if (dropped === undefined) throw error
      return answerOverSocket(call, dropped)
    }
  }

  save(): SavedHold {
    return { on: this.#on, counted: this.#counted }
  }

  /** Answers how many calls were waiting. */
  restore(saved: unknown, keepRules: boolean): number {
    const { on, counted } = (saved ?? { on: undefined, counted: 0 }) as SavedHold
    const waited = this.#failAll(() => new OutcomeUnknown('unexpected'))
    this.#counted = counted
    if (!keepRules) this.hold(on)
    return waited
  }

  close(): void {
    this.hold(undefined)
    this.#failAll(() => new CommandNotSequenced('the venue is stopping'))
  }

  #begin(asked: AskedByRequest | AskedBySocket): Journey | undefined {
    if (!sendsCommands(asked.endpoint)) return undefined
    const call = new Call(asked, this.#venue)
    return this.#selector?.matches(call) === true ? { call, isLetGo: false, dropped: undefined } : undefined
  }

  #through(inside: Inside, journey: Journey): Inside {
    const gate: Gate = (commands, submit) =>
      journey.isLetGo ? submit(commands) : this.#take(journey, commands, submit)
    return { ...inside, core: new GatedCore(inside.core, journey.call, gate) }
  }

  #take(journey: Journey, commands: readonly Command[], submit: Submit): Promise<readonly Reply[]> {
    if (this.#held.size >= heldMax) return Promise.reject(new VenueOverloaded(`${heldMax} commands are held already`))
    this.#counted += 1
    const id = `p${this.#counted}`
    const { promise, resolve, reject } = Promise.withResolvers<readonly Reply[]>()
    const letGo = async () => {
      const submitted = submit(commands)
      submitted.then(resolve, reject)
      return submitted
    }
    this.#held.set(id, { id, at: this.#venue.parts.runtime.now(), journey, commands, letGo, fail: reject })
    for (const come of this.#cameIn) come()
    return promise
  }

  #find(id: string, field: string): Held {
    const held = this.#held.get(id)
    if (held !== undefined) return held
    throw new LabRefusal(404, 'unknown-command', `${field}: there is no command ${id} pending`, { field })
  }

  #failAll(error: () => Error): number {
    const held = [...this.#held.values()]
    this.#held.clear()
    for (const { fail } of held) fail(error())
    return new Set(held.map(({ journey }) => journey)).size
  }
}
