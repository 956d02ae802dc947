/** Which pages need no key, and where they are (docs/operations.md, Configuration). */
import { expect, test } from 'vitest'
import { startVenue } from '../support/venue.ts'

test('documents can be turned off, and metrics moved to the port of the operator', async () => {
  const venue = await startVenue({ environment: { TIDEMARK_DOCS: 'off', TIDEMARK_METRICS: 'operator' } })
  try {
    const statusOf = async (url: string, path: string) => (await fetch(url + path)).status
    for (const path of ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/api/openapi.json', '/metrics']) {
      expect([path, await statusOf(venue.url, path)]).toEqual([path, 404])
    }
    for (const path of ['/', '/health']) expect([path, await statusOf(venue.url, path)]).toEqual([path, 200])
    const metrics = await fetch(`${venue.operatorUrl}/metrics`)
    expect(metrics.status).toBe(200)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    expect(await metrics.text()).toMatch(/^tidemark_healthy 1$/m)
  } finally {
    await venue.remove()
  }
})
