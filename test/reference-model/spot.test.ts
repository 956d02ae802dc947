/**
 * The engine against the model, spot and margin: random commands from a seed, compared after each (run.ts). In the long
 * form they are at least 200,000 together with those of contracts.test.ts.
 *
 * Compared  answers, fills, ended orders, balances, holds, debts, positions, margin ratios, liquidation prices, books,
 *           marks, funding rates and what the house has, to the unit; sums of everything are zero after each command, and
 *           the house never gives to rounding
 * Again     `FC_SEED=n` repeats a failure, `FC_SEED=random` explores elsewhere
 */
import { expect, test } from 'vitest'
import { contractScenes, scenes, spotScenes } from './scenes.ts'
import { agrees } from './agreement.ts'

agrees('test/reference-model/spot.test.ts', spotScenes)

test('there are enough commands, and every scene is run', () => {
  expect([...spotScenes, ...contractScenes]).toEqual(scenes)
  expect(scenes.reduce((total, { lives, commands }) => total + lives * commands, 0)).toBeGreaterThanOrEqual(200_000)
})
