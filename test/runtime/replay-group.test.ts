/**
 * Commands of a journal in groups: applied in order and to the last, in whatever batches they were written, and whoever rests
 * between batches gets the stamp of a command that was applied.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileDisk, openFileJournal, openSnapshots } from '../../src/journal/journal.ts'
import { encodeCommand } from '../../src/runtime/command-codec.ts'
import { PoisonedCommands } from '../../src/runtime/poisoned-commands.ts'
import { rebuiltThrough } from '../../src/runtime/rebuild.ts'
import { RecordWriter } from '../../src/runtime/record-bytes.ts'
import { alice, deposit, poison, Recorder, SmallEngine } from './small-engine.ts'
import { newDirectory, openVenue } from './venue.ts'

const startAt = 1_700_000_000_000
const crashing = { clock: { kind: 'manual', startAt }, snapshotAtStop: false, snapshotEvery: 0 } as const

test.each([
  ['one at a time', [1, 1, 1, 1, 1]],
  ['fewer than a group', [10, 20, 30]],
  ['a group, and more', [64, 65, 130]],
  ['many', [500]],
])('a rebuilt engine has applied all of a batch when it rests behind it: %s', async (_what, batches) => {
  const directory = await newDirectory()
  const { journal } = await openFileJournal(join(directory, 'journal'))
  onTestFinished(() => journal.close())
  const expected: number[] = []
  let at = startAt
  for (const length of batches) {
    at += 1_000
    await journal.append(
      journal.lastSequence + 1,
      Array.from({ length }, () => recordOf(at)),
    )
    expected.push(at)
  }
  const snapshots = await openSnapshots(join(directory, 'snapshots'))
  const poisoned = await PoisonedCommands.open(fileDisk, directory, journal.lastSequence)
  const stamps: number[] = []
  const { engine, lastAt } = await rebuiltThrough(
    journal.lastSequence,
    () => {},
    { engineClass: SmallEngine, journal, snapshots, poisoned },
    (stamp) => void stamps.push(stamp),
  )
  expect(stamps).toEqual(expected)
  expect(lastAt).toBe(at)
  expect(engine.sequence).toBe(batches.reduce((sum, length) => sum + length, 0))
  expect(engine.query({ kind: 'account', uid: alice })).toBe(BigInt(engine.sequence))
})

test.each([
  ['in the middle of a group', [33]],
  ['at its ends', [1, 63, 64, 65, 128]],
  ['one behind the other', [10, 11, 12, 13]],
  ['the last ones', [199, 200]],
])('commands that break the engine are passed over: %s', async (_what, places) => {
  const dataDirectory = await newDirectory()
  const live = new Recorder()
  const venue = await openVenue({ ...crashing, dataDirectory, consumers: [live] })
  const commands = Array.from({ length: 200 }, (_, index) =>
    places.includes(index + 1) ? poison() : deposit(alice, 1n),
  )
  await venue.submitAll(commands)
  const replayed = new Recorder()
  const restarted = await openVenue({ ...crashing, dataDirectory, consumers: [replayed] })
  expect(await restarted.stateHash()).toBe(await venue.stateHash())
  expect(replayed.commands).toEqual(live.commands)
  expect(restarted.sequence).toBe(200)
})

function recordOf(at: number): Uint8Array {
  const writer = new RecordWriter()
  encodeCommand(writer, deposit(alice, 1n), at)
  return writer.slice(0, writer.position)
}
