/**
 * The venue's runtime as a gateway has it: commands go to the core, questions are answered by an engine of its own, and consumers
 * hear what that engine applies.
 *
 * State     comes from a core when the gateway begins. Once it has begun, another one would mean that what consumers heard does not
 *           go on: `onLost`, and the process ends and begins anew
 * Clock     the system's, or the one that is moved by hand where the core says that it has that: then time is the last stamp, as each
 *           move ends with a command
 * Stale     while no core is heard, or its log takes nothing, private calls are refused after `leaderWaitMs` (RemoteCore), and
 *           `health` says so. What is public is told on, as it was, for four times that (`assertHeard`), and sockets stay for
 *           twelve times (standstill.ts)
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { RulesBeyond } from '../engine/protocol/rules.ts'
import {
  FollowedHashes,
  LinkCounts,
  LiveHashes,
  type ProcessAbout,
  RemoteCore,
  type SavedState,
  type StateDiffers,
  systemTimers,
} from '../replication/replication.ts'
import { type Core, CommandNotSequenced, type Trace } from '../runtime/core.ts'
import { Counters, EngineDriver, type EventConsumer, type StateMachineClass, VenueClock } from '../runtime/parts.ts'
import {
  monotonicNow,
  type Runtime,
  type RuntimeHealth,
  type RuntimeLog,
  type RuntimeStats,
} from '../runtime/runtime.ts'

/** In times of `leaderWaitMs`. */
const publicTimes = 4
const socketTimes = 12

export interface GatewayRuntimeOptions {
  readonly engineClass: StateMachineClass
  /** This process, as it is told to cores. */
  readonly about: ProcessAbout
  /** A random safe integer. */
  readonly session: number
  readonly replyTimeoutMs: number
  /** As long as a failover takes, and no longer than a client waits. */
  readonly leaderWaitMs: number
  readonly clockLeapMsMax: number
  readonly log: RuntimeLog
  /** Of what is heard elsewhere of commands that were carried out here; undefined: nothing is to be waited for. */
  readonly settled?: () => Promise<unknown> | undefined
  /** A command was carried out here. */
  readonly onCommand?: (command: Command, at: number) => void
  /** A state has come, and perhaps another before it has begun; the time of its last command. */
  readonly onBegun?: (lastAt: number) => void
  /** The core has applied everything up to there: nothing of it is passed over any more. */
  readonly onConfirmed?: (sequence: number) => void
  /** Its state is not that of the core. */
  readonly onOdd: (error: StateDiffers) => void
  /** The venue goes on by rules that this release does not apply. Before it has begun `begun` rejects instead. */
  readonly onUnfit: (error: RulesBeyond) => void
  /** What this gateway has told does not go on. */
  readonly onLost: (reason: string) => void
}

/** Longer than cores need to have one that leads. */
const lonelyMs = 5_000

/** What a core says that it goes by; one of several says nothing, and goes by the system's. */
type CoreClock = 'system' | 'manual'

/** What is too old to be told: nothing, what is private, what is public too, and then sockets end as well. */
export type Staleness = 'none' | 'private' | 'public' | 'sockets'

/** What the doors of a venue ask of its runtime. */
export type DoorsRuntime = Core & Pick<Runtime, 'addConsumer' | 'canAnswer' | 'clock' | 'health' | 'sequence' | 'stats'>

export class GatewayRuntime implements DoorsRuntime {
  readonly remote: RemoteCore
  readonly linkCounts = new LinkCounts()
  readonly hashes: FollowedHashes
  readonly about: ProcessAbout
  readonly #live = new LiveHashes(
    0,
    () => this.#driver.engine.save(),
    (sequence, hash) => this.hashes.own(sequence, hash),
  )
  #clock: VenueClock
  /** Resolves when a state has come, a core that leads is heard, and all that it had committed is here. Rejects with RulesBeyond. */
  readonly begun: Promise<void>
  readonly #driver = new EngineDriver([])
  readonly #counters = new Counters()
  readonly #startedMs = monotonicNow()
  readonly #settled: GatewayRuntimeOptions['settled']
  #hasState = false
  #hasBegun = false
  /** Nobody knows yet whether a core is where it was named. */
  readonly #lonely: NodeJS.Timeout
  readonly #leaderWaitMs: number
  #lastAt = 0
  readonly #clockOf: (kind: CoreClock) => VenueClock
  readonly #onOtherClock: () => void

  constructor({ engineClass, onLost, onUnfit, onCommand, log, ...options }: GatewayRuntimeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(() => undefined)
    this.begun = promise
    this.#lonely = setTimeout(() => log.warn({}, 'no core that leads is heard: this process waits for one'), lonelyMs)
    const isBegun = () => clearTimeout(this.#lonely)
    promise.then(isBegun, isBegun)
    this.#settled = options.settled
    this.about = options.about
    this.hashes = new FollowedHashes(options.onOdd)
    this.#leaderWaitMs = options.leaderWaitMs
    const driver = this.#driver
    driver.addConsumer(this.#live)
    const begin = ({ chunks, lastAt }: SavedState) => {
      if (this.#hasBegun) return onLost('it missed what cannot be told one by one')
      this.#takeStamp(lastAt)
      // Each in a buffer of its own: columns are read as words, which begin at whole words.
      const own = chunks.map((chunk) => new Uint8Array(chunk))
      driver.replace((emit) => engineClass.load(own, emit))
      this.#hasState = true
      options.onBegun?.(lastAt)
    }
    const hasState = () => this.#hasState
    this.remote = new RemoteCore({
      session: options.session,
      about: options.about,
      onUnfit: (error) => (this.#hasBegun ? onUnfit(error) : reject(error)),
      timers: systemTimers,
      leaderWaitMs: options.leaderWaitMs,
      replyTimeoutMs: options.replyTimeoutMs,
      onConfirmed: options.onConfirmed,
      onReady: () => {
        this.#hasBegun = true
        resolve()
      },
      counts: this.linkCounts,
      onUseless: (reason) => {
        // Its carrier ends with the link, and makes another.
        log.warn({ reason }, 'the link to the core is of no use')
        if (hasState() && !driver.hasEngine) onLost(reason)
      },
      replica: {
        get sequence() {
          return hasState() ? driver.sequence : undefined
        },
        prefetch: (commands, from) => driver.prefetch(commands, from),
        apply: (command, sequence, at) => {
          this.#takeStamp(at)
          const reply = driver.apply(command, sequence, at)
          this.#counters.countCommand(command.kind, reply)
          if (reply.kind !== 'refused') onCommand?.(command, at)
          return reply
        },
        skip: (sequence, at) => driver.skip(sequence, at),
        begin,
        applied: () => {},
      },
    })
    this.#clockOf = (kind) =>
      new VenueClock(kind === 'manual' ? { kind, startAt: 0 } : { kind, leapMsMax: options.clockLeapMsMax }, {
        lastStamp: () => this.#lastAt,
        log,
        onAccepted: () => {},
      })
    this.#clock = this.#clockOf('system')
    this.#onOtherClock = () => onLost('the core has another clock than it had')
  }

  get clock(): VenueClock {
    return this.#clock
  }

  async submit(command: Command, trace?: Trace): Promise<Reply> {
    const [reply] = await this.remote.submitAll([command], trace)
    return reply
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    return this.remote.submitAll(commands, trace)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#driver.engine.query(query)
  }

  /** Never before what has happened. */
  now(): number {
    return Math.max(this.#clock.now(), this.#lastAt)
  }

  readonly fresh = async (): Promise<void> => {
    await this.remote.fresh()
    await this.#settled?.()
  }

  /** How old what this gateway has may be: how it is to be told, and whether it is. */
  get staleness(): Staleness {
    const times = this.remote.stoodMs / this.#leaderWaitMs
    if (times < 1) return 'none'
    if (times < publicTimes) return 'private'
    return times < socketTimes ? 'public' : 'sockets'
  }

  readonly assertHeard = (): void => {
    const { staleness } = this
    if (staleness === 'public' || staleness === 'sockets') throw new CommandNotSequenced(this.#whyStale())
  }

  addConsumer(consumer: EventConsumer): () => void {
    this.#driver.addConsumer(consumer)
    return () => this.#driver.removeConsumer(consumer)
  }

  get sequence(): number {
    return this.#driver.sequence
  }

  /** By which rules the next command is applied. */
  get rules(): number {
    return this.#driver.rules
  }

  get canAnswer(): boolean {
    return this.#driver.hasEngine
  }

  health(): RuntimeHealth {
    const { staleness } = this
    if (staleness === 'none') return { healthy: true, state: 'running', reason: undefined, note: undefined }
    const what =
      staleness === 'private'
        ? 'private calls are refused, and what is public is stale'
        : 'all calls are refused, as what is public is too old'
    return { healthy: false, state: 'failed', reason: `${this.#whyStale()}: ${what}`, note: undefined }
  }

  #whyStale(): string {
    const what = this.remote.isReady ? 'the log stands still' : 'no core is heard'
    return `${what} since ${Math.floor(this.remote.stoodMs / 1000)} s`
  }

  stats(): RuntimeStats {
    return {
      ...this.#counters.read(),
      rebuildMsLast: 0,
      uptimeMs: monotonicNow() - this.#startedMs,
      sequence: this.sequence,
      waiting: this.remote.waiting,
      snapshotsFailing: undefined,
      snapshotSequence: 0,
      journal: noJournal,
    }
  }

  /** What the core tells beside its batches: which hashes are made, and which one was right. */
  hear(what: string, value: unknown): void {
    if (what === 'clock') this.#goBy(value as CoreClock)
    if (what === 'hashEvery') this.#live.every = value as number
    if (what !== 'settledHash') return
    const { sequence, hash } = value as { readonly sequence: number; readonly hash: string }
    this.hashes.told(sequence, hash)
  }

  stop(): void {
    clearTimeout(this.#lonely)
    this.#clock.stop()
  }

  #takeStamp(at: number): void {
    this.#lastAt = at
    this.#clock.manual?.moveTo(at)
  }

  /** Told before the state that this begins with. */
  #goBy(kind: CoreClock): void {
    if (kind === this.#clock.view().kind) return
    if (this.#hasBegun) return this.#onOtherClock()
    this.#clock.stop()
    this.#clock = this.#clockOf(kind)
  }
}

/** The core has one. */
const noJournal: RuntimeStats['journal'] = {
  segments: 0,
  bytes: 0,
  firstSequence: 1,
  lastSequence: 0,
  batches: 0,
  syncs: 0,
  syncMsLast: 0,
  syncMsMax: 0,
  syncMsSum: 0,
  failed: false,
}
