/**
 * The venue's runtime as a gateway has it: commands go to the core, questions are answered by an engine of its own, and consumers
 * hear what that engine applies.
 *
 * State     comes from the core when the gateway begins. A second one would mean that what consumers heard does not go on:
 *           `onLost`, and the process ends and begins anew
 * Stale     while no core is heard, private calls are refused after `leaderWaitMs` (RemoteCore); `health` says so
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { RemoteCore, type SavedState } from '../replication/replication.ts'
import type { Core, Trace } from '../runtime/core.ts'
import { Counters, EngineDriver, type EventConsumer, type StateMachineClass, VenueClock } from '../runtime/parts.ts'
import {
  monotonicNow,
  type Runtime,
  type RuntimeHealth,
  type RuntimeLog,
  type RuntimeStats,
} from '../runtime/runtime.ts'

/** As long as a failover takes, and no longer than a client waits. */
const leaderWaitMs = 2_500

export interface GatewayRuntimeOptions {
  readonly engineClass: StateMachineClass
  readonly stateVersion: number
  /** A random safe integer. */
  readonly session: number
  readonly replyTimeoutMs: number
  readonly clockLeapMsMax: number
  readonly log: RuntimeLog
  /** What this gateway has told does not go on. */
  readonly onLost: (reason: string) => void
}

/** What the doors of a venue ask of its runtime. */
export type DoorsRuntime = Core & Pick<Runtime, 'addConsumer' | 'canAnswer' | 'clock' | 'health' | 'sequence' | 'stats'>

export class GatewayRuntime implements DoorsRuntime {
  readonly remote: RemoteCore
  readonly clock: VenueClock
  /** Resolves when the state of the core has come and a core is heard. */
  readonly begun: Promise<void>
  readonly #driver = new EngineDriver([])
  readonly #counters = new Counters()
  readonly #startedMs = monotonicNow()
  #hasState = false
  #lastAt = 0
  #awaySinceMs: number | undefined = monotonicNow()

  constructor({ engineClass, onLost, log, ...options }: GatewayRuntimeOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.begun = promise
    const driver = this.#driver
    const begin = ({ chunks, lastAt }: SavedState) => {
      if (this.#hasState) return onLost('it missed what cannot be told one by one')
      this.#hasState = true
      this.#lastAt = lastAt
      // Each in a buffer of its own: columns are read as words, which begin at whole words.
      const own = chunks.map((chunk) => new Uint8Array(chunk))
      driver.replace((emit) => engineClass.load(own, emit))
      resolve()
    }
    const hasState = () => this.#hasState
    this.remote = new RemoteCore({
      session: options.session,
      stateVersion: options.stateVersion,
      timers: { now: monotonicNow, after: alarm },
      leaderWaitMs,
      replyTimeoutMs: options.replyTimeoutMs,
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
          this.#lastAt = at
          const reply = driver.apply(command, sequence, at)
          this.#counters.countCommand(command.kind, reply)
          return reply
        },
        skip: (sequence, at) => driver.skip(sequence, at),
        begin,
        applied: () => {},
      },
    })
    this.clock = new VenueClock(
      { kind: 'system', leapMsMax: options.clockLeapMsMax },
      { lastStamp: () => this.#lastAt, log, onAccepted: () => {} },
    )
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
    return Math.max(this.clock.now(), this.#lastAt)
  }

  readonly fresh = (): Promise<void> => this.remote.fresh()

  addConsumer(consumer: EventConsumer): () => void {
    this.#driver.addConsumer(consumer)
    return () => this.#driver.removeConsumer(consumer)
  }

  get sequence(): number {
    return this.#driver.sequence
  }

  get canAnswer(): boolean {
    return this.#driver.hasEngine
  }

  health(): RuntimeHealth {
    this.#awaySinceMs = this.remote.isReady ? undefined : (this.#awaySinceMs ?? monotonicNow())
    const isAway = this.#awaySinceMs !== undefined && monotonicNow() - this.#awaySinceMs > leaderWaitMs
    const reason = isAway ? 'the core is away: private calls are refused' : undefined
    return { healthy: !isAway, state: isAway ? 'failed' : 'running', reason, note: undefined }
  }

  stats(): RuntimeStats {
    const { commands, refused, poisoned, overloaded, batches, batchLengthLast, batchLengthMax, stages } = this.#counters
    return {
      commands,
      refused,
      poisoned,
      overloaded,
      batches,
      batchLengthLast,
      batchLengthMax,
      stages,
      rebuildMsLast: 0,
      uptimeMs: monotonicNow() - this.#startedMs,
      sequence: this.sequence,
      waiting: this.remote.waiting,
      snapshots: 0,
      snapshotsFailed: 0,
      snapshotsFailing: undefined,
      snapshotSequence: 0,
      journal: noJournal,
    }
  }

  stop(): void {
    this.clock.stop()
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

function alarm(ms: number, call: () => void): () => void {
  const timeout = setTimeout(call, ms)
  return () => clearTimeout(timeout)
}
