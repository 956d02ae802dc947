/**
 * Takes snapshots of the running venue and removes the part of the journal that they replace.
 *
 * Order        journal and history durable up to the state → snapshot durable → old segments removed, so that neither a restart nor
 *              history ever misses a command
 * Where        by a twin (twin.ts), which stops nobody; or here, when the venue stops anyway, or there can be no other
 *              process because the disk is not a real one: then the engine stands still while its state is copied
 * Removing     segments go when the *older* kept snapshot stands past them: a damaged newest one costs nothing
 * One at once  a second request waits for the first
 */
import type { Journal, Snapshots } from '../journal/journal.ts'
import type { HistoryConsumer, StateMachine } from './ports.ts'
import { type SavedState, saveState } from './snapshot-saving.ts'
import { Twin } from './twin.ts'

export interface SnapshotTaken extends SavedState {
  readonly sequence: number
  readonly segmentsRemoved: number
}

export interface SnapshotPorts {
  /** Throws while there is none. */
  readonly engine: () => StateMachine
  readonly journal: Journal
  readonly snapshots: Snapshots
  readonly history: HistoryConsumer | undefined
  /** The stamp of the last command applied. */
  readonly lastAt: () => number
  /** What a twin needs to know; undefined: there is none. */
  readonly twin: { readonly dataDirectory: string; readonly engine: string; readonly msMax: number } | undefined
}

/** The venue has something more urgent to do: no trouble. */
export class SnapshotGivenUp extends Error {
  override name = 'SnapshotGivenUp'
}

export class SnapshotKeeper {
  readonly #ports: SnapshotPorts
  #current: Promise<SnapshotTaken> | undefined
  readonly #twin: Twin | undefined
  #prepared = false
  /** Snapshots that are being taken need no longer be taken. */
  #giveUp = false
  /** Of the newest snapshot that was taken or begun. */
  #sequence: number

  constructor(ports: SnapshotPorts, newestSequence: number) {
    this.#ports = ports
    this.#twin = ports.twin && new Twin(ports.twin.engine, ports.twin.msMax)
    this.#sequence = newestSequence
  }

  get sequence(): number {
    return this.#sequence
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  /** Has a twin begin that the next snapshot needs; once, as one that cannot begin would be tried with every batch. */
  prepare(): void {
    if (this.#prepared) return
    this.#prepared = true
    this.#twin?.begin()
  }

  /** `sequence`: by a twin, of the state as it was after that command; absent: as it is now. */
  take(sequence?: number): Promise<SnapshotTaken> {
    return this.#inTurn(() => this.#take(this.#ports.twin === undefined, sequence))
  }

  /** Of a venue that has stopped. */
  takeHere(): Promise<SnapshotTaken> {
    return this.#inTurn(() => this.#take(true))
  }

  /** Ends a twin at work, or one that would begin: what it was making is not made. Resolves when none is being taken. */
  async endTwin(): Promise<void> {
    this.#giveUp = true
    this.#twin?.end()
    await this.settled()
    this.#giveUp = false
  }

  /** Resolves when none is being taken. */
  async settled(): Promise<void> {
    await this.#current?.catch(() => {})
  }

  async #inTurn(take: () => Promise<SnapshotTaken>): Promise<SnapshotTaken> {
    while (this.#current !== undefined) await this.#current.catch(() => {})
    this.#current = take()
    try {
      return await this.#current
    } finally {
      this.#current = undefined
    }
  }

  async #take(here: boolean, at?: number): Promise<SnapshotTaken> {
    const { journal, snapshots } = this.#ports
    const { sequence: now } = this.#ports.engine()
    const sequence = here ? now : (at ?? now)
    this.#sequence = sequence
    const saved = here ? await this.#saveHere() : await this.#saveByTwin(sequence)
    const kept = await snapshots.list()
    const oldest = kept.at(-1)
    const segmentsRemoved = kept.length < 2 ? 0 : await journal.removeThrough(oldest!.sequence)
    return { sequence, ...saved, segmentsRemoved }
  }

  #saveHere(): Promise<SavedState> {
    const { engine, snapshots, lastAt } = this.#ports
    const state = engine()
    const { sequence } = state
    return saveState(state, lastAt(), snapshots, () => this.#historyReaches(sequence))
  }

  async #saveByTwin(sequence: number): Promise<SavedState> {
    const segments = this.#ports.journal.segments()
    await this.#historyReaches(sequence)
    if (this.#giveUp) throw new SnapshotGivenUp('the snapshot was given up')
    const { dataDirectory } = this.#ports.twin!
    try {
      const saved = await this.#twin!.save({ dataDirectory, segments, sequence })
      return { ...saved, pauseMs: 0 }
    } catch (cause) {
      throw this.#giveUp ? new SnapshotGivenUp((cause as Error).message, { cause }) : cause
    }
  }

  async #historyReaches(sequence: number): Promise<void> {
    await this.#ports.journal.settled()
    const durable = (await this.#ports.history?.flushDurably()) ?? sequence
    if (durable < sequence) throw new Error(`history stands at ${durable}, before the snapshot of ${sequence}`)
  }
}
