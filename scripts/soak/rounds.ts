/** Rounds of hostile scenarios (test/hostile/scenarios/), the scenarios in turn. */
import { runRounds, type ScenarioTotal } from '../../test/hostile/scenarios/runs.ts'
import type { Scenario } from '../../test/hostile/scenarios/scenario.ts'
import { Pace } from './pace.ts'

interface RoundsAsked {
  readonly seed: number
  readonly minutes: number
  readonly roundsMax: number
}

/** Prints a line for each scenario now and then and at the end; rejects at the first round that broke something. */
export async function soakRounds(
  scenarios: readonly Scenario[],
  { seed, minutes, roundsMax }: RoundsAsked,
): Promise<void> {
  const pace = new Pace(minutes)
  console.log(`from seed ${seed}`)
  const report = (totals: readonly ScenarioTotal[]) => {
    for (const total of totals) if (total.rounds > 0) console.log(line(total))
  }
  const totals = await runRounds(scenarios, {
    firstSeed: seed,
    until: (sofar) => {
      if (pace.isTimeToReport()) report(sofar)
      return pace.isOver || sofar.every(({ rounds }) => rounds >= roundsMax)
    },
  })
  report(totals)
  for (const { scenario } of totals) console.log(`held: ${scenario.holds} (${scenario.name})`)

  function line({ scenario, rounds, counts }: ScenarioTotal): string {
    const sums = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    return `${scenario.name}, seeds ${seed} to ${seed + rounds - 1}: ${[`${rounds} rounds`, ...sums].join(', ')}`
  }
}
