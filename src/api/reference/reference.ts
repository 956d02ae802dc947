/**
 * The document of all endpoints, at `/api/openapi.json`. The page at `/docs` shows it (web/reference/).
 *
 * Also at   /docs/json and /docs/yaml: JSON is YAML
 * Fixed     written and packed once, and not before it is wanted: it is a tenth of a start
 * Source    design.md §6; docs/decisions/0016-strangers-wait.md
 */
import { documentPages } from '../../http/http.ts'

const paths = {
  '/api/openapi.json': 'application/json',
  '/docs/json': 'application/json',
  '/docs/yaml': 'application/x-yaml',
}

export const pagesOf = (document: () => object): ReturnType<typeof documentPages> => documentPages(paths, document)
