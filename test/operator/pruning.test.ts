/** When old history goes: on the manual clock with the hours that it passes, whatever the wall clock says. */
import pino from 'pino'
import { expect, test } from 'vitest'
import { keepPruning } from '../../src/operator/pruning.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 10, 21)
const kept = 91 * 24 * hour

test.each([
  // moves of the clock, hours       prunings after them, hours
  [[0.5, 0.4], []],
  [[0.5, 0.5], [1]],
  [
    [1, 0.2, 0.7, 0.1],
    [1, 2],
  ],
  [
    [24, 24],
    [24, 48],
  ],
])('after moves by %j hours it was pruned at %j', async (moves, prunings) => {
  let now = start
  const pruned: number[] = []
  const history = { prune: async (before: number) => void pruned.push(before) }
  const pruning = keepPruning(history, () => now, pino({ level: 'silent' }))
  for (const hours of moves) {
    now += hours * hour
    await pruning.moved()
  }
  pruning.end()
  expect(pruned).toEqual(prunings.map((hours) => start + hours * hour - kept))
})

test('a history that cannot prune stops nobody, and is tried again an hour later', async () => {
  let now = start
  let tries = 0
  const history = {
    prune: async () => {
      tries += 1
      throw new Error('the disk is full')
    },
  }
  const pruning = keepPruning(history, () => now, pino({ level: 'silent' }))
  for (let hours = 1; hours <= 3; hours++) {
    now += hour
    await pruning.moved()
  }
  pruning.end()
  expect(tries).toBe(3)
})
