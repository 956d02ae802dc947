/** `npm run soak`: what it refuses, and when it says that memory grows. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { growthFault } from '../scripts/soak/growth.ts'

function soak(...options: string[]) {
  return spawnSync(process.execPath, ['scripts/soak.ts', ...options], { encoding: 'utf8' })
}

test.each([
  ['--scenario no-such', '--scenario: there is none that is called "no-such"'],
  ['--simulated-days 2 --lives 3', '--lives does not go with --simulated-days'],
])('%s is refused with the usage, and exits with 2', (options, sentence) => {
  const { status, stderr } = soak(...options.split(' '))
  expect(stderr).toContain(`${sentence}\nusage: npm run soak -- `)
  expect(status).toBe(2)
})

test.each([
  // most of each day, MB             what is said
  [[500], undefined],
  [[500, 500, 480], undefined],
  [[500, 573, 573], undefined],
  [[500, 520, 540, 572, 573], undefined],
  [[500, 520, 574], 'memory grows: 574 MB on day 3, at most 573 MB after 500 MB on the first'],
  [[500, 900, 500], 'memory grows: 900 MB on day 2, at most 573 MB after 500 MB on the first'],
])('days of %j MB: %s', (mostMb, fault) => {
  expect(growthFault(mostMb)).toBe(fault)
})
