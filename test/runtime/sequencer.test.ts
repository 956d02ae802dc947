/** One order, one clock, nothing applied or answered before it is durable; and what happens when something breaks. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { CommandNotSequenced, OutcomeUnknown, VenueOverloaded } from '../../src/runtime/core.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { alice, bob, deposit, poison, Recorder, SmallEngine, withdraw } from './small-engine.ts'
import { balanceOf, newDirectory, openVenue } from './venue.ts'

const done = { kind: 'done' }
const unknown = (reason: string) => expect.objectContaining({ name: 'OutcomeUnknown', reason })
const notSequenced = expect.any(CommandNotSequenced)

/** What became of each, in order. */
async function outcomes(submitted: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(submitted)
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason))
}

describe('order', () => {
  test('commands are applied in the order in which they were submitted, without a gap', async () => {
    const recorder = new Recorder()
    const venue = await openVenue({ consumers: [recorder] })
    const submitted = Array.from({ length: 500 }, (_, index) => venue.submit(deposit(index, 1n)))
    expect(await outcomes(submitted)).toEqual(Array(500).fill(done))
    expect(recorder.commands.map((command) => command.sequence)).toEqual(
      Array.from({ length: 500 }, (_, index) => index + 1),
    )
    expect(recorder.events.map((event) => 'uid' in event && event.uid)).toEqual([...Array(500).keys()])
  })

  test('commands submitted at once share a batch; those of one submission are never parted', async () => {
    const venue = await openVenue({ batchLengthMax: 10 })
    const submitted = Array.from({ length: 4 }, (_, index) => venue.submitAll(Array(8).fill(deposit(index, 1n))))
    await Promise.all(submitted)
    const { batches, batchLengthMax, journal } = venue.stats()
    expect({ batches, batchLengthMax, syncs: journal.syncs }).toEqual({ batches: 2, batchLengthMax: 16, syncs: 2 })
    expect(await venue.submitAll([])).toEqual([])
  })

  test('replies come in the order of the commands, refusals among them', async () => {
    const venue = await openVenue()
    const replies = await venue.submitAll([deposit(alice, 5n), withdraw(alice, 9n), withdraw(alice, 5n)])
    expect(replies.map((reply) => reply.kind)).toEqual(['done', 'refused', 'done'])
    expect(balanceOf(venue, alice)).toBe(0n)
    expect(venue.stats()).toMatchObject({ refused: 1, sequence: 3 })
    expect(venue.stats().commands.get('withdraw')).toBe(2)
  })

  test('stamps never go backwards, whatever the clock does', async () => {
    const recorder = new Recorder()
    const times = [1_000, 5_000, 2_000, 6_000]
    const venue = await openVenue({ clock: { kind: 'system', now: () => times[0] }, consumers: [recorder] })
    while (times.length > 0) {
      await venue.submit(deposit(alice, 1n))
      times.shift()
    }
    expect(recorder.commands.map((command) => command.at)).toEqual([1_000, 5_000, 5_000, 6_000])
  })
})

describe('durable', () => {
  test('nothing is applied or answered before its batch is on disk; what comes meanwhile waits for the next', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk })
    const release = disk.holdSyncs()
    const answered: string[] = []
    const first = venue.submit(deposit(alice, 1n)).then(() => answered.push('first'))
    await vi.waitFor(() => expect(venue.stats().journal.syncs).toBe(1))
    const second = venue.submit(deposit(alice, 1n)).then(() => answered.push('second'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(answered).toEqual([])
    expect(balanceOf(venue, alice)).toBe(0n)
    expect(venue.stats()).toMatchObject({ waiting: 1, sequence: 0 })
    release()
    await Promise.all([first, second])
    expect(answered).toEqual(['first', 'second'])
    expect(venue.stats()).toMatchObject({ waiting: 0, batches: 2 })
  })

  test('an idle venue starts writing in the same turn of the event loop', async () => {
    const venue = await openVenue()
    void venue.submit(deposit(alice, 1n))
    await nextTurn()
    expect(venue.stats().waiting).toBe(0)
  })

  test('events reach the consumers before the reply leaves', async () => {
    const recorder = new Recorder()
    const venue = await openVenue()
    const remove = venue.addConsumer(recorder)
    await venue.submit(deposit(alice, 3n))
    expect(recorder.events).toMatchObject([{ kind: 'deposit', amount: 3n }])
    remove()
    await venue.submit(deposit(alice, 3n))
    expect(recorder.commands).toHaveLength(1)
  })
})

test('what is applied is what was recorded, not what the caller holds', async () => {
  const applied: Command[] = []
  class Watched extends SmallEngine {
    override apply(...given: Parameters<SmallEngine['apply']>) {
      applied.push(given[0])
      return super.apply(...given)
    }
  }
  const dataDirectory = await newDirectory()
  const venue = await openVenue({ engineClass: Watched, dataDirectory, snapshotAtStop: false })
  const coin = { name: 'BTC', borrowable: true, listedBy: undefined }
  const replied = venue.submit({ kind: 'list-coin', coin } as unknown as Command)
  await nextTurn()
  coin.name = 'ETH'
  await replied
  await venue.stop()
  await openVenue({ engineClass: Watched, dataDirectory })
  expect(applied).toHaveLength(2)
  expect(JSON.stringify(applied[0])).toBe(JSON.stringify(applied[1]))
  expect(applied[0]).toStrictEqual({ kind: 'list-coin', coin: { borrowable: true, name: 'BTC' } })
})

describe('too much', () => {
  test('beyond the queue commands are refused at once, and those that wait are served', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk, waitingMax: 3 })
    const release = disk.holdSyncs()
    const first = venue.submit(deposit(alice, 1n))
    await vi.waitFor(() => expect(venue.stats().waiting).toBe(0))
    const waiting = venue.submitAll([deposit(alice, 1n), deposit(alice, 1n)])
    await expect(venue.submitAll([deposit(alice, 1n), deposit(alice, 1n)])).rejects.toThrow(CommandNotSequenced)
    const last = venue.submit(deposit(alice, 1n))
    await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow('3 commands are waiting already')
    release()
    await Promise.all([first, waiting, last])
    expect(balanceOf(venue, alice)).toBe(4n)
    expect(venue.stats().overloaded).toBe(3)
  })

  const timers: Command = { kind: 'run-timers' }

  test('a tenth of the queue is for commands that lighten the load, and timers always find room', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk, waitingMax: 20 })
    const release = disk.holdSyncs()
    const first = venue.submit(deposit(alice, 1n))
    await vi.waitFor(() => expect(venue.stats().waiting).toBe(0))
    const orders = Array.from({ length: 18 }, () => venue.submit(deposit(alice, 1n)))
    await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow(VenueOverloaded)
    const cancels = [venue.submit(timers), venue.submit(timers)]
    await expect(venue.submitAll([timers, deposit(alice, 1n)])).rejects.toThrow(VenueOverloaded)
    cancels.push(venue.submit(timers))
    release()
    expect(await outcomes([first, ...orders, ...cancels])).toEqual(Array(22).fill(done))
    expect(venue.stats().overloaded).toBe(3)
  })

  test('while the oldest waits for too long no more are taken, but cancels and timers are', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk, waitMsMax: 1 })
    const release = disk.holdSyncs()
    const first = venue.submit(deposit(alice, 1n))
    await vi.waitFor(() => expect(venue.stats().waiting).toBe(0))
    const second = venue.submit(deposit(alice, 1n))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow(VenueOverloaded)
    const urgent = [venue.submit(timers), venue.submit({ kind: 'set-index-prices', prices: [] })]
    release()
    await Promise.all([first, second, ...urgent])
    await venue.submit(deposit(alice, 1n))
    expect(balanceOf(venue, alice)).toBe(3n)
  })

  test('a command that cannot be recorded is refused alone', async () => {
    const venue = await openVenue()
    const half = { kind: 'record-key-change', uid: alice, apiKey: '\ud800', change: 'created' } as const
    const [first, two, three] = await outcomes([
      venue.submit(deposit(alice, 1n)),
      venue.submitAll([deposit(alice, 100n), half]),
      venue.submit(deposit(alice, 1n)),
    ])
    expect([first, two, three]).toEqual([done, notSequenced, done])
    expect(balanceOf(venue, alice)).toBe(2n)
    expect(venue.sequence).toBe(2)
  })

  test('a caller whose time runs out is told that the outcome is unknown; the command happens all the same', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk, replyTimeoutMs: 50 })
    const release = disk.holdSyncs()
    const inFlight = venue.submit(deposit(alice, 1n))
    await nextTurn()
    const queued = venue.submit(deposit(alice, 1n))
    expect(await outcomes([inFlight, queued])).toEqual([unknown('timed-out'), unknown('timed-out')])
    release()
    await vi.waitFor(() => expect(balanceOf(venue, alice)).toBe(2n))
  })
})

describe('the journal fails', () => {
  test('its batch has an unknown outcome, what waited was never sequenced, and nothing of it is applied', async () => {
    const disk = new FaultyDisk()
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ disk, dataDirectory })
    await venue.submit(deposit(alice, 7n))
    const held = Promise.withResolvers<void>()
    disk.beforeSync = () => held.promise
    const inBatch = [venue.submit(deposit(alice, 1n)), venue.submitAll([deposit(bob, 1n), deposit(bob, 1n)])]
    await vi.waitFor(() => expect(venue.stats().waiting).toBe(0))
    const waiting = venue.submit(deposit(alice, 1n))
    held.reject(new Error('i/o error'))

    const link = unknown('link-failed')
    expect(await outcomes([...inBatch, waiting])).toEqual([link, link, notSequenced])
    await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow('the journal cannot write')
    expect(venue.health()).toEqual({ healthy: false, state: 'failed', reason: expect.stringContaining('i/o error') })
    expect([balanceOf(venue, alice), balanceOf(venue, bob)]).toEqual([7n, 0n])
    await venue.stop()

    // The batch was written and never synced: here it survived, as it may, and it did so whole.
    const restarted = await openVenue({ dataDirectory })
    expect([balanceOf(restarted, alice), balanceOf(restarted, bob)]).toEqual([8n, 2n])
  })

  test('what was durable before is still applied and answered', async () => {
    const disk = new FaultyDisk()
    const venue = await openVenue({ disk, batchLengthMax: 1 })
    const first = Promise.withResolvers<void>()
    const fail = () => Promise.reject(new Error('i/o error'))
    disk.beforeSync = () => {
      disk.beforeSync = fail
      return first.promise
    }
    const submitted = [venue.submit(deposit(alice, 1n)), venue.submit(deposit(alice, 1n))]
    first.resolve()
    expect(await outcomes(submitted)).toEqual([done, unknown('link-failed')])
    expect(balanceOf(venue, alice)).toBe(1n)
  })
})

describe('the engine breaks for good', () => {
  const unforgiving = { poisonedPerHourMax: 0 }

  test('a defect stops the venue: what was applied whole is answered, nothing after it is', async () => {
    const onFatal = vi.fn<(error: Error) => void>()
    const recorder = new Recorder()
    const venue = await openVenue({ ...unforgiving, onFatal, consumers: [recorder] })
    const submitted = [deposit(alice, 1n), poison(), deposit(alice, 1n)].map((command) => venue.submit(command))
    const broken = unknown('unexpected')
    expect(await outcomes(submitted)).toEqual([done, broken, broken])
    expect(onFatal).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ cause: new Error('holds are never negative') }),
    )
    await expect(venue.submit(deposit(alice, 1n))).rejects.toThrow(CommandNotSequenced)
    expect(() => balanceOf(venue, alice)).toThrow('the engine has stopped')
    await expect(venue.snapshot()).rejects.toThrow('the engine has stopped')
    expect(venue.health()).toMatchObject({ healthy: false, state: 'failed' })
    expect(recorder.commands).toHaveLength(1)
  })

  test('batches behind the defect are unknown when they were being written, and refused when they waited', async () => {
    const venue = await openVenue({ ...unforgiving, batchLengthMax: 1 })
    const submitted = [poison(), deposit(alice, 1n), deposit(alice, 1n)].map((command) => venue.submit(command))
    const broken = unknown('unexpected')
    expect(await outcomes(submitted)).toEqual([broken, broken, notSequenced])
  })

  test('a submission that broke in the middle has an unknown outcome', async () => {
    const venue = await openVenue(unforgiving)
    await expect(venue.submitAll([deposit(alice, 1n), poison()])).rejects.toThrow(OutcomeUnknown)
  })
})

describe('stopping', () => {
  test('what was accepted is finished, what comes later is refused, queries still answer', async () => {
    const venue = await openVenue()
    const accepted = Array.from({ length: 100 }, () => venue.submit(deposit(alice, 1n)))
    const stopped = venue.stop()
    const late = venue.submit(deposit(alice, 1n))
    expect(await outcomes([...accepted, late])).toEqual([...Array(100).fill(done), notSequenced])
    await stopped
    expect(balanceOf(venue, alice)).toBe(100n)
    expect(venue.health()).toMatchObject({ healthy: false, state: 'stopped' })
    await venue.stop()
  })
})

test('many callers at once, each waiting for its reply, lose nothing', async () => {
  const venue = await openVenue({ durability: 'os' })
  const callers = Array.from({ length: 64 }, async (_, caller) => {
    for (let turn = 0; turn < 50; turn++) {
      await venue.submit(deposit(caller, 2n))
      expect(balanceOf(venue, caller)).toBe(BigInt(2 * (turn + 1)))
    }
  })
  await Promise.all(callers)
  expect(venue.sequence).toBe(3_200)
  expect(venue.stats().journal.lastSequence).toBe(3_200)
})
