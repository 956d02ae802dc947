/**
 * What a recorder keeps of what happened, as it was: references, turned into rows only when a recording is saved (rows.ts).
 *
 * Order     is that of the list; `before` says which command of the journal was applied last when it happened
 * Times     of the venue and of the system, Unix milliseconds, when it came in
 * Core      of a request, of an order over a socket and of an operator's call is its entry: it notes where the commands that
 *           it sends come to be in the journal, and what it is told of the time
 * Source    lab.md §4.8
 */
import type { AskedBeside, AskedBySocket } from '../../api/api.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../../engine/protocol/query.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { IncomingRequest, Outgoing } from '../../http/http.ts'
import type { Core, Trace } from '../../runtime/core.ts'
import type { FramedSocket, MessageKind } from '../../stream/stream.ts'

/** When something happened. */
export interface Moment {
  readonly at: number
  readonly system: number
  readonly before: number
}

/** Commands that were sent at once. */
export class Sent implements Trace {
  readonly count: number
  readonly #outer: Trace | undefined
  #sequence: number | undefined

  constructor(count: number, outer: Trace | undefined) {
    this.count = count
    this.#outer = outer
  }

  /** Of the first of them; undefined: they are not in the journal. */
  get sequence(): number | undefined {
    return this.#sequence
  }

  set sequence(sequence: number | undefined) {
    this.#sequence = sequence
    if (this.#outer !== undefined) this.#outer.sequence = sequence
  }
}

/** A rule that struck, and at which point of the way of a call. */
export type Strike = readonly [point: string, rule: string]

abstract class RecordedCore implements Core, Moment {
  readonly at: number
  readonly system: number
  readonly before: number
  /** What was sent, in order. */
  sent: Sent[] | undefined
  /** Pairs: from this question for the time on, counted from zero, the answer was that; it was `at` before. */
  nows: number[] | undefined
  /** What struck the call, in order. */
  strikes: Strike[] | undefined
  readonly #core: Core
  #asked = 0
  #told: number

  constructor({ at, system, before }: Moment, core: Core) {
    this.at = at
    this.system = system
    this.before = before
    this.#core = core
    this.#told = at
  }

  submit(command: Command, trace?: Trace): Promise<Reply> {
    return this.#core.submit(command, this.#send(1, trace))
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (commands.length === 0) return this.#core.submitAll(commands, trace)
    return this.#core.submitAll(commands, this.#send(commands.length, trace))
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#core.query(query)
  }

  now(): number {
    const now = this.#core.now()
    if (now !== this.#told) {
      this.#told = now
      this.nows ??= []
      this.nows.push(this.#asked, now)
    }
    this.#asked += 1
    return now
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#core.rebuilt
  }

  #send(count: number, trace: Trace | undefined): Sent {
    const sent = new Sent(count, trace)
    if (this.sent === undefined) this.sent = [sent]
    else this.sent.push(sent)
    return sent
  }
}

/** Of an answer whose text is not kept. */
export interface Digested {
  readonly httpStatus: number
  readonly digest: string
}

export class RecordedRequest extends RecordedCore {
  readonly kind = 'request'
  readonly request: IncomingRequest
  /** Undefined: there was none yet, or there never is one. */
  answer: Outgoing | Digested | undefined

  constructor(moment: Moment, core: Core, request: IncomingRequest) {
    super(moment, core)
    this.request = request
  }
}

/** An order over a socket. */
export class RecordedCall extends RecordedCore {
  readonly kind = 'call'
  readonly asked: AskedBySocket

  constructor(moment: Moment, core: Core, asked: AskedBySocket) {
    super(moment, core)
    this.asked = asked
  }

  get socket(): number {
    return this.asked.caller.socket?.id ?? 0
  }
}

/** A call of the laboratory, or an operator's. */
export class RecordedLabCall extends RecordedCore {
  readonly kind = 'lab'
  readonly method: string
  /** Below /_lab. */
  readonly path: string
  readonly body: unknown

  constructor(
    moment: Moment,
    core: Core,
    call: { readonly method: string; readonly path: string; readonly body: unknown },
  ) {
    super(moment, core)
    this.method = call.method
    this.path = call.path
    this.body = call.body
  }
}

export type Entry =
  | RecordedRequest
  | RecordedCall
  | RecordedLabCall
  /** Held commands went on. */
  | (Moment & { readonly kind: 'let-go'; readonly ids: readonly string[] })
  /** A push made a rule fire. */
  | (Moment & { readonly kind: 'struck'; readonly rule: string })
  | (Moment & { readonly kind: 'beside'; readonly asked: AskedBeside })
  | (Moment & { readonly kind: 'opened'; readonly socket: FramedSocket })
  | (Moment & { readonly kind: 'closed'; readonly socket: number })
  | (Moment & { readonly kind: 'heard'; readonly socket: number; readonly message: Buffer })
  | (Moment & {
      readonly kind: 'said'
      readonly socket: number
      readonly as: MessageKind
      readonly digest: number
      readonly text: string | undefined
    })
