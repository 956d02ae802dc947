/** The whole venue when an order breaks its engine: what the client, the operator and the health page are told. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const brittle = new URL('brittle-engine.ts', import.meta.url).href

let venue: Venue
let alice: Person

beforeEach(async () => {
  // By hand, so that no timer of the marks runs between two looks.
  venue = await startVenue({ clock: 'manual', environment: { NODE_OPTIONS: `--import=${brittle}` } })
  alice = await venue.person('Alice', { funds: { uta: { USDT: '100000' } } })
})

afterEach(() => venue.remove())

function order(clientOid: string) {
  return {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '50000',
    qty: '0.1',
    clientOid,
  }
}

const place = (clientOid: string) => alice.post('/api/v3/trade/place-order', order(clientOid))
const restingOids = async () => {
  const { envelope } = await alice.get('/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES' })
  const data = envelope?.data as { list: { clientOid: string }[] | null } | undefined
  return (data?.list ?? []).map((listed) => listed.clientOid).sort()
}

test('is refused, changes nothing, is reported, and a killed venue comes back the same', async () => {
  expect((await place('first')).code).toBe('00000')
  const orders = ['poison-1', 'second', 'poison-2', 'third'].map(place)
  expect((await Promise.all(orders)).map(({ code }) => code)).toEqual(['45001', '00000', '45001', '00000'])
  expect(await restingOids()).toEqual(['first', 'second', 'third'])
  const lost = await alice.get('/api/v3/trade/order-info', { category: 'USDT-FUTURES', clientOid: 'poison-1' })
  expect(lost.code).not.toBe('00000')

  const health = await venue.get('/health')
  expect(health.status).toBe(200)
  expect(JSON.parse(health.text)).toEqual({
    status: 'degraded',
    reasons: [
      expect.stringMatching(
        /^2 commands broke the engine and changed nothing; the last was command \d+ \(place-order\)$/,
      ),
    ],
  })
  const metrics = (await venue.get('/metrics')).text
  expect(metrics).toMatch(/^tidemark_commands_poisoned_total 2$/m)
  expect(metrics).toMatch(/^tidemark_healthy 1$/m)

  const before = await venue.operator('verify')
  expect(before).toMatchObject({ balanced: true, faults: [] })
  await venue.restart('kill')
  expect(await venue.operator('verify')).toEqual(before)
  expect((await place('fourth')).code).toBe('00000')
})

test('that it cannot be brought back from is answered before the process ends, and a restart goes on', async () => {
  expect((await place('first')).code).toBe('00000')
  const orders = ['second', 'fatal', 'third'].map(place)
  const answers = await Promise.all(orders)
  expect(answers.map(({ status }) => status)).toContain(500)
  expect(answers[1].code).toBe('45001')
  expect(await venue.ended()).toBe(1)
  await venue.start()
  expect(await restingOids()).toEqual(expect.arrayContaining(['first', 'second']))
  expect(await restingOids()).not.toContain('fatal')
})
