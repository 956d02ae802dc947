/**
 * The core's side of the links: gateways that are connected, what they are told, and what they submit.
 *
 * Told      each gateway every committed batch, once, in order, from where it stands; then how far the leader has applied
 * Missed    the batches of a while are kept: who comes back hears those. Who missed more gets the whole state
 * Once      a submission is taken once for each connection, counters rise. When a session comes back, what its earlier
 *           connections had handed over is settled first, so that the welcome says of each whether it stands
 * Leader    a core that does not lead, or no more, serves nobody. Who has no state yet begins with that of a core that follows, so
 *           that the one that leads need not copy its own
 * Rules     who does not apply those at which the venue stands is told so, and goes
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { JournalFenced } from '../journal/journal.ts'
import { CommandNotSequenced, type Trace, VenueOverloaded } from '../runtime/core.ts'
import { isWithin } from '../engine/protocol/rules.ts'
import type { CommittedBatch, FrameDown, FrameUp, Hello, ProcessAbout, SavedState } from './frames.ts'
import type { Origin } from './message.ts'

/** One gateway's connection, as its carrier has it. */
export interface LinkDown {
  send(frame: FrameDown): void
  /** Ends it; nothing more is sent. */
  end(): void
}

export interface CoreLinksPorts {
  /** This process. */
  readonly about: ProcessAbout
  /** By which rules the next command is applied. */
  readonly rules: () => number
  readonly submitAll: (commands: readonly Command[], trace: Trace) => Promise<readonly Reply[]>
  /** The core that claimed last; undefined: it gave up, or nobody did. Absent: there is no other. */
  readonly leader?: () => string | undefined
  /** Commands that were passed over before this began; absent: a state is given by nobody else. */
  readonly passedOver?: readonly number[]
  /** The last command applied. */
  readonly sequence: () => number
  /** The last command that is committed. */
  readonly committed: () => number
  readonly fresh: () => Promise<number>
  /** The state as it stands between two commands. */
  readonly save: () => SavedState
}

type Goodbye = Extract<FrameDown, { kind: 'goodbye' }>

/** Records that are kept for those who come back. */
const recordsKeptMax = 200_000

interface Connection {
  readonly link: LinkDown
  session: number | undefined
  about: ProcessAbout | undefined
  /** The last submission that was taken. */
  counter: number
  /** Hears what is committed. */
  isWelcome: boolean
  isOver: boolean
}

export class CoreLinks {
  readonly #ports: CoreLinksPorts
  readonly #connections = new Set<Connection>()
  /** Of each session: its submissions that are not settled. */
  readonly #unsettled = new Map<number, Set<Promise<unknown>>>()
  /** Whose the records are that are sequenced and not yet committed, by the first of them. */
  readonly #origins = new Map<number, Origin>()
  #kept: CommittedBatch[] = []
  #recordsKept = 0
  /**
   * Commands that are passed over, as far as this core has read the log. However old one is, a gateway that was away may have applied
   * it: they are few, and all are told.
   */
  readonly #passedOver: Set<number>
  /** The epoch that this core leads; undefined: it does not. */
  #epoch: number | undefined

  constructor(ports: CoreLinksPorts) {
    this.#ports = ports
    this.#passedOver = new Set(ports.passedOver)
  }

  get gateways(): number {
    return [...this.#connections].filter(({ isWelcome }) => isWelcome).length
  }

  /** Those that follow, as they say it. */
  get processes(): ProcessAbout[] {
    return [...this.#connections].flatMap(({ isWelcome, about }) => (isWelcome && about !== undefined ? [about] : []))
  }

  /** A carrier has a new connection; answers who takes what comes on it, and who hears of its end. */
  connect(link: LinkDown): { readonly take: (frame: FrameUp) => void; readonly over: () => void } {
    const connection: Connection = {
      link,
      session: undefined,
      about: undefined,
      counter: 0,
      isWelcome: false,
      isOver: false,
    }
    this.#connections.add(connection)
    return { take: (frame) => this.#take(connection, frame), over: () => this.#forget(connection) }
  }

  leads(epoch: number): void {
    this.#epoch = epoch
  }

  /** Whatever is under way belongs to an epoch that is over. */
  follows(): void {
    this.#epoch = undefined
    this.#origins.clear()
    // Who has not said hello is told when he does.
    for (const connection of this.#connections) {
      if (connection.session !== undefined) this.#dismiss(connection, 'this core leads no more')
    }
  }

  /** Whose these records are: as they are sequenced here. */
  originsOf(firstSequence: number, records: number): Origin[] {
    const origins: Origin[] = []
    for (let sequence = firstSequence; sequence < firstSequence + records; ) {
      const origin = this.#origins.get(sequence)
      this.#origins.delete(sequence)
      // What comes from this process itself is nobody's else.
      origins.push(origin ?? { session: 0, counter: 0, records: 1 })
      sequence += origin?.records ?? 1
    }
    return origins
  }

  /** A batch stands in the log, or is read there. The records are kept: they are the caller's to give away. */
  committed(batch: CommittedBatch): void {
    this.#kept.push(batch)
    this.#recordsKept += batch.records.length
    while (this.#recordsKept > recordsKeptMax && this.#kept.length > 1) {
      this.#recordsKept -= this.#kept.shift()!.records.length
    }
    this.#tell({ kind: 'batch', ...batch })
  }

  applied(sequence: number): void {
    this.#tell({ kind: 'applied', sequence })
  }

  skipped(sequence: number): void {
    this.#passedOver.add(sequence)
    this.#tell({ kind: 'skip', sequence })
  }

  #tell(frame: FrameDown): void {
    for (const { isWelcome, link } of this.#connections) if (isWelcome) link.send(frame)
  }

  #take(connection: Connection, frame: FrameUp): void {
    if (connection.isOver) return
    if (frame.kind === 'hello') void this.#greet(connection, frame)
    else if (!connection.isWelcome) this.#dismiss(connection, 'it has not said hello')
    else if (frame.kind === 'submit') this.#submit(connection, frame)
    else void this.#answerBarrier(connection, frame.number)
  }

  async #greet(connection: Connection, hello: Hello): Promise<void> {
    if (connection.session !== undefined) return
    const { session, about, appliedThrough } = hello
    connection.session = session
    connection.about = about
    if (this.#epoch === undefined) {
      if (appliedThrough === undefined) this.#giveState(connection)
      return this.#dismissToLeader(connection)
    }
    const rules = this.#ports.rules()
    if (about === undefined || !isWithin(rules, about.rules)) {
      const { release } = this.#ports.about
      return this.#dismiss(connection, `it does not apply rules ${rules}`, { beyond: { rules, release } })
    }
    for (const other of this.#connections) {
      if (other !== connection && other.session === session) this.#dismiss(other, 'its session came back')
    }
    // Of a connection that broke: each of them is committed and applied then, or never will be.
    while ((this.#unsettled.get(session)?.size ?? 0) > 0) await Promise.allSettled(this.#unsettled.get(session)!)
    if (connection.isOver || this.#epoch === undefined) return this.#dismissToLeader(connection)
    this.#welcome(connection, appliedThrough, this.#epoch)
  }

  #giveState({ link, about }: Connection): void {
    if (about === undefined || !isWithin(this.#ports.rules(), about.rules)) return
    let state: SavedState
    try {
      state = this.#ports.save()
    } catch {
      return // The engine is being rebuilt: another core has one.
    }
    // What it will pass over is the leader's to tell.
    const passedOver = [...this.#passedOver].filter((sequence) => sequence <= state.sequence)
    link.send({ kind: 'state', state, passedOver })
  }

  #welcome(connection: Connection, appliedThrough: number | undefined, epoch: number): void {
    const { link } = connection
    const end = this.#ports.committed()
    const from = appliedThrough ?? -1
    const isKept = from === end || (from < end && this.#kept.length > 0 && this.#kept[0].firstSequence <= from + 1)
    let state: SavedState | undefined
    try {
      state = isKept && from >= 0 ? undefined : this.#ports.save()
    } catch {
      return this.#dismiss(connection, 'the engine of this core is being rebuilt')
    }
    const reached = state?.sequence ?? from
    link.send({ kind: 'welcome', epoch, end, state })
    for (const sequence of this.#passedOver) {
      if (state === undefined || sequence > reached) link.send({ kind: 'skip', sequence })
    }
    for (const batch of this.#kept) {
      if (batch.firstSequence + batch.records.length - 1 > reached) link.send({ kind: 'batch', ...batch })
    }
    link.send({ kind: 'applied', sequence: this.#ports.sequence() })
    connection.isWelcome = true
  }

  #submit(connection: Connection, { counter, commands }: Extract<FrameUp, { kind: 'submit' }>): void {
    const session = connection.session!
    if (counter <= connection.counter) return
    connection.counter = counter
    const trace = new OriginNote(this.#origins, { session, counter, records: commands.length })
    const settled = this.#ports.submitAll(commands, trace).catch((error: unknown) => {
      // An unknown outcome is the log's to tell.
      if (connection.isOver || !(error instanceof CommandNotSequenced)) return
      // Another core leads: this link is about to end, and the gateway sends it to that one.
      if (error.cause instanceof JournalFenced) return
      const overloaded = error instanceof VenueOverloaded
      connection.link.send({ kind: 'refused', counter, overloaded, reason: error.message })
    })
    this.#noteUnsettled(session, settled)
  }

  #noteUnsettled(session: number, settled: Promise<unknown>): void {
    let all = this.#unsettled.get(session)
    if (all === undefined) this.#unsettled.set(session, (all = new Set()))
    all.add(settled)
    const of = all
    void settled.then(() => {
      of.delete(settled)
      if (of.size === 0 && this.#unsettled.get(session) === of) this.#unsettled.delete(session)
    })
  }

  async #answerBarrier(connection: Connection, number: number): Promise<void> {
    const sequence = await this.#ports.fresh().catch(() => undefined)
    // Without an answer the link is about to end.
    if (sequence !== undefined && !connection.isOver) connection.link.send({ kind: 'fresh', number, sequence })
  }

  #dismissToLeader(connection: Connection): void {
    const leader = this.#ports.leader?.()
    this.#dismiss(connection, 'this core does not lead', leader === undefined ? {} : { leader })
  }

  #dismiss(connection: Connection, reason: string, more: Omit<Goodbye, 'kind' | 'reason'> = {}): void {
    if (connection.isOver) return
    connection.link.send({ kind: 'goodbye', reason, ...more })
    this.#forget(connection)
    connection.link.end()
  }

  #forget(connection: Connection): void {
    connection.isOver = true
    connection.isWelcome = false
    this.#connections.delete(connection)
  }
}

/** Notes whose a command is when it gets its sequence. */
class OriginNote implements Trace {
  readonly #origins: Map<number, Origin>
  readonly #origin: Origin
  #sequence: number | undefined

  constructor(origins: Map<number, Origin>, origin: Origin) {
    this.#origins = origins
    this.#origin = origin
  }

  get sequence(): number | undefined {
    return this.#sequence
  }

  set sequence(sequence: number | undefined) {
    this.#sequence = sequence
    if (sequence !== undefined) this.#origins.set(sequence, this.#origin)
  }
}
