/**
 * The whole table: every endpoint once, each with a limit and a source.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { openApiDocument } from '../../src/api/reference/openapi.ts'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

const named = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

test('every endpoint is there once', () => {
  expect(new Set(named.map(([name]) => name)).size).toBe(named.length)
})

test.each(named)('%s says where it comes from, what it needs and how often', (_name, endpoint) => {
  expect(endpoint.summary).toMatch(/./)
  expect(endpoint.source).toMatch(/./)
  expect(endpoint.limit.perSecond).toBeGreaterThan(0)
  expect(endpoint.limit.per).toBe(endpoint.access === 'public' ? 'ip' : 'uid')
})

const privateReads = named.filter(([, { method, access }]) => method === 'GET' && access !== 'public')

test.each(privateReads)('%s needs a key that may read', (_name, { access }) => {
  expect(access).toMatchObject({ level: 'read' })
})

test('the OpenAPI document has them all, with names of their own', () => {
  const { paths } = openApiDocument(endpoints, '0') as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(operations).toHaveLength(endpoints.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length)
})

let venue: Venue
let alice: Person

beforeAll(async () => {
  venue = await startVenue()
  const funds = { uta: { USDT: '1000000', BTC: '10' }, spot: { USDT: '5' } }
  alice = await venue.person('Alice', { funds })
  const bob = await venue.person('Bob', { funds })
  const place = async (person: Person, category: string, side: string, price: string) => {
    const symbol = category === 'COIN-FUTURES' ? 'BTCUSD' : 'BTCUSDT'
    const order = {
      category,
      symbol,
      qty: category === 'COIN-FUTURES' ? '100' : '0.1',
      price,
      side,
      orderType: 'limit',
    }
    expect((await person.post('/api/v3/trade/place-order', order)).code).toBe('00000')
  }
  for (const category of ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES']) {
    await place(bob, category, 'sell', '60000')
    await place(alice, category, 'buy', '60000')
    await place(alice, category, 'buy', '59000')
  }
  await place(bob, 'USDT-FUTURES', 'buy', '60000')
  await place(alice, 'USDT-FUTURES', 'sell', '60000')
})

afterAll(async () => {
  await venue?.remove()
})

test('what an account is worth is what went in, less fees and what the market says', async () => {
  const { data } = await alice.get('/api/v3/account/assets')
  const { accountEquity, assets } = data as { accountEquity: string; assets: { coin: string; equity: string }[] }
  expect(assets.map(({ coin }) => coin).sort()).toEqual(['BTC', 'USDT'])
  expect(Number(accountEquity)).toBeGreaterThan(1_500_000)
  expect(Number(accountEquity)).toBeLessThan(1_700_000)
})

test('cancelling answers every order, and only the caller’s', async () => {
  const bob = await venue.person('Bob')
  const listed = await alice.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })
  const [order] = listed.list('list')
  const stolen = await bob.post('/api/v3/trade/cancel-order', { orderId: order?.['orderId'] })
  expect(stolen).toMatchObject({ status: 400, code: '43001' })
  const entries = [
    { orderId: order?.['orderId'], category: 'SPOT', symbol: 'BTCUSDT' },
    { clientOid: 'nobody', category: 'SPOT', symbol: 'BTCUSDT' },
    { category: 'SPOT', symbol: 'BTCUSDT' },
  ]
  const answer = await alice.post('/api/v3/trade/cancel-batch', entries)
  expect(answer.list()).toMatchObject([
    { orderId: order?.['orderId'] },
    { clientOid: 'nobody', code: '43001' },
    { code: '40924' },
  ])
  const all = await alice.post('/api/v3/trade/cancel-symbol-order', { category: 'USDT-FUTURES' })
  expect(all.list('list')).toMatchObject([{ code: '00000', msg: 'success' }])
})
