/**
 * What the venue's own port tells without a key besides the interface: `GET /health` and `GET /metrics`.
 */
import type { FastifyInstance } from 'fastify'
import { type Health, isHealthy } from './health.ts'
import type { Metrics } from './metrics.ts'

export function serveHealthAndMetrics(app: FastifyInstance, health: () => Health, metrics: Metrics): void {
  app.get('/health', async (_request, reply) => {
    const found = health()
    return reply.code(isHealthy(found) ? 200 : 503).send(found)
  })
  app.get('/metrics', async (_request, reply) => {
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}
