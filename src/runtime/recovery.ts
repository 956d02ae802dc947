/**
 * Brings the venue back to where it stood: the newest snapshot, then every command of the journal after it.
 *
 * Holds     the state that comes out has passed every command exactly once, in order; a snapshot that does not have
 *           the hash it was saved with stops the start
 *           · consumers see the replayed commands too; history drops what it has
 * Poison    a command that is noted as poisoned is passed over; one that breaks the engine now is passed over like one
 *           that broke it live (rebuild.ts): in the same release it can only be one that was never answered, or whose
 *           note was removed
 * History   a snapshot is saved only when history stands past it. If history is behind all the same, because somebody
 *           removed it, it is built anew from the first command, as long as the journal still begins there.
 * Lost      a snapshot or a history that is ahead of the journal means that records were lost: the venue does not start,
 *           because it would give their numbers away again
 */
import { join } from 'node:path'
import {
  type Disk,
  fileDisk,
  type Journal,
  openFileJournal,
  openSnapshots,
  type Snapshot,
  type Snapshots,
} from '../journal/journal.ts'
import { EngineDriver } from './engine-driver.ts'
import { historyKeepsUp } from './history-backlog.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { EventConsumer, HistoryConsumer, RuntimeLog, StateMachineClass } from './ports.ts'
import { loadEngine, passOver, type RebuildPorts } from './rebuild.ts'
import { ReplayGroup } from './replay-group.ts'
import { CommandPoisoned, RecoveryFailed } from './trouble.ts'

export interface RecoveryOptions {
  readonly dataDirectory: string
  readonly durability: 'sync' | 'os'
  readonly engineClass: StateMachineClass
  readonly history: HistoryConsumer | undefined
  /** History among them. */
  readonly consumers: readonly EventConsumer[]
  readonly log: RuntimeLog
  readonly onProgress: (progress: RecoveryProgress) => void
  readonly disk: Disk | undefined
  readonly segmentBytesMax: number | undefined
}

export interface RecoveryProgress {
  readonly sequence: number
  readonly lastSequence: number
}

export interface Recovered {
  readonly journal: Journal
  readonly snapshots: Snapshots
  readonly poisoned: PoisonedCommands
  readonly driver: EngineDriver
  /** Of the snapshot that was loaded; zero: none. */
  readonly snapshotSequence: number
  /** The stamp of the last command; zero: there never was one. */
  readonly lastAt: number
}

const progressEvery = 5_000

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const { dataDirectory, durability, log, disk, segmentBytesMax } = options
  const { journal, repaired } = await openFileJournal(join(dataDirectory, 'journal'), {
    sync: durability,
    spare: durability === 'sync',
    ...(disk && { disk }),
    ...(segmentBytesMax && { segmentBytesMax }),
  })
  try {
    if (repaired !== undefined) log.warn({ ...repaired }, 'a batch that a crash interrupted was cut off the journal')
    const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'), { ...(disk && { disk }) })
    const snapshot = await chooseSnapshot(snapshots, journal, options)
    const poisoned = await PoisonedCommands.open(disk ?? fileDisk, dataDirectory, journal.lastSequence)
    const ports = { engineClass: options.engineClass, journal, snapshots, poisoned, log }
    return { journal, snapshots, poisoned, ...(await rebuild(snapshot, ports, options)) }
  } catch (error) {
    await journal.close().catch(() => {})
    throw error
  }
}

async function chooseSnapshot(
  snapshots: Snapshots,
  journal: Journal,
  { history, log }: RecoveryOptions,
): Promise<Snapshot | undefined> {
  const { snapshot, damaged } = await snapshots.newest()
  for (const damage of damaged) log.error({ ...damage }, 'a snapshot is damaged; an older one is used')
  const { firstSequence, lastSequence } = journal.stats()
  const reached = snapshot?.sequence ?? 0
  if (reached > lastSequence) throw lost('the newest snapshot', reached, lastSequence)
  if (history !== undefined && history.appliedSequence > lastSequence) {
    throw lost('history', history.appliedSequence, lastSequence)
  }
  if (firstSequence > reached + 1) {
    throw new RecoveryFailed(`the journal begins with ${firstSequence}, and no sound snapshot reaches up to it`)
  }
  if (history === undefined || history.appliedSequence >= reached) return snapshot
  const facts = { history: history.appliedSequence, snapshot: reached }
  if (firstSequence === 1) {
    log.warn(facts, 'history is behind the snapshot and is built anew from the whole journal')
    return undefined
  }
  log.error(facts, 'history is behind the snapshot and the journal no longer reaches back: the gap stays')
  return snapshot
}

function lost(what: string, sequence: number, lastSequence: number): RecoveryFailed {
  return new RecoveryFailed(
    `${what} stands at ${sequence}, but the journal ends with ${lastSequence}: records were lost`,
  )
}

async function rebuild(
  snapshot: Snapshot | undefined,
  ports: RebuildPorts,
  options: RecoveryOptions,
): Promise<Pick<Recovered, 'driver' | 'snapshotSequence' | 'lastAt'>> {
  const { engineClass, consumers, log } = options
  const startedMs = performance.now()
  const driver = new EngineDriver(consumers)
  let lastAt = 0
  await driver.install(async (emit) => {
    const loaded = await loadEngine(engineClass, snapshot, emit)
    lastAt = loaded.lastAt
    return loaded.engine
  })
  const snapshotSequence = driver.sequence
  const loadedMs = performance.now()
  lastAt = await replay(lastAt, driver, ports, options)
  log.info(
    {
      snapshot: snapshotSequence,
      sequence: driver.sequence,
      loadMs: Math.round(loadedMs - startedMs),
      replayMs: Math.round(performance.now() - loadedMs),
    },
    'the venue stands where it stood',
  )
  return { driver, snapshotSequence, lastAt }
}

/** All that the engine has not seen. Answers the stamp of the last command. */
async function replay(
  stampBefore: number,
  driver: EngineDriver,
  ports: RebuildPorts,
  { onProgress, history }: RecoveryOptions,
): Promise<number> {
  const { journal, poisoned } = ports
  const { lastSequence } = journal
  let lastAt = stampBefore
  let fault: unknown
  const group = new ReplayGroup(driver, (command, sequence, at) => {
    try {
      lastAt = at
      if (poisoned.has(sequence, command.kind, at)) driver.skip(sequence, at)
      else driver.apply(command, sequence, at)
    } catch (error) {
      throw (fault = error instanceof CommandPoisoned ? error : notApplicable(sequence, error))
    }
    if (sequence % progressEvery === 0) onProgress({ sequence, lastSequence })
  })
  const visit = (sequence: number, payload: Uint8Array) => {
    try {
      group.add(sequence, payload)
    } catch (error) {
      fault ??= notApplicable(sequence, error)
      throw error
    }
  }
  const afterBatch = () => historyKeepsUp(history)
  while (driver.sequence < lastSequence) {
    fault = undefined
    try {
      await journal.replay(driver.sequence + 1, visit, afterBatch)
      group.flush()
    } catch (error) {
      if (!(fault instanceof CommandPoisoned)) throw fault ?? error
      const { sequence } = fault
      await passOver(fault, driver, ports).catch((cause: unknown) => {
        throw notApplicable(sequence, cause)
      })
    }
  }
  onProgress({ sequence: lastSequence, lastSequence })
  return lastAt
}

function notApplicable(sequence: number, cause: unknown): RecoveryFailed {
  if (cause instanceof RecoveryFailed) return cause
  return new RecoveryFailed(`command ${sequence} of the journal cannot be applied: ${String(cause)}`, { cause })
}
