/** One round of each hostile scenario; `npm run soak -- --scenario all` is the same for as long as one likes. */
import { expect, test } from 'vitest'
import { runRounds } from './scenarios/runs.ts'
import { scenarios } from './scenarios/scenarios.ts'

const seed = 20261121

test('each scenario has a name of its own, and a sentence', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
  for (const { name, holds } of scenarios) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(holds).not.toBe('')
  }
})

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
  const counts = await scenario.round({ seed })
  expect(Object.keys(counts).length).toBeGreaterThan(0)
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThanOrEqual(0)
})

test('rounds are taken in turn, counts are added up, and a broken sentence comes with what repeats it', async () => {
  const scenario = (name: string, breaksAt: number) => ({
    name,
    holds: 'nothing breaks',
    round: async ({ seed: given }: { readonly seed: number }) => {
      if (given === breaksAt) throw new Error('something broke')
      return { tries: given }
    },
  })
  const asked = [scenario('calm', 0), scenario('wild', 7)]
  const totals = await runRounds(asked, { firstSeed: 5, until: ([, { rounds }]) => rounds === 2 })
  expect(totals.map(({ rounds, counts }) => [rounds, counts])).toEqual([
    [2, { tries: 11 }],
    [2, { tries: 11 }],
  ])
  await expect(runRounds(asked, { firstSeed: 6, until: () => false })).rejects.toThrow(
    'scenario wild, seed 7: something broke\nagain with: npm run soak -- --scenario wild --seed 7 --rounds 1',
  )
})
