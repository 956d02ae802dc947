/** A venue that starts again stands where it stood; one that cannot says why and touches nothing. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { CommandNotSequenced } from '../../src/runtime/core.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import { recover, type RecoveryOptions } from '../../src/runtime/parts.ts'
import { RecoveryFailed, type RecoveryProgress, type Runtime, type RuntimeOptions } from '../../src/runtime/runtime.ts'
import { alice, deposit, Recorder, SmallEngine, SmallHistory, smallEngineModule } from './small-engine.ts'
import { balanceOf, newDirectory, openVenue, recordingLog } from './venue.ts'

async function submitMany(venue: Runtime, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => venue.submit(deposit(1 + (index % 7), 1n))))
}

const snapshotsIn = async (directory: string) => (await readdir(join(directory, 'snapshots'))).sort()
const segmentsIn = (directory: string) => readdir(join(directory, 'journal'))

describe('restart', () => {
  test('after a clean stop the state is the same, and nothing has to be replayed', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory })
    await submitMany(first, 100)
    const hash = await first.stateHash()
    await first.stop()
    const replayed = new Recorder()
    const second = await openVenue({ dataDirectory, consumers: [replayed] })
    expect(await second.verify()).toEqual({ balanced: true, faults: [], coins: [], stateHash: hash, sequence: 100 })
    expect(replayed.commands).toEqual([])
    expect(await second.submit(deposit(alice, 1n))).toEqual({ kind: 'done' })
    expect(second.sequence).toBe(101)
  })

  test('after a crash the whole journal is replayed: same state, same events, same stamps', async () => {
    const dataDirectory = await newDirectory()
    const live = new Recorder()
    const first = await openVenue({ dataDirectory, consumers: [live] })
    await submitMany(first, 100)
    const replayed = new Recorder()
    const onProgress = vi.fn<(progress: RecoveryProgress) => void>()
    const second = await openVenue({ dataDirectory, consumers: [replayed], onProgress })
    expect(await second.stateHash()).toBe(await first.stateHash())
    expect(replayed.commands).toEqual(live.commands)
    expect(onProgress).toHaveBeenLastCalledWith({ sequence: 100, lastSequence: 100 })
  })

  test('snapshot and tail give what the whole journal gives', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory })
    await submitMany(first, 60)
    const { sequence, stateHash } = await first.snapshot()
    expect({ sequence, stateHash }).toEqual({ sequence: 60, stateHash: await first.stateHash() })
    await submitMany(first, 40)
    const tail = new Recorder()
    const fromSnapshot = await openVenue({ dataDirectory, consumers: [tail] })
    expect(tail.commands.map((command) => command.sequence)).toEqual(
      Array.from({ length: 40 }, (_, index) => 61 + index),
    )

    await rm(join(dataDirectory, 'snapshots'), { recursive: true })
    const fromJournal = await openVenue({ dataDirectory })
    const hashes = [await fromSnapshot.stateHash(), await fromJournal.stateHash()]
    expect(hashes).toEqual(Array(2).fill(await first.stateHash()))
  })

  test('a damaged newest snapshot costs nothing: the older one and a longer tail take its place', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, segmentBytesMax: 1_000 })
    for (let round = 0; round < 3; round++) {
      await submitMany(first, 50)
      await submitMany(first, 50)
      await first.snapshot()
    }
    const kept = await snapshotsIn(dataDirectory)
    expect(kept.map((name) => Number.parseInt(name, 10))).toEqual([200, 300])
    await writeFile(join(dataDirectory, 'snapshots', kept[1]), 'nonsense')
    const log = recordingLog()
    const second = await openVenue({ dataDirectory, log })
    expect(await second.stateHash()).toBe(await first.stateHash())
    expect(log.error).toHaveBeenCalledWith(expect.anything(), 'a snapshot is damaged; an older one is used')
  })

  test('history gets what it lacks, once', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory })
    await submitMany(first, 10)
    const history = new SmallHistory(4)
    await openVenue({ dataDirectory, history })
    expect(history.commands.map((command) => command.sequence)).toEqual([5, 6, 7, 8, 9, 10])
  })

  test('history that somebody removed is built anew while the journal still begins with the first command', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, history: new SmallHistory() })
    await submitMany(first, 10)
    await first.stop()
    const history = new SmallHistory()
    const second = await openVenue({ dataDirectory, history })
    expect(history.commands).toHaveLength(10)
    expect(await second.stateHash()).toBe(await first.stateHash())
  })

  test('a batch that a crash interrupted is cut off and reported', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, snapshotAtStop: false })
    await submitMany(first, 10)
    await first.stop()
    const [segment] = await segmentsIn(dataDirectory)
    await writeFile(join(dataDirectory, 'journal', segment), Buffer.alloc(5, 0xfe), { flag: 'a' })
    const log = recordingLog()
    const second = await openVenue({ dataDirectory, log })
    expect(second.sequence).toBe(10)
    expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ bytes: 5 }), expect.stringContaining('cut off'))
  })
})

describe('no start', () => {
  async function stoppedVenue(options: Partial<RuntimeOptions> = {}): Promise<string> {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ dataDirectory, ...options })
    await submitMany(venue, 10)
    await venue.stop()
    return dataDirectory
  }

  test('when the snapshot is ahead of the journal', async () => {
    const dataDirectory = await stoppedVenue()
    await rm(join(dataDirectory, 'journal'), { recursive: true })
    const opening = openVenue({ dataDirectory })
    await expect(opening).rejects.toThrow(
      new RecoveryFailed(
        'the newest snapshot stands at 10, but the journal ends with 0: commands 1 to 10 were lost, which people were ' +
          'told had been carried out; restore a backup of the whole directory',
      ),
    )
  })

  test('when the directory knew of more than the journal has', async () => {
    const dataDirectory = await stoppedVenue({ snapshotAtStop: false })
    await expect(openVenue({ dataDirectory, reached: 11 })).rejects.toThrow(
      'venue.json stands at 11, but the journal ends with 10: command 11 was lost',
    )
    await openVenue({ dataDirectory, reached: 10 })
  })

  test('when history is ahead of the journal', async () => {
    const dataDirectory = await stoppedVenue()
    await expect(openVenue({ dataDirectory, history: new SmallHistory(11) })).rejects.toThrow(RecoveryFailed)
  })

  /** As one of several cores begins. */
  const copyOfLog = (dataDirectory: string, options: Partial<RecoveryOptions> = {}) =>
    recover({
      dataDirectory,
      durability: 'behind',
      followsLog: true,
      engineClass: SmallEngine,
      history: new SmallHistory(11),
      consumers: [],
      log: recordingLog(),
      onProgress: () => {},
      disk: undefined,
      segmentBytesMax: undefined,
      reached: 0,
      historyLossAccepted: false,
      rules: undefined,
      ...options,
    })

  test('but not when the journal is a copy of a log, which has what it lacks', async () => {
    const recovered = await copyOfLog(await stoppedVenue())
    expect(recovered.journal.lastSequence).toBe(10)
    await recovered.journal.close()
  })

  test('of a damaged copy of a log, which is to be taken away and needs no backup', async () => {
    const dataDirectory = await stoppedVenue({ snapshotAtStop: false })
    const [segment] = await segmentsIn(dataDirectory)
    const file = join(dataDirectory, 'journal', segment)
    const bytes = await readFile(file)
    bytes[100] ^= 1
    await writeFile(file, bytes)
    const refused = copyOfLog(dataDirectory)
    await expect(refused).rejects.toThrow(RecoveryFailed)
    await expect(refused).rejects.toThrow(
      new RegExp(`^journal damaged: ${file} .*; take ${dataDirectory} away: it is made anew from the log$`),
    )
  })

  /** Breaks on the third command so many times, and has a history that stands at nothing. */
  function breaking(times: number) {
    let left = times
    return class extends SmallEngine {
      override apply(...[command, sequence, at]: Parameters<SmallEngine['apply']>) {
        if (sequence === 3 && left-- > 0) throw new Error('a bit flipped')
        return super.apply(command, sequence, at)
      }
    }
  }

  test.each([
    [1, 10, undefined],
    [2, 2, 3],
  ])('of a copy of a log, whose command breaks %i engines: it ends with %i', async (times, sequence, broken) => {
    const dataDirectory = await stoppedVenue({ snapshotAtStop: false })
    const history = new SmallHistory(0)
    const log = recordingLog()
    const recovered = await copyOfLog(dataDirectory, {
      engineClass: breaking(times),
      history,
      consumers: [history],
      log,
    })
    const { driver } = recovered
    expect([driver.sequence, driver.engine.sequence, recovered.broken?.sequence]).toEqual([sequence, sequence, broken])
    expect([recovered.poisoned.list(), history.commands.length]).toEqual([[], sequence])
    expect(log.error).toHaveBeenCalledTimes(times)
    await recovered.journal.close()
  })

  test('when a command of the journal breaks every engine that is made for it', async () => {
    class Stricter extends SmallEngine {
      override skip(sequence: number) {
        if (sequence === 5) throw new Error('no fives')
        super.skip(sequence)
      }
    }
    const dataDirectory = await stoppedVenue({ snapshotAtStop: false })
    const opening = openVenue({ dataDirectory, engineClass: Stricter })
    await expect(opening).rejects.toThrow('command 5 of the journal cannot be applied: Error: no fives')
  })

  test('when the state of a snapshot has another hash than when it was saved', async () => {
    const dataDirectory = await stoppedVenue()
    const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'))
    const { snapshot } = await snapshots.newest()
    const chunks = await Array.fromAsync(snapshot!.chunks())
    await snapshots.save(10, 'ab'.repeat(32), chunks)
    await expect(openVenue({ dataDirectory })).rejects.toThrow(
      `the state in it has the hash ${snapshot!.stateHash}, not abab`,
    )
  })
})

/** A twin is a process of its own, and the machine may be busy. */
const patient = { timeout: 30_000 }

describe.each([
  ['here', {}],
  ['by a twin', { engineModule: smallEngineModule }],
])('snapshots %s', (_where, how) => {
  test('are taken by themselves, only after history stands past them, and shorten the journal', async () => {
    const dataDirectory = await newDirectory()
    const history = new SmallHistory()
    const venue = await openVenue({ ...how, dataDirectory, history, snapshotEvery: 100, segmentBytesMax: 1_000 })
    for (let round = 0; round < 30; round++) {
      await submitMany(venue, 20)
      await vi.waitFor(() => expect(venue.stats().snapshots).toBe(Math.floor(venue.sequence / 100)), patient)
    }
    const { snapshots, journal } = venue.stats()
    expect(snapshots).toBe(6)
    expect(journal.firstSequence).toBeGreaterThan(400)
    expect(journal.firstSequence).toBeLessThanOrEqual(501)
    expect(history.flushes).toEqual([100, 200, 300, 400, 500, 600])
  })

  test('that fail leave venue and journal as they are, and are tried again', async () => {
    const history = new SmallHistory()
    const venue = await openVenue({ ...how, history, snapshotEvery: 10, snapshotAtStop: false })
    const flush = vi.spyOn(history, 'flushDurably').mockRejectedValueOnce(new Error('database is locked'))
    await submitMany(venue, 10)
    await vi.waitFor(() => expect(venue.stats()).toMatchObject({ snapshots: 0, snapshotsFailed: 1 }), patient)
    expect(venue.stats().snapshotsFailing).toMatchObject({ times: 1, error: { message: 'database is locked' } })
    await submitMany(venue, 10)
    await vi.waitFor(() => expect(venue.stats()).toMatchObject({ snapshots: 1, snapshotsFailed: 1 }), patient)
    expect(venue.stats().snapshotsFailing).toBeUndefined()
    expect(flush).toHaveBeenCalledTimes(2)
    flush.mockResolvedValueOnce(3)
    await submitMany(venue, 1)
    await expect(venue.snapshot()).rejects.toThrow('history stands at 3, before the snapshot of 21')
  })

  test('asked for twice at once come one after the other', async () => {
    const venue = await openVenue(how)
    await submitMany(venue, 5)
    const [first, second] = await Promise.all([venue.snapshot(), venue.snapshot()])
    expect(first.stateHash).toBe(second.stateHash)
    expect(venue.stats()).toMatchObject({ snapshots: 2, snapshotSequence: 5 })
  })

  test('are of one moment, whatever is submitted meanwhile', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...how, dataDirectory })
    await submitMany(venue, 100)
    const [taken] = await Promise.all([venue.snapshot(), submitMany(venue, 1_000)])
    expect(taken.sequence).toBeLessThan(1_100)
    const restarted = await openVenue({ dataDirectory })
    expect(await restarted.stateHash()).toBe(await venue.stateHash())
    expect(balanceOf(restarted, 1)).toBe(balanceOf(venue, 1))
  })
})

test('a stopped venue refuses commands', async () => {
  const venue = await openVenue()
  await venue.stop()
  await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow(CommandNotSequenced)
})
