/** A command that breaks the engine changes nothing, is refused, and is passed over in every replay (reliability D9). */
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { EngineRebuilding } from '../../src/runtime/core.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { alice, bob, deposit, poison, Recorder, SmallEngine, SmallHistory, withdraw } from './small-engine.ts'
import { balanceOf, newDirectory, openVenue, recordingLog, timerRunsOf } from './venue.ts'

const done = { kind: 'done' }
const poisoned = { kind: 'refused', refusal: { kind: 'poisoned' } }
const start = 1_700_000_000_000
const clock = { kind: 'manual', startAt: start } as const
const crashing = { clock, snapshotAtStop: false, snapshotEvery: 0 }

const notesIn = (directory: string) => join(directory, 'poisoned.json')
const noted = async (directory: string) =>
  JSON.parse(await readFile(notesIn(directory), 'utf8')).commands.map(
    (command: { sequence: number }) => command.sequence,
  )

/** Takes the place of a poisoned command in the run that it is compared with: refused, so it changes nothing either. */
const refusedByRule = withdraw(9_999, 1n)

function around(middle: Command): Command[] {
  return [deposit(alice, 5n), deposit(bob, 7n), middle, deposit(alice, 11n), withdraw(bob, 2n)]
}

describe('a command that breaks the engine', () => {
  test('leaves the state that a run without it has, and the others of its batch are applied', async () => {
    const venue = await openVenue(crashing)
    const twin = await openVenue(crashing)
    const replies = await venue.submitAll(around(poison()))
    await twin.submitAll(around(refusedByRule))
    expect(replies).toEqual([done, done, poisoned, done, done])
    expect([balanceOf(venue, alice), balanceOf(venue, bob)]).toEqual([16n, 5n])
    expect(await venue.stateHash()).toBe(await twin.stateHash())
    expect(venue.sequence).toBe(5)
  })

  test.each([
    ['noted', async () => {}],
    ['and the note is gone', (directory: string) => rm(notesIn(directory))],
  ])('is passed over by a restart: %s', async (_what, lose) => {
    const dataDirectory = await newDirectory()
    const live = new Recorder()
    const venue = await openVenue({ ...crashing, dataDirectory, consumers: [live] })
    for (const command of [...around(poison()), poison(), ...around(poison())]) await venue.submit(command)
    expect(await noted(dataDirectory)).toEqual([3, 6, 9])
    await lose(dataDirectory)
    const replayed = new Recorder()
    const restarted = await openVenue({ ...crashing, dataDirectory, consumers: [replayed] })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
    expect(replayed.commands).toEqual(live.commands)
    expect(await noted(dataDirectory)).toEqual([3, 6, 9])
    expect(await restarted.submit(deposit(alice, 1n))).toEqual(done)
  })

  test('is tried no more once it is noted, not even by an engine that would take it', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory })
    await venue.submitAll(around(poison()))
    class Repaired extends SmallEngine {
      override apply(...[command, sequence, at]: Parameters<SmallEngine['apply']>) {
        return super.apply(command.kind === 'borrow' ? { ...command, coin: 0 } : command, sequence, at)
      }
    }
    const restarted = await openVenue({ ...crashing, dataDirectory, engineClass: Repaired })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
  })

  test('has no events; consumers get those of every other command once', async () => {
    const history = new SmallHistory()
    const recorder = new Recorder()
    const venue = await openVenue({ ...crashing, history, consumers: [recorder] })
    await venue.submitAll([...around(poison()), ...around(poison())])
    for (const { commands } of [history, recorder]) {
      expect(commands.map((command) => command.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(commands.map((command) => command.events.length)).toEqual([1, 1, 0, 1, 1, 1, 1, 0, 1, 1])
    }
  })

  test('is in the snapshots that are taken later, and the way back begins at the newest', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory })
    await venue.submitAll(around(poison()))
    await venue.snapshot()
    let applied = 0
    class Counting extends SmallEngine {
      override apply(...given: Parameters<SmallEngine['apply']>) {
        applied += 1
        return super.apply(...given)
      }
    }
    const restarted = await openVenue({ ...crashing, dataDirectory, engineClass: Counting })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
    await restarted.submitAll([deposit(alice, 1n), poison()])
    // One deposit and the poison; then, from the snapshot, the deposit again.
    expect(applied).toBe(3)
    expect(balanceOf(restarted, alice)).toBe(17n)
  })

  test('while a snapshot is written: that one is finished first', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory })
    await venue.submitAll(around(deposit(alice, 1n)))
    const [taken, replies] = await Promise.all([venue.snapshot(), venue.submitAll(around(poison()))])
    expect(taken.sequence).toBe(5)
    expect(replies[2]).toEqual(poisoned)
    const restarted = await openVenue({ ...crashing, dataDirectory })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
  })

  test('does not harm a journal that is read whole because history is gone', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory, history: new SmallHistory() })
    await venue.submitAll(around(poison()))
    await venue.snapshot()
    await rm(notesIn(dataDirectory))
    const history = new SmallHistory()
    const restarted = await openVenue({ ...crashing, dataDirectory, history })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
    expect(history.commands.map((command) => command.events.length)).toEqual([1, 1, 0, 1, 1])
  })

  test('is said in log, counters and health, and commands go on', async () => {
    const log = recordingLog()
    const venue = await openVenue({ ...crashing, log })
    await venue.submitAll(around(poison()))
    expect(venue.stats()).toMatchObject({ poisoned: 1, rebuildMsLast: expect.any(Number), sequence: 5 })
    expect(log.error).toHaveBeenCalledExactlyOnceWith(
      { err: new Error('holds are never negative'), sequence: 3, kind: 'borrow' },
      'a command broke the engine; it is taken back and refused',
    )
    expect(venue.health()).toEqual({
      healthy: true,
      state: 'running',
      note: '1 command broke the engine and changed nothing; the last was command 3 (borrow)',
    })
  })
})

describe('until the engine is rebuilt', () => {
  /** A venue that cannot note its poison before `release`. */
  async function rebuildingVenue() {
    const disk = new FaultyDisk()
    const venue = await openVenue({ ...crashing, disk })
    await venue.submit(deposit(alice, 5n))
    const create = disk.create.bind(disk)
    const held = Promise.withResolvers<void>()
    disk.create = async (path) => {
      await held.promise
      return create(path)
    }
    const poisonous = venue.submit(poison())
    await vi.waitFor(() => expect(venue.rebuilt).toBeDefined())
    return { venue, poisonous, release: held.resolve }
  }

  test('questions have no answer, commands wait, and the venue says so', async () => {
    const { venue, poisonous, release } = await rebuildingVenue()
    const waiting = venue.submit(deposit(alice, 1n))
    expect(() => balanceOf(venue, alice)).toThrow(EngineRebuilding)
    await expect(venue.snapshot()).rejects.toThrow(EngineRebuilding)
    await expect(venue.verify()).rejects.toThrow(EngineRebuilding)
    expect(venue.health()).toMatchObject({ healthy: true, state: 'rebuilding' })
    expect(venue.sequence).toBe(1)
    release()
    expect(await Promise.all([poisonous, waiting])).toEqual([poisoned, done])
    expect(venue.health()).toMatchObject({ healthy: true, state: 'running' })
    expect(balanceOf(venue, alice)).toBe(6n)
  })

  test('no timer is forgotten', async () => {
    const { venue, release } = await rebuildingVenue()
    const advanced = venue.advance(2 * 3_600_000)
    release()
    await advanced
    expect(timerRunsOf(venue)).toEqual([start + 3_600_000, start + 7_200_000])
  })

  test('a venue that is stopped finishes it', async () => {
    const { venue, poisonous, release } = await rebuildingVenue()
    const stopped = venue.stop()
    release()
    expect(await poisonous).toEqual(poisoned)
    await stopped
    expect(balanceOf(venue, alice)).toBe(5n)
  })
})

describe('the venue stops, and a restart finds everything that was acknowledged,', () => {
  async function stopsOn(venue: Runtime, command: Command, onFatal: ReturnType<typeof vi.fn>, reason: string) {
    await expect(venue.submit(command)).rejects.toMatchObject({ name: 'OutcomeUnknown', reason: 'unexpected' })
    expect(venue.health()).toMatchObject({ healthy: false, state: 'failed', reason: expect.stringContaining(reason) })
    expect(() => balanceOf(venue, alice)).toThrow('the engine has stopped')
    expect(onFatal).toHaveBeenCalledOnce()
  }

  test('when too many commands break it within an hour', async () => {
    const onFatal = vi.fn<(error: Error) => void>()
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory, onFatal, poisonedPerHourMax: 3 })
    expect(await venue.submitAll([poison(), deposit(alice, 1n), poison(), poison()])).toHaveLength(4)
    await stopsOn(venue, poison(), onFatal, 'as did 3 others within the hour')
    const restarted = await openVenue({ ...crashing, dataDirectory })
    expect(balanceOf(restarted, alice)).toBe(1n)
    expect(await noted(dataDirectory)).toEqual([1, 3, 4, 5])
  })

  test('when the poison cannot be noted', async () => {
    const onFatal = vi.fn<(error: Error) => void>()
    const disk = new FaultyDisk()
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory, disk, onFatal })
    await venue.submit(deposit(alice, 1n))
    disk.create = () => Promise.reject(new Error('no space left on device'))
    await stopsOn(venue, poison(), onFatal, 'no space left on device')
    const restarted = await openVenue({ ...crashing, dataDirectory })
    expect(balanceOf(restarted, alice)).toBe(1n)
  })

  test('when the journal cannot be read back', async () => {
    const onFatal = vi.fn<(error: Error) => void>()
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory, onFatal })
    await venue.submit(deposit(alice, 1n))
    const [segment] = await readdir(join(dataDirectory, 'journal'))
    const sound = await readFile(join(dataDirectory, 'journal', segment))
    await writeFile(join(dataDirectory, 'journal', segment), Buffer.alloc(sound.length))
    await stopsOn(venue, poison(), onFatal, 'engine-broken')
  })
})

describe('poisoned.json', () => {
  async function poisonedVenue(): Promise<string> {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...crashing, dataDirectory })
    await venue.submitAll(around(poison()))
    await venue.stop()
    return dataDirectory
  }

  test('that cannot be read stops the start', async () => {
    const dataDirectory = await poisonedVenue()
    await appendFile(notesIn(dataDirectory), 'nonsense')
    await expect(openVenue({ ...crashing, dataDirectory })).rejects.toThrow('poisoned.json cannot be read')
  })

  test('that was changed stops the start', async () => {
    const dataDirectory = await poisonedVenue()
    const sound = await readFile(notesIn(dataDirectory), 'utf8')
    await writeFile(notesIn(dataDirectory), sound.replace('"sequence":3', '"sequence":2'))
    const opening = openVenue({ ...crashing, dataDirectory })
    await expect(opening).rejects.toThrow('poisoned.json cannot be read: it does not match its checksum')
  })

  test('of another journal stops the start', async () => {
    const dataDirectory = await poisonedVenue()
    const otherDirectory = await newDirectory()
    const other = await openVenue({ ...crashing, dataDirectory: otherDirectory })
    await other.submitAll([deposit(alice, 5n), poison()])
    await writeFile(notesIn(dataDirectory), await readFile(notesIn(otherDirectory)))
    await expect(openVenue({ ...crashing, dataDirectory })).rejects.toThrow('is of another journal')
  })

  test('forgets the numbers that the journal has lost and gives again', async () => {
    const dataDirectory = await poisonedVenue()
    await rm(join(dataDirectory, 'journal'), { recursive: true })
    const venue = await openVenue({ ...crashing, dataDirectory })
    await venue.submitAll(around(deposit(alice, 100n)))
    expect(await noted(dataDirectory)).toEqual([])
    const restarted = await openVenue({ ...crashing, dataDirectory })
    expect(balanceOf(restarted, alice)).toBe(116n)
  })
})
