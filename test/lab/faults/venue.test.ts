/**
 * Faults of the venue as a whole: how long each goes on, what is seen while it does, and how it ends.
 *
 * Source  lab.md §4.5, §4.4
 */
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'
import { Socket } from '../../support/socket.ts'

let opened: OpenedHere
let venue: LabVenue
let now = 0

beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
})
afterAll(() => opened.close())
beforeEach(async () => {
  now = (await venue.post<{ now: number }>('/reset')).now
})

const person = (role = 'unified-main') => venue.person(role, () => now)
const terms = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
const place = (more: object = {}, role?: string) =>
  person(role).post('/api/v3/trade/place-order', { ...terms, side: 'buy', price: '59000', ...more })
const add = (rule: object) => venue.post<{ rule: string }>('/faults', rule)
const step = async (by: string) => (now = (await venue.post<{ now: number }>('/clock', { step: by })).now)
const find = (clientOid: string) => person().get('/api/v3/trade/order-info', { clientOid })
const publicGet = (target: string) => venue.exchange({ method: 'GET', target })

test('stale reads: the order just placed is not found until so much time has passed', async () => {
  await place({ clientOid: 'before' })
  await add({ fault: 'stale-reads', with: { ms: '3s' } })
  await place({ clientOid: 'fresh' })
  const open = async () =>
    (await person().get('/api/v3/trade/unfilled-orders')).list('list').map((row) => row['clientOid'])
  expect([(await find('before')).code, (await find('fresh')).code]).toEqual(['00000', '43001'])
  expect(await open()).toEqual(['before'])
  expect((await place({ clientOid: 'fresh' })).code).toBe('40786')
  await step('2999ms')
  expect((await find('fresh')).code).toBe('43001')
  await step('1ms')
  expect((await find('fresh')).code).toBe('00000')
})

test('stale reads: history is behind, too, and reads are right again when the rule goes', async () => {
  await add({ fault: 'stale-reads', id: 'behind', with: { ms: '1h' } })
  await place({ clientOid: 'sold', side: 'sell', price: '59000' }, 'unified-peer')
  await place({ clientOid: 'bought' })
  const fills = async () =>
    (await person().get('/api/v3/trade/fills', { category: 'USDT-FUTURES' })).list('list').length
  expect(await fills()).toBe(0)
  await venue.call('DELETE', '/faults/behind')
  expect(await fills()).toBe(1)
})

test('stale prices: the ticker stands still, the book goes on', async () => {
  await place({ side: 'sell', price: '60000' }, 'unified-peer')
  await place({ price: '60000' })
  const ticker = async (symbol: string) => {
    const answer = await publicGet(`/api/v3/market/tickers?category=USDT-FUTURES&symbol=${symbol}`)
    const { ts, ...told } = answer.list()[0]
    expect(Number(ts)).toBe(now)
    return told
  }
  const socket = await Socket.open(venue, '/v3/ws/public')
  await socket.subscribe({ instType: 'usdt-futures', topic: 'ticker', symbol: 'BTCUSDT' })
  await socket.push('ticker')
  const [before, other] = [await ticker('BTCUSDT'), await ticker('ETHUSDT')]
  await add({ fault: 'stale-prices', with: { symbol: 'BTCUSDT', for: '1m' } })
  await venue.post('/cheats', { price: { coin: 'BTC', price: '61000' } })
  await venue.post('/cheats', { price: { coin: 'ETH', price: '2222' } })
  expect(await ticker('BTCUSDT')).toEqual(before)
  expect((await ticker('ETHUSDT'))['indexPrice']).not.toBe(other['indexPrice'])
  const heard = socket.heard.length
  await step('59s')
  expect(await ticker('BTCUSDT')).toEqual(before)
  expect(socket.heard.slice(heard).filter(({ arg }) => arg?.['topic'] === 'ticker')).toEqual([])
  await step('1s')
  expect((await ticker('BTCUSDT'))['indexPrice']).toBe('61000')
  socket.close()
})

test('clock skew: the time that is told, and the window of signatures', async () => {
  await add({ fault: 'clock-skew', with: { ms: 40_000, for: '1m' } })
  const told = await publicGet('/api/v2/public/time')
  expect(Number(told.fields['serverTime'])).toBe(now + 40_000)
  expect(told.requestTime).toBe(now + 40_000)
  expect((await place()).code).toBe('40008')
  const later = venue.person('unified-main', () => now + 40_000)
  expect((await later.get('/api/v3/account/assets')).code).toBe('00000')
  await step('1m')
  expect((await place()).code).toBe('00000')
})

test('rate limit: from the first call on for so long, with Retry-After; others are not struck', async () => {
  await add({ fault: 'rate-limit', on: { role: 'unified-main' }, with: { for: '10s', retryAfter: 10 } })
  const refused = await place()
  expect([refused.status, refused.code, refused.headers['retry-after']]).toEqual([429, '429', '10'])
  expect((await place({}, 'unified-peer')).code).toBe('00000')
  expect((await find('x')).status).toBe(429)
  await step('10s')
  expect((await place()).code).toBe('00000')
  expect(await venue.get('/firings')).toMatchObject([{ fault: 'rate-limit', struck: 1, outcome: 'not-sequenced' }])
})

test('maintenance: 503, sockets end with 1012 and are refused, then cancellations only', async () => {
  await place({ clientOid: 'mine' })
  const socket = await Socket.open(venue, '/v3/ws/public')
  // oxlint-disable-next-line unicorn/no-thenable -- the name of the field
  await add({ fault: 'maintenance', with: { for: '2m', then: 'cancel_only', cancelOrders: true } })
  expect(await socket.closed).toBe(1012)
  const refused = await place()
  expect([refused.status, refused.code]).toEqual([503, '40015'])
  await expect(Socket.open(venue, '/v3/ws/public')).rejects.toThrow('503')
  await step('2m')
  expect((await find('mine')).fields['orderStatus']).toBe('cancelled')
  expect((await place()).status).toBe(400)
})

test('a fault of the venue begins when its gate opens', async () => {
  await add({ fault: 'maintenance', id: 'at', with: { for: '1m' }, when: { between: [now + 60_000, now + 90_000] } })
  await add({ fault: 'key-refused', id: 'then', when: { after: 1 } })
  expect((await place()).code).toBe('00000')
  await step('60s')
  expect((await place()).status).toBe(503)
  await step('30s')
  expect((await place()).code).toBe('40006')
  expect((await place()).code).toBe('00000')
})

test('a fault that goes on goes back with a snapshot', async () => {
  await add({ fault: 'rate-limit', with: { for: '10s' } })
  expect((await place()).status).toBe(429)
  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
  await step('10s')
  expect((await place()).status).toBe(200)
  now = (await venue.post<{ now: number }>('/revert', { snapshot })).now
  expect((await place()).status).toBe(429)
  await step('10s')
  expect((await place()).status).toBe(200)
})

test('an order that is on its way comes once more after a revert, and not from the other side', async () => {
  await add({ fault: 'unknown', with: { order: 'late', ms: '5s' } })
  expect((await place({ clientOid: 'late' })).code).toBe('40010')
  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
  await step('5s')
  expect((await find('late')).code).toBe('00000')
  now = (await venue.post<{ now: number }>('/revert', { snapshot })).now
  expect((await find('late')).code).toBe('43001')
  await step('5s')
  expect((await find('late')).code).toBe('00000')
  expect(await venue.get('/firings')).toMatchObject([{ outcome: 'placed' }])
  await venue.post('/reset')
  now = (await venue.get<{ now: number }>('')).now
  await step('10s')
  expect((await find('late')).code).toBe('43001')
})

/** One request over an agent; the code of what went wrong. */
function ask(agent: Agent | false): Promise<string> {
  const { hostname, port } = new URL(venue.url)
  return new Promise((resolve) => {
    const sent = request({ hostname, port, path: '/api/v2/public/time', agent }, (answer) => {
      answer.resume().on('end', () => resolve(String(answer.statusCode)))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    sent.end()
  })
}

test('half open: silent for so long, and the laboratory answers', async () => {
  await add({ fault: 'half-open', with: { for: '1m' } })
  let isOver = false
  const asked = ask(false).then((code) => {
    isOver = true
    return code
  })
  await step('30s')
  expect(isOver).toBe(false)
  await step('30s')
  expect(await ask(false)).toBe('200')
  expect(isOver).toBe(false)
  void asked
})

test('idle close: a connection that was used before is reset under its request', async () => {
  await add({ fault: 'idle-close', with: { for: '1m' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect([await ask(agent), await ask(agent), await ask(agent), await ask(agent)]).toEqual([
    '200',
    'ECONNRESET',
    '200',
    'ECONNRESET',
  ])
  agent.destroy()
})

test.each([
  ['refuse-connections', { for: 150 }],
  ['restart', { downMs: 150 }],
] as const)('%s: the port is closed, then open again, and nothing acknowledged is lost', async (fault, given) => {
  expect((await place({ clientOid: 'kept' })).code).toBe('00000')
  await add({ fault, with: given })
  expect(await ask(false)).toBe('ECONNREFUSED')
  expect(await venue.get('/faults')).toMatchObject([{ fired: 1 }])
  while ((await ask(false)) !== '200');
  expect((await find('kept')).code).toBe('00000')
})

test('a market fault: at an order that is counted, by commands, until its time or its rule is over', async () => {
  const wrong = await venue.call('POST', '/faults', { fault: 'halt', with: { symbol: 'NOPE' } })
  expect(wrong.envelope).toMatchObject({ error: { code: 'unknown-instrument', field: 'with.symbol' } })
  await add({ fault: 'halt', with: { symbol: 'ETHUSDT', for: '1m' }, on: { endpoint: 'place' }, when: { nth: 2 } })
  const codes = async () => [(await place()).code, (await place({ symbol: 'ETHUSDT', price: '3000' })).status]
  expect(await codes()).toEqual(['00000', 400])
  expect(await venue.get('/firings')).toMatchObject([{ fault: 'halt', sequence: expect.any(Number) }])
  await step('1m')
  expect(await codes()).toEqual(['00000', 200])
  await add({ fault: 'halt', id: 'mine', with: { symbol: 'ETHUSDT' } })
  expect(await codes()).toEqual(['00000', 400])
  await venue.call('DELETE', '/faults/mine')
  expect(await codes()).toEqual(['00000', 200])
})

test('a fault that cannot begin is refused, and its rule is not there', async () => {
  const asked = { fault: 'adl', with: { symbol: 'BTCUSDT', uid: 'unified-main' } }
  expect((await venue.call('POST', '/faults', asked)).status).toBe(409)
  expect(await venue.get('/faults')).toEqual([])
  await add({ ...asked, on: { endpoint: 'place' } })
  expect((await place()).code).toBe('00000')
  expect(await venue.get('/firings?after=1')).toMatchObject([
    { fault: 'adl', note: expect.stringMatching('it could not begin') },
  ])
})
