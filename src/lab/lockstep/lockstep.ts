/**
 * Lockstep: the clock goes on when every client has nothing more to do, and stops where one of them has. A layer of the way, and the
 * door of the room.
 *
 *   clients.ts   who takes part, and what each waits for     calls.ts     the calls
 *   results.ts   what came of it                             report.ts, page.ts   as JSON, CSV and one page
 *
 * Idle      a client that is registered says so (`/_lab/idle`), and is answered when it is its turn: a push has left, its time has
 *           come, or the market is over. One after the other, so that two clients never act at the same time
 * Quiet     of a client that says nothing: no request for so much real time. That is not exact, and the results say so
 * Under way nothing moves while a request is served. One that waits for a time of the venue (latency, a slow fault) is no reason
 * Steps     to the next moment at which something may happen if anybody listens to a socket, else to where the first one wakes
 * Fast      with `--fast-feed` always to where the first one wakes; what changed meanwhile is pushed once, at the end
 * Source    lab.md §4.14
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { FramedSocket, MessageKind } from '../../stream/stream.ts'
import { LabRefusal } from '../refusals.ts'
import { tapeOf } from '../tape/tape.ts'
import type { LabVenue } from '../venue.ts'
import type { Layer } from '../way/way.ts'
import { Clients, type Client, type Woken } from './clients.ts'
import { Results } from './results.ts'
import type { LockstepSettings } from './settings.ts'

type Answer = Awaited<ReturnType<Parameters<NonNullable<Layer['request']>>[2]>>

/** Turns of the event loop after which what is under way waits for a time of the venue, or for nothing. */
const settledTurns = 5
/** The longest step while somebody listens to a socket: simulated agents act so often. */
const listeningStepMs = 250

export class Lockstep implements Layer {
  readonly name = 'lockstep'
  readonly clients: Clients
  readonly #settings: LockstepSettings
  #venue!: LabVenue
  #results!: Results
  #underWay = 0
  /** Messages that left over sockets. */
  #pushed = 0
  /** Requests and messages that came, and answers that left: whoever waits for stillness looks at it. */
  #moved = 0
  #quietSince = performance.now()
  #isDriving = false
  #isOver = false
  #looks: NodeJS.Timeout | undefined

  constructor(settings: LockstepSettings) {
    this.#settings = settings
    this.clients = new Clients(() => this.#pushed)
  }

  begin(venue: LabVenue): void {
    this.#venue = venue
    if (this.#settings.quietMs !== undefined) {
      this.#looks = setInterval(() => this.look(), Math.max(1, this.#settings.quietMs)).unref()
    }
  }

  /** From here on what comes of it is kept; before the agenda is restored, where that is. */
  collect(): void {
    this.#results = new Results(this.#venue)
  }

  get results(): Results {
    return this.#results
  }

  get isActive(): boolean {
    return true
  }

  /** Somebody was taken as idle without saying so. */
  get isDeterministic(): boolean {
    return this.#settings.quietMs === undefined
  }

  /** Answered when it is this client's turn. `untilMs` undefined: at the next push. Throws LabRefusal. */
  async idle(client: Client, untilMs: number | undefined, gone: AbortSignal): Promise<Woken> {
    const { runtime } = this.#venue.parts
    if (untilMs === undefined && !this.#listens(client) && tapeOf(this.#venue) === undefined) {
      const message = 'until: a time is wanted where no socket is open, as no push would answer'
      throw new LabRefusal(400, 'body-wrong', message, { field: 'until' })
    }
    if (untilMs !== undefined && untilMs < runtime.now()) {
      const message = `until: ${new Date(untilMs).toISOString()} is before the venue's time`
      throw new LabRefusal(409, 'clock-backwards', message, { field: 'until', now: runtime.now() })
    }
    const waiting = this.clients.wait(client, untilMs, AbortSignal.any([gone, this.#venue.ending]))
    this.look()
    return waiting
  }

  async request(_asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Answer>): Promise<Answer> {
    return this.#served(() => serve(inside))
  }

  async call(_asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    return this.#served(() => serve(inside))
  }

  in(_socket: FramedSocket, message: Buffer, hear: (message: Buffer) => void): void {
    this.#stir()
    hear(message)
  }

  out(_socket: FramedSocket, message: Buffer, send: (message: Buffer) => void, kind: MessageKind): void {
    if (kind === 'push') this.#pushed += 1
    send(message)
  }

  closed(): void {
    this.look()
  }

  /** Whoever is idle is told that the venue is at another time now. */
  restore(): void {
    this.#isOver = false
    this.clients.wakeAll('went-back', this.#venue.parts.runtime.now())
  }

  close(): void {
    clearInterval(this.#looks)
    this.clients.close()
  }

  async #served<T>(serve: () => Promise<T>): Promise<T> {
    this.#stir()
    this.#underWay += 1
    try {
      return await serve()
    } finally {
      this.#underWay -= 1
      this.#stir()
      this.look()
    }
  }

  #stir(): void {
    this.#moved += 1
    this.#quietSince = performance.now()
  }

  /** Drives on if everybody waits. */
  look(): void {
    if (this.#isDriving || !this.#mayDrive()) return
    this.#isDriving = true
    void this.#drive()
      // Somebody has the clock go by itself, or the venue cannot go on: whoever waits is told.
      .catch((error: unknown) => this.clients.failAll(error as Error))
      .finally(() => (this.#isDriving = false))
  }

  /** Nobody has anything to do, as far as that is known at once. */
  #mayDrive(): boolean {
    if (this.#venue.ending.aborted) return false
    const { quietMs } = this.#settings
    const isParked = this.#underWay <= this.#venue.agenda.size
    if (!isParked || this.clients.idle + this.#underWay < this.clients.size) return false
    if (quietMs === undefined) return this.clients.idle > 0
    // The bot has not come yet, or the market is over: nothing to hurry for.
    if (this.#moved === 0 || (this.#isOver && this.clients.idle === 0)) return false
    return performance.now() - this.#quietSince >= quietMs
  }

  async #drive(): Promise<void> {
    for (;;) {
      if (!(await this.#isStill())) return
      if (this.clients.wakeNext({ now: this.#venue.parts.runtime.now(), isOver: this.#isOver })) return
      await this.#step()
      if (this.#settings.quietMs !== undefined) {
        // Whoever listens without saying so gets real time to act.
        this.#quietSince = performance.now()
        if (this.clients.idle === 0) return
      }
    }
  }

  /** What is under way has ended, or waits for a time of the venue. False: somebody has something to do. */
  async #isStill(): Promise<boolean> {
    const { history } = this.#venue.parts
    for (;;) {
      const moved = this.#moved
      if (this.#underWay > 0) {
        await this.#venue.carriedOut()
        await history.flush()
        for (let turn = 0; turn < settledTurns; turn += 1) await nextTurn()
      }
      if (!this.#mayDrive()) return false
      if (this.#moved === moved) return true
    }
  }

  /** Time goes on to where somebody may have something to do. */
  async #step(): Promise<void> {
    const venue = this.#venue
    const { runtime, simulator } = venue.parts
    const now = runtime.now()
    const listens =
      this.clients.size === 0 ? venue.way.sockets.size > 0 : this.clients.some((one) => this.#listens(one))
    const wakesAt = this.clients.wakesAt ?? Number.POSITIVE_INFINITY
    const moment = Math.min(venue.agenda.nextAt ?? Infinity, runtime.nextTimerAt ?? Infinity)
    const listening = simulator === undefined ? moment : Math.min(moment, now + listeningStepMs)
    const { fastFeed } = this.#settings
    const isByMoment = (listens && !fastFeed) || wakesAt === Number.POSITIVE_INFINITY
    const target = isByMoment ? Math.min(wakesAt, listening) : wakesAt
    if (target === Number.POSITIVE_INFINITY) {
      this.#isOver = true
      return
    }
    const before = this.#pushed
    const tape = tapeOf(venue)
    const isOver = () => tape?.isOver === true
    const end = { holds: () => isOver() || (listens && this.#pushed > before), dueAt: () => undefined }
    const { stream } = venue.parts
    stream.gather(fastFeed)
    await venue.inTurn(() => venue.advance(Math.max(0, target - now), end)).finally(() => stream.gather(false))
    this.#isOver ||= isOver()
  }

  #listens(client: Client): boolean {
    return client.pushes && this.#venue.way.sockets.size > 0
  }
}
