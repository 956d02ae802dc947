/** What is written into pages from the source: of each endpoint in which file it is, and how the dialects of v3 differ. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withDialectTable } from '../../scripts/dialect-table.ts'
import { withEndpointTable } from '../../scripts/endpoint-table.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

test('the table of endpoints is current (npm run endpoints:page writes it)', async () => {
  const page = readFileSync(join(checkout, 'docs/interface.md'), 'utf8')
  expect(page).toBe(await withEndpointTable(page))
})

test('a page without a place for the table is no page', async () => {
  await expect(withEndpointTable('# The interface\n')).rejects.toThrow('once')
  expect(() => withDialectTable('# Clients\n')).toThrow('once')
})

test('the table of dialects is current (npm run dialect:page writes it)', () => {
  const page = readFileSync(join(checkout, 'docs/clients.md'), 'utf8')
  expect(page).toBe(withDialectTable(page))
})
