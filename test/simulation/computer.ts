/**
 * A machine in memory that runs the venue: its disk, its clock, its process. It can lose power, be killed, and have a
 * disk that fails, at any call to the disk; then it is started again on what is left.
 *
 * Real        runtime, sequencer, journal, snapshots, recovery, timers, engine
 * Simulated   the disk (test/journal/simulated-disk.ts), the clock (moved by hand), history unless one is given
 * Same        nothing here depends on time, threads or random numbers other than the seed's: snapshots are taken while nothing else
 *             runs, because hashes are computed on other threads
 */
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { EventConsumer, HistoryConsumer } from '../../src/runtime/ports.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { type FaultKind, type PowerLoss, SimulatedDisk } from '../journal/simulated-disk.ts'
import type { Random } from './random.ts'
import type { Watch } from './watch.ts'

export type End = PowerLoss | 'killed'
const ends: readonly End[] = ['lost', 'kept', 'torn', 'sectors', 'sectors', 'killed']

/** The history of a machine, from one start to the next. */
export interface Histories {
  open(): Promise<HistoryConsumer>
  /** The process that had it open is gone. */
  lose(): Promise<void>
}

export interface ComputerOptions {
  readonly watch: Watch
  readonly random: Random
  readonly histories: Histories
  readonly startAt: number
  readonly segmentBytesMax: number
}

interface Planned {
  /** Calls to the disk until then. */
  calls: number
  readonly what: End | FaultKind
}

export class Computer {
  readonly #options: ComputerOptions
  #disk = new SimulatedDisk()
  #planned: Planned | undefined
  /** What is found on the disk once the power is back; undefined: the power is on. */
  #left: SimulatedDisk | undefined
  #runtime: Runtime | undefined
  history: HistoryConsumer | undefined
  #order: OrderlyConsumer | undefined
  starts = 0
  cuts = 0
  faults = 0

  constructor(options: ComputerOptions) {
    this.#options = options
    this.#attach()
  }

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error('the machine is off')
    return this.#runtime
  }

  /** Whether the venue must be started again. */
  get down(): boolean {
    return this.#left !== undefined || this.#runtime === undefined || this.runtime.health().state === 'failed'
  }

  /** After so many more calls to the disk the power goes, the process is killed, or that call fails. */
  plan(calls: number, what: End | FaultKind): void {
    this.#planned = { calls, what }
  }

  get planned(): boolean {
    return this.#planned !== undefined
  }

  anyEnd(): End {
    return this.#options.random.pick(ends)
  }

  /** Starts the venue, on what the last run left; on the way the power may go again. */
  async start(): Promise<void> {
    const { watch, random, histories, startAt, segmentBytesMax } = this.#options
    for (;;) {
      this.#takeUp()
      this.#planned =
        this.starts > 0 && random.happens(0.15) ? { calls: 1 + random.below(60), what: this.anyEnd() } : undefined
      this.history = await histories.open()
      this.#order = new OrderlyConsumer((fault) => watch.fault(fault))
      this.starts += 1
      try {
        this.#runtime = await openRuntime({
          dataDirectory: '/data',
          engineClass: watch.engineClass,
          history: this.history,
          consumers: [this.#order],
          clock: { kind: 'manual', startAt },
          snapshotEvery: 0,
          replyTimeoutMs: 0,
          poisonedPerHourMax: 1_000_000,
          disk: this.#disk,
          segmentBytesMax,
        })
        return
      } catch (error) {
        if (this.#left === undefined) throw error
        await histories.lose()
      }
    }
  }

  /** Ends the venue in order, and lets go of it. */
  async stop(): Promise<void> {
    await this.runtime.stop()
    await this.lost()
  }

  /** The process is gone, however it went. */
  async lost(): Promise<void> {
    this.#runtime = undefined
    await this.#options.histories.lose()
  }

  /** Rejects when the power goes; an answer is there when all of it is durable and applied. */
  submit(commands: readonly Command[]): Promise<readonly Reply[]> {
    return this.runtime.submitAll(commands)
  }

  #takeUp(): void {
    // A venue whose journal failed is started again on the same disk, as its process left it.
    this.#disk = this.#left ?? this.#disk.afterKill()
    this.#left = undefined
    this.#attach()
  }

  #attach(): void {
    const disk = this.#disk
    disk.before = () => (this.#disk === disk ? this.#beforeCall(disk) : 'EIO')
  }

  #beforeCall(disk: SimulatedDisk): FaultKind | undefined {
    if (this.#left !== undefined) return 'EIO'
    const planned = this.#planned
    if (planned === undefined || --planned.calls > 0) return undefined
    this.#planned = undefined
    const { what } = planned
    if (what === 'EIO' || what === 'ENOSPC' || what === 'EMFILE' || what === 'short') {
      this.faults += 1
      return what
    }
    this.cuts += 1
    this.#left = what === 'killed' ? disk.afterKill() : disk.afterPowerLoss(what, this.#options.random.share)
    return 'EIO'
  }
}

/** Every command once and in order, from wherever a start begins. */
class OrderlyConsumer implements EventConsumer {
  readonly #fault: (what: string) => void
  #last: number | undefined

  constructor(fault: (what: string) => void) {
    this.#fault = fault
  }

  record(sequence: number): void {
    if (this.#last !== undefined && sequence !== this.#last + 1)
      this.#fault(`a consumer got command ${sequence} after ${this.#last}`)
    this.#last = sequence
  }
}
