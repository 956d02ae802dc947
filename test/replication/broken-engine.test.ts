/** A core that takes over with an engine that commands of the log have broken: what it passes over, and that it answers then. */
import { expect, test } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { MemoryJournal, MemorySnapshots } from '../../src/journal/journal.ts'
import {
  decodeMessage,
  encodeMessage,
  logStart,
  readNext,
  ReplicaOdd,
  ReplicatedCore,
} from '../../src/replication/replication.ts'
import { encodeCommand } from '../../src/runtime/command-codec.ts'
import { CommandPoisoned, EngineDriver, PoisonedCommands } from '../../src/runtime/parts.ts'
import { silentLog, type StateMachineClass } from '../../src/runtime/ports.ts'
import { RecordWriter } from '../../src/runtime/record-bytes.ts'
import { alice, brokenCoin, deposit } from '../runtime/small-engine.ts'
import { earlierRelease, engineWith, idOf, seenIn, stateOf } from './chain-engine.ts'
import { SimulatedLog } from './simulated-log.ts'
import { Process, World } from './world.ts'

const at = 1_767_225_600_000
/** Longer than any silence before a claim. */
const takenOverMs = 3_000

function breaking(id: number): Command {
  return { kind: 'borrow', uid: alice, coin: brokenCoin, amount: BigInt(id) } as Command
}

function recordOf(command: Command): Uint8Array {
  const writer = new RecordWriter()
  encodeCommand(writer, command, at)
  return Uint8Array.from(writer.slice(0, writer.position))
}

/** A log whose leader wrote these, applied none (or so many, and said so) and is gone. */
function logOf(world: World, commands: readonly Command[], appliedThrough = 0): SimulatedLog {
  const log = new SimulatedLog(world)
  let end = logStart
  const kinds = appliedThrough === 0 ? (['claim', 'batch'] as const) : (['claim', 'batch', 'heartbeat'] as const)
  for (const kind of kinds) {
    const records = kind === 'batch' ? commands.map(recordOf) : []
    const bytes = encodeMessage({
      kind,
      stateVersion: 1,
      epoch: 1,
      appliedThrough: kind === 'heartbeat' ? appliedThrough : 0,
      at,
      firstSequence: kind === 'heartbeat' ? commands.length + 1 : 1,
      origins: records.length === 0 ? [] : [{ session: 1, counter: 1, records: records.length }],
      records,
      note: Buffer.from('the core that is gone'),
      previousChain: end.chain,
    })
    log.messages.push(bytes)
    end = readNext(end, log.messages.length, bytes).end
  }
  return log
}

/** An engine whose process flips a bit when it first carries out each of these commands. */
function flippingAt(...ids: number[]): StateMachineClass {
  const flaw = { breaksOnce: false }
  const left = new Set(ids)
  return class extends engineWith(flaw) {
    override apply(command: Command, sequence: number, stamp: number) {
      if (left.delete(idOf(command))) flaw.breaksOnce = true
      return super.apply(command, sequence, stamp)
    }
  }
}

/** What a core has in its file when it begins, what of that broke it, and how much the leader that is gone says it carried out. */
interface Read {
  readonly messages: number
  readonly broken?: CommandPoisoned
  readonly carriedOut?: number
}

/** The only core that is left, with the log of one that is gone. */
async function lastCore(
  commands: readonly Command[],
  engineClass: StateMachineClass,
  poisoned = PoisonedCommands.inMemory(),
  read: Read = { messages: 0 },
) {
  const world = new World(1)
  const log = logOf(world, commands, read.carriedOut)
  const process = new Process(world, 'core')
  const driver = new EngineDriver([])
  await driver.install(async (emit) => new engineClass(emit))
  const journal = new MemoryJournal()
  let begin = logStart
  for (const bytes of log.messages.slice(0, read.messages)) {
    const { message, end } = readNext(begin, begin.position + 1, bytes)
    if (message.records.length > 0) await journal.append(message.firstSequence, message.records)
    begin = end
  }
  const positionsTaken: number[] = []
  const core = new ReplicatedCore(begin, {
    broken: read.broken,
    engineClass,
    snapshots: new MemorySnapshots(),
    poisoned,
    driver,
    log: silentLog,
    journal,
    shared: log.for(process),
    timers: process,
    rules: earlierRelease,
    name: 'core',
    wallNow: () => process.wallNow(),
    random: (bound) => world.random.below(bound),
    originsOf: (_first, records) => [{ session: 0, counter: 0, records }],
    told: {
      stored: () => {},
      committed: () => {},
      taken: ({ position }) => positionsTaken.push(position),
      applied: () => {},
      leads: () => {},
      follows: () => {},
      takenBack: () => {},
    },
  })
  core.ended.catch(() => {}) // asked for later
  await world.runUntil(takenOverMs)
  return { world, log, core, driver, positionsTaken }
}

/** What was passed over, as the log has it: the command, and the position that says so. */
function skipsIn({ messages }: SimulatedLog) {
  return messages.flatMap((bytes, place) => {
    const message = decodeMessage(bytes)
    if (typeof message === 'string' || message.kind !== 'skip') return []
    return [{ sequence: message.firstSequence, position: place + 1 }]
  })
}

/** It takes over, and is given one more command: what came of it. */
async function takenOver(commands: readonly Command[], engineClass: StateMachineClass) {
  const { world, log, core, driver } = await lastCore(commands, engineClass)
  const replies = core.submitAll([deposit(alice, 1_000n)])
  await Promise.race([replies, core.ended, world.runUntil(takenOverMs + 100)])
  return {
    epoch: core.leads,
    skipped: skipsIn(log).map(({ sequence }) => sequence),
    sequence: core.sequence,
    seen: seenIn((await replies)[0]),
    state: stateOf(driver.engine),
  }
}

/** A list that is never written: the process is killed in that moment. */
function unwritten(): PoisonedCommands {
  const list = PoisonedCommands.inMemory()
  list.add = () => new Promise(() => {})
  return list
}

test('each command of a batch that breaks every engine is passed over before the next core leads', async () => {
  const commands = [deposit(alice, 1n), breaking(2), deposit(alice, 3n), breaking(4), breaking(5), deposit(alice, 6n)]
  const { epoch, skipped, sequence, seen, state } = await takenOver(commands, engineWith({ breaksOnce: false }))
  expect([epoch, skipped, sequence]).toEqual([2, [2, 4, 5], 7])
  expect(seen).toBe(state)
})

test('commands that broke one engine alone are carried out, also behind one that is passed over', async () => {
  const commands = [deposit(alice, 1n), deposit(alice, 2n), breaking(3), deposit(alice, 4n), breaking(5)]
  const { epoch, skipped, sequence, seen, state } = await takenOver(commands, flippingAt(1, 2, 4))
  expect([epoch, skipped, sequence]).toEqual([2, [3, 5], 6])
  expect(seen).toBe(state)
})

test('what broke a core when it read its file is passed over by the log, not by that core alone', async () => {
  const command = breaking(1)
  const broken = new CommandPoisoned(command, 1, at, { cause: new Error('holds are never negative') })
  const engineClass = engineWith({ breaksOnce: false })
  const { log, core, driver } = await lastCore([command, deposit(alice, 2n)], engineClass, undefined, {
    messages: 2,
    broken,
  })
  expect([skipsIn(log).map(({ sequence }) => sequence), core.leads, driver.sequence]).toEqual([[1], 2, 2])
})

test('what broke that core alone, as another says that it carried it out, ends it', async () => {
  const broken = new CommandPoisoned(deposit(alice, 1n), 1, at, { cause: new Error('a bit flipped') })
  const read = { messages: 2, broken, carriedOut: 1 }
  const { log, core } = await lastCore([deposit(alice, 1n)], engineWith({ breaksOnce: false }), undefined, read)
  await expect(core.ended).rejects.toThrow(ReplicaOdd)
  expect([skipsIn(log), core.sequence]).toEqual([[], 0])
})

test('a core that is killed before it has noted what is passed over reads again that it is', async () => {
  const { log, positionsTaken } = await lastCore([breaking(1)], engineWith({ breaksOnce: false }), unwritten())
  const [{ sequence, position }] = skipsIn(log)
  expect(sequence).toBe(1)
  expect(positionsTaken).not.toEqual([])
  expect(Math.max(...positionsTaken)).toBeLessThan(position)
})

test('so does one that is killed while it hands over', async () => {
  const { world, log, core, positionsTaken } = await lastCore(
    [deposit(alice, 1n)],
    engineWith({ breaksOnce: false }),
    unwritten(),
  )
  core.submitAll([breaking(2)]).catch(() => {})
  void core.resign()
  await world.runUntil(takenOverMs + 1_000)
  const [{ sequence, position }] = skipsIn(log)
  expect(sequence).toBe(2)
  expect(Math.max(...positionsTaken)).toBeLessThan(position)
})
