/**
 * What stands before the engine while a recording is played: a command that a call sends waits here for its place in the
 * journal.
 *
 * Time      is told to the call as it was told then, question by question
 * Nowhere   what was not sequenced then is refused now, as for want of room
 * Source    lab.md §4.8; decisions/0038
 */
import type { Command } from '../../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../../engine/protocol/query.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { type Core, type Trace, VenueOverloaded } from '../../runtime/core.ts'
import type { SentRow } from './rows.ts'

/** Commands that wait for their place. */
export interface Submission {
  readonly commands: readonly Command[]
  readonly trace: Trace | undefined
  readonly resolve: (replies: readonly Reply[]) => void
  readonly reject: (error: unknown) => void
}

/** A call as it was recorded: where its commands were, and what it was told of the time. */
interface Recorded {
  readonly at: number
  readonly sent: readonly SentRow[]
  readonly nows: readonly number[]
}

export class Gate implements Core {
  readonly recorded: Recorded
  readonly #core: Core
  readonly #waiting: Submission[] = []
  #sent = 0
  #asked = 0
  #now: number
  #nextNow = 0
  #heard: (() => void) | undefined
  /** Nothing more comes. */
  #isOver = false

  constructor(recorded: Recorded, core: Core) {
    this.recorded = recorded
    this.#core = core
    this.#now = recorded.at
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** The call has ended. */
  end(): void {
    this.#isOver = true
    this.#heard?.()
  }

  /** What was sent first and waits; undefined: the call has ended without. */
  async next(): Promise<Submission | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#heard = resolve))
    }
    return this.#waiting.shift()
  }

  async submit(command: Command, trace?: Trace): Promise<Reply> {
    const [reply] = await this.submitAll([command], trace)
    return reply
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (commands.length === 0) return Promise.resolve([])
    const place = this.recorded.sent[this.#sent]
    this.#sent += 1
    if (place !== undefined && place[0] === undefined) {
      return Promise.reject(new VenueOverloaded('it was not sequenced when it was recorded'))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commands, trace, resolve, reject })
      this.#heard?.()
    })
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#core.query(query)
  }

  now(): number {
    const { nows } = this.recorded
    while (this.#nextNow < nows.length && nows[this.#nextNow] <= this.#asked) {
      this.#now = nows[this.#nextNow + 1]
      this.#nextNow += 2
    }
    this.#asked += 1
    return this.#now
  }
}
