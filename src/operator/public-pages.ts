/**
 * What the venue tells without a key besides the interface: `GET /health`, and `GET /metrics`, here or on the operator's
 * listener.
 *
 * Health    is refused for nothing but its own bound: whoever balances load must not take a venue for dead that is well
 * Metrics   are written at most once a second, for all who ask
 */
import type { Page } from '../http/http.ts'
import { type Health, isHealthy } from './health.ts'
import type { MetricRegistry } from './metric-registry.ts'

const healthPerSecondMax = 100
const metricsPerSecondMax = 20

/** `more`: what else the page says, always. */
export function healthPage(health: () => Health, more: () => object = () => ({})): Page {
  return {
    path: '/health',
    perSecondMax: healthPerSecondMax,
    isAlwaysThere: true,
    answer: () => {
      const found = health()
      return { httpStatus: isHealthy(found) ? 200 : 503, headers: {}, body: JSON.stringify({ ...found, ...more() }) }
    },
  }
}

export function metricsPage(metrics: Pick<MetricRegistry, 'text' | 'contentType'>): Page {
  return {
    path: '/metrics',
    perSecondMax: metricsPerSecondMax,
    answer: async () => {
      return { httpStatus: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.text() }
    },
  }
}
