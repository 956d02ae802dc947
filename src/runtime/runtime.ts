/**
 * The runtime: keeps the engine fed, durable and on time. This is the door of the room.
 *
 *   1  recovery.ts           the state as it stood, from the newest snapshot and the journal's tail
 *   2  sequencer.ts          commands in one order: batch → journal → engine → replies
 *   3  timers.ts             what falls due becomes a command, by venue-clock.ts
 *   4  snapshot-keeper.ts    now and then the whole state, so that the journal stays short
 *   5  rebuild.ts            back to before a command that broke the engine, and past it
 *
 * Durable   a reply is given only after its command is on disk and applied
 * Poison    a command that the engine throws on is refused and changes nothing. Until the engine is rebuilt commands
 *           wait and questions throw EngineRebuilding; timers are those of the last whole batch. `health` notes it
 * Failing   a journal that cannot write, or an engine that cannot be rebuilt, ends the taking of commands for good:
 *           `health` says so, and a restart reconciles. After the journal's failure queries still answer what was
 *           acknowledged.
 * Alone     one process may have the data directory open; keeping others out is the caller's part
 * Source    design.md §1, §5; reliability.md §3, D9
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind, VerifyView } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Disk, Journal, JournalStats, RecordsBeside } from '../journal/journal.ts'
import type { CommandKind } from './command-layout.ts'
import type { Core, Trace } from './core.ts'
import { Counters, type Stages } from './counters.ts'
import type { DurationsSeen } from './durations.ts'
import type { EngineDriver } from './engine-driver.ts'
import { historyKeepsUp } from './history-backlog.ts'
import { goBackTo, openInMemory, type RuntimeMemory, type SavedRuntime, type Through } from './memory.ts'
import type { PoisonedCommands } from './poisoned-commands.ts'
import {
  type EventConsumer,
  type HistoryConsumer,
  type RuntimeLog,
  silentLog,
  type StateMachineClass,
} from './ports.ts'
import { passOver, type RebuildPorts } from './rebuild.ts'
import { recover, type Recovered, type RecoveryProgress } from './recovery.ts'
import type { RulesKnown, RulesNote } from './rules.ts'
import { type Failure, Sequencer } from './sequencer.ts'
import { SnapshotGivenUp, SnapshotKeeper, type SnapshotTaken } from './snapshot-keeper.ts'
import { hashOf } from './state-hash.ts'
import { ManualTimers, SystemTimers, type TimerPorts } from './timers.ts'
import type { CommandPoisoned } from './trouble.ts'
import { twinMsMaxDefault } from './twin.ts'
import { type ClockChoice, VenueClock } from './venue-clock.ts'

export { decodeCommand, encodedCommand } from './command-codec.ts'
export { type Core, CommandNotSequenced, EngineRebuilding, OutcomeUnknown } from './core.ts'
export { Durations, durationBucketsMs, type DurationsSeen } from './durations.ts'
export { type EventConsumer, type RuntimeLog } from './ports.ts'
export { checkRules, type RecoveryProgress } from './recovery.ts'
export { mayReplay, newerNote, type RulesKnown, type RulesNote } from './rules.ts'
export { type DirectoryRead, readDirectory } from './directory.ts'
export { type SnapshotTaken } from './snapshot-keeper.ts'
export { cameBy, type SavedRuntime, sequenceAt, stampOf, type Through } from './memory.ts'
export { hashOf as stateHashOf } from './state-hash.ts'
export { RecoveryFailed } from './trouble.ts'
export { type ClockView, type VenueClock } from './venue-clock.ts'
export { monotonicNow, type OffsetKeeper } from './watched-clock.ts'

export interface RuntimeOptions {
  /** The journal goes to `journal/` in it, snapshots to `snapshots/`; undefined: all is in memory, and may go back. */
  readonly dataDirectory: string | undefined
  /** In memory: where it begins. Absent: a new venue. */
  readonly from?: SavedRuntime | undefined
  readonly through?: Through | undefined
  /** In memory: where the records are kept as well, before a command is carried out. */
  readonly beside?: RecordsBeside | undefined
  readonly engineClass: StateMachineClass
  readonly history?: HistoryConsumer
  /** Besides history: market data, streams. They get every command's events in order, replayed ones first. */
  readonly consumers?: readonly EventConsumer[]
  /** Who makes a batch durable before it is answered: the journal, or the operating system when it likes. */
  readonly durability?: 'sync' | 'os'
  readonly clock?: ClockChoice
  /** The path of the module that has `engineClass` as its `Engine`: then a twin makes the snapshots of a running venue. */
  readonly engineModule?: string
  /** A twin that is not done by then is ended. */
  readonly twinMsMax?: number
  /** Commands between two automatic snapshots; zero: none. */
  readonly snapshotEvery?: number
  readonly snapshotAtStop?: boolean
  /** Commands that may wait; one more is refused at once. A tenth of it is for commands that lighten the load. */
  readonly waitingMax?: number
  /** As long as the oldest of them waits longer, no more are taken but those that lighten the load. */
  readonly waitMsMax?: number
  readonly batchLengthMax?: number
  /** Then a caller is answered that the outcome is unknown; zero: never. */
  readonly replyTimeoutMs?: number
  /** Commands that may break the engine within an hour; one more stops the venue. */
  readonly poisonedPerHourMax?: number
  readonly log?: RuntimeLog
  readonly onProgress?: (progress: RecoveryProgress) => void
  /** The engine broke for good: there is nothing to be asked any more, the process should end. */
  readonly onFatal?: (error: Error) => void
  /** A command that the journal had, as the directory noted it: a journal that ends before it is refused. */
  readonly reached?: number
  /** Rows that history lacks, and that cannot come back, are accepted as lost. */
  readonly historyLossAccepted?: boolean
  /** What was carried out by other rules is not replayed. */
  readonly rules?: RulesKnown
  /** On disk: what stands between the runtime and its file. Absent: nothing. */
  readonly wrapJournal?: ((file: Journal) => Promise<Journal>) | undefined
  /** For tests that put faults in. */
  readonly disk?: Disk
  readonly segmentBytesMax?: number
}

export interface RuntimeHealth {
  readonly healthy: boolean
  readonly state: 'running' | 'rebuilding' | 'stopping' | 'stopped' | 'failed'
  /** In words, when it has failed. */
  readonly reason: string | undefined
  /** In words, what a person should look into although commands are taken. */
  readonly note: string | undefined
}

export interface RuntimeStats {
  readonly uptimeMs: number
  readonly sequence: number
  readonly commands: ReadonlyMap<CommandKind, number>
  readonly refused: number
  readonly poisoned: number
  /** How long the last rebuild after a poisoned command took. */
  readonly rebuildMsLast: number
  readonly overloaded: number
  readonly waiting: number
  readonly batches: number
  readonly batchLengthLast: number
  readonly batchLengthMax: number
  readonly stages: Stages<DurationsSeen>
  readonly snapshots: number
  readonly snapshotsFailed: number
  /** Since the last one that was taken; undefined: it was the last that was tried. */
  readonly snapshotsFailing: SnapshotsFailing | undefined
  readonly snapshotSequence: number
  /** `syncMsLast`, `syncMsMax`, segments, bytes. */
  readonly journal: JournalStats
}

export interface SnapshotsFailing {
  readonly times: number
  /** When the first of them failed, Unix milliseconds. */
  readonly since: number
  /** Why the last of them failed. */
  readonly error: Error
}

export interface Verification extends VerifyView {
  readonly stateHash: string
  readonly sequence: number
}

const hourMs = 3_600_000

/** The question came when the engine's state can no longer be trusted. */
class EngineStopped extends Error {
  override name = 'EngineStopped'
}

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { history, engineClass, dataDirectory, log = silentLog } = options
  const consumers = history === undefined ? (options.consumers ?? []) : [history, ...(options.consumers ?? [])]
  if (dataDirectory === undefined) {
    const { from, through, beside } = options
    const opened = await openInMemory({ engineClass, consumers, log, from, through, beside })
    return new Runtime(opened, options, opened.memory)
  }
  const recovered = await recover({
    dataDirectory,
    durability: options.durability ?? 'sync',
    engineClass,
    history,
    consumers,
    log,
    onProgress: options.onProgress ?? (() => {}),
    disk: options.disk,
    segmentBytesMax: options.segmentBytesMax,
    reached: options.reached ?? 0,
    historyLossAccepted: options.historyLossAccepted ?? false,
    rules: options.rules,
  })
  const { wrapJournal } = options
  if (wrapJournal === undefined) return new Runtime(recovered, options)
  return new Runtime({ ...recovered, journal: await wrapJournal(recovered.journal) }, options)
}

export class Runtime implements Core {
  /** By which rules commands are carried out; undefined: nobody asked. */
  readonly rules: RulesNote | undefined
  readonly #driver: EngineDriver
  readonly #journal: Journal
  readonly #sequencer: Sequencer
  readonly clock: VenueClock
  readonly #systemTimers: SystemTimers | undefined
  readonly #manualTimers: ManualTimers | undefined
  readonly #snapshots: SnapshotKeeper
  readonly #poisoned: PoisonedCommands
  readonly #rebuildPorts: RebuildPorts
  /** When the engine broke within the last hour, on the monotonic clock. */
  #brokeAtMs: number[] = []
  #rebuildMsLast = 0
  #rebuilt: Promise<void> | undefined
  /** Of the state after the last whole batch. */
  #nextTimerAt: number | undefined
  readonly #counters = new Counters()
  readonly #startedMs = performance.now()
  readonly #options: RuntimeOptions
  readonly #log: RuntimeLog
  #snapshotTriedAt: number
  #snapshotsFailing: SnapshotsFailing | undefined
  #stopping: Promise<void> | undefined
  #stopped = false
  #epoch = 0
  /** Undefined: it is kept on disk, and does not go back. */
  readonly #memory: RuntimeMemory | undefined

  constructor(recovered: Recovered, options: RuntimeOptions, memory?: RuntimeMemory) {
    const { journal, snapshots, poisoned, driver, snapshotSequence, lastAt } = recovered
    this.rules = recovered.rules
    this.#driver = driver
    this.#memory = memory
    this.#journal = journal
    this.#poisoned = poisoned
    this.#options = options
    this.#log = options.log ?? silentLog
    this.#rebuildPorts = { engineClass: options.engineClass, journal, snapshots, poisoned, log: this.#log }
    this.#nextTimerAt = driver.engine.nextTimerAt()
    this.#snapshotTriedAt = snapshotSequence

    this.clock = new VenueClock(options.clock ?? { kind: 'system' }, {
      // The clock is made before the sequencer, which it is made for.
      lastStamp: () => (this.#sequencer as Sequencer | undefined)?.lastAt ?? lastAt,
      log: this.#log,
      onAccepted: () => this.#systemTimers?.arm(),
    })

    this.#sequencer = new Sequencer({
      journal,
      prefetch: (commands, from) => driver.prefetch(commands, from),
      apply: (command, sequence, at) => driver.apply(command, sequence, at),
      passOver: (poison) => this.#passOver(poison),
      now: () => this.clock.now(),
      lastAt,
      counters: this.#counters,
      waitingMax: options.waitingMax ?? 50_000,
      waitMsMax: options.waitMsMax ?? 1_000,
      batchLengthMax: options.batchLengthMax ?? 4_096,
      replyTimeoutMs: options.replyTimeoutMs ?? 10_000,
      onApplied: () => this.#afterBatch(),
      onFailure: (failure) => this.#afterFailure(failure),
    })

    const { history } = options
    const stamp = () => this.#sequencer.appliedAt
    const { dataDirectory, engineModule } = options
    const msMax = options.twinMsMax ?? twinMsMaxDefault
    const twin =
      engineModule === undefined || dataDirectory === undefined
        ? undefined
        : { dataDirectory, engine: engineModule, msMax }
    this.#snapshots = new SnapshotKeeper(
      { engine: () => driver.engine, journal, snapshots, history, lastAt: stamp, twin },
      snapshotSequence,
    )

    const ports: TimerPorts = {
      nextTimerAt: () => this.#nextTimerAt,
      now: () => this.clock.now(),
      stampNow: () => this.#sequencer.stampNow(),
      submit: (command) => this.submit(command),
      // Its health says that it failed; the venue goes on.
      keepsUp: () => historyKeepsUp(history)?.catch(() => {}),
      log: this.#log,
    }
    const { manual, steered } = this.clock
    const movable = manual ?? steered
    this.#manualTimers = movable && new ManualTimers(movable, ports)
    this.#systemTimers = manual ? undefined : new SystemTimers(ports)
    this.#armTimers()
  }

  submit(command: Command, trace?: Trace): Promise<Reply> {
    return this.#sequencer.submit(command, trace)
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    return this.#sequencer.submitAll(commands, trace)
  }

  /** Throws EngineRebuilding after a poisoned command, for a moment; EngineStopped once the engine broke for good. */
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    this.#assertEngineSound()
    return this.#driver.engine.query(query)
  }

  now(): number {
    return this.clock.now()
  }

  /** From the next command on; answers how to stop it. */
  addConsumer(consumer: EventConsumer): () => void {
    this.#driver.addConsumer(consumer)
    return () => this.#driver.removeConsumer(consumer)
  }

  /** The last command applied or passed over. */
  get sequence(): number {
    return this.#driver.sequence
  }

  /** Not so after a command broke the engine: for a moment, or for good. */
  get canAnswer(): boolean {
    return this.#driver.hasEngine && this.#sequencer.failure?.kind !== 'engine-broken'
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#rebuilt
  }

  /**
   * On the manual clock, or while a steered one is frozen: moves it, and runs every timer that falls due on the way, in order. It
   * stops behind the command after which `isThere` says so. `isPassing`: more is to come at once, so where it went is not noted.
   */
  advance(ms: number, isThere?: () => boolean, isPassing?: boolean): Promise<void> {
    if (this.#manualTimers === undefined || this.clock.steered?.isFrozen === false) {
      throw new Error('only the manual clock can be advanced')
    }
    return this.#manualTimers.advance(ms, isThere, isPassing)
  }

  /** Of a steered clock: it stands still until it is thawed. */
  freeze(): void {
    this.#steered.freeze()
    this.#armTimers()
  }

  /** It goes on from where it stands. */
  thaw(): void {
    this.#steered.thaw()
    this.#armTimers()
  }

  get #steered() {
    const { steered } = this.clock
    if (steered === undefined) throw new Error('only a steered clock can be frozen and thawed')
    return steered
  }

  /** The next timer of the engine, Unix milliseconds. */
  get nextTimerAt(): number | undefined {
    return this.#nextTimerAt
  }

  #armTimers(): void {
    if (this.clock.steered?.isFrozen) this.#systemTimers?.rest()
    else this.#systemTimers?.arm()
  }

  /** In memory: the state as it stands between two commands, good as often as it is used. */
  save(): SavedRuntime {
    this.#assertEngineSound()
    const { journal, snapshots } = this.#inMemory
    const { sequence } = this.#driver
    return {
      state: this.#driver.engine.save(),
      sequence,
      lastAt: this.#sequencer.appliedAt,
      now: this.now(),
      journal: journal.mark(sequence),
      snapshots: snapshots.mark(),
      poisoned: this.#poisoned.list(),
    }
  }

  /**
   * In memory: to what was saved, here or elsewhere. Whoever begins something meanwhile waits for the end (`rebuilt`); commands that
   * were under way have an unknown outcome, and none of them lands behind it. `others` goes back with it. Answers how many there were.
   */
  async goBack(saved: SavedRuntime, others: () => Promise<void>): Promise<number> {
    const memory = this.#inMemory
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#rebuilt = promise
    try {
      this.#systemTimers?.rest()
      await this.#sequencer.hold()
      await this.#snapshots.settled()
      const { engineClass } = this.#options
      goBackTo(saved, { memory, poisoned: this.#poisoned, driver: this.#driver, engineClass })
      const unknown = this.#sequencer.goBack(saved.lastAt)
      this.clock.steered?.goTo(saved.now)
      this.#epoch += 1
      this.#snapshotTriedAt = saved.sequence
      this.#nextTimerAt = this.#driver.engine.nextTimerAt()
      await others()
      return unknown
    } finally {
      this.#rebuilt = undefined
      this.#sequencer.release()
      resolve()
      this.#armTimers()
    }
  }

  /** Nothing that was accepted waits to be carried out. */
  get isIdle(): boolean {
    return this.#sequencer.isIdle
  }

  /** Resolves when that is so. */
  idle(): Promise<void> {
    return this.#sequencer.idle()
  }

  /** How often it went back. What was begun in another epoch is not to be gone on with. */
  get epoch(): number {
    return this.#epoch
  }

  /** In memory: the record of a command; undefined: it is no longer there, or not yet. */
  record(sequence: number): Uint8Array | undefined {
    return this.#inMemory.journal.at(sequence)
  }

  get #inMemory(): RuntimeMemory {
    if (this.#memory === undefined) throw new Error('what is kept on disk does not go back')
    return this.#memory
  }

  /**
   * Takes a snapshot of the state as it stands between two batches, or as it was after a command (`sequence`). Rejects with the
   * trouble; the venue goes on.
   */
  snapshot(sequence?: number): Promise<SnapshotTaken> {
    return this.#snapshot(() => this.#snapshots.take(sequence))
  }

  async #snapshot(take: () => Promise<SnapshotTaken>): Promise<SnapshotTaken> {
    this.#assertEngineSound()
    this.#snapshotTriedAt = this.sequence
    try {
      const taken = await take()
      this.#counters.snapshots += 1
      this.#snapshotsFailing = undefined
      this.#log.info({ ...taken }, 'snapshot taken')
      return taken
    } catch (error) {
      this.#counters.snapshotsFailed += 1
      if (!(error instanceof SnapshotGivenUp)) this.#noteSnapshotFailed(error as Error)
      this.#log.error({ err: error }, 'no snapshot could be taken; the journal stays as it is')
      throw error
    }
  }

  #noteSnapshotFailed(error: Error): void {
    const { times, since } = this.#snapshotsFailing ?? { times: 0, since: this.now() }
    this.#snapshotsFailing = { times: times + 1, since, error }
  }

  /** The state as it stands between two commands, for a replica elsewhere. */
  savedState(): { readonly sequence: number; readonly lastAt: number; readonly chunks: readonly Uint8Array[] } {
    this.#assertEngineSound()
    const { engine, sequence } = this.#driver
    return { sequence, lastAt: this.#sequencer.appliedAt, chunks: engine.save() }
  }

  async stateHash(): Promise<string> {
    this.#assertEngineSound()
    return hashOf(this.#driver.engine.save())
  }

  /** Books and hash of one moment between two commands. */
  async verify(): Promise<Verification> {
    const view = this.query({ kind: 'verify' })
    const { sequence } = this
    return { ...view, stateHash: await this.stateHash(), sequence }
  }

  health(): RuntimeHealth {
    const failure = this.#sequencer.failure
    const working = this.#rebuilt === undefined ? 'running' : 'rebuilding'
    const state = failure ? 'failed' : this.#stopped ? 'stopped' : this.#stopping ? 'stopping' : working
    return {
      healthy: state === working,
      state,
      reason: failure && `${failure.kind}: ${failure.error.message}`,
      note: this.#poisonNote(),
    }
  }

  stats(): RuntimeStats {
    return {
      ...this.#counters.read(),
      rebuildMsLast: this.#rebuildMsLast,
      snapshotsFailing: this.#snapshotsFailing,
      uptimeMs: performance.now() - this.#startedMs,
      sequence: this.sequence,
      waiting: this.#sequencer.waiting,
      snapshotSequence: this.#snapshots.sequence,
      journal: this.#journal.stats(),
    }
  }

  /** Answers everything that was accepted, takes the last snapshot, closes the journal. History is the caller's to close. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#systemTimers?.stop()
    this.clock.stop()
    await this.#sequencer.close()
    const { snapshotAtStop = true } = this.#options
    const isDue = this.sequence > this.#snapshots.sequence || this.#snapshots.busy
    await this.#snapshots.endTwin()
    if (snapshotAtStop && isDue && this.#sequencer.failure === undefined) {
      await this.#snapshot(() => this.#snapshots.takeHere()).catch(() => {})
    }
    await this.#snapshots.settled()
    await this.#journal.close()
    this.#stopped = true
  }

  async #passOver(poison: CommandPoisoned): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#rebuilt = promise
    try {
      await this.#rebuild(poison)
    } finally {
      this.#rebuilt = undefined
      resolve()
    }
  }

  async #rebuild(poison: CommandPoisoned): Promise<void> {
    const now = performance.now()
    const { poisonedPerHourMax = 100 } = this.#options
    this.#brokeAtMs = [...this.#brokeAtMs.filter((ms) => ms > now - hourMs), now]
    if (this.#brokeAtMs.length > poisonedPerHourMax) {
      const message = `${poison.message}, as did ${poisonedPerHourMax} others within the hour`
      throw new Error(message, { cause: poison.cause })
    }
    // Commands wait for this: a twin at work gives way, and what is being written here is written.
    await this.#snapshots.endTwin()
    this.#rebuildMsLast = await passOver(poison, this.#driver, this.#rebuildPorts)
  }

  #poisonNote(): string | undefined {
    const { found, last } = this.#poisoned
    if (last === undefined) return undefined
    const which = `the last was command ${last.sequence} (${last.kind})`
    return `${found} ${found === 1 ? 'command' : 'commands'} broke the engine and changed nothing; ${which}`
  }

  #afterBatch(): void {
    this.#nextTimerAt = this.#driver.engine.nextTimerAt()
    this.#armTimers()
    const { snapshotEvery = 200_000 } = this.#options
    if (snapshotEvery === 0 || this.#snapshots.busy || this.#stopping !== undefined) return
    const since = this.sequence - this.#snapshotTriedAt
    if (since >= snapshotEvery) void this.snapshot().catch(() => {})
    else if (since >= snapshotEvery / 100) this.#snapshots.prepare()
  }

  #afterFailure({ kind, error }: Failure): void {
    this.#systemTimers?.stop()
    this.#log.error({ err: error, sequence: this.sequence }, `the venue takes no more commands: ${kind}`)
    if (kind === 'engine-broken') this.#options.onFatal?.(error)
  }

  #assertEngineSound(): void {
    const failure = this.#sequencer.failure
    if (failure?.kind === 'engine-broken') throw new EngineStopped('the engine has stopped', { cause: failure.error })
  }
}
