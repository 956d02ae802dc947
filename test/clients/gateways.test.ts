/**
 * The published clients, unmodified, before two gateways of which a balancer gives each request to the next: what one of them was
 * answered, the other knows. The whole of the clients' tests runs so by `npm run clients:gateways`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GatewaysVenue } from '../support/gateways-venue.ts'
import { Socket } from '../support/socket.ts'
import { clientV2, clientV3, dataOf } from './support/bitget-api.ts'
import { ccxtAt } from './support/ccxt.ts'
import { amountOf, desks } from './support/desks.ts'

const chosen = desks.filter(({ kind }) => kind === 'spot' || kind === 'linear')
let venue: GatewaysVenue

beforeAll(async () => {
  venue = await GatewaysVenue.begin()
})
afterAll(() => venue?.remove())

test.each(chosen)('ccxt: orders of $mode $kind are placed, found, filled and canceled', async (desk) => {
  const { mode, symbol, words, funds } = desk
  const client = async (name: string) => {
    const person = await venue.person(name, { mode: mode === 'uta' ? 'unified' : 'classic', funds })
    const exchange = ccxtAt(venue, mode, person.key)
    exchange.enableRateLimit = false
    await exchange.loadMarkets()
    return exchange
  }
  const [alice, bob] = [await client('Alice'), await client('Bob')]
  const amount = amountOf(desk, 0.1)
  const bid = (price: number) => alice.createOrder(symbol, 'limit', 'buy', amount, price, words)
  for (let round = 0; round < 3; round++) {
    const id = String((await bid(59000)).id)
    expect((await alice.fetchOrder(id, symbol, words)).status).toBe('open')
    expect((await alice.fetchOpenOrders(symbol, undefined, undefined, words)).map((order) => order.id)).toEqual([id])
    await alice.cancelOrder(id, symbol, words)
    expect((await alice.fetchOrder(id, symbol, words)).status).toBe('canceled')
    expect(await alice.fetchOpenOrders(symbol, undefined, undefined, words)).toEqual([])
  }
  const taken = String((await bid(60000)).id)
  await bob.createOrder(symbol, 'limit', 'sell', amount, 60000, words)
  expect((await alice.fetchOrder(taken, symbol, words)).status).toBe('closed')
  const trades = await alice.fetchMyTrades(symbol, undefined, undefined, words)
  expect(trades.map(({ order, amount: filled }) => [order, filled])).toEqual([[taken, amount]])
})

test('bitget-api, v3: what is placed is found, pushed, and in the history', async () => {
  const person = await venue.person('Alice', { funds: { uta: { USDT: '100000' } } })
  const client = clientV3(venue, person.key)
  const sockets = await Promise.all([0, 1].map(() => Socket.of(person, '/v3/ws/private')))
  for (const socket of sockets) await socket.subscribe({ instType: 'UTA', topic: 'order' })
  const asked = { category: 'SPOT', symbol: 'BTCUSDT' } as const
  const order = { ...asked, side: 'buy', orderType: 'limit', qty: '0.1', price: '59000' } as const
  for (let round = 0; round < 5; round++) {
    const { orderId } = await dataOf(client.submitNewOrder({ ...order, clientOid: `v3-${round}` }))
    expect(await dataOf(client.getOrderInfo({ orderId }))).toMatchObject({ orderStatus: 'live' })
    for (const socket of sockets) await socket.push('order', (row) => row['clientOid'] === `v3-${round}`)
    await dataOf(client.cancelOrder({ orderId }))
    const past = await dataOf(client.getHistoryOrders(asked))
    expect(past.list[0]).toMatchObject({ orderId, orderStatus: 'cancelled' })
  }
  for (const socket of sockets) socket.close()
})

test('bitget-api, v2: the same', async () => {
  const person = await venue.person('Bob', { mode: 'classic', funds: { spot: { USDT: '100000' } } })
  const client = clientV2(venue, person.key)
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    size: '0.1',
    price: '59000',
  } as const
  for (let round = 0; round < 5; round++) {
    const { orderId } = await dataOf(client.spotSubmitOrder(order))
    expect(await dataOf(client.getSpotOrder({ orderId }))).toMatchObject([{ status: 'live' }])
    await dataOf(client.spotCancelOrder({ symbol: 'BTCUSDT', orderId }))
    expect(await dataOf(client.getSpotOrder({ orderId }))).toMatchObject([{ status: 'cancelled' }])
  }
})

test('both gateways had their share', () => {
  const [one, other] = venue.given
  expect(one).toBeGreaterThan(50)
  expect(Math.abs(one - other)).toBeLessThanOrEqual(1)
})
