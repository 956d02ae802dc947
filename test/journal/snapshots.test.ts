import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { gentleBytes } from '../../src/journal/disk.ts'
import {
  type DiskFile,
  openSnapshots,
  SnapshotDamaged,
  SnapshotFailed,
  type Damage,
} from '../../src/journal/journal.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const directory = '/data/snapshots'
const pathOf = (sequence: number) => `${directory}/${String(sequence).padStart(20, '0')}.snapshot`
const chunks = [Buffer.alloc(0), Buffer.from('accounts'), Buffer.alloc(5_000, 'orders'), Buffer.from([0])]

async function open(disk: SimulatedDisk, keep = 2) {
  return openSnapshots(directory, { disk, keep })
}

describe('a snapshot', () => {
  test('comes back chunk by chunk, with its sequence and hash', async () => {
    const disk = new SimulatedDisk()
    await (await open(disk)).save(42, 'hash', chunks)
    const { snapshot, damaged } = await (await open(disk)).newest()
    assert(snapshot !== undefined)
    expect([snapshot.sequence, snapshot.stateHash, snapshot.file, damaged]).toEqual([42, 'hash', pathOf(42), []])
    expect(await Array.fromAsync(snapshot.chunks())).toEqual(chunks)
    expect(await Array.fromAsync(snapshot.chunks())).toEqual(chunks)
  })

  test('of chunks that are made while they are written', async () => {
    const snapshots = await open(new SimulatedDisk())
    await snapshots.save(
      1,
      'hash',
      (async function* () {
        yield Buffer.from('one')
        yield Buffer.from('two')
      })(),
    )
    expect((await Array.fromAsync((await snapshots.newest()).snapshot!.chunks())).join()).toBe('one,two')
  })

  test('of nothing at all, and none', async () => {
    const snapshots = await open(new SimulatedDisk())
    expect(await snapshots.newest()).toEqual({ snapshot: undefined, damaged: [] })
    expect(await snapshots.list()).toEqual([])
    await snapshots.save(0, '', [])
    expect(await Array.fromAsync((await snapshots.newest()).snapshot!.chunks())).toEqual([])
  })

  test('is compressed', async () => {
    const disk = new SimulatedDisk()
    await (await open(disk)).save(1, 'hash', [Buffer.alloc(100_000, 'order')])
    expect(disk.bytesOf(pathOf(1)).length).toBeLessThan(1_000)
  })
})

describe('a large snapshot', () => {
  test('is synced and freed step by step: a journal on the same disk waits behind each', async () => {
    const disk = new SimulatedDisk()
    const stepBytes = watchSteps(disk)
    const snapshots = await open(disk, 1)
    const large = randomBytes(3 * gentleBytes)
    await snapshots.save(1, 'hash', [large, Buffer.from('small'), large])
    await snapshots.save(2, 'hash', [])
    expect(disk.paths()).toEqual([pathOf(2)])
    expect(stepBytes.length).toBeGreaterThan(2 * 6)
    expect(Math.max(...stepBytes)).toBeLessThan(2 * gentleBytes)
  })
})

/** The bytes that its files were given or lost between one sync and the next, and with an unlink. */
function watchSteps(disk: SimulatedDisk): number[] {
  const steps: number[] = []
  const watched = (file: DiskFile): DiskFile => {
    let bytes = 0
    return {
      ...file,
      write: async (given, position) => {
        bytes += given.length
        return file.write(given, position)
      },
      truncate: async (size) => {
        bytes += (await file.size()) - size
        return file.truncate(size)
      },
      sync: async () => {
        steps.push(bytes)
        bytes = 0
        return file.sync()
      },
    }
  }
  const create = disk.create.bind(disk)
  const reopen = disk.open.bind(disk)
  const unlink = disk.unlink.bind(disk)
  disk.create = async (path) => watched(await create(path))
  disk.open = async (path) => watched(await reopen(path))
  disk.unlink = async (path) => {
    steps.push(disk.bytesOf(path).length)
    return unlink(path)
  }
  return steps
}

describe('old snapshots', () => {
  test('beyond those to keep are removed once a new one stands', async () => {
    const disk = new SimulatedDisk()
    const snapshots = await open(disk, 2)
    for (const sequence of [10, 20, 30]) await snapshots.save(sequence, 'hash', chunks)
    expect((await snapshots.list()).map((entry) => entry.sequence)).toEqual([30, 20])
    expect(disk.paths()).toEqual([pathOf(20), pathOf(30)])
  })

  test('known to be damaged do not count, and go', async () => {
    const disk = new SimulatedDisk()
    const first = await open(disk, 2)
    await first.save(10, 'hash', chunks)
    await first.save(20, 'hash', chunks)
    disk.put(pathOf(20), disk.bytesOf(pathOf(20)).fill(0, 60, 70))

    const snapshots = await open(disk, 2)
    const { snapshot, damaged } = await snapshots.newest()
    expect([snapshot?.sequence, damaged.length, damaged[0]?.file]).toEqual([10, 1, pathOf(20)])
    expect((await snapshots.list()).map((entry) => entry.sequence)).toEqual([10])
    await snapshots.save(25, 'hash', chunks)
    expect(disk.paths()).toEqual([pathOf(10), pathOf(25)])
  })

  test('damaged and saved anew under the same sequence are whole again', async () => {
    const disk = new SimulatedDisk()
    const snapshots = await open(disk)
    await snapshots.save(10, 'hash', chunks)
    disk.put(pathOf(10), disk.bytesOf(pathOf(10)).subarray(0, 80))
    expect((await snapshots.newest()).snapshot).toBeUndefined()
    await snapshots.save(10, 'hash', chunks)
    expect((await snapshots.newest()).snapshot?.sequence).toBe(10)
    expect((await snapshots.list()).length).toBe(1)
  })
})

describe('damage', () => {
  const whole = async () => {
    const disk = new SimulatedDisk()
    const snapshots = await open(disk)
    await snapshots.save(10, 'older', chunks)
    await snapshots.save(20, 'newer', chunks)
    return disk
  }

  /** The damage that is reported of the newest snapshot, when the older one is taken. */
  async function damageOfNewest(disk: SimulatedDisk): Promise<Damage> {
    const { snapshot, damaged } = await (await open(disk)).newest()
    assert.equal(snapshot?.sequence, 10)
    assert.deepEqual(await Array.fromAsync(snapshot.chunks()), chunks)
    assert.equal(damaged.length, 1)
    return damaged[0]
  }

  test('a flipped bit at any byte, a cut at any byte, bytes behind the end: the older one is taken', async () => {
    const disk = await whole()
    const healthy = disk.bytesOf(pathOf(20))
    for (let at = 0; at < healthy.length; at++) {
      const flipped = Buffer.from(healthy)
      flipped[at] ^= 1 << (at % 8)
      for (const changed of [flipped, healthy.subarray(0, at)]) {
        disk.put(pathOf(20), changed)
        const { file, offset } = await damageOfNewest(disk)
        expect(file).toBe(pathOf(20))
        expect(offset, `bit or cut at ${at}`).toBeLessThanOrEqual(at)
      }
    }
    disk.put(pathOf(20), Buffer.concat([healthy, Buffer.from([0])]))
    expect((await damageOfNewest(disk)).reason).toBe('something follows the end frame')
  })

  test('another snapshot under this name', async () => {
    const disk = await whole()
    disk.put(pathOf(20), disk.bytesOf(pathOf(10)))
    expect((await damageOfNewest(disk)).reason).toBe('the snapshot is of 10, which its name denies')
  })

  test('chunks of another snapshot behind the head of this one', async () => {
    const disk = await whole()
    const headBytes = disk.bytesOf(pathOf(20)).indexOf('}') + 1 + 4
    const parts = [disk.bytesOf(pathOf(20)).subarray(0, headBytes), disk.bytesOf(pathOf(10)).subarray(headBytes)]
    disk.put(pathOf(20), Buffer.concat(parts))
    const { offset, reason } = await damageOfNewest(disk)
    expect([offset, reason]).toEqual([headBytes, 'the frame does not continue the one before'])
  })

  test('of all of them: none is left, and each is reported, newest first', async () => {
    const disk = await whole()
    for (const path of disk.paths()) disk.put(path, Buffer.alloc(200, 'x'))
    const { snapshot, damaged } = await (await open(disk)).newest()
    expect([snapshot, damaged.map(({ file }) => file)]).toEqual([undefined, [pathOf(20), pathOf(10)]])
  })

  test('that comes after verification stops the reading', async () => {
    const disk = await whole()
    const { snapshot } = await (await open(disk)).newest()
    disk.put(pathOf(20), disk.bytesOf(pathOf(20)).subarray(0, -1))
    await expect(Array.fromAsync(snapshot!.chunks())).rejects.toThrow(SnapshotDamaged)
  })
})

describe('a save that fails', () => {
  test('on the disk or in making the chunks leaves the older ones, and the next one succeeds', async () => {
    const disk = new SimulatedDisk()
    const snapshots = await open(disk)
    await snapshots.save(10, 'hash', chunks)
    disk.before = (call) => (call === 'write' ? 'ENOSPC' : undefined)
    await expect(snapshots.save(20, 'hash', chunks)).rejects.toThrow(SnapshotFailed)
    disk.before = undefined
    const broken = (function* () {
      yield chunks[1]
      throw new Error('the state cannot be walked')
    })()
    await expect(snapshots.save(20, 'hash', broken)).rejects.toThrow('the state cannot be walked')
    expect((await snapshots.newest()).snapshot?.sequence).toBe(10)

    await snapshots.save(20, 'hash', chunks)
    expect(disk.paths()).toEqual([pathOf(10), pathOf(20)])
    expect((await snapshots.newest()).snapshot?.sequence).toBe(20)
  })

  test('a trouble with reading is not taken for damage', async () => {
    const disk = new SimulatedDisk()
    const snapshots = await open(disk)
    await snapshots.save(10, 'hash', chunks)
    disk.before = (call) => (call === 'read' ? 'EIO' : undefined)
    await expect(snapshots.newest()).rejects.toThrow(SnapshotFailed)
    disk.before = undefined
    expect((await snapshots.list()).length).toBe(1)
  })

  test('two saves at once are a bug', async () => {
    const snapshots = await open(new SimulatedDisk())
    const first = snapshots.save(1, 'hash', chunks)
    await expect(snapshots.save(2, 'hash', chunks)).rejects.toThrow('one snapshot is saved at a time')
    await first
  })
})
