/**
 * Lives of random traders in which engine and model once differed, found by `npm run model`: 20261121 and the number of the round.
 */
import { expect, test } from 'vitest'
import { Life, type Tally } from './run.ts'
import { scenes } from './scenes.ts'

test.each([
  ['timers of one time come in the order in which they were set', 110, 'inverse'],
  ['trailing orders that become active at one reading', 392, 'unified in a storm'],
  ['one without an activation price is active first', 620, 'usdc'],
])('%s', { timeout: 60_000 }, (_, round, name) => {
  const scene = scenes.find((one) => one.name === name)!
  const tally: Tally = new Map()
  new Life(scene, 20_261_121 + round, tally).live(scene.commands)
  expect(tally.get('fill user')).toBeGreaterThan(0)
})
