/**
 * Plays a recording: the same calls come in, between the same commands, and what comes out is compared.
 *
 * Calls     come in when the command before them has been carried out, at the time of the venue and the system that it was
 * Rules     calls of the laboratory that tell layers what to do are made again; those that move time or send commands are not
 * First     the difference of the earliest request is the one that is told
 * Not here  pushes: how many there are follows the pace of real time. Their digests are in the recording
 * Source    lab.md §4.8; decisions/0038
 */
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { IncomingRequest, Outgoing } from '../../http/http.ts'
import { operatorCalls, type OperatorPorts } from '../../operator/operator.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { FramedSocket, MessageKind } from '../../stream/stream.ts'
import { labCalls } from '../calls.ts'
import type { LabShelves, RecordingPlayer } from '../venues.ts'
import type { StruckAt } from '../way/way-log.ts'
import { digestOf, lasting } from './digests.ts'
import { type Difference, Differences } from './differences.ts'
import { Gate } from './gate.ts'
import { OwnCommands } from './own-commands.ts'
import { PlayedSocket } from './played-socket.ts'
import { PlayedCommands, type Sender } from './played-commands.ts'
import { PlayedTime, settled, turnsMax } from './played-time.ts'
import { callOf, whereOf } from './player-words.ts'
import type { CallRow, LabRow, RequestRow, Row } from './rows.ts'
import { loginMessage, signedHeaders } from './signing.ts'
import type { Tide } from './tide-file.ts'

interface Played {
  readonly row: RequestRow
  readonly number: number
  readonly gate: Gate
  answer: Outgoing | undefined
}

type Sending = RequestRow | CallRow | LabRow

/** Turns in which a message is heard, or a call comes to whatever holds it back. */
const heardTurns = 4

/** Calls that are made again: what they do is in no command. */
const madeAgain = /^\/(?:faults|hold|drop|latency|operator\/keys)(?:\/|$)/

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
  #numbered = 0
  readonly #differences = new Differences()
  #time!: PlayedTime
  #commands!: PlayedCommands

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
    const agenda = () => asked.venue.agenda
    this.#time = new PlayedTime(this.#runtime, agenda)
    this.#commands = new PlayedCommands({
      tide: this.#tide,
      runtime: this.#runtime,
      time: this.#time,
      agenda,
      own: this.#own,
      mayOwn: this.#mayOwn,
      senders: this.#senders,
      differences: this.#differences,
    })
    for (const row of this.#tide.rows) {
      if (row.kind === 'request' && this.#numbered >= until) return this.#leave()
      if (!(await this.#commands.through(row.before)) || this.#differences.first !== undefined)
        return this.#differences.first
      await this.#time.fallDue(row.at, false)
      this.#time.set(row.at, row.system)
      await this.#begin(row)
    }
    if (!(await this.#commands.through(this.#tide.head.lastSequence))) return this.#differences.first
    if (this.#numbered >= until) return this.#leave()
    await this.#end()
    return this.#differences.first
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
    this.#time.leave()
    return this.#differences.first
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
      this.#differences.tell(`socket ${socket}`, 'order', 'none', 'an order more than was recorded', this.#numbered)
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
      case 'let-go':
        // Each of them waits at its gate for its turn.
        void this.#asked.hold.release(row.ids, 0).catch(() => {})
        await settled(() => false, heardTurns)
        return
      case 'struck':
        this.#asked.faults.rules.fireAgain(row.rule)
        return
      case 'closed':
        this.#sockets.get(row.socket)?.terminate()
        return
      case 'heard': {
        const { message, signed } = row
        this.#sockets.get(row.socket)?.hear(signed === undefined ? message : loginMessage(this.#parts.keys, signed))
        await settled(() => false, heardTurns)
        return
      }
      case 'call': {
        // What the socket said comes to be a call in its own time, and then to whatever holds it back.
        await settled(() => this.#gates.has(row), turnsMax)
        await settled(() => this.#gates.get(row)?.isWaiting === true, heardTurns)
        return
      }
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
        (error: unknown) => this.#differences.tell(whereOf(row, number), 'answer', 'an answer', String(error), number),
      )
      .finally(ended)
    await settled(() => isOver || gate.isWaiting, turnsMax)
    if (gate.isWaiting && row.sent.length === 0) {
      this.#differences.tell(whereOf(row, number), 'command', 'none', 'a command', number)
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
      this.#differences.tell(where, 'status', String(httpStatus), String(answer.httpStatus), number)
    } else if (digestOf(answer) !== digest) {
      const got = answer.body.toString()
      this.#differences.tell(
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
    await settled(() => isOver || gate.isWaiting, turnsMax)
  }

  /** Waits until what is left has ended, then looks at all that was said, and at the state. */
  async #end(): Promise<void> {
    const { head, rows } = this.#tide
    await this.#time.fallDue(head.to, true)
    const open = () => [...this.#played].filter(({ row, answer }) => row.answer !== undefined && answer === undefined)
    await settled(() => open().length === 0, turnsMax)
    for (const { row, number } of open())
      this.#differences.tell(whereOf(row, number), 'answer', 'an answer', 'none', number)
    for (const [socket, wanted] of this.#wanted) {
      const said = this.#said.get(socket) ?? []
      const place = wanted.findIndex((text, index) => said[index] !== text)
      if (place >= 0)
        this.#differences.tell(
          `socket ${socket}, answer ${place + 1}`,
          'message',
          wanted[place],
          said[place] ?? 'none',
          rows.length,
        )
    }
    const stateHash = await this.#runtime.stateHash()
    if (stateHash !== head.stateHash)
      this.#differences.tell('the end', 'stateHash', head.stateHash, stateHash, rows.length + 1)
  }

  #gateOf(row: Sending): Gate {
    const gate = new Gate(row, this.#runtime)
    this.#gates.set(row, gate)
    return gate
  }

  get #parts() {
    return this.#asked.venue.parts
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
