/** Snapshots of a venue that goes on meanwhile (src/runtime/twin.ts). */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { alice, deposit, poison, SmallEngine, smallEngineModule } from './small-engine.ts'
import { balanceOf, newDirectory, openVenue } from './venue.ts'

const clock = { kind: 'system', now: () => 1_000 } as const
const twin = { engineModule: smallEngineModule, snapshotEvery: 0, clock } as const
const many = (count: number) => Array.from({ length: count }, () => deposit(alice, 1n))

describe('a twin', () => {
  test('saves the state that the venue had, and the venue did not stop for it', async () => {
    const dataDirectory = await newDirectory()
    const save = vi.spyOn(SmallEngine.prototype, 'save')
    const venue = await openVenue({ ...twin, dataDirectory, snapshotAtStop: false })
    await venue.submitAll(many(100))
    const stateHash = await venue.stateHash()
    save.mockClear()
    const [taken] = await Promise.all([venue.snapshot(), venue.submitAll(many(1_000))])
    expect(save).not.toHaveBeenCalled()
    expect(taken).toMatchObject({ sequence: 100, stateHash, pauseMs: 0 })
    save.mockRestore()
  })

  test('goes on from the snapshot before, over several segments, and past what was poisoned', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...twin, dataDirectory, segmentBytesMax: 500, snapshotAtStop: false })
    await venue.submitAll(many(50))
    await venue.snapshot()
    for (let round = 0; round < 10; round++) await venue.submitAll(many(10))
    await venue.submitAll([poison(), deposit(alice, 7n)])
    const taken = await venue.snapshot()
    expect(taken).toMatchObject({ sequence: 152, stateHash: await venue.stateHash() })

    await venue.stop()
    const restarted = await openVenue({ ...twin, dataDirectory })
    expect(restarted.stats().snapshotSequence).toBe(152)
    expect(balanceOf(restarted, alice)).toBe(157n)
  })

  test('that is at work when the venue stops leaves nothing behind, and the last state is saved', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...twin, dataDirectory })
    await venue.submitAll(many(10))
    const taking = venue.snapshot().catch((error: Error) => error.message)
    await venue.submitAll(many(5))
    await venue.stop()
    expect(await taking).toBe('the twin ended with SIGKILL')
    expect(await readdir(join(dataDirectory, 'snapshots'))).toEqual(['00000000000000000015.snapshot'])
  })

  test('that fails says why, and the venue goes on', async () => {
    const dataDirectory = await newDirectory()
    const engineModule = join(dataDirectory, 'engine.ts')
    const venue = await openVenue({ ...twin, engineModule, dataDirectory })
    await venue.submitAll(many(10))
    await expect(venue.snapshot()).rejects.toThrow(/^the twin failed: Cannot find module/)
    await venue.submitAll(many(10))
    expect(balanceOf(venue, alice)).toBe(20n)
    expect(venue.stats()).toMatchObject({ snapshots: 0, snapshotsFailed: 1 })
  })
})
