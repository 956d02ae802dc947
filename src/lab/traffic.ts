/**
 * What clients asked a venue and what they were told: requests, orders over sockets, and messages, as lines for whoever judges a
 * client by its manners.
 *
 * Off       until somebody asks for it; then it stands around everything else, and sees calls as they were sent and answers as they
 *           leave. What a fault does to the bytes of an answer is in the fault's own record
 * Bounded   by lines, of which the oldest go first, and each text is cut
 * Messages  those of private sockets, and of public ones what is no push: a book would fill it within a minute
 * Goes back never: it tells what happened. A fork begins without
 */
import type { AskedByRequest, AskedBySocket } from '../api/api.ts'
import { ApiError } from '../api/api.ts'
import type { FramedSocket } from '../stream/stream.ts'
import type { Layer } from './way/way.ts'

export interface TrafficLine {
  readonly number: number
  /** Unix milliseconds of the venue. */
  readonly at: number
  /** `handshake`: somebody asks for a socket. `in` and `out`: a message of one. */
  readonly kind: 'request' | 'call' | 'handshake' | 'opened' | 'closed' | 'in' | 'out'
  readonly endpoint?: string
  readonly target?: string
  /** The API key that was named, whether or not it is good. */
  readonly key?: string
  readonly uid?: number | undefined
  readonly socket?: number
  readonly text?: string
  /** Absent: not answered yet. */
  readonly answeredAt?: number
  readonly status?: number
  readonly code?: string
  readonly answer?: string
}

const linesMax = 20_000
const textMax = 1_000

export class Traffic implements Layer {
  readonly name = 'traffic'
  readonly #now: () => number
  #lines: TrafficLine[] = []
  #counted = 0
  #isWatching = false

  constructor(now: () => number) {
    this.#now = now
  }

  get isActive(): boolean {
    return this.#isWatching
  }

  watch(isWatching: boolean): void {
    this.#isWatching = isWatching
    if (!isWatching) this.#lines = []
  }

  /** Behind a number, oldest first. */
  after(number: number, limit: number): readonly TrafficLine[] {
    const first = this.#lines[0]?.number ?? 0
    const from = Math.max(0, number + 1 - first)
    return this.#lines.slice(from, from + limit)
  }

  readonly request: Required<Layer>['request'] = async ({ endpoint, request }: AskedByRequest, inside, serve) => {
    const key = request.headers['access-key']
    const line = this.#write('request', {
      endpoint: `${endpoint.method} ${endpoint.path}`,
      target: request.target.slice(0, textMax),
      ...(typeof key === 'string' && { key: key.slice(0, 100) }),
      ...(request.body !== undefined && { text: textOf(request.body) }),
    })
    const outgoing = await serve(inside)
    const answer = textOf(outgoing.body)
    const code = /^\{"code":"(\w+)"/.exec(answer)?.[1]
    Object.assign(line, {
      answeredAt: this.#now(),
      status: outgoing.httpStatus,
      ...(code !== undefined && { code }),
      answer,
    })
    return outgoing
  }

  readonly call: Required<Layer>['call'] = async ({ endpoint, caller, input }: AskedBySocket, inside, serve) => {
    const line = this.#write('call', {
      endpoint: `${endpoint.method} ${endpoint.path}`,
      uid: caller.key.uid,
      key: caller.key.apiKey,
      ...(caller.socket !== undefined && { socket: caller.socket.id }),
      text: JSON.stringify(input).slice(0, textMax),
    })
    try {
      const data = await serve(inside)
      const answer = (JSON.stringify(data) ?? '').slice(0, textMax)
      Object.assign(line, { answeredAt: this.#now(), code: '00000', answer })
      return data
    } catch (error) {
      const code = error instanceof ApiError ? error.code : 'unexpected'
      Object.assign(line, { answeredAt: this.#now(), code })
      throw error
    }
  }

  mayOpen(path: string): boolean {
    this.#write('handshake', { target: path })
    return true
  }

  opened(socket: FramedSocket): void {
    if (this.#isWatching) this.#write('opened', { socket: socket.id })
  }

  closed(socket: FramedSocket): void {
    if (this.#isWatching) this.#write('closed', { socket: socket.id, uid: socket.uid })
  }

  in(socket: FramedSocket, message: Buffer, hear: (message: Buffer) => void): void {
    const text = textOf(message)
    if (text !== 'ping') this.#write('in', { socket: socket.id, uid: socket.uid, text: withoutSecrets(text) })
    hear(message)
  }

  /** First of the layers, so it is the last that a message passes: what is noted here is sent. */
  out(socket: FramedSocket, message: Buffer, send: (message: Buffer) => void): void {
    const text = textOf(message)
    const isPush = text.startsWith('{"action"')
    if (text !== 'pong' && (!isPush || socket.uid !== undefined)) {
      this.#write('out', { socket: socket.id, uid: socket.uid, text })
    }
    send(message)
  }

  #write(kind: TrafficLine['kind'], fields: Partial<TrafficLine>): TrafficLine {
    this.#counted += 1
    const line = { number: this.#counted, at: this.#now(), kind, ...fields }
    this.#lines.push(line)
    if (this.#lines.length > linesMax * 1.1) this.#lines = this.#lines.slice(-linesMax)
    return line
  }
}

function textOf(bytes: Buffer | string): string {
  return typeof bytes === 'string' ? bytes.slice(0, textMax) : bytes.subarray(0, textMax).toString()
}

/** A login is noted, and what it proves itself with is not. */
function withoutSecrets(text: string): string {
  return text.replace(/"(passphrase|sign)"\s*:\s*"[^"]*"/g, '"$1":"…"')
}
