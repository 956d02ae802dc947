/**
 * The one writer: gives commands their order and time, makes them durable in batches, applies them, answers.
 *
 *   submit → queue → batch (sequence, at) → journal.append → apply, one by one → replies
 *
 * Order      sequences have no gap · stamps never go backwards, whatever the clock does
 * Overlap    while a batch syncs the one before it is applied, and the next one gathers in the queue
 * Idle       the first command after a pause is written in the same turn of the event loop
 * Durable    nothing is applied, and no reply leaves, before its batch is on disk
 * Applied    is what was written, read back from the record: a replay cannot see anything else
 * Poison     a command that breaks the engine is refused, once `passOver` has taken it back; the rest of its batch waits
 *            for that, and what comes meanwhile waits in the queue
 * Too much   beyond `waitingMax`, or while the oldest has waited for `waitMsMax`, commands are refused at once: nobody waits
 *            until his outcome is unknown. What lightens the load (cancels) and what the venue owes to itself (timers,
 *            prices) is taken all the same, within the room that is kept for it; the order stays that of submission
 * Failure    of the journal: its batch has an unknown outcome, all later commands are refused, what was acknowledged
 *            stands and can still be queried
 *            of a journal that another core has taken: the same, but its batch never was, and what stands before it is answered
 *            of the engine, when the command could not be taken back: the same, and nothing may be read from it any more
 * Not here   encoding (command-codec.ts), timers (timers.ts), snapshots (snapshot-keeper.ts), taking back (rebuild.ts)
 */
import assert from 'node:assert/strict'
import type { Command } from '../engine/protocol/command.ts'
import { refused, type Reply } from '../engine/protocol/reply.ts'
import { type Journal, JournalFenced } from '../journal/journal.ts'
import { decodeCommand, encodeCommand } from './command-codec.ts'
import { CommandNotSequenced, OutcomeUnknown, type Trace, VenueOverloaded } from './core.ts'
import type { Counters } from './counters.ts'
import { RecordWriter } from './record-bytes.ts'
import { type Batch, Submission } from './submission.ts'
import { CommandPoisoned } from './trouble.ts'

export interface SequencerOptions {
  readonly journal: Journal
  /** Before some of these commands are applied, from a place on; answers the place behind them. */
  readonly prefetch: (commands: readonly Command[], from: number) => number
  readonly apply: (command: Command, sequence: number, at: number) => Reply
  /** Takes a command back that broke the engine. Rejects when that cannot be done. */
  readonly passOver: (poison: CommandPoisoned) => Promise<void>
  /** The venue's clock. */
  readonly now: () => number
  /** The stamp of the last command in the journal. */
  readonly lastAt: number
  readonly counters: Counters
  /** Commands that may wait for their batch; one more is refused at once. */
  readonly waitingMax: number
  /** The oldest may wait this long; until it is served one more is refused at once. */
  readonly waitMsMax: number
  readonly batchLengthMax: number
  /** A caller waits this long for its reply; zero: for ever. */
  readonly replyTimeoutMs: number
  /** After each batch was applied and answered. */
  readonly onApplied: () => void
  readonly onFailure: (failure: Failure) => void
}

/** Why the venue takes no more commands, for good. */
export interface Failure {
  readonly kind: 'journal-failed' | 'fenced' | 'engine-broken'
  readonly error: Error
}

/** Taken however much waits: they make orders fewer, or are the venue's own. */
const urgent: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'cancel-order',
  'cancel-orders',
  'cancel-trigger',
  'cancel-triggers',
  'run-timers',
  'set-index-prices',
])

const poisonedReply = refused({ kind: 'poisoned' })

export class Sequencer {
  readonly #options: SequencerOptions
  /** One for the batch that is being written, one for the batch that is applied meanwhile; they take turns. */
  #writer = new RecordWriter()
  #otherWriter = new RecordWriter()
  readonly #queue: Submission[] = []
  #takingBack = false
  /** Nothing is taken from the queue. */
  #held = false
  /** When a command was last taken back, on the monotonic clock. */
  #resumedMs = 0
  #waiting = 0
  /** Taken from the queue and not answered, oldest first: one batch being applied, one at the journal. */
  readonly #unanswered: Batch[] = []
  #running = false
  #lastSequence: number
  #lastAt: number
  #appliedAt: number
  #closed = false
  #failure: Failure | undefined
  #whenIdle: (() => void)[] = []
  readonly #timeouts: NodeJS.Timeout | undefined

  constructor(options: SequencerOptions) {
    this.#options = options
    this.#lastSequence = options.journal.lastSequence
    this.#lastAt = options.lastAt
    this.#appliedAt = options.lastAt
    const { replyTimeoutMs } = options
    if (replyTimeoutMs > 0) {
      const everyMs = Math.max(1, Math.min(1000, replyTimeoutMs / 10))
      this.#timeouts = setInterval(() => this.#endWaits(performance.now() - replyTimeoutMs), everyMs).unref()
    }
  }

  /** Commands that were accepted and have no sequence yet. */
  get waiting(): number {
    return this.#waiting
  }

  get failure(): Failure | undefined {
    return this.#failure
  }

  /** The stamp of the last command that was applied. */
  get appliedAt(): number {
    return this.#appliedAt
  }

  /** The stamp of the last command that was taken into a batch. */
  get lastAt(): number {
    return this.#lastAt
  }

  /** The time that the next command would be stamped with. */
  stampNow(): number {
    return Math.max(this.#options.now(), this.#lastAt)
  }

  submit(command: Command, trace?: Trace): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#accept([command], (replies) => resolve(replies[0]), reject, trace)
    })
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (commands.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => this.#accept([...commands], resolve, reject, trace))
  }

  /** Nothing more is taken from the queue, until it goes back. Resolves when what was taken is answered. */
  async hold(): Promise<void> {
    this.#held = true
    await this.idle()
  }

  get isIdle(): boolean {
    return !this.#running
  }

  /** Resolves when what was accepted is answered; while it is held, what was taken. */
  async idle(): Promise<void> {
    if (this.#running) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Takes from the queue again. */
  release(): void {
    this.#held = false
    this.#begin()
  }

  /** While it is held: what waits has an unknown outcome, and the next command follows the journal's last. Answers how many. */
  goBack(lastAt: number): number {
    assert(this.#held && !this.#running, 'it goes back between two batches')
    const waiting = this.#queue.splice(0)
    for (const submission of waiting) submission.fail(new OutcomeUnknown('unexpected'))
    this.#waiting = 0
    this.#lastSequence = this.#options.journal.lastSequence
    this.#lastAt = lastAt
    this.#appliedAt = lastAt
    return waiting.length
  }

  /** Takes no more commands; resolves when everything accepted is answered. */
  async close(): Promise<void> {
    this.#closed = true
    await this.idle()
    clearInterval(this.#timeouts)
  }

  #accept(
    commands: readonly Command[],
    resolve: (replies: readonly Reply[]) => void,
    reject: (error: Error) => void,
    trace: Trace | undefined,
  ): void {
    const nowMs = performance.now()
    const refusal = this.#refusal(commands, nowMs)
    if (refusal !== undefined) return reject(refusal)
    this.#queue.push(new Submission(commands, nowMs, resolve, reject, trace))
    this.#waiting += commands.length
    this.#begin()
  }

  #begin(): void {
    if (this.#running || this.#held || this.#queue.length === 0) return
    this.#running = true
    setImmediate(() => void this.#run())
  }

  #refusal(commands: readonly Command[], nowMs: number): CommandNotSequenced | undefined {
    if (this.#failure !== undefined) return refusalAfter(this.#failure)
    if (this.#closed) return new CommandNotSequenced('the venue is stopping')
    const { waitingMax, waitMsMax, counters } = this.#options
    // One at a time is on its way; refused, it would be tried again only after a minute.
    if (commands.length === 1 && commands[0].kind === 'run-timers') return undefined
    const isUrgent = commands.every(({ kind }) => urgent.has(kind))
    const room = isUrgent ? waitingMax : waitingMax - Math.floor(waitingMax / 10)
    const isSoon = isUrgent || this.#waitedMs(nowMs) <= waitMsMax
    if (isSoon && this.#waiting + commands.length <= room) return undefined
    counters.overloaded += commands.length
    return new VenueOverloaded(`${this.#waiting} commands are waiting already`)
  }

  /** How long the oldest has waited; while a command is taken back the clock stands still. */
  #waitedMs(nowMs: number): number {
    const oldest = this.#queue[0]
    if (oldest === undefined || this.#takingBack) return 0
    return nowMs - Math.max(oldest.submittedMs, this.#resumedMs)
  }

  /** Until nothing waits: take a batch, start writing it, apply the one before meanwhile. */
  async #run(): Promise<void> {
    let durable: Batch | undefined
    do {
      const next = this.#takeBatch()
      const appended = next && this.#append(next)
      if (durable !== undefined) await this.#apply(durable)
      durable = (await appended) === true ? next : undefined
    } while ((durable !== undefined || (this.#queue.length > 0 && !this.#held)) && this.#failure === undefined)
    this.#running = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #takeBatch(): Batch | undefined {
    if (this.#queue.length === 0 || this.#held) return undefined
    ;[this.#writer, this.#otherWriter] = [this.#otherWriter, this.#writer]
    this.#writer.rewind(0)
    const at = this.stampNow()
    this.#options.counters.stages.queue.add(performance.now() - this.#queue[0].submittedMs)
    const submissions: Submission[] = []
    const ends: number[] = []
    let taken = 0
    while (taken < this.#queue.length && ends.length < this.#options.batchLengthMax) {
      const submission = this.#queue[taken]
      taken += 1
      this.#waiting -= submission.commands.length
      const sequence = this.#lastSequence + 1 + ends.length
      if (!this.#encode(submission, at, ends)) continue
      submissions.push(submission)
      if (submission.trace !== undefined) submission.trace.sequence = sequence
    }
    this.#queue.splice(0, taken)
    if (ends.length === 0) return undefined

    // Cut only now: a writer that grows moves its bytes.
    const payloads = ends.map((end, index) => this.#writer.slice(index === 0 ? 0 : ends[index - 1], end))
    const batch = { firstSequence: this.#lastSequence + 1, at, submissions, payloads }
    this.#lastSequence += payloads.length
    this.#lastAt = at
    this.#unanswered.push(batch)
    return batch
  }

  /** Writes all commands of a submission behind one another, or none. */
  #encode(submission: Submission, at: number, ends: number[]): boolean {
    const start = this.#writer.position
    const endsBefore = ends.length
    try {
      for (const command of submission.commands) {
        encodeCommand(this.#writer, command, at)
        ends.push(this.#writer.position)
      }
      return true
    } catch (cause) {
      this.#writer.rewind(start)
      ends.length = endsBefore
      submission.fail(new CommandNotSequenced('the command cannot be recorded', { cause }))
      return false
    }
  }

  async #append(batch: Batch): Promise<boolean> {
    const startedMs = performance.now()
    try {
      await this.#options.journal.append(batch.firstSequence, batch.payloads)
      this.#options.counters.stages.journal.add(performance.now() - startedMs)
      // The engine may have broken meanwhile; then these were answered and are applied after a restart.
      return this.#failure === undefined
    } catch (error) {
      if (error instanceof JournalFenced) this.#neverWas(batch, error)
      else this.#fail({ kind: 'journal-failed', error: asError(error) })
      return false
    }
  }

  /** What was written before it stands, and is still answered. */
  #neverWas(batch: Batch, error: JournalFenced): void {
    const failure = { kind: 'fenced', error } as const
    this.#unanswered.splice(this.#unanswered.indexOf(batch), 1)
    for (const submission of batch.submissions) submission.fail(refusalAfter(failure))
    this.#refuseAll(failure)
  }

  async #apply(batch: Batch): Promise<void> {
    const { counters, prefetch, onApplied } = this.#options
    counters.countBatch(batch.payloads.length)
    this.#appliedAt = batch.at
    const startedMs = performance.now()
    const answers: (readonly Reply[])[] = []
    let sequence = batch.firstSequence
    const submitted = batch.submissions.flatMap(({ commands }) => commands)
    let prefetched = 0
    try {
      for (const { commands } of batch.submissions) {
        const replies: Reply[] = []
        while (replies.length < commands.length) {
          const place = sequence - batch.firstSequence
          if (place === prefetched) prefetched = prefetch(submitted, place)
          const { command, at } = decodeCommand(batch.payloads[place])
          const applied = this.#applyOne(command, sequence, at)
          const reply = applied instanceof CommandPoisoned ? await this.#passOver(applied) : applied
          counters.countCommand(command.kind, reply)
          replies.push(reply)
          sequence += 1
        }
        answers.push(replies)
      }
    } catch (error) {
      // What was applied whole before the defect is right and durable, so it is answered.
      answerAll(batch, answers)
      this.#fail({ kind: 'engine-broken', error: asError(error) })
      return
    }
    counters.stages.engine.add(performance.now() - startedMs)
    this.#unanswered.shift()
    answerAll(batch, answers)
    try {
      onApplied()
    } catch (error) {
      this.#fail({ kind: 'engine-broken', error: asError(error) })
    }
  }

  #applyOne(command: Command, sequence: number, at: number): Reply | CommandPoisoned {
    try {
      return this.#options.apply(command, sequence, at)
    } catch (error) {
      if (error instanceof CommandPoisoned) return error
      throw error
    }
  }

  async #passOver(poison: CommandPoisoned): Promise<Reply> {
    this.#takingBack = true
    try {
      await this.#options.passOver(poison)
    } finally {
      this.#takingBack = false
      this.#resumedMs = performance.now()
    }
    return poisonedReply
  }

  /** What was taken into a batch may be on disk; what still waits never will be. */
  #fail(failure: Failure): void {
    // An engine that is lost outweighs a journal that cannot write: then there is nothing to be asked either.
    if (this.#failure?.kind === failure.kind || this.#failure?.kind === 'engine-broken') return
    const reason = failure.kind === 'journal-failed' ? 'link-failed' : 'unexpected'
    const unknown = new OutcomeUnknown(reason, { cause: failure.error })
    for (const { submissions } of this.#unanswered.splice(0)) {
      for (const submission of submissions) submission.fail(unknown)
    }
    this.#refuseAll(failure)
  }

  /** Nothing that waits, or comes, is taken any more. */
  #refuseAll(failure: Failure): void {
    this.#failure = failure
    for (const submission of this.#queue.splice(0)) submission.fail(refusalAfter(failure))
    this.#waiting = 0
    this.#options.onFailure(failure)
  }

  #endWaits(submittedBefore: number): void {
    const late = (submission: Submission) => submission.submittedMs <= submittedBefore
    const end = (submission: Submission) => submission.fail(new OutcomeUnknown('timed-out'))
    for (const batch of this.#unanswered) batch.submissions.filter(late).forEach(end)
    for (const submission of this.#queue) {
      if (!late(submission)) break
      end(submission)
    }
  }
}

function answerAll(batch: Batch, answers: readonly (readonly Reply[])[]): void {
  answers.forEach((replies, index) => batch.submissions[index].answer(replies))
}

const refusals = {
  'journal-failed': 'the journal cannot write',
  fenced: 'another core leads',
  'engine-broken': 'the engine has stopped',
} as const satisfies Record<Failure['kind'], string>

function refusalAfter(failure: Failure): CommandNotSequenced {
  return new CommandNotSequenced(refusals[failure.kind], { cause: failure.error })
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
