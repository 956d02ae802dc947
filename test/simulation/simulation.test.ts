/**
 * Everybody does everything, the operator too, and the machine fails as machines do (life.ts). Fewer commands than busy
 * days have, each of which may be anything.
 *
 * Covered   what the lives must have met, or they prove little: power cuts, disk faults, poisoned commands, liquidations
 *           of every kind, loans, guards that fired
 * Again     a failure names its seed and the command that repeats it; SIMULATION_SEED explores elsewhere
 */
import { expect, test } from 'vitest'
import { runLives } from './runs.ts'

const asked = process.env['SIMULATION_SEED']
const seed = Number(asked ?? 104)

test('a venue lives through whatever people, operators and machines do', { timeout: 900_000 }, async () => {
  const counts = new Map<string, number>()
  const total = await runLives(seed, {
    until: ({ commands }) => commands >= 60_000,
    onLife: (_seed, report) => {
      for (const [what, times] of report.counts) counts.set(what, (counts.get(what) ?? 0) + times)
    },
  })
  // Of other seeds nobody has looked at what happens in them.
  if (asked !== undefined) return
  expect(total).toMatchObject({ lives: 2 })
  for (const name of ['cuts', 'restarts', 'diskFaults', 'poisoned', 'replayed', 'snapshots'] as const) {
    expect(total[name], name).toBeGreaterThan(0)
  }
  const met = [
    'fill liquidation',
    'fill reduce',
    'fill adl',
    'fill offset',
    'fill delivery',
    'fill trigger',
    'fill stop-loss',
  ]
  for (const what of [...met, 'margin-liquidation', 'liquidation', 'loan', 'insurance', 'settle-funding accepted']) {
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(0)
  }
})
