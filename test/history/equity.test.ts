/**
 * Samples of equity: what of them is answered for a window, and how long each is kept (decision 0069).
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { amount, amountMax } from '../../src/engine/numbers/numbers.ts'
import { type EquitySample, type History, openHistory } from '../../src/history/history.ts'
import { alice, bob, noon } from './samples.ts'

const dayMs = 86_400_000
const carol = 10_003
const midnight = noon - (noon % dayMs)

let history: History
let sequence = 0
beforeAll(async () => {
  history = await openHistory(':memory:')
})
afterEach(() => history.prune(Number.MAX_SAFE_INTEGER))
afterAll(() => history.close())

/** Each sample after a command of its own. */
function record(...samples: readonly Partial<Omit<EquitySample, 'equity' | 'moved'> & Figures>[]): void {
  for (const { equity = 0n, moved = 0n, at = noon, ...facts } of samples) {
    const sample = { kind: 'equity', uid: alice, keptFor: 'all', ...facts, at } as const
    history.record(++sequence, at, [{ ...sample, equity: amount(equity), moved: amount(moved) }])
  }
}

interface Figures {
  readonly equity: bigint
  readonly moved: bigint
}

const ask = (from: number, to: number, step = 1) => history.equity({ uid: alice, from, to, step })

test('the last of each step is answered, with what was moved in all of it', async () => {
  record(
    { at: noon, equity: 100n, moved: 100n },
    { at: noon + 4, equity: 90n },
    { at: noon + 10, equity: 290n, moved: 200n },
    { at: noon + 12, equity: 240n, moved: -50n },
    { at: noon + 35, equity: 250n },
  )
  expect(await ask(noon, noon + 40, 10)).toEqual([
    // The first stands for itself: what came before it is nobody's profit.
    { at: noon, equity: 100n, moved: 0n },
    { at: noon + 4, equity: 90n, moved: 0n },
    { at: noon + 12, equity: 240n, moved: 150n },
    { at: noon + 35, equity: 250n, moved: 0n },
  ])
})

test('a window begins with the last sample before it, and ends with its end', async () => {
  record(...[1, 2, 3, 4, 5].map((n) => ({ at: noon + n, equity: BigInt(n), moved: BigInt(10 * n) })))
  expect(await ask(noon + 3, noon + 4)).toEqual([
    { at: noon + 2, equity: 2n, moved: 0n },
    { at: noon + 3, equity: 3n, moved: 30n },
    { at: noon + 4, equity: 4n, moved: 40n },
  ])
  expect(await ask(noon + 6, noon + 9)).toEqual([{ at: noon + 5, equity: 5n, moved: 0n }])
  expect(await ask(noon - 2, noon)).toEqual([])
})

test('several samples of one moment keep their order', async () => {
  record({ equity: 1n, moved: 1n }, { equity: 3n, moved: 2n }, { equity: 7n, moved: 4n })
  expect(await ask(noon, noon)).toEqual([
    { at: noon, equity: 1n, moved: 0n },
    { at: noon, equity: 7n, moved: 6n },
  ])
})

test('an account has its own samples alone', async () => {
  record({ equity: 1n }, { uid: bob, equity: 2n })
  expect(await ask(noon, noon)).toEqual([{ at: noon, equity: 1n, moved: 0n }])
})

test('sums are exact beyond what a number of the database holds', async () => {
  record({}, { equity: amountMax, moved: amountMax }, { equity: -amountMax, moved: amountMax }, { moved: 7n })
  expect(await ask(noon, noon)).toEqual([
    { at: noon, equity: 0n, moved: 0n },
    { at: noon, equity: 0n, moved: 2n * amountMax + 7n },
  ])
})

test('samples go when they are a day or a week old, the others with all history', async () => {
  const days = [-92, -8, -2, -1]
  const people = [
    [alice, 'day'],
    [bob, 'week'],
    [carol, 'all'],
  ] as const
  record(...days.flatMap((day) => people.map(([uid, keptFor]) => ({ at: midnight + day * dayMs, uid, keptFor }))))
  const shown = () =>
    Promise.all(
      people.map(async ([uid]) => {
        const points = await history.equity({ uid, from: 0, to: midnight, step: 1 })
        return points.map(({ at }) => (at - midnight) / dayMs)
      }),
    )
  expect(await shown()).toEqual([days, days, days])
  // What the venue asks for at midnight (operator/pruning.ts).
  await history.prune(midnight - 91 * dayMs)
  expect(await shown()).toEqual([[-1], [-8, -2, -1], [-8, -2, -1]])
  await history.prune(midnight - 90 * dayMs)
  expect(await shown()).toEqual([[], [-2, -1], [-8, -2, -1]])
  await history.prune(midnight)
  expect(await shown()).toEqual([[], [], []])
})
