/** Streams when a command breaks the engine: whoever watches notices nothing, and misses nothing. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { startVenue, type Venue } from '../support/venue.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const brittle = new URL('../operator/brittle-engine.ts', import.meta.url).href
let venue: Venue
let alice: Person

beforeAll(async () => {
  venue = await startVenue({ environment: { NODE_OPTIONS: `--import=${brittle}` } })
  alice = await venue.person('Alice', { funds: { uta: { USDT: '1000000' } } })
})

afterAll(() => venue?.remove())

test('orders around poisoned ones are pushed once, and the book goes on without a gap', async () => {
  const mine = await Socket.of(alice, '/v3/ws/private')
  const market = await Socket.open(venue, '/v3/ws/public')
  for (const topic of ['account', 'order']) await mine.subscribe({ instType: 'UTA', topic })
  for (const topic of ['books', 'ticker', 'publicTrade']) {
    await market.subscribe({ instType: 'usdt-futures', topic, symbol: 'BTCUSDT' })
  }
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '50000',
    qty: '0.1',
  }
  const names = Array.from({ length: 30 }, (_, index) => (index % 5 === 2 ? `poison-${index}` : `order-${index}`))
  const answers: string[] = []
  for (let from = 0; from < names.length; from += 6) {
    const some = names
      .slice(from, from + 6)
      .map((clientOid) => alice.post('/api/v3/trade/place-order', { ...order, clientOid }))
    answers.push(...(await Promise.all(some)).map(({ code }) => code ?? ''))
  }
  expect(answers).toEqual(names.map((name) => (name.startsWith('poison') ? '45001' : '00000')))
  await market.push('books', (row) => JSON.stringify(row['b']) === '[["50000","2.4"]]')

  const pushed = () => mine.heard.flatMap(({ arg, data = [] }) => (arg?.['topic'] === 'order' ? data : []))
  const sound = names.filter((name) => name.startsWith('order'))
  // On a socket of its own.
  await vi.waitFor(() =>
    expect(
      pushed()
        .map((row) => row['clientOid'])
        .toSorted(byText),
    ).toEqual(sound.toSorted(byText)),
  )
  const books = market.heard.filter(({ arg, action }) => arg?.['topic'] === 'books' && action === 'update')
  const rows = books.map(({ data }) => data?.[0])
  for (const [index, row] of rows.entries()) if (index > 0) expect(row?.['pseq']).toBe(rows[index - 1]?.['seq'])
  mine.close()
  market.close()
})

function byText(left: unknown, right: unknown): number {
  return String(left) < String(right) ? -1 : 1
}
