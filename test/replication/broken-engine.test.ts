/** A core that takes over with an engine that commands of the log have broken: what it passes over, and that it answers then. */
import { expect, test } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { MemoryJournal, MemorySnapshots } from '../../src/journal/journal.ts'
import { decodeMessage, encodeMessage, logStart, readNext, ReplicatedCore } from '../../src/replication/replication.ts'
import { encodeCommand } from '../../src/runtime/command-codec.ts'
import { EngineDriver, PoisonedCommands } from '../../src/runtime/parts.ts'
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

/** A log whose leader wrote these, applied none and is gone. */
function logOf(world: World, commands: readonly Command[]): SimulatedLog {
  const log = new SimulatedLog(world)
  let end = logStart
  for (const records of [[], commands.map(recordOf)]) {
    const bytes = encodeMessage({
      kind: records.length === 0 ? 'claim' : 'batch',
      stateVersion: 1,
      epoch: 1,
      appliedThrough: 0,
      at,
      firstSequence: 1,
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

/** The only core that is left takes over, and is given one more command: what came of it. */
async function takenOver(commands: readonly Command[], engineClass: StateMachineClass) {
  const world = new World(1)
  const log = logOf(world, commands)
  const process = new Process(world, 'core')
  const driver = new EngineDriver([])
  await driver.install(async (emit) => new engineClass(emit))
  const core = new ReplicatedCore(logStart, {
    engineClass,
    snapshots: new MemorySnapshots(),
    poisoned: PoisonedCommands.inMemory(),
    driver,
    log: silentLog,
    journal: new MemoryJournal(),
    shared: log.for(process),
    timers: process,
    rules: earlierRelease,
    name: 'core',
    wallNow: () => process.wallNow(),
    random: (bound) => world.random.below(bound),
    originsOf: (_first, records) => [{ session: 0, counter: 0, records }],
    told: { committed: () => {}, applied: () => {}, leads: () => {}, follows: () => {}, takenBack: () => {} },
  })
  await world.runUntil(takenOverMs)
  const replies = core.submitAll([deposit(alice, 1_000n)])
  await Promise.race([replies, core.ended, world.runUntil(takenOverMs + 100)])
  const messages = log.messages.map(
    (bytes) => decodeMessage(bytes) as Exclude<ReturnType<typeof decodeMessage>, string>,
  )
  const skipped = messages.filter(({ kind }) => kind === 'skip').map(({ firstSequence }) => firstSequence)
  return {
    epoch: core.leads,
    skipped,
    sequence: core.sequence,
    seen: seenIn((await replies)[0]),
    state: stateOf(driver.engine),
  }
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
