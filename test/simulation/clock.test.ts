/**
 * A wall clock that jumps an hour ahead and back, stands still and repeats itself (reliability F4): stamps never go back,
 * and funding is settled at every boundary that was passed, once and in order.
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { SimulatedDisk } from '../journal/simulated-disk.ts'
import { openMarkets } from './people.ts'
import { Random } from './random.ts'

const start = 1_767_225_600_000
const hour = 3_600_000
const boundary = 8 * hour

test.each([1, 2, 3, 4, 5])('jumps of the wall clock move no boundary of funding: seed %d', async (seed) => {
  const random = new Random(seed)
  let wall = start
  let latest = start
  const stamps: number[] = []
  const settled: number[] = []
  let contract = -1
  const record = (_sequence: number, at: number, events: readonly Event[]) => {
    stamps.push(at)
    for (const event of events) {
      if (event.kind === 'funding-settled' && event.instrument === contract) settled.push(event.at)
    }
  }
  const disk = new SimulatedDisk()
  const open = () =>
    openRuntime({
      dataDirectory: '/data',
      engineClass: Engine,
      consumers: [{ record }],
      clock: { kind: 'system', now: () => wall },
      snapshotEvery: 0,
      replyTimeoutMs: 0,
      disk,
    })
  let runtime = await open()
  await openMarkets((command) => runtime.submit(command))
  contract =
    runtime.query({ kind: 'catalog' }).instruments.find(({ category }) => category === 'USDT-FUTURES')?.id ?? -1

  for (let step = 0; step < 150; step++) {
    wall += random.pick([0, 1, 60_000, hour, hour, -hour, 2 * hour, -1, 5 * hour])
    latest = Math.max(latest, wall)
    expect((await runtime.submit({ kind: 'run-timers' })).kind).toBe('done')
    if (step === 75) {
      // The machine comes up with a clock that is behind.
      await runtime.stop()
      wall -= 3 * hour
      const known = [stamps.length, settled.length] as const
      runtime = await open()
      stamps.length = known[0]
      settled.length = known[1]
    }
  }
  expect(stamps).toEqual(stamps.toSorted((first, second) => first - second))
  const passed = Math.floor((latest - start) / boundary)
  expect(passed).toBeGreaterThan(10)
  expect(settled).toEqual(Array.from({ length: passed }, (_, index) => start + (index + 1) * boundary))
  await runtime.stop()
})
