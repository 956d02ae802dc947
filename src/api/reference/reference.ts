/**
 * The document of all endpoints, at `/api/openapi.json`. The page at `/docs` shows it (web/reference/).
 *
 * Also at   /docs/json and /docs/yaml: JSON is YAML
 * Source    design.md §6
 */
import type { FastifyInstance } from 'fastify'

const paths = {
  '/api/openapi.json': 'application/json',
  '/docs/json': 'application/json',
  '/docs/yaml': 'application/x-yaml',
}

export function serveReference(app: FastifyInstance, document: object): void {
  const text = JSON.stringify(document)
  for (const [path, contentType] of Object.entries(paths)) {
    app.get(path, (_request, reply) => reply.header('content-type', contentType).send(text))
  }
}
