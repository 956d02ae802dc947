/**
 * A million commands in one process (reliability C2, C3): busy days, in which people do little but trade, on a machine
 * that loses power; after every one of them the cheap checks of watch.ts, and the whole ones of life.ts.
 *
 * Again   a failure names its seed and the command that repeats it; SIMULATION_SEED explores elsewhere
 */
import { expect, test } from 'vitest'
import { runLives } from './runs.ts'

const seed = Number(process.env['SIMULATION_SEED'] ?? 1)

test('a million commands on busy days leave the books sound', { timeout: 900_000 }, async () => {
  const total = await runLives(seed, { kind: 'busy', until: ({ commands }) => commands >= 1_000_000 })
  expect(total.fills).toBeGreaterThan(50_000)
  expect(total.cuts).toBeGreaterThan(5)
  expect(total.snapshots).toBeGreaterThan(20)
  // A thousand times as long as it is to take.
  expect(total.simulatedMs).toBeGreaterThan(1000 * 75_000)
})
