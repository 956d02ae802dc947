/**
 * Brings the venue back to where it stood: the newest snapshot, then every command of the journal after it.
 *
 * Holds     the state that comes out has passed every command exactly once, in order; a snapshot that does not give back
 *           the hash it was saved with stops the start
 *           · consumers see the replayed commands too; history drops what it has
 * History   a snapshot is saved only when history stands past it. If history is behind all the same, because somebody
 *           removed it, it is built anew from the first command, as long as the journal still begins there.
 * Lost      a snapshot or a history that is ahead of the journal means that records were lost: the venue does not start,
 *           because it would give their numbers away again
 */
import { join } from 'node:path'
import {
  type Disk,
  type Journal,
  openFileJournal,
  openSnapshots,
  type Snapshot,
  type Snapshots,
} from '../journal/journal.ts'
import { decodeCommand } from './command-codec.ts'
import { EngineDriver } from './engine-driver.ts'
import type { EventConsumer, HistoryConsumer, RuntimeLog, StateMachineClass } from './ports.ts'
import { readSnapshot } from './snapshot-keeper.ts'
import { hashOf } from './state-hash.ts'

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
  readonly driver: EngineDriver
  /** Of the snapshot that was loaded; zero: none. */
  readonly snapshotSequence: number
  /** The stamp of the last command; zero: there never was one. */
  readonly lastAt: number
}

/** The venue cannot start from what is in its directory. Nothing was changed; a person has to look. */
export class RecoveryFailed extends Error {
  override name = 'RecoveryFailed'
}

const progressEvery = 50_000
const historyPendingMax = 100_000

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const { dataDirectory, durability, log, disk, segmentBytesMax } = options
  const { journal, repaired } = await openFileJournal(join(dataDirectory, 'journal'), {
    sync: durability,
    ...(disk && { disk }),
    ...(segmentBytesMax && { segmentBytesMax }),
  })
  try {
    if (repaired !== undefined) log.warn({ ...repaired }, 'a batch that a crash interrupted was cut off the journal')
    const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'), { ...(disk && { disk }) })
    const snapshot = await chooseSnapshot(snapshots, journal, options)
    return { journal, snapshots, ...(await rebuild(snapshot, journal, options)) }
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
  journal: Journal,
  options: RecoveryOptions,
): Promise<Pick<Recovered, 'driver' | 'snapshotSequence' | 'lastAt'>> {
  const { engineClass, consumers, log } = options
  const startedMs = performance.now()
  const loaded = snapshot && (await readSnapshot(snapshot.chunks()))
  const driver = new EngineDriver(engineClass, loaded?.saved, consumers)
  if (snapshot !== undefined) await checkLoaded(driver, snapshot)

  const snapshotSequence = snapshot?.sequence ?? 0
  const loadedMs = performance.now()
  const lastAt = await replay(snapshotSequence + 1, loaded?.lastAt ?? 0, driver, journal, options)
  log.info(
    {
      snapshot: snapshotSequence,
      sequence: journal.lastSequence,
      loadMs: Math.round(loadedMs - startedMs),
      replayMs: Math.round(performance.now() - loadedMs),
    },
    'the venue stands where it stood',
  )
  return { driver, snapshotSequence, lastAt }
}

async function checkLoaded({ engine }: EngineDriver, { sequence, stateHash, file }: Snapshot): Promise<void> {
  if (engine.sequence !== sequence) {
    throw new RecoveryFailed(`${file}: the state in it is of ${engine.sequence}, not of ${sequence}`)
  }
  const found = await hashOf(engine.save())
  if (found !== stateHash) {
    throw new RecoveryFailed(`${file}: the state in it has the hash ${found}, not ${stateHash} as when it was saved`)
  }
}

/** Answers the stamp of the last command. */
async function replay(
  from: number,
  stampBefore: number,
  driver: EngineDriver,
  journal: Journal,
  { onProgress, history }: RecoveryOptions,
): Promise<number> {
  const { lastSequence } = journal
  let lastAt = stampBefore
  let fault: RecoveryFailed | undefined
  const visit = (sequence: number, payload: Uint8Array) => {
    try {
      const { command, at } = decodeCommand(payload)
      driver.apply(command, sequence, at)
      lastAt = at
    } catch (cause) {
      fault = new RecoveryFailed(`command ${sequence} of the journal cannot be applied: ${String(cause)}`, { cause })
      throw fault
    }
    if (sequence % progressEvery === 0) onProgress({ sequence, lastSequence })
  }
  // The engine replays faster than history writes: its backlog stays bounded.
  const afterBatch = () => ((history?.pendingEvents ?? 0) > historyPendingMax ? history?.flush() : undefined)
  try {
    if (from <= lastSequence) await journal.replay(from, visit, afterBatch)
  } catch (error) {
    throw fault ?? error
  }
  onProgress({ sequence: lastSequence, lastSequence })
  return lastAt
}
