/**
 * The document of all endpoints, at `/api/openapi.json`. The page at `/docs` shows it (web/reference/).
 *
 * Also at   /docs/json and /docs/yaml: JSON is YAML
 * Fixed     written and packed once, at start
 * Source    design.md §6; docs/decisions/0016-strangers-wait.md
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { fixedPage, type Page } from '../../http/http.ts'

const paths = {
  '/api/openapi.json': 'application/json',
  '/docs/json': 'application/json',
  '/docs/yaml': 'application/x-yaml',
}

export async function pagesOf(document: object): Promise<Page[]> {
  const bytes = Buffer.from(JSON.stringify(document))
  const packed = await promisify(gzip)(bytes)
  return Object.entries(paths).map(([path, contentType]) => fixedPage({ path, contentType, bytes, packed }))
}
