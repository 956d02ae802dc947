/**
 * The venue's runtime as one of several cores has it: a follower, or the leader, of the log that they share.
 *
 * Engine     applies what the log has, whoever wrote it. Questions are answered from it, on a follower too, where they may be behind
 * Commands   are taken while it leads; else CommandNotSequenced. Timers run while it leads
 * Snapshots  each core takes its own, by its twin, beside the file that it keeps: after so many commands, and once an hour where
 *            any came, as what they replace goes from the log
 * Ends       `onFatal` when this process cannot go on: the log is broken, a file failed, the engine is the odd one
 */
import { randomInt } from 'node:crypto'
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import {
  type CommandHearer,
  CoreLinks,
  type CoreTold,
  LiveHashes,
  type Log,
  LogCounts,
  type LogEnd,
  type ProcessAbout,
  ReplicatedCore,
  systemTimers,
  TwinHashes,
} from '../replication/replication.ts'
import { type Core, CommandNotSequenced, type Trace } from '../runtime/core.ts'
import {
  Counters,
  type EventConsumer,
  hashOf,
  type Recovered,
  SnapshotKeeper,
  type StateMachineClass,
  SystemTimers,
  twinMsMaxDefault,
  VenueClock,
} from '../runtime/parts.ts'
import {
  monotonicNow,
  type OffsetKeeper,
  type Runtime,
  type RuntimeHealth,
  type RuntimeLog,
  type RuntimeStats,
  type SnapshotTaken,
} from '../runtime/runtime.ts'
import type { History } from '../history/history.ts'

const snapshotMsMax = 3_600_000

export interface CoreRuntimeOptions {
  readonly name: string
  readonly dataDirectory: string
  readonly engineClass: StateMachineClass
  readonly engineModule: string
  /** This process, as gateways are told of it. */
  readonly about: ProcessAbout
  readonly history: History
  readonly shared: Log
  readonly snapshotEvery: number
  readonly hasLease: boolean
  readonly mayClaim: () => boolean
  readonly clockLeapMsMax: number
  readonly clockKeeper: OffsetKeeper | undefined
  readonly log: RuntimeLog
  readonly onFatal: (error: Error) => void
  /** A message of this core stands in the log. */
  readonly onStored: (position: number, message: Uint8Array) => void
  /** What this core has read of the log, and has in its file. */
  readonly onTaken: (end: LogEnd) => void
  readonly onLeading: (epoch: number | undefined) => void
  /** Commands between two hashes of the state; zero: none. */
  readonly hashEvery: number
  /** The hash of the state here after a command. */
  readonly onHash: (sequence: number, hash: string) => void
  /** Who keeps something elsewhere, and hears of it in the log; `through`: and of what this core sequences. */
  readonly hearer?: CommandHearer | undefined
  readonly through?: ((core: Core) => Core) | undefined
}

export class CoreRuntime implements Core, Pick<Runtime, 'addConsumer' | 'canAnswer' | 'clock' | 'health' | 'stats'> {
  readonly clock: VenueClock
  readonly links: CoreLinks
  readonly core: ReplicatedCore
  /** Where commands of gateways and of the operator go. */
  readonly door: Core
  readonly #recovered: Recovered
  readonly #options: CoreRuntimeOptions
  readonly #timers: SystemTimers
  readonly #snapshots: SnapshotKeeper
  readonly #counters = new Counters()
  readonly logCounts = new LogCounts()
  readonly #startedMs = monotonicNow()
  #snapshotMs = monotonicNow()
  #appliedAt: number
  #snapshotTriedAt: number
  #snapshotTriedMs = monotonicNow()
  /** The last command of the oldest snapshot that is kept; zero: there is none. */
  #oldestSnapshot = 0
  #failure: Error | undefined
  #stopping = false

  constructor(end: LogEnd, recovered: Recovered, options: CoreRuntimeOptions) {
    const { journal, snapshots, driver, poisoned, broken, lastAt, snapshotSequence } = recovered
    const { log, history, engineClass, dataDirectory, engineModule, about } = options
    this.#recovered = recovered
    this.#options = options
    this.#appliedAt = lastAt
    this.#snapshotTriedAt = snapshotSequence
    driver.addConsumer({ record: (_sequence, at) => (this.#appliedAt = at) })
    const { hashEvery, onHash } = options
    const live = new LiveHashes(hashEvery, () => driver.engine.save(), onHash)
    const byTwin = new TwinHashes(hashEvery, (sequence) => this.snapshot(sequence), onHash)
    // While it leads, orders would wait for a copy of the state.
    driver.addConsumer({ record: (sequence) => (this.core.leads === undefined ? live : byTwin).record(sequence) })
    this.clock = new VenueClock(
      { kind: 'system', leapMsMax: options.clockLeapMsMax, keeper: options.clockKeeper },
      { lastStamp: () => this.#appliedAt, log, onAccepted: () => this.#timers.arm() },
    )
    this.#snapshots = new SnapshotKeeper(
      {
        engine: () => driver.engine,
        journal,
        snapshots,
        history,
        lastAt: () => this.#appliedAt,
        twin: { dataDirectory, engine: engineModule, msMax: twinMsMaxDefault },
      },
      snapshotSequence,
    )
    this.#timers = new SystemTimers({
      nextTimerAt: () => (driver.hasEngine ? driver.engine.nextTimerAt() : undefined),
      now: () => this.clock.now(),
      stampNow: () => this.core.stampNow(),
      submit: (command) => this.submit(command),
      keepsUp: () => undefined,
      log,
    })
    this.#timers.rest()
    this.door = options.through?.(this) ?? this
    this.links = new CoreLinks({
      about,
      rules: () => driver.rules,
      submitAll: (commands, trace) => this.door.submitAll(commands, trace),
      leader: () => this.core.leader,
      passedOver: poisoned.list().map(({ sequence }) => sequence),
      sequence: () => driver.sequence,
      committed: () => this.core.end.lastSequence,
      fresh: () => this.core.fresh(),
      save: () => ({ sequence: driver.sequence, lastAt: this.#appliedAt, chunks: driver.engine.save() }),
    })
    this.core = new ReplicatedCore(end, {
      engineClass,
      journal,
      snapshots,
      poisoned,
      broken,
      log,
      driver,
      shared: options.shared,
      timers: systemTimers,
      rules: about.rules,
      name: options.name,
      wallNow: () => this.clock.now(),
      random: (bound) => randomInt(bound),
      originsOf: (first, records) => this.links.originsOf(first, records),
      told: this.#told(),
      hasLease: options.hasLease,
      mayClaim: options.mayClaim,
      hearer: options.hearer,
      counters: this.#counters,
      logCounts: this.logCounts,
    })
    this.core.ended.catch((error: unknown) => this.#fail(error as Error))
    void this.#noteOldest()
  }

  async submit(command: Command, trace?: Trace): Promise<Reply> {
    const [reply] = await this.submitAll([command], trace)
    return reply
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    if (this.#failure !== undefined) return Promise.reject(new CommandNotSequenced('this core has stopped'))
    return this.core.submitAll(commands, trace)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#recovered.driver.engine.query(query)
  }

  now(): number {
    return Math.max(this.clock.now(), this.#appliedAt)
  }

  addConsumer(consumer: EventConsumer): () => void {
    this.#recovered.driver.addConsumer(consumer)
    return () => this.#recovered.driver.removeConsumer(consumer)
  }

  get sequence(): number {
    return this.#recovered.driver.sequence
  }

  /** By which rules the next command is applied. */
  get rules(): number {
    return this.#recovered.driver.rules
  }

  get canAnswer(): boolean {
    return this.#recovered.driver.hasEngine
  }

  get oldestSnapshot(): number {
    return this.#oldestSnapshot
  }

  /** Since the newest snapshot was taken, or this began. */
  get snapshotAgeMs(): number {
    return monotonicNow() - this.#snapshotMs
  }

  async verify() {
    const view = this.query({ kind: 'verify' })
    const { sequence } = this
    return { ...view, stateHash: await hashOf(this.#recovered.driver.engine.save()), sequence }
  }

  async snapshot(sequence?: number): Promise<SnapshotTaken> {
    this.#snapshotTriedAt = this.sequence
    this.#snapshotTriedMs = monotonicNow()
    try {
      const taken = await this.#snapshots.take(sequence)
      await this.#noteOldest()
      this.#counters.snapshots += 1
      this.#snapshotMs = monotonicNow()
      this.#options.log.info({ ...taken }, 'snapshot taken')
      return taken
    } catch (error) {
      this.#counters.snapshotsFailed += 1
      this.#options.log.error({ err: error }, 'no snapshot could be taken; the journal stays as it is')
      throw error
    }
  }

  health(): RuntimeHealth {
    const reason = this.#failure === undefined ? undefined : `this core has stopped: ${this.#failure.message}`
    const state = reason !== undefined ? 'failed' : this.#stopping ? 'stopping' : 'running'
    return { healthy: state === 'running', state, reason, note: undefined }
  }

  stats(): RuntimeStats {
    return {
      ...this.#counters.read(),
      rebuildMsLast: 0,
      uptimeMs: monotonicNow() - this.#startedMs,
      sequence: this.sequence,
      waiting: this.core.waiting,
      snapshotsFailing: undefined,
      snapshotSequence: this.#snapshots.sequence,
      journal: this.#recovered.journal.stats(),
    }
  }

  /** Another core leads at once if this one did; then the file is closed, with a snapshot of what it has. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#timers.stop()
    this.clock.stop()
    if (this.#failure === undefined) await this.core.resign()
    this.core.stop()
    const isDue = this.sequence > this.#snapshots.sequence || this.#snapshots.busy
    await this.#snapshots.endTwin()
    if (isDue && this.canAnswer && this.#failure === undefined) await this.#snapshots.takeHere().catch(() => {})
    await this.#snapshots.settled()
    await this.#recovered.journal.close()
  }

  #told(): CoreTold {
    const { log, onLeading, onStored, onTaken } = this.#options
    return {
      stored: onStored,
      committed: ({ kind, firstSequence, records, origins }) => {
        if (kind === 'batch') this.links.committed({ firstSequence, records, origins })
        if (kind === 'skip') this.links.skipped(firstSequence)
      },
      taken: (end) => {
        onTaken(end)
        this.#snapshotIfDue()
      },
      applied: (sequence) => {
        this.links.applied(sequence)
        this.#timers.arm()
        if (this.core.leads !== undefined && sequence === this.core.end.lastSequence) onTaken(this.core.end)
        this.#snapshotIfDue()
      },
      leads: (epoch) => {
        log.info({ epoch, sequence: this.sequence }, 'this core leads')
        this.links.leads(epoch)
        onLeading(epoch)
      },
      follows: () => {
        log.info({ sequence: this.sequence }, 'this core leads no more')
        this.#timers.rest()
        this.links.follows()
        onLeading(undefined)
      },
      takenBack: (sequence) => {
        // What was told of it to history and to those who listen does not hold.
        this.#fail(new Error(`command ${sequence} was applied here and is passed over: this core begins anew`))
      },
    }
  }

  async #noteOldest(): Promise<void> {
    this.#oldestSnapshot = (await this.#recovered.snapshots.list()).at(-1)?.sequence ?? 0
  }

  #snapshotIfDue(): void {
    const { snapshotEvery } = this.#options
    if (snapshotEvery === 0 || this.#snapshots.busy || this.#stopping || !this.canAnswer) return
    const since = this.sequence - this.#snapshotTriedAt
    const isLate = since > 0 && monotonicNow() - this.#snapshotTriedMs >= snapshotMsMax
    if (since >= snapshotEvery || isLate) void this.snapshot().catch(() => {})
    else if (since >= snapshotEvery / 100) this.#snapshots.prepare()
  }

  #fail(error: Error): void {
    if (this.#stopping || this.#failure !== undefined) return
    this.#failure = error
    this.#timers.stop()
    this.links.follows()
    this.#options.onFatal(error)
  }
}
