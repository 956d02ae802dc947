/**
 * The recorder: the first layer around a venue, outermost for answers and nearest to the engine for commands. It keeps what comes
 * in, what goes out, and where in the journal the commands of each came to be.
 *
 * Ring      of pieces, each with what the venue was at its beginning: at least the last 15 minutes, within a bound of bytes
 * Whole     a recording is all from the beginning of a piece on. One that somebody started begins where that was
 * Back      a venue that goes back begins its recording anew there
 * Cheap     references are kept; a long answer and every push leave their digest alone
 * Frozen    while a call goes through its first turn its time stands, so that it is the same when it is played again
 * Source    lab.md §4.8; decisions/0038
 */
import { crc32 } from 'node:zlib'
import type { AskedBeside, AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { Outgoing } from '../../http/http.ts'
import type { OperatorPorts } from '../../operator/operator.ts'
import type { EventConsumer, Runtime } from '../../runtime/runtime.ts'
import type { FramedSocket, MessageKind } from '../../stream/stream.ts'
import { LabRefusal } from '../refusals.ts'
import type { SavedVenue } from '../saved.ts'
import type { WayLog, StruckAt } from '../way/way-log.ts'
import type { Layer } from '../way/way.ts'
import { digestOf } from './digests.ts'
import { type Entry, type Moment, RecordedCall, RecordedLabCall, RecordedRequest } from './entries.ts'

export interface RecorderOptions {
  /** Whether the ring turns. */
  readonly isOn: boolean
  /** Answers are kept whole. */
  readonly fullBodies: boolean
}

/** As much of a venue as a recorder has to know. */
interface RecordedVenue {
  readonly parts: { readonly runtime: Runtime }
  save(onMoment: () => void): Promise<SavedVenue>
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

/** A socket, and how it logged in last. */
export interface SocketSeen {
  readonly socket: FramedSocket
  asked: Buffer | undefined
  login: Buffer | undefined
}

/** What happened since the venue was saved. */
export interface Piece {
  /** Undefined for a moment: until what was saved is put together. */
  base: SavedVenue | undefined
  /** Whether time stood still at its beginning. */
  readonly frozen: boolean
  /** Those that were open then. */
  readonly sockets: readonly Readonly<SocketSeen>[]
  readonly entries: Entry[]
  /** The first sequence of each batch of commands. */
  readonly batches: number[]
  readonly beganMs: number
  bytes: number
}

const windowMs = 15 * 60_000
const pieceMs = 5 * 60_000
const lookEveryMs = 30_000
/** Of what is kept in memory, about. */
const bytesMax = 256 * 2 ** 20
const startedBytesMax = 2 ** 30
const pieceBytesMax = bytesMax / 4
/** Between two pieces, so many times what it took to save the venue for the last one: a half of a percent. */
const pauseShare = 200
/** A longer answer is kept by its digest. */
const answerBytesMax = 2_048
/** What an entry takes besides its texts, about. */
const entryBytes = 700
const frameBytes = 150

const loginAccepted = '{"event":"login","code":0'

export class Recorder implements Layer, EventConsumer, WayLog {
  readonly name = 'recorder'
  isActive = false
  /** Answers are kept whole. */
  fullBodies: boolean
  readonly #options: RecorderOptions
  #venue: RecordedVenue | undefined
  #runtime!: Runtime
  #pieces: Piece[] = []
  #piece: Piece = emptyPiece([], false)
  #bytes = 0
  readonly #sockets = new Map<number, SocketSeen>()
  /** Somebody started it. */
  #started: { readonly file: string | undefined } | undefined
  #isTurning = false
  /** What it took to save the venue last. */
  #savedMs = 0
  #isInBatch = false
  #looks: NodeJS.Timeout | undefined
  #push: { readonly message: Buffer; readonly digest: number } | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
    this.fullBodies = options.fullBodies
  }

  /** The venue is there, and is what `base` says. */
  begin(venue: RecordedVenue, base: SavedVenue): void {
    this.#venue = venue
    this.#runtime = venue.parts.runtime
    venue.parts.runtime.addConsumer(this)
    if (this.#options.isOn) this.#beginAt(base)
  }

  stop(): void {
    clearInterval(this.#looks)
    this.isActive = false
    this.#pieces = []
  }

  get isStarted(): boolean {
    return this.#started !== undefined
  }

  /** Pieces with all that belongs to a recording as it stands, oldest first; undefined: nothing is recorded. */
  pieces(): readonly Piece[] | undefined {
    const pieces = this.#pieces.filter(({ base }) => base !== undefined)
    return this.isActive && pieces.length > 0 ? pieces : undefined
  }

  /** A recording of its own from now on. In turn. Throws LabRefusal when there is one. */
  async start(file: string | undefined, fullBodies: boolean): Promise<void> {
    if (this.#started !== undefined) throw new LabRefusal(409, 'recording-started', 'a recording is on: stop it first')
    this.fullBodies = fullBodies || this.#options.fullBodies
    this.isActive = true
    await this.#turn()
    this.#started = { file }
    this.#drop(this.#pieces.length - 1)
    this.#watch()
  }

  /** The file that it was to be written to. `save` is called while it is whole. */
  async stopStarted<T>(save: (file: string | undefined) => Promise<T>): Promise<T> {
    if (this.#started === undefined) throw new LabRefusal(409, 'recording-not-started', 'no recording was started')
    const saved = await save(this.#started.file)
    this.#started = undefined
    this.fullBodies = this.#options.fullBodies
    if (!this.#options.isOn) this.stop()
    return saved
  }

  /** It began with the venue, and is written when that ends. */
  startAtBeginning(file: string): void {
    this.#started = { file }
  }

  /** The venue is `base` now: what was before is on another path. */
  beganAnew(base: SavedVenue): void {
    if (!this.isActive) return
    this.#pieces = []
    this.#bytes = 0
    this.#beginAt(base)
  }

  request(
    { request }: AskedByRequest,
    inside: Inside,
    serve: (inside: Inside) => Promise<Outgoing>,
  ): Promise<Outgoing> {
    const { steered } = this.#runtime.clock
    steered!.pin()
    const entry = new RecordedRequest(this.#moment(), inside.core, request)
    this.#keep(entry, entryBytes + request.target.length + (request.body?.length ?? 0))
    let answering: Promise<Outgoing>
    try {
      answering = serve({ core: entry, history: inside.history, market: inside.market })
    } finally {
      steered!.unpin()
    }
    return answering.then((answer) => {
      this.#answered(entry, answer)
      return answer
    })
  }

  async call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const entry = new RecordedCall(this.#moment(), inside.core, asked)
    this.#keep(entry, entryBytes)
    return serve({ core: entry, history: inside.history, market: inside.market })
  }

  beside(asked: AskedBeside): void {
    this.#keep({ kind: 'beside', ...this.#moment(), asked }, entryBytes)
  }

  letGo(ids: readonly string[]): void {
    if (this.isActive) this.#keep({ kind: 'let-go', ...this.#moment(), ids }, frameBytes)
  }

  struck(rule: string, point: string, at: StruckAt): void {
    if (!this.isActive) return
    if (at === 'push') return this.#keep({ kind: 'struck', ...this.#moment(), rule }, frameBytes)
    const isIts = (entry: Entry) =>
      'request' in at
        ? entry.kind === 'request' && entry.request === at.request
        : entry.kind === 'call' && entry.asked === at
    for (const { entries } of this.#pieces.toReversed()) {
      const entry = entries.findLast(isIts) as RecordedRequest | RecordedCall | undefined
      if (entry === undefined) continue
      entry.strikes ??= []
      entry.strikes.push([point, rule])
      return
    }
  }

  /** The ports that the call acts through, and nothing where it changes nothing. */
  labCall(method: string, path: string, body: unknown, ports: OperatorPorts): OperatorPorts {
    if (!this.isActive || method === 'GET' || path.startsWith('/record')) return ports
    const entry = new RecordedLabCall(this.#moment(), this.#runtime, { method, path, body })
    this.#keep(entry, entryBytes + JSON.stringify(body ?? '').length)
    return Object.create(ports, { core: { value: entry } }) as OperatorPorts
  }

  opened(socket: FramedSocket): void {
    this.#sockets.set(socket.id, { socket, asked: undefined, login: undefined })
    if (this.isActive) this.#keep({ kind: 'opened', ...this.#moment(), socket }, frameBytes)
  }

  closed(socket: FramedSocket): void {
    this.#sockets.delete(socket.id)
    if (this.isActive) this.#keep({ kind: 'closed', ...this.#moment(), socket: socket.id }, frameBytes)
  }

  in(socket: FramedSocket, message: Buffer, hear: (message: Buffer) => void): void {
    const { steered } = this.#runtime.clock
    const seen = this.#sockets.get(socket.id)
    if (seen !== undefined && message.includes('"login"')) seen.asked = message
    steered!.pin()
    this.#keep({ kind: 'heard', ...this.#moment(), socket: socket.id, message }, frameBytes + message.length)
    try {
      hear(message)
    } finally {
      steered!.unpin()
    }
  }

  out(socket: FramedSocket, message: Buffer, send: (message: Buffer) => void, as: MessageKind): void {
    send(message)
    let text: string | undefined
    let digest = 0
    if (as === 'answer') {
      text = message.toString()
      const seen = this.#sockets.get(socket.id)
      if (seen !== undefined && text.startsWith(loginAccepted)) seen.login = seen.asked
    } else {
      // A push goes to many.
      if (this.#push?.message !== message) this.#push = { message, digest: crc32(message) }
      ;({ digest } = this.#push)
    }
    this.#keep(
      { kind: 'said', ...this.#moment(), socket: socket.id, as, digest, text },
      frameBytes + (text?.length ?? 0),
    )
  }

  /** Commands of a batch are told in one go. */
  record(sequence: number): void {
    if (!this.isActive || this.#isInBatch) return
    this.#isInBatch = true
    this.#piece.batches.push(sequence)
    queueMicrotask(() => (this.#isInBatch = false))
  }

  #moment(): Moment {
    const { clock } = this.#runtime
    return { at: clock.now(), system: clock.systemNow(), before: this.#runtime.sequence }
  }

  #keep(entry: Entry, bytes: number): void {
    const piece = this.#piece
    piece.entries.push(entry)
    piece.bytes += bytes
    this.#bytes += bytes
    if (piece.bytes > pieceBytesMax && !this.#isTurning && this.#mayTurn()) this.#turnSoon()
  }

  #answered(entry: RecordedRequest, answer: Outgoing): void {
    if (answer.body.length > answerBytesMax && !this.fullBodies) {
      entry.answer = { httpStatus: answer.httpStatus, digest: digestOf(answer) }
      return
    }
    entry.answer = answer
    this.#piece.bytes += answer.body.length
    this.#bytes += answer.body.length
  }

  #beginAt(base: SavedVenue): void {
    this.isActive = true
    this.#beginPiece().base = base
    this.#watch()
  }

  #beginPiece(): Piece {
    const sockets = [...this.#sockets.values()].map((seen) => ({ ...seen }))
    this.#piece = emptyPiece(sockets, this.#runtime.clock.steered?.isFrozen === true)
    this.#pieces.push(this.#piece)
    return this.#piece
  }

  /** A venue that takes long to be saved is saved more seldom, up to twice the bound. */
  #mayTurn(): boolean {
    const { beganMs, bytes } = this.#piece
    return bytes > 2 * pieceBytesMax || performance.now() - beganMs > pauseShare * this.#savedMs
  }

  #watch(): void {
    clearInterval(this.#looks)
    this.#looks = setInterval(() => {
      const { beganMs, entries, batches } = this.#piece
      const isOld = performance.now() - beganMs > pieceMs && entries.length + batches.length > 0
      if (isOld && !this.#isTurning) this.#turnSoon()
    }, lookEveryMs).unref()
  }

  #turnSoon(): void {
    this.#isTurning = true
    const turned = this.#venue!.inTurn(() => this.#turn())
    // A venue that cannot be saved now is saved the next time.
    void turned.catch(() => {}).finally(() => (this.#isTurning = false))
  }

  /** The next piece begins, and what is older than anybody wants goes. */
  async #turn(): Promise<void> {
    let piece: Piece | undefined
    const startedMs = performance.now()
    const base = await this.#venue!.save(() => (piece = this.#beginPiece()))
    this.#savedMs = performance.now() - startedMs
    piece!.base = base
    const most = this.#started === undefined ? bytesMax : startedBytesMax
    while (this.#pieces.length > 1) {
      const isOld = this.#started === undefined && performance.now() - this.#pieces[1].beganMs > windowMs
      if (!isOld && this.#bytes <= most) return
      this.#drop(1)
    }
  }

  #drop(count: number): void {
    for (const { bytes } of this.#pieces.splice(0, count)) this.#bytes -= bytes
  }
}

function emptyPiece(sockets: Piece['sockets'], frozen: boolean): Piece {
  return { base: undefined, frozen, sockets, entries: [], batches: [], beganMs: performance.now(), bytes: 0 }
}
