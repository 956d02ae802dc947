/** Cores, gateways and a history on one seeded clock and network (scale.md §10.1). REPLICATION_SEED explores elsewhere. */
import { expect, test } from 'vitest'
import { live, type LifeCounts } from './life.ts'

const first = Number(process.env['REPLICATION_SEED'] ?? 1)
const seeds = 2_000

test(`${seeds} seeds of trouble: every answer is what the log says`, { timeout: 600_000 }, async () => {
  const sum: Partial<Record<keyof LifeCounts, number>> = {}
  for (let seed = first; seed < first + seeds; seed++) {
    for (const [name, count] of Object.entries(await live(seed)) as [keyof LifeCounts, number][]) {
      sum[name] = (sum[name] ?? 0) + count
    }
  }
  // All of it happened, and often.
  for (const [name, least] of Object.entries({ answered: 30, claims: 1, kills: 1, barriers: 10 })) {
    expect(sum[name as keyof LifeCounts]).toBeGreaterThan(seeds * least)
  }
  for (const name of ['refused', 'unknown', 'skips', 'resigned', 'removed', 'begunAnew'] as const)
    expect(sum[name]).toBeGreaterThan(seeds / 100)
})

const upgradedSeeds = 500

test(`${upgradedSeeds} seeds of releases that are mixed: all go over to other rules at one command`, {
  timeout: 600_000,
}, async () => {
  const sum = { upgrades: 0, upgradesRefused: 0, beyond: 0, kills: 0, claims: 0 }
  for (let seed = first; seed < first + upgradedSeeds; seed++) {
    const counts = await live(seed, { upgraded: true })
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name]
  }
  for (const [name, least] of Object.entries({
    upgrades: 0.9,
    upgradesRefused: 0.2,
    beyond: 0.1,
    kills: 3,
    claims: 1,
  })) {
    expect(sum[name as keyof typeof sum]).toBeGreaterThan(upgradedSeeds * least)
  }
})
