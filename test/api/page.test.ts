/** docs/interface.md says of each endpoint in which file it is, and says so of those that there are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withEndpointTable } from '../../scripts/endpoint-table.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

test('the table of endpoints is current (npm run endpoints:page writes it)', async () => {
  const page = readFileSync(join(checkout, 'docs/interface.md'), 'utf8')
  expect(page).toBe(await withEndpointTable(page))
})

test('a page without a place for the table is no page', async () => {
  await expect(withEndpointTable('# The interface\n')).rejects.toThrow('once')
})
