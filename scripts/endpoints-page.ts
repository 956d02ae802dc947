/**
 * Writes into docs/interface.md in which file each endpoint is.
 *
 * Runs     `npm run endpoints:page`; test/api/page.test.ts fails while the page is not current
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withEndpointTable } from './endpoint-table.ts'
import { root } from './test-report.ts'

const page = join(root, 'docs', 'interface.md')
writeFileSync(page, await withEndpointTable(readFileSync(page, 'utf8')))
