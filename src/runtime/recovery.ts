/**
 * Brings the venue back to where it stood: the newest snapshot, then every command of the journal after it.
 *
 * Holds     the state that comes out has passed every command exactly once, in order; a snapshot that does not have
 *           the hash it was saved with stops the start
 *           · consumers see the replayed commands too; history drops what it has
 * Poison    a command that is noted as poisoned is passed over; one that breaks the engine now is passed over like one
 *           that broke it live (rebuild.ts): in the same release it can only be one that was never answered, or whose
 *           note was removed
 *           · of a log that others have too, it is for the log to say so: what breaks a second engine here as well is named, and
 *           the state is that of before it
 * History   a snapshot is saved only when history stands past it. If history is behind all the same, because somebody
 *           removed it, it is built anew from the first command, as long as the journal still begins there and may be
 *           replayed. Otherwise the venue does not start, unless it was accepted that those rows are lost
 * Lost      a snapshot, a history or a note in the directory that is ahead of the journal means that commands were lost: the
 *           venue does not start, because it would give their numbers away again
 * Rules     what was carried out by other rules is not replayed (rules.ts)
 */
import { join } from 'node:path'
import {
  type Disk,
  fileDisk,
  isOtherFormat,
  type Journal,
  JournalDamaged,
  type JournalSync,
  openFileJournal,
  openSnapshots,
  type Snapshot,
  SnapshotDamaged,
  type Snapshots,
} from '../journal/journal.ts'
import { RulesBeyond } from '../engine/protocol/rules.ts'
import { EngineDriver } from './engine-driver.ts'
import { historyKeepsUp } from './history-backlog.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { EventConsumer, HistoryConsumer, RuntimeLog, StateMachineClass } from './ports.ts'
import { loadEngine, passOver, type RebuildPorts, rebuiltThrough } from './rebuild.ts'
import { ReplayGroup } from './replay-group.ts'
import { assertMayReplay, mayReplay, noteAfter, readableBy, type RulesKnown, type RulesNote } from './rules.ts'
import { CommandPoisoned, RecoveryFailed, StateUnreadable } from './trouble.ts'

export interface RecoveryOptions {
  readonly dataDirectory: string
  readonly durability: JournalSync
  readonly engineClass: StateMachineClass
  readonly history: HistoryConsumer | undefined
  /** History among them. */
  readonly consumers: readonly EventConsumer[]
  readonly log: RuntimeLog
  readonly onProgress: (progress: RecoveryProgress) => void
  readonly disk: Disk | undefined
  readonly segmentBytesMax: number | undefined
  /** A command that the journal had, as the directory noted it; zero: nothing is noted. */
  readonly reached: number
  /** Rows that history lacks, and that cannot come back, are accepted as lost. */
  readonly historyLossAccepted: boolean
  /** Undefined: nobody asks by which rules commands were carried out. */
  readonly rules: RulesKnown | undefined
  /** The journal is a copy of a log, which has what a loss of power takes from its end. Default: it is all that there is. */
  readonly followsLog?: boolean
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
  /** By which rules commands are carried out from now on. */
  readonly rules: RulesNote | undefined
  /** The command behind the last one, which broke two engines; the log is to say what becomes of it (`followsLog`). */
  readonly broken?: CommandPoisoned | undefined
}

const progressEvery = 5_000

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  try {
    return await recovered(options)
  } catch (cause) {
    const isDamaged = cause instanceof JournalDamaged || cause instanceof SnapshotDamaged
    if (!isDamaged || isOtherFormat(cause) || options.followsLog !== true) throw cause
    throw new RecoveryFailed(`${cause.message}; ${wayOut(options)}`, { cause })
  }
}

async function recovered(options: RecoveryOptions): Promise<Recovered> {
  const { dataDirectory, durability, log, disk, segmentBytesMax } = options
  const { journal, repaired } = await openFileJournal(join(dataDirectory, 'journal'), {
    sync: durability,
    spare: durability !== 'os',
    ...(disk && { disk }),
    ...(segmentBytesMax && { segmentBytesMax }),
  })
  try {
    if (repaired !== undefined) log.warn({ ...repaired }, 'a batch that a crash interrupted was cut off the journal')
    const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'), { ...(disk && { disk }) })
    const snapshot = await chooseSnapshot(snapshots, journal, options)
    const poisoned = await PoisonedCommands.open(disk ?? fileDisk, dataDirectory, journal.lastSequence)
    const ports = { engineClass: options.engineClass, journal, snapshots, poisoned, log }
    const rebuilt = await rebuild(snapshot, ports, options)
    const rules = options.rules && noteAfter(options.rules, journal.lastSequence, rebuilt.driver.rules)
    if (rules !== undefined) await options.history?.noteRules?.(rules)
    return { journal, snapshots, poisoned, ...rebuilt, rules }
  } catch (error) {
    await journal.close().catch(() => {})
    throw error
  }
}

/**
 * Whether there is anything to be replayed that may not be. Asked before history is opened, because a later release changes its
 * tables, and the earlier one, which has to come first, could not read them any more.
 */
export async function checkRules(dataDirectory: string, known: RulesKnown, disk: Disk = fileDisk): Promise<void> {
  if (known.noted?.rules === known.current.rules) return
  const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'), { disk })
  const newest = (await snapshots.list())[0]?.sequence ?? 0
  const { journal } = await openFileJournal(join(dataDirectory, 'journal'), { disk })
  const { lastSequence } = journal
  await journal.close()
  assertMayReplay(known, newest + 1, lastSequence)
}

async function chooseSnapshot(
  snapshots: Snapshots,
  journal: Journal,
  options: RecoveryOptions,
): Promise<Snapshot | undefined> {
  const { history, log, rules } = options
  const { snapshot, damaged } = await snapshots.newest()
  for (const damage of damaged) log.error({ ...damage }, 'a snapshot is damaged; an older one is used')
  const { firstSequence, lastSequence } = journal.stats()
  const reached = snapshot?.sequence ?? 0
  const applied = history?.appliedSequence ?? reached
  const known = {
    'the newest snapshot': reached,
    // It drops what the log gives again.
    ...(options.followsLog !== true && { history: applied }),
    'venue.json': options.reached,
  }
  assertNothingLost(lastSequence, known, wayOut(options))
  if (firstSequence > reached + 1) {
    const faults = damaged.map(({ file, reason }) => ` (${file}: ${reason})`).join('')
    throw new RecoveryFailed(
      `the journal begins with ${firstSequence}, and no sound snapshot reaches up to it${faults}; ${wayOut(options)}`,
    )
  }
  if (applied < reached && firstSequence === 1 && (rules === undefined || mayReplay(rules, 1))) {
    const facts = { history: applied, snapshot: reached }
    log.warn(facts, 'history is behind the snapshot and is built anew from the whole journal')
    return undefined
  }
  if (rules !== undefined) assertMayReplay(rules, reached + 1, lastSequence)
  if (history !== undefined && applied < reached) await goOnWithoutRows(history, reached, firstSequence, options)
  return snapshot
}

/** Throws where anything knows of commands that the journal does not have. */
function assertNothingLost(lastSequence: number, known: Readonly<Record<string, number>>, advice: string): void {
  for (const [what, sequence] of Object.entries(known)) {
    if (sequence <= lastSequence) continue
    const missing =
      lastSequence + 1 === sequence ? `command ${sequence} was` : `commands ${lastSequence + 1} to ${sequence} were`
    throw new RecoveryFailed(
      `${what} stands at ${sequence}, but the journal ends with ${lastSequence}: ${missing} lost, ` +
        `which people were told had been carried out; ${advice}`,
    )
  }
}

/** What to do with a directory that cannot be used. */
function wayOut({ followsLog, dataDirectory }: RecoveryOptions): string {
  return followsLog === true
    ? `take ${dataDirectory} away: it is made anew from the log`
    : 'restore a backup of the whole directory'
}

/** Rows that cannot come back: history goes on behind the snapshot if that was accepted, and the venue does not start if not. */
async function goOnWithoutRows(
  history: HistoryConsumer,
  reached: number,
  firstSequence: number,
  { historyLossAccepted, log, rules, dataDirectory }: RecoveryOptions,
): Promise<void> {
  const { appliedSequence: applied } = history
  const why =
    firstSequence > 1 || rules === undefined
      ? `the journal begins with ${firstSequence}`
      : 'the journal has commands of other rules, which are not replayed'
  const facts = { history: applied, snapshot: reached, journalBegins: firstSequence }
  if (!historyLossAccepted) {
    throw new RecoveryFailed(
      `history.sqlite ${applied === 0 ? 'is lost' : `ends with command ${applied}`}: fills, orders and transfers up to ` +
        `command ${reached} cannot be made anew, because ${why}; restore it from a backup of the same moment, or go on ` +
        `without them: tidemark accept-loss history.sqlite --data ${dataDirectory}`,
    )
  }
  log.error(facts, 'rows of history are lost, which was accepted: it goes on behind the snapshot')
  history.record(reached, 0, [], '')
  await history.flushDurably()
}

async function rebuild(
  snapshot: Snapshot | undefined,
  ports: RebuildPorts,
  options: RecoveryOptions,
): Promise<Pick<Recovered, 'driver' | 'snapshotSequence' | 'lastAt' | 'broken'>> {
  const { engineClass, consumers, log } = options
  const startedMs = performance.now()
  const driver = new EngineDriver(consumers)
  let lastAt = 0
  await driver.install(async (emit) => {
    const loaded = await loadEngine(engineClass, snapshot, emit).catch((error: unknown) => {
      if (!(error instanceof StateUnreadable) || options.rules === undefined) throw error
      if (error.cause instanceof RulesBeyond) throw new RecoveryFailed(error.cause.message, { cause: error })
      throw new RecoveryFailed(`${error.message}; ${readableBy(options.rules)}`, { cause: error })
    })
    lastAt = loaded.lastAt
    return loaded.engine
  })
  const snapshotSequence = driver.sequence
  const loadedMs = performance.now()
  const replayed = await replay(lastAt, driver, ports, options)
  log.info(
    {
      snapshot: snapshotSequence,
      sequence: driver.sequence,
      loadMs: Math.round(loadedMs - startedMs),
      replayMs: Math.round(performance.now() - loadedMs),
    },
    'the venue stands where it stood',
  )
  return { driver, snapshotSequence, ...replayed }
}

/** All that the engine has not seen, or all before a command that breaks two engines. Answers the stamp of the last one. */
async function replay(
  stampBefore: number,
  driver: EngineDriver,
  ports: RebuildPorts,
  { onProgress, history, followsLog, log }: RecoveryOptions,
): Promise<Pick<Recovered, 'lastAt' | 'broken'>> {
  const { journal, poisoned } = ports
  const { lastSequence } = journal
  let lastAt = stampBefore
  let fault: unknown
  let broken: CommandPoisoned | undefined
  const group = new ReplayGroup(driver, (command, sequence, at) => {
    try {
      if (poisoned.has(sequence, command.kind, at)) driver.skip(sequence, at)
      else driver.apply(command, sequence, at)
      lastAt = at
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
      const { sequence, at } = fault
      if (followsLog === true) {
        const isSecond = broken?.sequence === sequence
        broken = fault
        const reason = 'a command of the journal broke the engine; the state of before it is made anew'
        log.error({ err: fault.cause, sequence, isSecond }, reason)
        await driver.install(async (emit) => (await rebuiltThrough(sequence - 1, emit, ports)).engine)
        if (isSecond) return { lastAt, broken }
        continue
      }
      await passOver(fault, driver, ports).catch((cause: unknown) => {
        throw notApplicable(sequence, cause)
      })
      lastAt = at
    }
  }
  onProgress({ sequence: lastSequence, lastSequence })
  return { lastAt }
}

function notApplicable(sequence: number, cause: unknown): RecoveryFailed {
  if (cause instanceof RecoveryFailed) return cause
  if (cause instanceof RulesBeyond)
    return new RecoveryFailed(`command ${sequence} of the journal: ${cause.message}`, { cause })
  return new RecoveryFailed(`command ${sequence} of the journal cannot be applied: ${String(cause)}`, { cause })
}
