/**
 * One of several cores with one log: it follows, claims when nobody leads, leads until it is fenced, and follows again.
 *
 *   follow → silence of 1,000 to 1,499 ms → claim → lead (sequencer, heartbeats) → fenced → follow …
 *
 * Claim      only after everything up to the end of the log was taken, and nothing new came for the whole time. A core that
 *            has just begun waits the full time too. The claim is the fence: it takes the end that every other would need
 * Leads      a sequencer of its own for each leadership, on a ReplicatedJournal; what it has not written when it is fenced
 *            never was, and is refused as such
 * Heartbeat  a message without records after 250 ms without another
 * Lease      `mayAnswer` while the last acknowledged append began less than 600 ms ago: nobody can have claimed since
 * Broken     a leader whose engine breaks on N writes skip(N) before anything else. Who claims with an engine that broke on an
 *            N of which nothing is known tries it once more in a new engine: what breaks twice breaks everywhere
 * Ends       `ended` rejects when this process cannot go on: a log that is broken, a file that failed, an odd engine
 * Source     scale.md §4
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { JournalFenced } from '../journal/journal.ts'
import { CommandNotSequenced, type Trace } from '../runtime/core.ts'
import { Counters, decodeCommand, passOver, Sequencer } from '../runtime/parts.ts'
import { Follower, type FollowerPorts } from './follower.ts'
import type { Log } from './log.ts'
import { type LogEnd, readNext } from './log-check.ts'
import { LogWriter } from './log-writer.ts'
import { decodeMessage, type Origin, type ReadMessage } from './message.ts'
import { ReplicatedJournal } from './replicated-journal.ts'
import { sleep, type Timers } from './timers.ts'

const heartbeatMs = 250
const leaseMs = 600
const silenceMsLeast = 1_000
const silenceMsSpread = 500

export interface ReplicatedCorePorts extends Omit<FollowerPorts, 'onTakenBack'> {
  readonly shared: Log
  readonly timers: Timers
  readonly stateVersion: number
  /** Which core this is. */
  readonly name: string
  /** The time of day, Unix milliseconds. */
  readonly wallNow: () => number
  /** A whole number from 0 up to, but without, the bound. */
  readonly random: (bound: number) => number
  readonly originsOf: (firstSequence: number, records: number) => readonly Origin[]
  readonly told: CoreTold
}

/** What a core tells those who listen to it: the links of gateways. */
interface CoreTold {
  /** A message that stands in the log, in order. */
  committed(message: ReadMessage): void
  /** While it leads: all commands up to there are applied. */
  applied(sequence: number): void
  leads(epoch: number): void
  /** It leads no more: whatever is under way on its links belongs to an epoch that is over. */
  follows(): void
  /** A command that was told as applied was passed over after all. */
  takenBack(sequence: number): void
}

export class ReplicatedCore {
  readonly #ports: ReplicatedCorePorts
  readonly #follower: Follower
  #end: LogEnd
  #leading: { readonly writer: LogWriter; readonly sequencer: Sequencer } | undefined
  #stopped = false
  /** Rejects when this process cannot go on. */
  readonly ended: Promise<never>

  /** `end` is what of the log is in the file already, checked when it was read before. */
  constructor(end: LogEnd, ports: ReplicatedCorePorts) {
    this.#end = end
    this.#ports = ports
    this.#follower = new Follower({ ...ports, onTakenBack: (sequence) => ports.told.takenBack(sequence) })
    this.ended = this.#run()
  }

  /** The epoch that it leads; undefined: it follows. */
  get leads(): number | undefined {
    return this.#leading?.writer.end.epoch
  }

  /** The log up to here is taken. */
  get end(): LogEnd {
    return this.#leading?.writer.end ?? this.#end
  }

  get sequence(): number {
    return this.#ports.driver.sequence
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (this.#leading === undefined) return Promise.reject(new CommandNotSequenced('this core does not lead'))
    return this.#leading.sequencer.submitAll(commands, trace)
  }

  /**
   * Answers a sequence such that everything which anybody was answered before this call stands at or before it. Rejects when
   * this core does not lead.
   */
  async fresh(): Promise<number> {
    const leading = this.#leading
    if (leading === undefined) throw new CommandNotSequenced('this core does not lead')
    const sequence = this.#ports.driver.sequence
    if (leading.writer.leaseAgeMs < leaseMs) return sequence
    await leading.writer.append({ kind: 'heartbeat' })
    return sequence
  }

  /** Takes no more part. */
  stop(): void {
    this.#stopped = true
  }

  async #run(): Promise<never> {
    for (;;) {
      await this.#follow()
      const writer = await this.#claim()
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
        const alarm = alarmIn(timers, silenceMsLeast + random(silenceMsSpread))
        const came = await Promise.race([next, alarm.rings])
        alarm.callOff()
        if (this.#stopped) await new Promise(() => {})
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
    await this.#follower.take(message)
    this.#end = end
    this.#ports.told.committed(message)
  }

  /** Undefined: another core was quicker. */
  async #claim(): Promise<LogWriter | undefined> {
    const { shared, timers, stateVersion, driver, name, random } = this.#ports
    if (this.#follower.broken !== undefined) await this.#follower.tryAgain()
    const writer = new LogWriter(this.#end, {
      log: shared,
      timers,
      stateVersion,
      appliedThrough: () => driver.sequence,
      onStored: (end, bytes) => {
        this.#end = end
        // The records that were given are written over soon.
        this.#ports.told.committed(decodeMessage(bytes) as ReadMessage)
      },
    })
    try {
      // Two claims are never the same bytes, by which an append without an answer is known.
      await writer.claim(Buffer.from(`${name} ${random(2 ** 31)}`))
      return writer
    } catch (error) {
      if (error instanceof JournalFenced) return undefined
      throw error
    }
  }

  /** Until it is fenced. */
  async #lead(writer: LogWriter): Promise<void> {
    const { told, driver, timers } = this.#ports
    try {
      const { broken } = this.#follower
      if (broken !== undefined) {
        await writer.append({ kind: 'skip', firstSequence: broken.sequence })
        await this.#follower.passOver(broken.sequence)
      }
    } catch (error) {
      if (error instanceof JournalFenced) return
      throw error
    }
    const sequencer = this.#sequencer(writer)
    this.#leading = { writer, sequencer }
    told.leads(writer.end.epoch)
    told.applied(driver.sequence)
    while (!writer.isFenced && sequencer.failure === undefined && !this.#stopped) {
      if (writer.silentMs >= heartbeatMs) await writer.append({ kind: 'heartbeat' }).catch(() => {})
      else await sleep(timers, heartbeatMs - writer.silentMs)
    }
    this.#leading = undefined
    told.follows()
    await sequencer.close()
    const { failure } = sequencer
    if (failure !== undefined && !writer.isFenced) throw failure.error
    if (this.#stopped) await new Promise(() => {})
  }

  #sequencer(writer: LogWriter): Sequencer {
    const { driver, journal, originsOf, wallNow, told } = this.#ports
    return new Sequencer({
      journal: new ReplicatedJournal(writer, journal, { originsOf, stamp: (payload) => decodeCommand(payload).at }),
      prefetch: (commands, from) => driver.prefetch(commands, from),
      apply: (command, sequence, at) => driver.apply(command, sequence, at),
      passOver: async (poison) => {
        this.#follower.noteBroken(poison)
        await writer.append({ kind: 'skip', firstSequence: poison.sequence })
        await passOver(poison, driver, this.#ports)
        this.#follower.noteSound()
      },
      now: wallNow,
      lastAt: writer.end.lastAt,
      counters: new Counters(),
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
