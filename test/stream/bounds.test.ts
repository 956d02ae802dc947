/** What the venue bounds: sockets of an address, subscriptions of a socket, messages, and what waits for a slow reader. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { btcSpot, placeBatch } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'

vi.setConfig({ testTimeout: 120_000 })

let venue: Venue
let alice: Person

beforeAll(async () => {
  venue = await startVenue({
    environment: {
      TIDEMARK_CONNECTIONS_PER_ADDRESS_MAX: '2000',
      TIDEMARK_STREAM_CONNECTIONS_PER_ADDRESS_MAX: '1005',
      TIDEMARK_STREAM_SUBSCRIPTIONS_MAX: '3',
      TIDEMARK_STREAM_BYTES_BUFFERED_MAX: '65536',
    },
  })
  alice = await venue.person('Alice', { funds: { uta: { USDT: '1000000' } } })
})

afterAll(() => venue?.remove())

const metric = (name: string) => venue.gauge(`tidemark_stream_${name}`)

test('one subscription more than a socket may have is refused, and the others stay', async () => {
  const socket = await Socket.open(venue, '/v2/ws/public')
  for (const channel of ['ticker', 'books', 'trade'])
    await socket.subscribe({ instType: 'SPOT', channel, instId: 'BTCUSDT' })
  const fourth = { instType: 'SPOT', channel: 'books5', instId: 'BTCUSDT' }
  socket.send({ op: 'subscribe', args: [fourth] })
  expect(await socket.next(({ event }) => event !== undefined)).toMatchObject({
    event: 'error',
    arg: fourth,
    code: 30006,
  })
  socket.send({ op: 'unsubscribe', args: [{ ...fourth, channel: 'trade' }] })
  await socket.next(({ event }) => event === 'unsubscribe')
  await socket.subscribe(fourth)
  expect(await metric('subscriptions')).toBe(3)
  socket.close()
  await vi.waitFor(async () => expect(await metric('subscriptions')).toBe(0))
})

test('a slow reader is disconnected at the bound; a fast one beside him misses nothing', async () => {
  const [slow, fast] = [await Socket.of(alice, '/v3/ws/private'), await Socket.of(alice, '/v3/ws/private')]
  for (const socket of [slow, fast]) await socket.subscribe({ instType: 'UTA', topic: 'order' })
  slow.pause()
  let orders = 0
  const batch = Array.from({ length: 20 }, () => 'buy 0.001 @ 10000')
  while ((await metric('slow_readers_total')) === 0 && orders < 40_000) {
    await Promise.all(Array.from({ length: 20 }, () => placeBatch(alice, batch, btcSpot)))
    await alice.post('/api/v3/trade/cancel-symbol-order', { category: 'SPOT' })
    orders += 400
  }
  expect(await metric('slow_readers_total')).toBe(1)
  await vi.waitFor(async () => expect(await metric('connections')).toBe(1))
  slow.resume()
  expect(await slow.closed, 'cut, not closed').toBe(1006)

  const pushed = () => fast.heard.flatMap(({ arg, data = [] }) => (arg?.['topic'] === 'order' ? data : []))
  await vi.waitFor(() => expect(pushed()).toHaveLength(2 * orders))
  for (const status of ['live', 'cancelled']) {
    const ids = pushed().flatMap((row) => (row['orderStatus'] === status ? [row['orderId']] : []))
    expect(new Set(ids).size, `each order is pushed once as ${status}`).toBe(orders)
  }
  fast.close()
})

test('a thousand subscribers: a push is written once', async () => {
  const arg = { instType: 'SPOT', channel: 'trade', instId: 'BTCUSDT' }
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => Socket.open(venue, '/v2/ws/public')))
  await Promise.all(sockets.map((socket) => socket.subscribe(arg)))
  expect(await metric('connections')).toBe(1000)
  const carol = await venue.person('Carol', { funds: { uta: { BTC: '1', USDT: '100000' } } })
  const dave = await venue.person('Dave', { funds: { uta: { USDT: '100000' } } })
  await placeBatch(carol, ['sell 0.1 @ 60000'], btcSpot)
  const [written, sent] = [await metric('messages_written_total'), await metric('messages_sent_total')]
  const from = sockets.map(({ heard }) => heard.length)
  await placeBatch(dave, ['buy 0.1 @ 60000'], btcSpot)
  await vi.waitFor(() => {
    expect(sockets.every(({ heard }, index) => heard.length === (from[index] ?? 0) + 1)).toBe(true)
  })
  expect(await metric('messages_written_total')).toBe(written + 1)
  expect(await metric('messages_sent_total')).toBe(sent + 1000)

  // Five more fit, the sixth does not.
  const more = await Promise.all(Array.from({ length: 5 }, () => Socket.open(venue, '/v2/ws/public')))
  await expect(Socket.open(venue, '/v2/ws/public')).rejects.toThrow('429')
  expect(await metric('connections_refused_total')).toBe(1)
  for (const socket of [...sockets, ...more]) socket.close()
  await vi.waitFor(async () => expect(await metric('connections')).toBe(0), { timeout: 5_000 })
})

test('ten messages a second where limits are on: the eleventh ends the socket', async () => {
  const strict = await startVenue({ rateLimits: true })
  try {
    const socket = await Socket.open(strict, '/v2/ws/public')
    for (let count = 0; count < 10; count++) socket.send('ping')
    for (let count = 0; count < 10; count++) expect(await socket.next()).toEqual({ text: 'pong' })
    socket.send('ping')
    expect(await socket.next()).toMatchObject({ event: 'error', code: 30007 })
    expect(await socket.closed).toBe(1008)
    const another = await Socket.open(strict, '/v2/ws/public')
    expect(await strict.stop()).toBe(0)
    expect(await another.closed, 'a venue that stops says that it goes').toBe(1001)
  } finally {
    await strict.remove()
  }
})
