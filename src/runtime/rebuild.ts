/**
 * An engine made from what is on disk, and the way on after a command broke the one that was running.
 *
 *   broke on N → N is noted (poisoned-commands.ts) → newest snapshot, journal up to N - 1 → N is skipped → N + 1
 *
 * Holds     a poisoned command changes nothing but sequence and time · consumers see every command once: what is replayed
 *           here they have seen, so nothing is published
 * Same      live and in recovery; the state that comes out is the one that a replay without that command would give
 * Bounded   by the journal since the newest snapshot. A journal of several poisoned commands that are not noted costs one
 *           rebuild for each of them, once, because each is noted on the way
 * Fails     when a snapshot or the journal cannot be read, or another command breaks: then the venue stops
 */
import assert from 'node:assert/strict'
import type { Event } from '../engine/protocol/event.ts'
import type { Journal, JournalReader, Snapshot, Snapshots } from '../journal/journal.ts'
import type { EngineDriver } from './engine-driver.ts'
import type { PoisonedCommands } from './poisoned-commands.ts'
import type { RuntimeLog, StateMachine, StateMachineClass } from './ports.ts'
import { ReplayGroup } from './replay-group.ts'
import { readState } from './snapshot-saving.ts'
import { StateHashing } from './state-hash.ts'
import { type CommandPoisoned, RecoveryFailed, StateUnreadable } from './trouble.ts'

interface StoredState {
  readonly engineClass: StateMachineClass
  readonly journal: JournalReader
  readonly snapshots: Snapshots
  readonly poisoned: PoisonedCommands
}

export interface RebuildPorts extends StoredState {
  readonly journal: Journal
  readonly log: RuntimeLog
}

/** An engine, and the stamp of its last command; zero for a new one. */
interface EngineAt {
  readonly engine: StateMachine
  readonly lastAt: number
}

type Emit = (event: Event) => void

/** With all commands up to the stamp `at` applied: a promise to wait for before the next ones are, when a pause is due. */
export type AfterCommands = (at: number) => Promise<void> | undefined

/** The engine as a snapshot holds it, or a new one. */
export async function loadEngine(
  engineClass: StateMachineClass,
  snapshot: Snapshot | undefined,
  emit: Emit,
): Promise<EngineAt> {
  if (snapshot === undefined) return { engine: new engineClass(emit), lastAt: 0 }
  const { file, sequence, stateHash } = snapshot
  const hashing = new StateHashing()
  try {
    // Its chunks are hashed to the end while this thread makes an engine of them.
    const { lastAt, saved } = await readState(snapshot.chunks(), hashing)
    const engine = stateOf(engineClass, saved, emit, file)
    if (engine.sequence !== sequence) {
      throw new RecoveryFailed(`${file}: the state in it is of ${engine.sequence}, not of ${sequence}`)
    }
    const found = await hashing.hash
    if (found !== stateHash) {
      throw new RecoveryFailed(`${file}: the state in it has the hash ${found}, not ${stateHash} as when it was saved`)
    }
    return { engine, lastAt }
  } finally {
    await hashing.end()
  }
}

function stateOf(engineClass: StateMachineClass, saved: readonly Uint8Array[], emit: Emit, file: string): StateMachine {
  try {
    return engineClass.load(saved, emit)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StateUnreadable(`${file}: this release cannot read the state in it: ${reason}`, { cause })
  }
}

/** Takes a command back that broke the engine. Resolves when the next one can be applied; answers how long it took. */
export async function passOver(poison: CommandPoisoned, driver: EngineDriver, ports: RebuildPorts): Promise<number> {
  const { kind, sequence, at, cause } = poison
  const { log, poisoned } = ports
  log.error({ err: cause, sequence, kind }, 'a command broke the engine; it is taken back and refused')
  const startedMs = performance.now()
  await poisoned.add(poison)
  await driver.install(async (emit) => (await rebuiltThrough(sequence - 1, emit, ports)).engine)
  driver.skip(sequence, at)
  const rebuildMs = performance.now() - startedMs
  log.warn({ sequence, rebuildMs: Math.round(rebuildMs) }, 'the engine is rebuilt and goes on')
  return rebuildMs
}

/** The engine as it stood after the command `last`, from the newest snapshot and the journal; `rest` comes between batches. */
export async function rebuiltThrough(
  last: number,
  emit: Emit,
  stored: StoredState,
  rest?: AfterCommands,
): Promise<EngineAt> {
  const { engineClass, journal, snapshots, poisoned } = stored
  const { snapshot: newest } = await snapshots.newest()
  // Newer only in a recovery that reads the whole journal for history's sake.
  const snapshot = newest !== undefined && newest.sequence <= last ? newest : undefined
  const loaded = await loadEngine(engineClass, snapshot, emit)
  const { engine } = loaded
  let { lastAt } = loaded
  const group = new ReplayGroup(engine, (command, sequence, at) => {
    lastAt = at
    if (poisoned.has(sequence, command.kind, at)) engine.skip(sequence, at)
    else engine.apply(command, sequence, at)
  })
  const visit = (sequence: number, payload: Uint8Array) => {
    if (sequence <= last) group.add(sequence, payload)
  }
  const afterBatch = () => {
    group.flush()
    return rest?.(lastAt)
  }
  if (engine.sequence < last) await journal.replay(engine.sequence + 1, visit, afterBatch)
  assert.equal(engine.sequence, last, 'the journal reaches up to that command')
  return { engine, lastAt }
}
