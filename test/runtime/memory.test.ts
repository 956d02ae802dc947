/**
 * A runtime in memory goes back to whatever was saved of it, in any order, and is then what one is that never went on.
 */
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemoryJournal } from '../../src/journal/journal.ts'
import { OutcomeUnknown } from '../../src/runtime/core.ts'
import { openRuntime, type Runtime, type RuntimeOptions, type SavedRuntime } from '../../src/runtime/runtime.ts'
import { alice, bob, deposit, poison, Recorder, SmallEngine } from './small-engine.ts'
import { balanceOf } from './venue.ts'

const noon = 1_790_000_000_000
const nothingElse = async () => {}

async function inMemory(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const clock = { kind: 'steered', startAt: noon, frozen: true } as const
  const runtime = await openRuntime({ engineClass: SmallEngine, clock, ...options, dataDirectory: undefined })
  onTestFinished(() => runtime.stop())
  return runtime
}

describe('going back', () => {
  test('state, sequence, stamps and time are those of the moment that was saved', async () => {
    const runtime = await inMemory()
    await runtime.submit(deposit(alice, 5n))
    const saved = runtime.save()
    const hash = await runtime.stateHash()
    await runtime.advance(60_000)
    await runtime.submit(deposit(alice, 7n))
    expect(await runtime.goBack(saved, nothingElse)).toBe(0)
    expect([runtime.sequence, runtime.now(), await runtime.stateHash()]).toEqual([1, noon, hash])
    expect(balanceOf(runtime, alice)).toBe(5n)
    expect(runtime.epoch).toBe(1)
  })

  test('what comes then has the sequence and the stamp that it would have had', async () => {
    const seen = new Recorder()
    const runtime = await inMemory({ consumers: [seen] })
    const saved = runtime.save()
    for (const units of [1n, 2n]) {
      await runtime.submit(deposit(alice, units))
      await runtime.goBack(saved, nothingElse)
    }
    expect(seen.commands.map(({ sequence, at }) => [sequence, at])).toEqual([
      [1, noon],
      [1, noon],
    ])
  })

  test('a command under way has an unknown outcome, and lands nowhere', async () => {
    const runtime = await inMemory()
    const saved = runtime.save()
    const submitted = Array.from({ length: 3 }, () => runtime.submit(deposit(alice, 1n)))
    const outcomes = Promise.allSettled(submitted)
    const unknown = await runtime.goBack(saved, nothingElse)
    for (const outcome of await outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(OutcomeUnknown)
    }
    expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(unknown)
    await runtime.submit(deposit(bob, 1n))
    expect([runtime.sequence, balanceOf(runtime, alice)]).toEqual([1, 0n])
  })

  test('whoever comes meanwhile finds that it has to wait, and waits no longer than that', async () => {
    const runtime = await inMemory()
    const saved = runtime.save()
    const { promise, resolve } = Promise.withResolvers<void>()
    const back = runtime.goBack(saved, () => promise)
    expect(runtime.rebuilt).toBeDefined()
    resolve()
    await back
    expect(runtime.rebuilt).toBeUndefined()
  })

  test('an engine that breaks behind it is rebuilt from what there is', async () => {
    const runtime = await inMemory()
    await runtime.submit(deposit(alice, 1n))
    const saved = runtime.save()
    await runtime.submit(deposit(alice, 10n))
    await runtime.goBack(saved, nothingElse)
    await runtime.submit(deposit(alice, 100n))
    expect(await runtime.submit(poison())).toMatchObject({ kind: 'refused' })
    expect(balanceOf(runtime, alice)).toBe(101n)
    await runtime.goBack(saved, nothingElse)
    await runtime.submit(deposit(alice, 1000n))
    await runtime.submit(deposit(alice, 1000n))
    expect(await runtime.submit(poison())).toMatchObject({ kind: 'refused' })
    expect(balanceOf(runtime, alice)).toBe(2001n)
  })

  test('another runtime begins with what was saved, and shares nothing from then on', async () => {
    const runtime = await inMemory()
    await runtime.submit(deposit(alice, 1n))
    const saved = runtime.save()
    const fork = await inMemory({ from: saved, clock: { kind: 'steered', startAt: saved.now, frozen: true } })
    await Promise.all([runtime.submit(deposit(alice, 2n)), fork.submit(deposit(bob, 3n))])
    expect([balanceOf(runtime, alice), balanceOf(runtime, bob)]).toEqual([3n, 0n])
    expect([balanceOf(fork, alice), balanceOf(fork, bob)]).toEqual([1n, 3n])
    expect([runtime.sequence, fork.sequence]).toEqual([2, 2])
  })

  test('records are kept beside before their commands are carried out, those of the way to the beginning not again', async () => {
    const first = await inMemory()
    await first.submit(deposit(alice, 1n))
    const saved = first.save()
    await first.submit(deposit(alice, 2n))
    const kept: number[] = []
    let refuses = false
    const beside = {
      async append(firstSequence: number, payloads: readonly Uint8Array[]) {
        if (refuses) throw new Error('the disk is full')
        kept.push(...payloads.map((_, place) => firstSequence + place))
      },
    }
    const runtime = await inMemory({ from: saved, through: { runtime: first.save(), sequence: 2 }, beside })
    await Promise.all([3n, 4n].map((units) => runtime.submit(deposit(bob, units))))
    expect(kept).toEqual([3, 4])
    refuses = true
    await expect(runtime.submit(deposit(bob, 5n))).rejects.toThrow('outcome unknown')
    expect([balanceOf(runtime, alice), balanceOf(runtime, bob), runtime.health().state]).toEqual([3n, 7n, 'failed'])
  })

  test('in any order of commands, saving and going back it agrees with one that never went back', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('deposit' as const), units: fc.bigInt(1n, 99n) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 9_000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), which: fc.nat(9) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = { kind: 'steered', startAt: noon, frozen: true } as const
        const [runtime, twin] = await Promise.all(
          [0, 1].map(() =>
            openRuntime({ engineClass: SmallEngine, clock, dataDirectory: undefined, snapshotEvery: 7 }),
          ),
        )
        const act = async (on: Runtime, one: (typeof steps)[number]) => {
          if (one.kind === 'deposit') await on.submit(deposit(alice, one.units))
          else if (one.kind === 'advance') await on.advance(one.ms)
        }
        let path: (typeof steps)[number][] = []
        const kept: { saved: SavedRuntime; path: typeof path }[] = []
        for (const one of steps) {
          if (one.kind === 'save') kept.push({ saved: runtime.save(), path })
          else if (one.kind !== 'back') {
            path = [...path, one]
            await act(runtime, one)
          } else if (kept.length > 0) {
            const back = kept[one.which % kept.length]
            await runtime.goBack(back.saved, nothingElse)
            path = back.path
          }
        }
        for (const one of path) await act(twin, one)
        const seen = async (on: Runtime) => [on.sequence, on.now(), await on.stateHash()]
        expect(await seen(runtime)).toEqual(await seen(twin))
        await Promise.all([runtime.stop(), twin.stop()])
      }),
      { numRuns: 60 },
    )
  })
})

describe('a steered clock', () => {
  test('stands still while it is frozen, and goes on from there', async () => {
    const runtime = await inMemory({ clock: { kind: 'steered', frozen: false } })
    expect(Math.abs(runtime.now() - Date.now())).toBeLessThan(1_000)
    runtime.freeze()
    const frozen = runtime.now()
    await runtime.advance(3_600_000)
    expect(runtime.now()).toBe(frozen + 3_600_000)
    runtime.thaw()
    expect(runtime.now()).toBeGreaterThanOrEqual(frozen + 3_600_000)
    expect(() => runtime.advance(1)).toThrow('only the manual clock can be advanced')
  })

  test('stops behind the command after which it is there', async () => {
    const seen = new Recorder()
    const runtime = await inMemory({ consumers: [seen] })
    await runtime.submit(deposit(alice, 1n))
    await runtime.advance(10_000_000, () => seen.commands.length >= 2)
    expect(seen.commands).toHaveLength(2)
    expect(runtime.now()).toBe(seen.commands[1].at)
  })
})

describe('a journal in memory', () => {
  const record = (n: number) => new Uint8Array([n & 255, n >> 8])

  async function filled(count: number): Promise<MemoryJournal> {
    const journal = new MemoryJournal()
    for (let n = 1; n <= count; n++) await journal.append(n, [record(n)])
    return journal
  }

  test('a mark stays good when its journal goes on, goes back and goes on otherwise', async () => {
    const journal = await filled(1500)
    const mark = journal.mark(1100)
    journal.goBackTo(mark)
    expect(journal.stats()).toMatchObject({ lastSequence: 1100, bytes: 2200 })
    for (let n = 1101; n <= 1300; n++) await journal.append(n, [record(9999)])
    journal.goBackTo(mark)
    const seen: number[] = []
    await journal.replay(1090, (sequence, payload) => {
      seen.push(sequence)
      expect(payload).toEqual(record(sequence))
    })
    expect(seen).toEqual(Array.from({ length: 11 }, (_, index) => 1090 + index))
  })

  test('what two snapshots have is removed, in whole chunks', async () => {
    const journal = await filled(3000)
    expect(await journal.removeThrough(2050)).toBe(2)
    expect(journal.stats()).toMatchObject({ firstSequence: 2049, lastSequence: 3000 })
    expect(journal.at(2048)).toBeUndefined()
    expect(journal.at(2049)).toEqual(record(2049))
  })
})
