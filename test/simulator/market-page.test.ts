/** docs/market.md leaves out no parameter and no scenario. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defaultParameters, scenarioNames } from '../../src/simulator/simulator.ts'

const page = readFileSync(new URL('../../docs/market.md', import.meta.url), 'utf8')

test.each([...Object.keys(defaultParameters), ...scenarioNames])('%s is there', (name) => {
  expect(page).toContain(`\`${name}\``)
})
