/**
 * Latency: commands, answers, reads and pushes that take their time. A layer of the way, and the door of the room.
 *
 *   rule.ts     which leg, of whom               models.ts, curve.ts   how long it takes
 *   lanes.ts    who comes behind whom            calls.ts              the calls
 *
 * Time       is the venue's. A command waits on the agenda and is sequenced when it is due, by the book of that moment, in the
 *            order of (due, arrival). On a clock that stands still nothing arrives until somebody moves it, answers neither
 * Order      what comes over one connection stays in order unless its rule says otherwise
 * Bounded    by the agenda. A command that finds no room is refused as too much (40015, 503); a socket that has none for its next
 *            message ends
 * Goes back  with the venue: commands that wait are answered 45001 and never land, answers of what was sequenced become 45001,
 *            pushes are gone. A snapshot has the rules, and nothing of what is on its way
 * Source     lab.md §4.7
 */
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import { CommandNotSequenced, OutcomeUnknown, VenueOverloaded } from '../../runtime/core.ts'
import type { FramedSocket } from '../../stream/stream.ts'
import { type Answer, Call, errorIn } from '../faults/call.ts'
import { sendsCommands } from '../faults/endpoints.ts'
import { Message } from '../faults/message.ts'
import { type Gate, GatedCore } from '../faults/passing.ts'
import { LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import type { Layer } from '../way/way.ts'
import { Lanes } from './lanes.ts'
import { type Given, LatencyRule, type Leg, legs, readRules, type SavedRule } from './rule.ts'

/** Something on its way. */
interface OnItsWay {
  readonly leg: Leg
  /** The venue went back, or stops. */
  readonly drop: (error: Error) => void
}

interface SavedLatency {
  readonly rules: readonly SavedRule[]
}

/** A message that is no push goes with those of the market. */
const legOfOthers = 'public'

export class Latency implements Layer {
  readonly name = 'latency'
  readonly #venue: LabVenue
  #rules: readonly LatencyRule[] = []
  #lanes = new Lanes()
  #onTheirWay = new Set<OnItsWay>()
  readonly #waiting: Record<Leg, number> = { entry: 0, ack: 0, read: 0, public: 0, private: 0 }
  /** Called whenever something more is on its way. */
  #cameIn: (() => void)[] = []

  constructor(venue: LabVenue) {
    this.#venue = venue
  }

  /** What comes behind something that waits does not pass it when its rule is gone. */
  get isActive(): boolean {
    return this.#rules.length > 0 || this.#onTheirWay.size > 0
  }

  get shown() {
    return { rules: this.#rules.map((rule) => rule.shown), waiting: { ...this.#waiting } }
  }

  waiting(leg: Leg): number {
    return this.#waiting[leg]
  }

  /** In place of those that there are; what is on its way stays so. Throws LabRefusal. */
  async set(given: readonly Given[]): Promise<void> {
    this.#rules = await readRules(given, this.#venue)
  }

  /** `come` is called whenever something more is on its way; answers how to end that. */
  watch(come: () => void): () => void {
    this.#cameIn.push(come)
    return () => (this.#cameIn = this.#cameIn.filter((one) => one !== come))
  }

  async request(asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Answer>): Promise<Answer> {
    const call = new Call(asked, this.#venue)
    if (!sendsCommands(call.endpoint)) {
      // A read has no outcome: where the venue goes back it is served from there.
      await this.#passing('read', call)?.catch(() => {})
      return serve(inside)
    }
    const answers = this.#answers(call)
    const answer = await serve(this.#through(inside, call))
    return (await answers.pass()) || call.sent.length === 0
      ? answer
      : call.refusal('45001', { httpStatus: 500, headers: answer.headers })
  }

  async call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const call = new Call(asked, this.#venue)
    const answers = this.#answers(call)
    const [settled] = await Promise.allSettled([serve(this.#through(inside, call))])
    if (!(await answers.pass()) && call.sent.length > 0) throw errorIn(call.refusal('45001', { httpStatus: 500 }))
    if (settled.status === 'rejected') throw settled.reason
    return settled.value
  }

  out(socket: FramedSocket, bytes: Buffer, send: (message: Buffer) => void): void {
    const lane = `out ${socket.id}`
    const isBusy = this.#lanes.isBusy(lane)
    if (!isBusy && !this.#rules.some(({ leg }) => leg === 'public' || leg === 'private')) return send(bytes)
    const message = new Message(bytes, socket, 'out')
    const rule = this.#rules.find((one) => one.matchesMessage(message))
    if (rule === undefined && !isBusy) return send(bytes)
    const due = this.#dueBy(rule)
    const isFree = !isBusy || rule?.reorder === true
    if (due <= this.#now && isFree) return send(bytes)
    try {
      this.#put(message.scope ?? legOfOthers, due, rule?.reorder === true ? undefined : lane, {
        arrive: () => send(bytes),
        drop: () => {},
      })
    } catch (error) {
      if (!(error instanceof LabRefusal)) throw error
      socket.terminate()
    }
  }

  save(): SavedLatency {
    return { rules: this.#rules.map((rule) => rule.save()) }
  }

  /** Answers how many calls were on their way. */
  restore(saved: unknown, keepRules: boolean): number {
    const { rules } = (saved ?? { rules: [] }) as SavedLatency
    const calls = this.waiting('entry') + this.waiting('ack')
    this.#dropAll(new OutcomeUnknown('unexpected'))
    if (!keepRules) this.#rules = rules.map((rule, number) => new LatencyRule(rule, this.#venue, number))
    return calls
  }

  close(): void {
    this.#rules = []
    this.#dropAll(new CommandNotSequenced('the venue is stopping'))
  }

  /** The first command of a call takes its time; what the call sends behind it goes with it. */
  #through(inside: Inside, call: Call): Inside {
    let entered: Promise<void> | undefined
    let hasEntered = false
    const gate: Gate = (commands, submit) => {
      if (!hasEntered) entered = this.#passing('entry', call)
      hasEntered = true
      return entered === undefined ? submit(commands) : entered.then(() => submit(commands))
    }
    return { ...inside, core: new GatedCore(inside.core, call, gate) }
  }

  /** The way back of a call's answer; false: the venue went back while it was on it. */
  #answers(call: Call): { pass(): Promise<boolean> } {
    const { runtime } = this.#venue.parts
    const { epoch } = runtime
    const isHere = () => runtime.epoch === epoch
    return {
      pass: async () => {
        // What the venue has gone back behind is told at once.
        if (!isHere()) return true
        await this.#passing('ack', call)?.catch(() => {})
        return isHere()
      },
    }
  }

  /** Resolves when it has passed this leg; undefined: that takes no time. */
  #passing(leg: 'entry' | 'ack' | 'read', call: Call): Promise<void> | undefined {
    const rule = this.#rules.find((one) => one.leg === leg && one.matches(call))
    const lane = call.connection === undefined || rule?.reorder === true ? undefined : `${leg} ${call.connection}`
    const isBusy = lane !== undefined && this.#lanes.isBusy(lane)
    if (rule === undefined && !isBusy) return undefined
    const due = this.#dueBy(rule)
    if (due <= this.#now && !isBusy) return undefined
    return new Promise((resolve, reject) => {
      try {
        this.#put(leg, due, lane, { arrive: resolve, drop: reject })
      } catch (error) {
        reject(error instanceof LabRefusal ? new VenueOverloaded(error.message) : (error as Error))
      }
    })
  }

  get #now(): number {
    return this.#venue.parts.runtime.now()
  }

  #dueBy(rule: LatencyRule | undefined): number {
    const now = this.#now
    return now + (rule?.delay({ now, pending: this.waiting('entry') }) ?? 0)
  }

  /** Throws LabRefusal when there is no room. */
  #put(
    leg: Leg,
    due: number,
    lane: string | undefined,
    { arrive, drop }: { readonly arrive: () => void; readonly drop: (error: Error) => void },
  ): void {
    const onItsWay: OnItsWay = { leg, drop }
    const lanes = this.#lanes
    const at = lane === undefined ? due : lanes.enter(lane, due)
    const leave = () => {
      if (lane !== undefined) lanes.leave(lane)
      if (!this.#onTheirWay.delete(onItsWay)) return
      this.#waiting[leg] -= 1
      arrive()
    }
    try {
      this.#venue.agenda.put(at, leave)
    } catch (error) {
      if (lane !== undefined) lanes.leave(lane)
      throw error
    }
    this.#onTheirWay.add(onItsWay)
    this.#waiting[leg] += 1
    for (const come of this.#cameIn) come()
  }

  #dropAll(error: Error): void {
    const dropped = this.#onTheirWay
    this.#onTheirWay = new Set()
    this.#lanes = new Lanes()
    for (const leg of legs) this.#waiting[leg] = 0
    for (const { drop } of dropped) drop(error)
  }
}
