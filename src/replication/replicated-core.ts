/**
 * One of several cores with one log: it follows, claims when nobody leads, leads until it is fenced, and follows again.
 *
 *   follow → silence of 1,000 to 1,499 ms → claim → lead (sequencer, heartbeats) → fenced → follow …
 *
 * Claim      only after everything up to the end of the log was taken, and nothing new came for the whole time. A core that
 *            has just begun waits the full time too. The claim is the fence: it takes the end that every other would need
 *            One whose clock is wrong leaves it to the others
 * Leads      a sequencer of its own for each leadership, on a ReplicatedJournal; what it has not written when it is fenced
 *            never was, and is refused as such
 * Import     of a venue into an empty log: nobody claims before all of it is there
 * Heartbeat  a message without records after 250 ms without another
 * Resigns    finishes what it accepted and appends a resignation: then another claims at once, and not only after a silence
 * Rules      a message of rules that are not applied here, or of others than those at which the engine stood at the same command, ends
 *            the process before anything of it is applied
 * Lease      `mayAnswer` while the last acknowledged append began less than 600 ms ago: nobody can have claimed since
 * Broken     a leader whose engine breaks on N writes skip(N) before anything else. Who claims with an engine that broke on an
 *            N of which nothing is known tries it once more in a new engine: what breaks twice breaks everywhere. So with each
 *            that breaks behind it: nobody leads with an engine that is broken. It may have broken when this core read its file
 * Ends       `ended` rejects when this process cannot go on: a log that is broken, a file that failed, an odd engine
 * Source     scale.md §4
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { RulesBeyond, type RulesRange } from '../engine/protocol/rules.ts'
import { JournalFenced } from '../journal/journal.ts'
import { CommandNotSequenced, type Trace } from '../runtime/core.ts'
import { type CommandPoisoned, Counters, decodeCommand, passOver, Sequencer } from '../runtime/parts.ts'
import type { LogCounts } from './counts.ts'
import { Follower, type FollowerPorts } from './follower.ts'
import { type Log, LogBroken } from './log.ts'
import { type LogEnd, readNext } from './log-check.ts'
import { LogWriter } from './log-writer.ts'
import { decodeMessage, importNoteOf, type Origin, type ReadMessage } from './message.ts'
import { ReplicatedJournal } from './replicated-journal.ts'
import { sleep, type Timers } from './timers.ts'

const doesNotLead = 'this core does not lead: tidemark cluster status says which one does'
const heartbeatMs = 250
const leaseMs = 600
const silenceMsLeast = 1_000
const silenceMsSpread = 500
/** After a resignation, so that not all claim in the same moment. */
const resignedMsSpread = 30

export interface ReplicatedCorePorts extends Omit<FollowerPorts, 'onTakenBack'> {
  readonly shared: Log
  readonly timers: Timers
  /** What this process applies. */
  readonly rules: RulesRange
  /** Which core this is. */
  readonly name: string
  /** The time of day, Unix milliseconds. */
  readonly wallNow: () => number
  /** A whole number from 0 up to, but without, the bound. */
  readonly random: (bound: number) => number
  readonly originsOf: (firstSequence: number, records: number) => readonly Origin[]
  readonly told: CoreTold
  /** Whether it may answer reads for a while without asking the log; absent: it may. */
  readonly hasLease?: boolean
  /** Whether it may claim now, as its clock is right; absent: always. */
  readonly mayClaim?: () => boolean
  /** The command that broke the engine when the file was read, and of which the log is to say what becomes; absent: none did. */
  readonly broken?: CommandPoisoned | undefined
  /** What is counted of commands and batches while it leads; absent: nobody asks. */
  readonly counters?: Counters | undefined
  /** What is counted of the log; absent: nobody asks. */
  readonly logCounts?: LogCounts | undefined
}

/** What a core does now; a candidate has heard nobody, and writes its claim. */
export type CoreState = 'leader' | 'candidate' | 'follower'

/** What a core tells those who listen to it: the links of gateways. */
export interface CoreTold {
  /** A message of this core was stored at a position. */
  stored(position: number, bytes: Uint8Array): void
  /** A message that stands in the log, in order. */
  committed(message: ReadMessage): void
  /**
   * The log up to here was read, and all that it says is in the file and the list of poisoned commands. What this core wrote itself
   * it may have to carry out still: of that `applied` tells.
   */
  taken(end: LogEnd): void
  /** While it leads: all commands up to there are applied. */
  applied(sequence: number): void
  leads(epoch: number): void
  /** It leads no more: whatever is under way on its links belongs to an epoch that is over. */
  follows(): void
  /** A command that was told as applied was passed over after all. */
  takenBack(sequence: number): void
}

interface Leading {
  readonly writer: LogWriter
  readonly sequencer: Sequencer
  /** Resolves when it has resigned. */
  readonly resigned: PromiseWithResolvers<void>
}

export class ReplicatedCore {
  readonly #ports: ReplicatedCorePorts
  readonly #follower: Follower
  #end: LogEnd
  #leading: Leading | undefined
  #stopped = false
  /** The last that stands in the log is that its leader gave up. */
  #isVacant = false
  #isClaiming = false
  /** When the last message was taken from the log. */
  #heardMs: number
  /** Somebody brings a venue into the log: what stands there is a part of it. */
  #isImporting = false
  /** Who claimed last. */
  #leader: string | undefined
  /** Rejects when this process cannot go on. */
  readonly ended: Promise<never>

  /** `end` is what of the log is in the file already, checked when it was read before. */
  constructor(end: LogEnd, ports: ReplicatedCorePorts) {
    this.#end = end
    this.#ports = ports
    this.#heardMs = ports.timers.now()
    this.#follower = new Follower({ ...ports, onTakenBack: (sequence) => ports.told.takenBack(sequence) })
    if (ports.broken !== undefined) this.#follower.noteBroken(ports.broken)
    this.ended = this.#run()
  }

  /** The epoch that it leads; undefined: it follows. */
  get leads(): number | undefined {
    return this.#leading?.writer.end.epoch
  }

  get state(): CoreState {
    if (this.#leading !== undefined) return 'leader'
    return this.#isClaiming ? 'candidate' : 'follower'
  }

  /** The name of the core that claimed last; undefined: it gave up since, or none did. */
  get leader(): string | undefined {
    return this.#leader
  }

  /** How long nobody has written to the log, as this core sees it. */
  get silentMs(): number {
    return this.#leading?.writer.silentMs ?? this.#ports.timers.now() - this.#heardMs
  }

  /** The log up to here is taken. */
  get end(): LogEnd {
    return this.#leading?.writer.end ?? this.#end
  }

  get sequence(): number {
    return this.#ports.driver.sequence
  }

  /** Commands that wait here, while it leads. */
  get waiting(): number {
    return this.#leading?.sequencer.waiting ?? 0
  }

  /** The time that the next command would be stamped with. */
  stampNow(): number {
    return this.#leading?.sequencer.stampNow() ?? Math.max(this.#ports.wallNow(), this.#end.lastAt)
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (this.#leading === undefined) return Promise.reject(new CommandNotSequenced(doesNotLead))
    return this.#leading.sequencer.submitAll(commands, trace)
  }

  /**
   * Answers a sequence such that everything which anybody was answered before this call stands at or before it. Rejects when
   * this core does not lead.
   */
  async fresh(): Promise<number> {
    const leading = this.#leading
    if (leading === undefined) throw new CommandNotSequenced(doesNotLead)
    const sequence = this.#ports.driver.sequence
    if (this.#ports.hasLease !== false && leading.writer.leaseAgeMs < leaseMs) return sequence
    await leading.writer.append({ kind: 'heartbeat' })
    return sequence
  }

  /**
   * Hands over: what was accepted is finished, then the others are told to claim. Gateways are let go before, so that what
   * they send meanwhile goes to the next. Resolves when it stands in the log, or when another leads anyway.
   */
  async resign(): Promise<void> {
    const leading = this.#leading
    if (leading === undefined) return
    const { writer, sequencer, resigned } = leading
    this.#leading = undefined
    this.#leader = undefined
    this.#ports.told.follows()
    await sequencer.close()
    try {
      await writer.append({ kind: 'resign' })
    } catch (error) {
      if (!(error instanceof JournalFenced)) throw error
    } finally {
      resigned.resolve()
    }
  }

  /** Takes no more part. */
  stop(): void {
    this.#stopped = true
  }

  async #run(): Promise<never> {
    for (;;) {
      await this.#follow()
      if (this.#ports.mayClaim?.() === false) {
        // The others have the time of a silence to claim.
        this.#isVacant = false
        continue
      }
      this.#isClaiming = true
      const writer = await this.#claim().finally(() => (this.#isClaiming = false))
      if (writer !== undefined) await this.#lead(writer)
    }
  }

  /** Until nothing new came for long enough. */
  async #follow(): Promise<void> {
    const { shared, timers, random } = this.#ports
    const messages = shared.follow(this.#end.position + 1)
    try {
      let next = messages.next()
      for (;;) {
        const silenceMs = this.#isVacant ? random(resignedMsSpread) : silenceMsLeast + random(silenceMsSpread)
        const alarm = alarmIn(timers, silenceMs)
        const came = await Promise.race([next, alarm.rings])
        alarm.callOff()
        if (this.#stopped) await new Promise(() => {})
        if (came === undefined && this.#isImporting) continue
        if (came === undefined) return
        if (came.done) throw new Error('the log ended')
        const { position, message: bytes } = came.value
        const { message, end } = readNext(this.#end, position, bytes)
        await this.#take(message, end)
        next = messages.next()
      }
    } finally {
      void messages.return?.()
    }
  }

  async #take(message: ReadMessage, end: LogEnd): Promise<void> {
    this.#assertRules(message, end)
    this.#isVacant = message.kind === 'resign'
    if (message.kind === 'claim') {
      this.#isImporting = importNoteOf(message) !== undefined
      this.#leader = this.#isImporting ? undefined : Buffer.from(message.note).toString().split(' ')[0]
    } else if (message.kind === 'resign') {
      this.#isImporting = false
      this.#leader = undefined
    }
    await this.#follower.take(message)
    this.#heardMs = this.#ports.timers.now()
    this.#end = end
    this.#ports.told.committed(message)
    this.#ports.told.taken(end)
  }

  #assertRules({ stateVersion, appliedThrough }: ReadMessage, { position }: LogEnd): void {
    const { rules, driver } = this.#ports
    if (stateVersion > rules.newest) throw new RulesBeyond(stateVersion, rules)
    // One that broke stands still, and is told apart by its follower.
    if (this.#follower.broken !== undefined || appliedThrough < driver.rulesSince || stateVersion === driver.rules)
      return
    const where = `behind command ${appliedThrough}`
    throw new LogBroken(
      position,
      `its rules are ${stateVersion} ${where}, and those of this core ${driver.rules}: one of both is wrong`,
    )
  }

  /** Undefined: another core was quicker. */
  async #claim(): Promise<LogWriter | undefined> {
    const { shared, timers, driver, name, random, logCounts } = this.#ports
    if (this.#follower.broken !== undefined) await this.#follower.tryAgain()
    const writer = new LogWriter(this.#end, {
      log: shared,
      timers,
      stateVersion: () => driver.rules,
      appliedThrough: () => driver.sequence,
      onStored: (end, bytes) => {
        this.#end = end
        this.#heardMs = timers.now()
        this.#ports.told.stored(end.position, bytes)
        // The records that were given are written over soon.
        this.#ports.told.committed(decodeMessage(bytes) as ReadMessage)
      },
      counts: logCounts,
    })
    try {
      // Two claims are never the same bytes, by which an append without an answer is known.
      await writer.claim(Buffer.from(`${name} ${random(2 ** 31)}`))
      this.#leader = name
      return writer
    } catch (error) {
      if (error instanceof JournalFenced) return undefined
      throw error
    }
  }

  /** Until it is fenced. */
  async #lead(writer: LogWriter): Promise<void> {
    const { told, driver, timers } = this.#ports
    this.#isVacant = false
    try {
      let { broken } = this.#follower
      while (broken !== undefined) {
        await writer.append({ kind: 'skip', firstSequence: broken.sequence })
        await this.#follower.passOver(broken.sequence)
        // What comes behind it may break the engine as well.
        await this.#follower.tryAgain()
        broken = this.#follower.broken
      }
    } catch (error) {
      if (error instanceof JournalFenced) return
      throw error
    }
    const sequencer = this.#sequencer(writer)
    const resigned = Promise.withResolvers<void>()
    this.#leading = { writer, sequencer, resigned }
    told.leads(writer.end.epoch)
    told.applied(driver.sequence)
    while (this.#leading !== undefined && !writer.isFenced && sequencer.failure === undefined && !this.#stopped) {
      if (writer.silentMs >= heartbeatMs) await writer.append({ kind: 'heartbeat' }).catch(() => {})
      else await Promise.race([sleep(timers, heartbeatMs - writer.silentMs), resigned.promise])
    }
    if (this.#leading === undefined) await resigned.promise
    else {
      this.#leading = undefined
      told.follows()
      await sequencer.close()
    }
    const { failure } = sequencer
    if (failure !== undefined && !writer.isFenced) throw failure.error
    if (this.#stopped) await new Promise(() => {})
  }

  #sequencer(writer: LogWriter): Sequencer {
    const { driver, journal, originsOf, wallNow, told, hearer } = this.#ports
    return new Sequencer({
      journal: new ReplicatedJournal(writer, journal, { originsOf, stamp: (payload) => decodeCommand(payload).at }),
      prefetch: (commands, from) => driver.prefetch(commands, from),
      apply: (command, sequence, at) => {
        const reply = driver.apply(command, sequence, at)
        hearer?.carriedOut(command, at, reply)
        return reply
      },
      passOver: async (poison) => {
        this.#follower.noteBroken(poison)
        await writer.append({ kind: 'skip', firstSequence: poison.sequence })
        await passOver(poison, driver, this.#ports)
        this.#follower.noteSound()
      },
      now: wallNow,
      lastAt: writer.end.lastAt,
      counters: this.#ports.counters ?? new Counters(),
      waitingMax: 50_000,
      waitMsMax: Number.POSITIVE_INFINITY,
      batchLengthMax: 4_096,
      // Gateways end waits themselves, and know more.
      replyTimeoutMs: 0,
      onApplied: () => told.applied(driver.sequence),
      onFailure: () => {},
    })
  }
}

function alarmIn(timers: Timers, ms: number): { readonly rings: Promise<undefined>; readonly callOff: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const cancel = timers.after(ms, () => resolve(undefined))
  return { rings: promise, callOff: cancel }
}
