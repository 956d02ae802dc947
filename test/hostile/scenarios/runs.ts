/**
 * Rounds of hostile scenarios, one after another, the scenarios in turns: each round from a seed of its own.
 *
 * Seeds   the first round of every scenario has the first seed, its second the next one
 * Again   a round that fails is reported with its seed and the command that repeats it alone
 */
import type { Scenario } from './scenario.ts'

export interface ScenarioTotal {
  readonly scenario: Scenario
  rounds: number
  readonly counts: Record<string, number>
}

interface RoundsOptions {
  readonly firstSeed: number
  /** Asked after every round of one scenario. */
  readonly until: (totals: readonly ScenarioTotal[]) => boolean
}

export class RoundFailed extends Error {
  override name = 'RoundFailed'
}

export async function runRounds(
  scenarios: readonly Scenario[],
  { firstSeed, until }: RoundsOptions,
): Promise<readonly ScenarioTotal[]> {
  const totals = scenarios.map((scenario): ScenarioTotal => ({ scenario, rounds: 0, counts: {} }))
  for (;;) {
    for (const total of totals) {
      await runRound(total, firstSeed + total.rounds)
      if (until(totals)) return totals
    }
  }
}

async function runRound(total: ScenarioTotal, seed: number): Promise<void> {
  const { scenario } = total
  let counts: Readonly<Record<string, number>>
  try {
    counts = await scenario.round({ seed })
  } catch (cause) {
    const again = `npm run soak -- --scenario ${scenario.name} --seed ${seed} --rounds 1`
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new RoundFailed(`scenario ${scenario.name}, seed ${seed}: ${message}\nagain with: ${again}`, { cause })
  }
  total.rounds += 1
  for (const [what, count] of Object.entries(counts)) total.counts[what] = (total.counts[what] ?? 0) + count
}
