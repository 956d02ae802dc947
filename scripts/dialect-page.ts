/**
 * Writes into docs/clients.md how the two dialects of v3 differ.
 *
 * Runs     `npm run dialect:page`; test/api/page.test.ts fails while the page is not current
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withDialectTable } from './dialect-table.ts'
import { root } from './test-report.ts'

const page = join(root, 'docs', 'clients.md')
writeFileSync(page, withDialectTable(readFileSync(page, 'utf8')))
