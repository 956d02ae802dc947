/**
 * Faults: rules, what they strike, and what became of it. The layer of the way that does so, and the door of the room.
 *
 *   rules.ts     which rule fires, and what goes on     rule.ts, selector.ts, when.ts   what a rule says
 *   journey.ts   a call past the points of its way      call.ts, message.ts             what is struck
 *   kind.ts      what a fault is                        kinds.ts                        all that there are
 *   firings.ts   the truth                              endpoints.ts, pattern.ts, nearest.ts   what rules name
 *   waiting.ts   commands that come later               header.ts   a fault for one request, without a rule
 *
 * Absent     without rules nothing is turned aside but a request that asks for a fault itself
 * Goes back  rules, their counts, firings and late commands, with snapshots
 * Source     lab.md §4.4, §4.5
 */
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { FramedSocket } from '../../stream/stream.ts'
import { fieldWrong, LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import type { Layer } from '../way/way.ts'
import { type Answer, Call, type Garble } from './call.ts'
import { truthOf } from './firings.ts'
import { headerName, headerRule } from './header.ts'
import { Journey } from './journey.ts'
import type { AtMessages, AtRead } from './kind.ts'
import { garbledText } from './kinds/answers.ts'
import { Message } from './message.ts'
import { presetNamed } from './presets.ts'
import { Rules, type SavedRules } from './rules.ts'
import { LateCommands, type Waiting } from './waiting.ts'

export { shownEndpoints } from './endpoints.ts'
export { shownKinds } from './kinds.ts'
export { presetNamed, presetNames } from './presets.ts'

interface SavedFaults extends SavedRules {
  readonly waiting: readonly Waiting[]
}

export class Faults implements Layer {
  readonly name = 'faults'
  readonly rules: Rules
  readonly #venue: LabVenue
  readonly #late: LateCommands
  /** Sockets whose next answer to an order cannot be read. */
  readonly #garbled = new Map<number, Garble>()

  constructor(venue: LabVenue) {
    const { runtime } = venue.parts
    this.#venue = venue
    this.rules = new Rules(venue)
    this.#late = new LateCommands(
      runtime,
      () => venue.agenda,
      (firing, sent) => this.rules.firings.note(firing, truthOf(sent, venue)),
    )
    runtime.addConsumer({ record: (_sequence, _at, events) => this.rules.record(events) })
  }

  /** A rule, all of a preset, or a list: all of them, or none. Throws LabRefusal. */
  async add(given: Readonly<Record<string, unknown>>) {
    const { preset, rules, about: _about, ...others } = given
    const several =
      preset === undefined || preset === null
        ? rules
        : presetNamed(typeof preset === 'string' ? preset : JSON.stringify(preset)).rules
    if (several === undefined || several === null) return (await this.rules.add(given)).shown
    const [beside] = Object.keys(others)
    if (beside !== undefined) throw fieldWrong(beside, 'goes without a preset and without rules: each has its own')
    if (!Array.isArray(several) || !several.every(isRecord)) throw fieldWrong('rules', 'a list of rules')
    return { rules: (await this.rules.addAll(several)).map(({ shown }) => shown) }
  }

  get isActive(): boolean {
    return this.rules.size > 0
  }

  isAsked({ headers }: AskedByRequest['request']): boolean {
    return headers[headerName] !== undefined
  }

  async request(asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Answer>): Promise<Answer> {
    let own
    try {
      own = headerRule(asked, this.#venue)
    } catch (error) {
      if (error instanceof LabRefusal) return inWords(error)
      throw error
    }
    return new Journey(new Call(asked, this.#venue), this.#parts, serve, own).go(inside)
  }

  async call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const served = async (within: Inside): Promise<Answer> => {
      try {
        return { httpStatus: 200, headers: {}, body: '', settled: { data: await serve(within) } }
      } catch (error) {
        const { httpStatus = 500 } = error as { readonly httpStatus?: number }
        return { httpStatus, headers: {}, body: '', settled: { error } }
      }
    }
    const { settled, garble } = await new Journey(new Call(asked, this.#venue), this.#parts, served, undefined).go(
      inside,
    )
    if (settled === undefined) return undefined
    if (garble !== undefined && asked.caller.socket !== undefined) this.#garbled.set(asked.caller.socket.id, garble)
    if ('data' in settled) return settled.data
    if ('error' in settled) throw settled.error
    if (settled.lost !== 'hang') asked.caller.socket?.terminate()
    return new Promise<never>(() => {})
  }

  mayOpen(path: string): boolean | 'silent' {
    const said = this.rules.lasting().map(({ kind, with: given }) => (kind as AtRead).mayOpen?.(given, path))
    if (said.includes(false)) return false
    return said.includes('silent') ? 'silent' : true
  }

  out(socket: FramedSocket, whole: Buffer, send: (message: Buffer) => void): void {
    const bytes = this.#garbled.size === 0 ? whole : this.#garble(socket, whole)
    this.#message(new Message(bytes, socket, 'out'), send)
  }

  in(socket: FramedSocket, bytes: Buffer, hear: (message: Buffer) => void): void {
    this.#message(new Message(bytes, socket, 'in'), hear)
  }

  closed(socket: FramedSocket): void {
    this.#garbled.delete(socket.id)
  }

  pongs(socket: FramedSocket): boolean {
    return this.rules
      .lasting()
      .every(({ kind, selector, with: given }) =>
        selector.matchesSocket(socket) ? (kind as AtMessages).pongs?.(given, socket) !== false : true,
      )
  }

  save(): SavedFaults {
    return { ...this.rules.save(), waiting: this.#late.save() }
  }

  restore(saved: unknown, keepRules: boolean): void {
    const { waiting = [], ...rules } = (saved ?? {}) as Partial<SavedFaults>
    this.rules.restore(saved === undefined ? undefined : (rules as SavedRules), keepRules)
    this.#late.restore(waiting)
  }

  get #parts() {
    return { venue: this.#venue, rules: this.rules, late: this.#late }
  }

  #garble(socket: FramedSocket, whole: Buffer): Buffer {
    const how = this.#garbled.get(socket.id)
    if (how === undefined || new Message(whole, socket, 'out').event !== 'trade') return whole
    this.#garbled.delete(socket.id)
    return Buffer.from(garbledText(whole.toString(), how))
  }

  #message(message: Message, on: (message: Buffer) => void): void {
    const { socket, direction, bytes } = message
    for (const rule of this.rules.lasting()) {
      const kind = rule.kind as AtRead
      if (kind.passes === undefined || !rule.selector.matchesSocket(socket)) continue
      const fired = this.rules.fired({ rule, firing: rule.lasting!.firing })
      if (!kind.passes({ ...fired, socket, message })) return
    }
    const side = direction === 'out' ? 'out' : 'in'
    const isPush = direction === 'out' && message.event === undefined
    const struck = this.rules.strike(['pushed'], {
      at: isPush ? 'push' : undefined,
      matches: ({ kind, selector, with: given }) => {
        const of = kind as AtMessages
        return of[side] !== undefined && selector.matchesMessage(message) && of.fits?.(message, given) !== false
      },
      facts: () => ({ ...(socket.uid !== undefined && { uid: String(socket.uid) }) }),
    })
    if (struck === undefined) return on(bytes)
    ;(struck.rule.kind as AtMessages)[side]!({ ...this.rules.fired(struck), socket, message }, on)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A header that is wrong is told in the laboratory's own words. */
function inWords({ status, code, message, facts }: LabRefusal): Answer {
  const body = JSON.stringify({ ok: false, error: { code, message, ...facts } })
  return { httpStatus: status, headers: {}, body }
}
