/**
 * The core as a gateway has it: commands go over the link, questions are answered by the gateway's own engine.
 *
 *   submit → link → (leader: log, engine) → batch → own engine → applied → the reply of the own engine
 *
 * Answered  when the own engine has applied the command and the leader says that it has, so a command that is passed over
 *           after all was never answered
 * Definite  when a link of a leader has told everything up to its `end`, each command that was sent on an earlier link
 *           either stands there or never was and never will be. Such a one is sent again, while its caller's time lasts
 * Waits     without a leader a new command waits for `leaderWaitMs`, then CommandNotSequenced. One that was sent has an
 *           unknown outcome only when its time ran out before a leader was heard
 * Stands    a leader whose log takes nothing says so (`tellLog`). After `leaderWaitMs` of that new commands wait here as
 *           without a leader, so that they have a definite end
 * Fresh     a barrier: everything that anybody was answered before it is in the own engine when it resolves. The leader is asked
 *           once at a time: who comes while it has not answered is in the next
 * Rules     that are not applied here end the process: it is of another release (`onUnfit`)
 * Begins    with the state of a core that follows, or of the one that leads; anew when it missed too much, or the engine broke or
 *           applied what is passed over
 */
import type { Command } from '../engine/protocol/command.ts'
import { refused, type Reply } from '../engine/protocol/reply.ts'
import { RulesBeyond } from '../engine/protocol/rules.ts'
import { CommandNotSequenced, OutcomeUnknown, type Trace, VenueOverloaded } from '../runtime/core.ts'
import { CommandPoisoned, decodeCommand } from '../runtime/parts.ts'
import type { LinkCounts, Outcome } from './counts.ts'
import type { CommittedBatch, FrameDown, FrameUp, ProcessAbout, SavedState } from './frames.ts'
import type { Timers } from './timers.ts'

/** A connection to a core, as its carrier has it. */
interface LinkUp {
  send(frame: FrameUp): void
  end(): void
}

/** The gateway's own engine with those who listen to it. */
interface Replica {
  /** The last command applied; undefined: it has no state yet. */
  readonly sequence: number | undefined
  prefetch(commands: readonly Command[], from: number): number
  /** Throws CommandPoisoned. */
  apply(command: Command, sequence: number, at: number): Reply
  skip(sequence: number, at: number): void
  /** Takes a state in place of what it has. */
  begin(state: SavedState): void
  /** After each batch. */
  applied(): void
}

export interface RemoteCorePorts {
  readonly session: number
  readonly about: ProcessAbout
  readonly replica: Replica
  readonly timers: Timers
  /** How long a new command waits for a leader. */
  readonly leaderWaitMs: number
  /** How long a command waits for its reply; zero: for ever. */
  readonly replyTimeoutMs: number
  /** The leader has applied everything up to there: it stands. */
  readonly onConfirmed?: ((sequence: number) => void) | undefined
  /** A leader was heard, and everything up to its end is here: each time that it comes to that. */
  readonly onReady?: (() => void) | undefined
  /** The venue stands at rules that this process does not apply: there is no way on. */
  readonly onUnfit: (error: RulesBeyond) => void
  /** A connection is of no use any more: the carrier is to make another. */
  readonly onUseless: (reason: string) => void
  /** Absent: nobody asks. */
  readonly counts?: LinkCounts | undefined
  /** After how many submissions their numbers begin again, with another connection; the wire has 32 bits. Default 2^31. */
  readonly submissionsMax?: number | undefined
}

const submissionsMaxDefault = 2 ** 31
/** Callers wait for a leader as long as the first of them that share a barrier, so they come close after it. */
const sharedMsMax = 10

interface Submission {
  readonly commands: readonly Command[]
  readonly resolve: (replies: readonly Reply[]) => void
  readonly reject: (error: Error) => void
  readonly trace: Trace | undefined
  readonly sinceMs: number
  /** Under which it was sent on this link, or an earlier one; undefined: it never was. */
  counter: number | undefined
  /** Its last command in the log, once it is there. */
  through: number | undefined
  replies: Reply[]
  callOff: () => void
}

const poisonedReply = refused({ kind: 'poisoned' })

export class RemoteCore {
  readonly #ports: RemoteCorePorts
  #link: LinkUp | undefined
  /** A leader was heard on this link, and everything up to its end. */
  #isReady = false
  /** When the log took something last, as the leader told on this link; undefined: its log does not stand still. */
  #toldMs: number | undefined
  /** The same of the time before, while there is no leader. */
  #movedMs: number
  #epoch = 0
  #end = 0
  #leaderApplied = 0
  #counter = 0
  /** In the order in which they came. */
  readonly #waiting = new Set<Submission>()
  readonly #sent = new Map<number, Submission>()
  /** In the log; answered when they are applied everywhere that counts. */
  #placed: Submission[] = []
  /** Commands that are passed over, and come later than that is told. */
  readonly #skipped = new Set<number>()
  /** Commands that were passed over here, since the state that this began with. */
  readonly #passedOver = new Set<number>()
  #beganAt = 0
  /** What had come when the own state was lost; undefined: it never was. */
  #hadThrough: number | undefined
  /** The own state does not hold: the next link begins with another. */
  #isLost = false
  /** The command that broke the own engine; the log is to say what becomes of it. */
  #broken: number | undefined
  #unapplied: CommittedBatch[] = []
  #barriers: Barrier[] = []
  #barrierNumber = 0
  /** The number that the leader has not answered on this link. */
  #askedNumber: number | undefined
  /** The newest of those that it was not asked for. */
  #gathering: Barrier | undefined

  constructor(ports: RemoteCorePorts) {
    this.#ports = ports
    this.#movedMs = ports.timers.now()
  }

  /** It begins with whatever a core gives it. */
  get needsState(): boolean {
    return this.#reached === undefined
  }

  /** Commands go to a leader now. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** For how long nothing can have been stored, as far as is known here, in milliseconds. */
  get stoodMs(): number {
    if (this.#isReady && this.#toldMs === undefined) return 0
    return this.#ports.timers.now() - (this.#isReady ? this.#toldMs! : this.#movedMs)
  }

  get waiting(): number {
    return this.#waiting.size + this.#sent.size
  }

  get epoch(): number {
    return this.#epoch
  }

  /** Commands that the core was heard of, and that are not in the own engine. */
  get behind(): number {
    return Math.max(0, Math.max(this.#end, this.#leaderApplied) - (this.#ports.replica.sequence ?? 0))
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (commands.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const { timers, leaderWaitMs } = this.#ports
      const sinceMs = timers.now()
      const submission: Submission = {
        commands: [...commands],
        resolve,
        reject,
        trace,
        sinceMs,
        counter: undefined,
        through: undefined,
        replies: [],
        callOff: () => {},
      }
      this.#waiting.add(submission)
      if (this.#takesNew) this.#send(submission)
      else {
        const why = () => (this.#isReady ? 'the log stands still' : 'no core leads')
        submission.callOff = timers.after(leaderWaitMs, () => this.#refuse(submission, why()))
      }
    })
  }

  /** Resolves when everything that anybody was answered before is in the own engine. Rejects when no leader says so in time. */
  fresh(): Promise<void> {
    const nowMs = this.#ports.timers.now()
    if (this.#gathering === undefined || nowMs - this.#gathering.sinceMs > sharedMsMax) {
      const gathering = (this.#gathering = new Barrier(nowMs))
      this.#barriers.push(gathering)
      gathering.callOff = this.#ports.timers.after(this.#ports.leaderWaitMs, () => this.#giveUp(gathering))
      queueMicrotask(() => this.#ask())
    }
    return this.#gathering.promise
  }

  /** A carrier has a connection; what came on earlier ones is over. */
  connected(link: LinkUp): void {
    this.#lose()
    this.#link = link
    if (this.#counter >= this.#submissionsMax) this.#counter = 0
    const { session, about } = this.#ports
    link.send({ kind: 'hello', session, about, appliedThrough: this.#reached })
  }

  /** The connection ended; answers whether it was the one in use, so that another is to be made. */
  disconnected(link: LinkUp): boolean {
    if (link !== this.#link) return false
    this.#lose()
    return true
  }

  /** Who is connected says how long ago its log took something, in milliseconds. */
  tellLog(link: LinkUp, silentMs: number): void {
    if (link !== this.#link) return
    this.#toldMs = this.#ports.timers.now() - silentMs
    this.#sendWaiting()
  }

  /** A frame of a connection; of one that is over it is dropped. */
  take(link: LinkUp, frame: FrameDown): void {
    if (link !== this.#link) return
    try {
      this.#take(frame)
    } catch (error) {
      if (!(error instanceof RulesBeyond)) throw error
      this.#lose()
      this.#ports.onUnfit(error)
    }
  }

  #take(frame: FrameDown): void {
    switch (frame.kind) {
      case 'welcome':
        return this.#takeWelcome(frame)
      case 'state':
        return this.#takeState(frame)
      case 'batch':
        return this.#takeBatch(frame)
      case 'applied':
        this.#leaderApplied = Math.max(this.#leaderApplied, frame.sequence)
        this.#takeApplied(frame.sequence)
        return this.#ports.onConfirmed?.(frame.sequence)
      case 'skip':
        return this.#takeSkip(frame.sequence)
      case 'refused':
        return this.#takeRefused(frame)
      case 'fresh':
        return this.#takeFresh(frame.number, frame.sequence)
      case 'goodbye':
        if (frame.beyond === undefined) return this.#useless(frame.reason)
        throw new RulesBeyond(frame.beyond.rules, this.#ports.about.rules, frame.beyond.release)
    }
  }

  /** Ends: nobody is answered any more. */
  close(): void {
    this.#lose()
    const stopping = 'the gateway is stopping'
    for (const submission of this.#waiting) this.#refuse(submission, stopping)
    for (const submission of [...this.#sent.values(), ...this.#placed]) this.#endUnknown(submission, 'link-failed')
    for (const barrier of this.#barriers) this.#giveUp(barrier)
  }

  /** What stands here, those that wait behind one that broke the engine included. */
  get #reached(): number | undefined {
    if (this.#isLost) return undefined
    const last = this.#unapplied.at(-1)
    return last === undefined ? this.#ports.replica.sequence : last.firstSequence + last.records.length - 1
  }

  get #submissionsMax(): number {
    return this.#ports.submissionsMax ?? submissionsMaxDefault
  }

  get #takesNew(): boolean {
    return this.#isReady && this.stoodMs < this.#ports.leaderWaitMs
  }

  #lose(): void {
    const link = this.#link
    if (this.#isReady) this.#movedMs = this.#ports.timers.now() - this.stoodMs
    this.#toldMs = undefined
    this.#link = undefined
    this.#isReady = false
    link?.end()
    this.#askedNumber = undefined
    for (const barrier of this.#barriers) barrier.number = undefined
  }

  #useless(reason: string): void {
    this.#lose()
    this.#ports.onUseless(reason)
  }

  #takeWelcome({ epoch, end, state }: Extract<FrameDown, { kind: 'welcome' }>): void {
    if (epoch < this.#epoch) return this.#useless('a core of an earlier epoch')
    this.#epoch = epoch
    this.#end = end
    if (state !== undefined) this.#begin(state)
    this.#readyIfThere()
  }

  #takeState({ state, passedOver }: Extract<FrameDown, { kind: 'state' }>): void {
    if (!this.needsState) return
    this.#begin(state)
    // The core that leads may pass over what that one had applied: then it does not hold.
    this.#beganAt = 0
    for (const sequence of passedOver) this.#passedOver.add(sequence)
  }

  #begin(state: SavedState): void {
    const before = this.#isLost ? this.#hadThrough : this.#reached
    this.#broken = undefined
    this.#unapplied = []
    this.#skipped.clear()
    this.#passedOver.clear()
    this.#isLost = false
    this.#beganAt = state.sequence
    this.#ports.replica.begin(state)
    // No core has said that it carried those out: the state may have been made without them.
    for (const submission of this.#placed) this.#endUnknown(submission, 'link-failed')
    // What happened in between is not told one by one: of what may be in it nothing is known.
    if (before !== undefined && before >= state.sequence) return
    for (const submission of this.#sent.values()) this.#endUnknown(submission, 'link-failed')
  }

  /** Everything up to the leader's end is here: what was sent on an earlier link, and is not there, never was. */
  #readyIfThere(): void {
    if (this.#isReady || this.#link === undefined || (this.#reached ?? -1) < this.#end) return
    this.#isReady = true
    this.#ports.onReady?.()
    const again = [...this.#sent.values()]
    this.#sent.clear()
    for (const submission of again) this.#send(submission)
    this.#sendWaiting()
    this.#ask()
  }

  #sendWaiting(): void {
    for (const submission of this.#waiting) if (this.#takesNew) this.#send(submission)
  }

  #send(submission: Submission): void {
    this.#waiting.delete(submission)
    const isFirst = submission.counter === undefined
    if (!isFirst && this.#ports.counts !== undefined) this.#ports.counts.resubmitted += 1
    const counter = ++this.#counter
    submission.counter = counter
    this.#sent.set(counter, submission)
    this.#link!.send({ kind: 'submit', counter, commands: submission.commands })
    if (isFirst) this.#limit(submission)
    if (counter >= this.#submissionsMax) this.#useless('numbers of submissions begin again')
  }

  #limit(submission: Submission): void {
    const { timers, replyTimeoutMs } = this.#ports
    submission.callOff()
    if (replyTimeoutMs === 0) return
    const leftMs = submission.sinceMs + replyTimeoutMs - timers.now()
    submission.callOff = timers.after(leftMs, () =>
      this.#endUnknown(submission, this.#isReady ? 'timed-out' : 'link-failed'),
    )
  }

  #takeBatch(batch: CommittedBatch): void {
    const { firstSequence, records, origins } = batch
    const reached = this.#reached
    if (reached === undefined || firstSequence > reached + 1) return this.#useless('batches are missing')
    if (firstSequence + records.length - 1 <= reached) return
    // The core repeats whole batches; a state may stand in the middle of one.
    let sequence = firstSequence
    for (const { session, counter, records: count } of origins) {
      if (session === this.#ports.session) this.#place(counter, sequence + count - 1)
      sequence += count
    }
    if (this.#broken === undefined) this.#apply(batch)
    else this.#unapplied.push(batch)
    this.#ports.replica.applied()
    this.#answer()
    this.#readyIfThere()
  }

  #place(counter: number, through: number): void {
    const submission = this.#sent.get(counter)
    if (submission === undefined) return
    this.#sent.delete(counter)
    submission.through = through
    if (submission.trace !== undefined) submission.trace.sequence = through - submission.commands.length + 1
    this.#placed.push(submission)
  }

  #apply(batch: CommittedBatch): void {
    const { replica } = this.#ports
    const decoded = batch.records.map(decodeCommand)
    const commands = decoded.map(({ command }) => command)
    let prefetched = 0
    for (const [place, { command, at }] of decoded.entries()) {
      const sequence = batch.firstSequence + place
      if (sequence <= (replica.sequence ?? 0)) continue
      if (place >= prefetched) prefetched = replica.prefetch(commands, place)
      try {
        if (this.#skipped.delete(sequence)) {
          replica.skip(sequence, at)
          this.#passedOver.add(sequence)
          this.#reply(sequence, poisonedReply)
        } else this.#reply(sequence, replica.apply(command, sequence, at))
      } catch (error) {
        if (!(error instanceof CommandPoisoned)) throw error
        this.#broken = sequence
        this.#unapplied = [{ ...batch, origins: [] }]
        return
      }
    }
  }

  #reply(sequence: number, reply: Reply): void {
    for (const submission of this.#placed) {
      const first = submission.through! - submission.commands.length + 1
      if (sequence < first) return
      if (sequence <= submission.through!) submission.replies[sequence - first] = reply
    }
  }

  #takeApplied(sequence: number): void {
    // The leader carried out what broke the engine here.
    if (this.#broken !== undefined && sequence >= this.#broken) return this.#beginAnew('the engine broke')
    this.#answer()
  }

  #takeSkip(sequence: number): void {
    const { sequence: applied } = this.#ports.replica
    if (sequence <= this.#beganAt || this.#passedOver.has(sequence)) return
    if (this.#broken === undefined && (applied ?? 0) < sequence) return void this.#skipped.add(sequence)
    this.#beginAnew(`command ${sequence} is passed over`)
  }

  /** The core's state takes the place of the own one. What stands in the log and is not answered has no reply here. */
  #beginAnew(reason: string): void {
    for (const submission of this.#placed) this.#endUnknown(submission, 'unexpected')
    this.#hadThrough = this.#reached
    this.#isLost = true
    this.#useless(reason)
  }

  #answer(): void {
    const reached = Math.min(this.#leaderApplied, this.#ports.replica.sequence ?? 0)
    while (this.#placed.length > 0 && this.#placed[0].through! <= reached) {
      const submission = this.#placed.shift()!
      submission.callOff()
      this.#count('answered')
      submission.resolve(submission.replies)
    }
    for (const barrier of this.#barriers) if (barrier.reaches(this.#ports.replica.sequence)) this.#pass(barrier)
  }

  #takeRefused({ counter, overloaded, reason }: Extract<FrameDown, { kind: 'refused' }>): void {
    const submission = this.#sent.get(counter)
    if (submission === undefined) return
    this.#sent.delete(counter)
    submission.callOff()
    this.#count(overloaded ? 'overloaded' : 'not-sequenced')
    submission.reject(overloaded ? new VenueOverloaded(reason) : new CommandNotSequenced(reason))
  }

  #refuse(submission: Submission, reason: string): void {
    this.#waiting.delete(submission)
    submission.callOff()
    this.#count('not-sequenced')
    submission.reject(new CommandNotSequenced(reason))
  }

  #endUnknown(submission: Submission, reason: OutcomeUnknown['reason']): void {
    submission.callOff()
    if (submission.counter !== undefined) this.#sent.delete(submission.counter)
    this.#placed = this.#placed.filter((placed) => placed !== submission)
    this.#count('unknown')
    submission.reject(new OutcomeUnknown(reason))
  }

  #count(outcome: Outcome): void {
    const { counts } = this.#ports
    if (counts !== undefined) counts.outcomes[outcome] += 1
  }

  /** One answer does for all that wait. */
  #ask(): void {
    if (!this.#isReady || this.#askedNumber !== undefined) return
    const waiting = this.#barriers.filter(({ number }) => number === undefined)
    if (waiting.length === 0) return
    const number = ++this.#barrierNumber
    for (const barrier of waiting) barrier.number = number
    this.#askedNumber = number
    this.#gathering = undefined
    this.#link!.send({ kind: 'barrier', number })
  }

  #takeFresh(number: number, sequence: number): void {
    if (number !== this.#askedNumber) return
    this.#askedNumber = undefined
    for (const barrier of this.#barriers) {
      if (barrier.number !== number) continue
      barrier.sequence = sequence
      if (barrier.reaches(this.#ports.replica.sequence)) this.#pass(barrier)
    }
    this.#ask()
  }

  #pass(barrier: Barrier): void {
    this.#barriers = this.#barriers.filter((other) => other !== barrier)
    this.#ports.counts?.barriers.add(this.#ports.timers.now() - barrier.sinceMs)
    barrier.end()
  }

  #giveUp(barrier: Barrier): void {
    this.#barriers = this.#barriers.filter((other) => other !== barrier)
    if (this.#gathering === barrier) this.#gathering = undefined
    barrier.end(new CommandNotSequenced('no core says what stands'))
  }
}

/** Those who asked together, and what they wait for. */
class Barrier {
  readonly promise: Promise<void>
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  readonly sinceMs: number
  /** Under which the leader was asked on this link. */
  number: number | undefined
  sequence: number | undefined
  callOff = () => {}

  constructor(sinceMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.sinceMs = sinceMs
    this.promise = promise
    this.#resolve = resolve
    this.#reject = reject
  }

  reaches(sequence: number | undefined): boolean {
    return this.sequence !== undefined && sequence !== undefined && sequence >= this.sequence
  }

  end(error?: Error): void {
    this.callOff()
    if (error === undefined) this.#resolve()
    else this.#reject(error)
  }
}
