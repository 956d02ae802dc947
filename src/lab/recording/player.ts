/**
 * Plays a recording: the same calls come in, between the same commands, and what comes out is compared.
 *
 * Commands  of the journal are carried out in its order, in the same batches with the same stamps. What a call of the recording
 *           sent then has to send it now, byte for byte; what came from elsewhere (timers, the simulated market, cheats) is taken
 *           from the journal
 * Calls     come in when the command before them has been carried out, at the time of the venue and the system that it was
 * Rules     calls of the laboratory that tell layers what to do are made again; those that move time or send commands are not
 * First     the difference of the earliest request is the one that is told
 * Not here  pushes: how many there are follows the pace of real time. Their digests are in the recording
 * Source    lab.md §4.8; decisions/0038
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { IncomingRequest, Outgoing } from '../../http/http.ts'
import { operatorCalls, type OperatorPorts } from '../../operator/operator.ts'
import { decodeCommand, encodedCommand, type Runtime } from '../../runtime/runtime.ts'
import type { FramedSocket, MessageKind } from '../../stream/stream.ts'
import { labCalls } from '../calls.ts'
import type { LabShelves, RecordingPlayer } from '../venues.ts'
import type { StruckAt } from '../way/strikes.ts'
import { digestOf, lasting } from './digests.ts'
import { Gate, type Submission } from './gate.ts'
import { OwnCommands } from './own-commands.ts'
import { PlayedSocket } from './played-socket.ts'
import { callOf, firstApart, whereOf } from './player-words.ts'
import type { CallRow, LabRow, RequestRow, Row } from './rows.ts'
import { loginMessage, signedHeaders } from './signing.ts'
import type { Tide } from './tide-file.ts'

/** Where a replay goes another way. */
export interface Difference {
  /** `request 12 (POST /api/v3/trade/place-order)`, `socket 3, answer 5`, `the end`. */
  readonly where: string
  readonly field: string
  readonly expected: string
  readonly got: string
}

interface Played {
  readonly row: RequestRow
  readonly number: number
  readonly gate: Gate
  answer: Outgoing | undefined
}

type Sending = RequestRow | CallRow | LabRow

/** Who has to send what the journal has at a place. */
interface Sender {
  readonly gate: () => Gate | undefined
  readonly count: number
  readonly where: string
  /** The number of the request before it, or its own. */
  readonly order: number
}

/** Turns of the event loop in which a call ends, or sends a command, or waits for something else. */
const turnsMax = 200
/** The same where a layer may send one by itself. */
const ownTurnsMax = 3
/** Real time that a command may take to come. */
const commandMsMax = 5_000

/** Calls that are made again: what they do is in no command. */
const madeAgain = /^\/(?:faults|hold|release|drop|latency|operator\/keys)(?:\/|$)/

export class Player implements RecordingPlayer {
  readonly name = 'recorder'
  isActive = true
  readonly #tide: Tide
  readonly #onAnswer: (row: RequestRow, answer: Outgoing) => void
  #asked!: LabShelves
  #runtime!: Runtime
  readonly #own = new OwnCommands()
  /** Layers may send commands by themselves. */
  readonly #mayOwn: boolean
  readonly #requests = new Map<IncomingRequest, Played>()
  /** By the first sequence of what they sent. */
  readonly #senders = new Map<number, Sender>()
  readonly #gates = new Map<Sending, Gate>()
  readonly #played = new Set<Played>()
  readonly #sockets = new Map<number, PlayedSocket>()
  /** The recorded number of a socket here. */
  readonly #numbers = new Map<number, number>()
  #opening = 0
  readonly #calls = new Map<number, CallRow[]>()
  readonly #callRows = new WeakMap<AskedBySocket, CallRow>()
  readonly #said = new Map<number, string[]>()
  readonly #wanted = new Map<number, string[]>()
  #batch = 0
  /** What the system's clock is ahead of the venue's. */
  #offset = 0
  #numbered = 0
  #difference: (Difference & { readonly order: number }) | undefined

  /** `onAnswer` sees each answer to a request. */
  constructor(tide: Tide, onAnswer: (row: RequestRow, answer: Outgoing) => void = () => {}) {
    this.#tide = tide
    this.#onAnswer = onAnswer
    this.#mayOwn = tide.rows.some((row) => row.kind === 'lab' && row.path.startsWith('/faults')) || hasRules(tide)
    let number = 0
    for (const row of tide.rows) {
      if (row.kind === 'request') number += 1
      if (row.kind === 'call') listIn(this.#calls, row.socket).push(row)
      if (row.kind === 'said' && row.as === 'answer') listIn(this.#wanted, row.socket).push(row.digest)
      if (row.kind !== 'request' && row.kind !== 'call' && !(row.kind === 'lab' && madeAgain.test(row.path))) continue
      const where =
        row.kind === 'request'
          ? whereOf(row, number)
          : row.kind === 'call'
            ? `socket ${row.socket}`
            : `POST /_lab${row.path}`
      for (const [sequence, count] of row.sent) {
        if (sequence !== undefined)
          this.#senders.set(sequence, { gate: () => this.#gates.get(row), count, where, order: number })
      }
    }
  }

  /**
   * On a venue that is what the recording begins with, and whose first layer this is. Undefined: all was the same. Behind the
   * request `until` it stops, and the venue is anybody's.
   */
  async play(asked: LabShelves, until = Number.POSITIVE_INFINITY): Promise<Difference | undefined> {
    this.#asked = asked
    for (const row of this.#tide.rows) {
      if (row.kind === 'request' && this.#numbered >= until) return this.#leave()
      if (!(await this.#playThrough(row.before)) || this.#difference !== undefined) return this.#difference
      await this.#fallDue(row.at, false)
      this.#setClock(row.at, row.system)
      await this.#begin(row)
    }
    if (!(await this.#playThrough(this.#tide.head.lastSequence))) return this.#difference
    if (this.#numbered >= until) return this.#leave()
    await this.#end()
    return this.#difference
  }

  /** A push strikes nobody: what it made fire has a row of its own. */
  recorded(point: string, at: StruckAt): { readonly rule: string | undefined } | undefined {
    if (!this.isActive) return undefined
    if (at === 'push') return { rule: undefined }
    const row = 'request' in at ? this.#requests.get(at.request)?.row : this.#callRows.get(at)
    if (row === undefined) return undefined
    return { rule: row.strikes.find(([struck]) => struck === point)?.[1] }
  }

  around(runtime: Runtime): Runtime {
    this.#runtime = runtime
    return this.#own.around(runtime)
  }

  #leave(): Difference | undefined {
    this.isActive = false
    this.#own.end()
    this.#runtime.clock.steered!.unpin()
    return this.#difference
  }

  request(
    { request }: AskedByRequest,
    inside: Inside,
    serve: (inside: Inside) => Promise<Outgoing>,
  ): Promise<Outgoing> {
    const played = this.#requests.get(request)
    if (played === undefined) return serve(inside)
    return serve({ core: played.gate, history: inside.history, market: inside.market })
  }

  async call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const socket = this.#numbers.get(asked.caller.socket?.id ?? 0) ?? 0
    const row = this.#calls.get(socket)?.shift()
    if (row === undefined) {
      this.#differs(`socket ${socket}`, 'order', 'none', 'an order more than was recorded', this.#numbered)
      return serve(inside)
    }
    this.#callRows.set(asked, row)
    const gate = this.#gateOf(row)
    try {
      return await serve({ core: gate, history: inside.history, market: inside.market })
    } finally {
      gate.end()
    }
  }

  opened(socket: FramedSocket): void {
    this.#numbers.set(socket.id, this.#opening)
  }

  out(socket: FramedSocket, message: Buffer, send: (message: Buffer) => void, as: MessageKind): void {
    send(message)
    if (as === 'answer') listIn(this.#said, this.#numbers.get(socket.id) ?? 0).push(lasting(message.toString()))
  }

  /** One thing that happened. Resolves when it is over, or when it waits for something. */
  async #begin(row: Row): Promise<void> {
    switch (row.kind) {
      case 'request':
        return this.#request(row)
      case 'lab':
        return this.#lab(row)
      case 'beside': {
        const { asked, headers, socketAddress } = row
        await this.#parts.api.serveBeside({ ...asked, request: { headers, socketAddress, requestId: '' } })
        return
      }
      case 'opened': {
        const socket = new PlayedSocket()
        this.#sockets.set(row.socket, socket)
        this.#opening = row.socket
        this.#parts.stream.take(socket.asSocket, { version: row.version, ip: row.ip })
        if (row.apiKey === undefined) return
        // It was open before: what it is answered now it was answered then.
        socket.hear(loginMessage(this.#parts.keys, { apiKey: row.apiKey, timestamp: String(row.at) }))
        this.#said.set(row.socket, [])
        return
      }
      case 'struck':
        this.#asked.faults.rules.fireAgain(row.rule)
        return
      case 'closed':
        this.#sockets.get(row.socket)?.terminate()
        return
      case 'heard': {
        const { message, signed } = row
        this.#sockets.get(row.socket)?.hear(signed === undefined ? message : loginMessage(this.#parts.keys, signed))
        await this.#settled(() => false, 4)
        return
      }
      case 'call':
      case 'said':
    }
  }

  async #request(row: RequestRow): Promise<void> {
    this.#numbered += 1
    const number = this.#numbered
    const { requestId, connection, isLater, socketAddress, method, target } = row
    const body = row.body === undefined ? undefined : Buffer.from(row.body)
    const headers = row.signed === undefined ? row.headers : signedHeaders(this.#parts.keys, row, row.signed)
    const request = { requestId, connection, isLater, socketAddress, method, target, headers, body }
    const gate = this.#gateOf(row)
    const played: Played = { row, number, gate, answer: undefined }
    this.#requests.set(request, played)
    if (row.answer !== undefined) this.#played.add(played)
    let isOver = false
    const ended = () => {
      isOver = true
      gate.end()
      this.#requests.delete(request)
    }
    void this.#parts.api
      .serve(request)
      .then(
        (answer) => this.#answered(played, answer),
        (error: unknown) => this.#differs(whereOf(row, number), 'answer', 'an answer', String(error), number),
      )
      .finally(ended)
    await this.#settled(() => isOver || gate.isWaiting, turnsMax)
    if (gate.isWaiting && row.sent.length === 0) {
      this.#differs(whereOf(row, number), 'command', 'none', 'a command', number)
    }
  }

  #answered(played: Played, answer: Outgoing): void {
    const { row, number } = played
    played.answer = answer
    this.#onAnswer(row, answer)
    this.#played.delete(played)
    const where = whereOf(row, number)
    if (row.answer === undefined) return
    const { httpStatus, digest, text } = row.answer
    if (answer.httpStatus !== httpStatus) {
      this.#differs(where, 'status', String(httpStatus), String(answer.httpStatus), number)
    } else if (digestOf(answer) !== digest) {
      const got = answer.body.toString()
      this.#differs(
        where,
        'answer',
        text ?? `an answer of the digest ${digest}`,
        `${got.slice(0, 500)} (${digestOf(answer)})`,
        number,
      )
    }
  }

  async #lab(row: LabRow): Promise<void> {
    const { method, path, body } = row
    if (!madeAgain.test(path)) return
    const found = callOf(labCalls, method, path)
    const operators = operatorCalls.find((one) => one.method === method && one.path === path)
    const gate = this.#gateOf(row)
    const ports = Object.create(this.#parts.ports, { core: { value: gate } }) as OperatorPorts
    let isOver = false
    const make = async () => {
      if (found !== undefined) await found.call.run(body, this.#asked, found.id, new AbortController().signal)
      else await operators?.run(body, ports)
    }
    // What was refused then is refused now.
    void make()
      .catch(() => {})
      .finally(() => {
        isOver = true
        gate.end()
      })
    await this.#settled(() => isOver || gate.isWaiting, turnsMax)
  }

  /** Carries out the commands of the journal up to this one. False: a call did not send what it sent then. */
  async #playThrough(last: number): Promise<boolean> {
    const { batches, journal, head } = this.#tide
    while (this.#runtime.sequence < last) {
      const first = this.#runtime.sequence + 1
      while (this.#batch < batches.length && batches[this.#batch] <= first) this.#batch += 1
      const end = Math.min(last, (batches[this.#batch] ?? Number.POSITIVE_INFINITY) - 1)
      const { at } = decodeCommand(journal[first - head.sequence - 1])
      await this.#fallDue(at, false)
      this.#setClock(at, at + this.#offset)
      if (!(await this.#playBatch(first, end))) return false
      await this.#fallDue(at, true)
    }
    return true
  }

  async #playBatch(first: number, end: number): Promise<boolean> {
    const sending: (() => Promise<unknown>)[] = []
    for (let sequence = first; sequence <= end; ) {
      const sender = this.#senders.get(sequence)
      if (sender === undefined) {
        const own = await this.#ownAt(sequence)
        const commands = own?.commands ?? [decodeCommand(this.#recordOf(sequence)!).command]
        const sent = () => this.#runtime.submitAll(commands, own?.trace)
        sending.push(own === undefined ? sent : () => sent().then(own.resolve, own.reject))
        sequence += commands.length
        continue
      }
      const submission = await this.#submissionOf(sender)
      if (submission === undefined || !this.#isSame(submission, sequence, sender)) return false
      sending.push(() =>
        this.#runtime.submitAll(submission.commands, submission.trace).then(submission.resolve, submission.reject),
      )
      sequence += sender.count
    }
    await Promise.all(sending.map((send) => send()))
    // Whoever waited for a reply goes on before anything else happens.
    await nextTurn()
    return true
  }

  /** What a layer sends by itself at this place of the journal. */
  async #ownAt(sequence: number): Promise<Submission | undefined> {
    if (this.#mayOwn) await this.#settled(() => this.#own.isWaiting, ownTurnsMax)
    if (!this.#own.isWaiting) return undefined
    const { at } = decodeCommand(this.#recordOf(sequence)!)
    return this.#own.take((place) => this.#recordOf(sequence + place), at)
  }

  #recordOf(sequence: number): Uint8Array | undefined {
    const { journal, head } = this.#tide
    return journal[sequence - head.sequence - 1]
  }

  /** What a call sends next; undefined: it sends nothing, which is the difference. */
  async #submissionOf({ gate, where, order }: Sender): Promise<Submission | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const late = setTimeout(() => resolve(undefined), commandMsMax)
    // What comes late is due by now.
    void this.#asked.venue.agenda.runEntries()
    try {
      const submission = await Promise.race([gate()?.next(), promise])
      if (submission === undefined) this.#differs(where, 'command', 'a command', 'none', order)
      return submission
    } finally {
      clearTimeout(late)
    }
  }

  #isSame({ commands }: Submission, first: number, { count, where, order }: Sender): boolean {
    const { journal, head } = this.#tide
    const records = journal.slice(first - head.sequence - 1, first - head.sequence - 1 + count)
    const recorded = records.map((record) => decodeCommand(record))
    const isSame =
      commands.length === count &&
      recorded.every(
        ({ at }, place) => records[place].length > 0 && encodedCommand(commands[place], at).equals(records[place]),
      )
    if (isSame) return true
    const [expected, got] = firstApart(
      recorded.map(({ command }) => command),
      commands,
    )
    this.#differs(where, 'command', expected, got, order)
    return false
  }

  /** Waits until what is left has ended, then looks at all that was said, and at the state. */
  async #end(): Promise<void> {
    const { head, rows } = this.#tide
    await this.#fallDue(head.to, true)
    const open = () => [...this.#played].filter(({ row, answer }) => row.answer !== undefined && answer === undefined)
    await this.#settled(() => open().length === 0, turnsMax)
    for (const { row, number } of open()) this.#differs(whereOf(row, number), 'answer', 'an answer', 'none', number)
    for (const [socket, wanted] of this.#wanted) {
      const said = this.#said.get(socket) ?? []
      const place = wanted.findIndex((text, index) => said[index] !== text)
      if (place >= 0)
        this.#differs(
          `socket ${socket}, answer ${place + 1}`,
          'message',
          wanted[place],
          said[place] ?? 'none',
          rows.length,
        )
    }
    const stateHash = await this.#runtime.stateHash()
    if (stateHash !== head.stateHash) this.#differs('the end', 'stateHash', head.stateHash, stateHash, rows.length + 1)
  }

  /** Turns pass until it is so, or so many have. */
  async #settled(isSo: () => boolean, turns: number): Promise<void> {
    for (let turn = 0; turn < turns && !isSo(); turn += 1) await nextTurn()
  }

  #gateOf(row: Sending): Gate {
    const gate = new Gate(row, this.#runtime)
    this.#gates.set(row, gate)
    return gate
  }

  /** What layers do before a time of the venue, or up to it, each at its own time. */
  async #fallDue(at: number, isThatToo: boolean): Promise<void> {
    const { agenda } = this.#asked.venue
    for (let last = agenda.size; last > 0; last = agenda.size) {
      const dueAt = agenda.nextEntryAt ?? Number.POSITIVE_INFINITY
      if (dueAt > at || (dueAt === at && !isThatToo)) return
      this.#setClock(dueAt, dueAt + this.#offset)
      void agenda.runEntries()
      // Whoever waited for it goes on at that time.
      await nextTurn()
      await this.#settled(() => agenda.size < last, turnsMax)
      if (agenda.size >= last) return
    }
  }

  #setClock(at: number, system: number): void {
    const { steered } = this.#runtime.clock
    this.#offset = system - at
    steered!.goTo(at)
    steered!.pin(system)
  }

  get #parts() {
    return this.#asked.venue.parts
  }

  #differs(where: string, field: string, expected: string, got: string, order: number): void {
    if (this.#difference !== undefined && this.#difference.order <= order) return
    this.#difference = { where, field, expected, got, order }
  }
}

/** Of faults, from its beginning on. */
function hasRules({ base }: Tide): boolean {
  const faults = base.way['faults'] as { readonly rules?: readonly unknown[] } | undefined
  return (faults?.rules?.length ?? 0) > 0
}

function listIn<Item>(lists: Map<number, Item[]>, name: number): Item[] {
  let list = lists.get(name)
  if (list === undefined) lists.set(name, (list = []))
  return list
}
