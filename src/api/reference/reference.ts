/**
 * The reference of all endpoints: the OpenAPI document at `/api/openapi.json`, and as a page at `/docs`.
 *
 * Offline   every file of the page comes from the venue itself
 * Source    design.md §6; docs/dependencies.md
 */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** Nothing from elsewhere; the page writes styles into itself, and shows images of its own. */
const contentSecurityPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'self'"

export function serveReference(app: FastifyInstance, document: object): void {
  const text = JSON.stringify(document)
  app.get('/api/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(text))
  app.register(swagger, { mode: 'static', specification: { document: document as never } })
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    logo: null as never,
    theme: { title: 'Tidemark: the interface' },
    uiConfig: { layout: 'BaseLayout', docExpansion: 'none', filter: true, displayRequestDuration: true },
  })
}
