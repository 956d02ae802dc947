/** bitget-api, as it is published: only its URL is changed, one for all keys of a client. */
import { WebsocketAPIClient, WebsocketClientV2, WebsocketClientV3 } from 'bitget-api'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { Message } from '../support/socket.ts'
import { btcPerpetual, taken, takenInBatch } from '../support/trading.ts'
import type { Venue } from '../support/venue.ts'
import { venueAsAsked } from '../support/gateways-venue.ts'
import { callsOf } from './support/calls.ts'

let venue: Venue
const open: { closeAll(force?: boolean): void }[] = []
const quiet = { trace() {}, info() {}, error() {} }

beforeAll(async () => {
  venue = await venueAsAsked()
})
afterAll(async () => {
  await venue?.remove()
})
afterEach(() => {
  for (const client of open.splice(0)) client.closeAll(true)
})

function optionsOf(person: Person, path: string) {
  const { apiKey, secret: apiSecret, passphrase: apiPass } = person.key
  return { apiKey, apiSecret, apiPass, wsUrl: venue.url.replace('http', 'ws') + path }
}

/** What a client tells of its updates, each by the channel that it is of. */
class Updates {
  readonly #heard: Message[] = []
  #waiting: (() => void)[] = []

  constructor(client: WebsocketClientV2 | WebsocketClientV3) {
    open.push(client)
    client.on('update', (message: unknown) => {
      this.#heard.push(message as Message)
      for (const resolve of this.#waiting.splice(0)) resolve()
    })
    client.on('exception', (error: unknown) => {
      this.#heard.push({ event: 'exception', data: [], error })
    })
  }

  async of(channel: string, like: (row: Readonly<Record<string, unknown>>) => boolean = () => true): Promise<Message> {
    const deadline = Date.now() + 30_000
    while (Date.now() < deadline) {
      const found = this.#heard.find(
        ({ arg, data = [] }) =>
          (arg?.['channel'] ?? arg?.['topic']) === channel && (data.length === 0 || data.some(like)),
      )
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        setTimeout(resolve, 200)
      })
    }
    throw new Error(`nothing of ${channel} came: ${JSON.stringify(this.#heard).slice(-1000)}`)
  }
}

callsOf('bitget-api', 'WebsocketClientV2').works('subscribeTopic, public and private', async () => {
  const funds = { usdt_futures: { USDT: '100000' } }
  const alice = await venue.person('Alice', { mode: 'classic', funds })
  const bob = await venue.person('Bob', { mode: 'classic', funds })
  const client = new WebsocketClientV2(optionsOf(alice, '/v2/ws/private'), quiet)
  const updates = new Updates(client)
  for (const channel of ['ticker', 'books', 'books5', 'trade', 'candle1m'] as const) {
    void client.subscribeTopic('USDT-FUTURES', channel, 'BTCUSDT')
  }
  for (const channel of ['account', 'orders', 'positions'] as const) void client.subscribeTopic('USDT-FUTURES', channel)
  // Its types do not know the channel, its code sends it.
  void client.subscribeTopic('USDT-FUTURES', 'fill' as 'orders')
  void client.subscribeTopic('USDT-FUTURES', 'index-price', 'BTCUSDT')
  await updates.of('index-price', (row) => row['symbol'] === 'BTCUSDT')
  await updates.of('account')
  await updates.of('positions')
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.1 @ 60000')
  await updates.of('trade', (row) => row['price'] === '60000' && row['size'] === '0.1')
  await updates.of('orders', (row) => row['status'] === 'filled' && row['accBaseVolume'] === '0.1')
  await updates.of('fill', (row) => row['price'] === '60000')
  await updates.of('ticker', (row) => row['lastPr'] === '60000')
  await updates.of('candle1m')
  await updates.of('books')
  await updates.of('books5')
})

callsOf('bitget-api', 'WebsocketClientV3').works('subscribe, public and private', async () => {
  const funds = { uta: { USDT: '100000' } }
  const alice = await venue.person('Alice', { funds })
  const bob = await venue.person('Bob', { funds })
  const client = new WebsocketClientV3(optionsOf(alice, '/v3/ws/private'), quiet)
  const updates = new Updates(client)
  const market = { instType: 'usdt-futures', symbol: 'BTCUSDT' } as const
  void client.subscribe(
    (['ticker', 'books', 'publicTrade'] as const).map((topic) => ({ topic, payload: market })),
    'v3Public',
  )
  const candles = { ...market, interval: '1m' }
  void client.subscribe({ topic: 'kline', payload: candles }, 'v3Public')
  // Its types do not know the topic, its code sends it.
  void client.subscribe({ topic: 'rpi-books' as 'books', payload: market }, 'v3Public')
  void client.subscribe(
    (['account', 'position', 'order', 'fill'] as const).map((topic) => ({
      topic,
      payload: { instType: 'UTA' as const },
    })),
    'v3Private',
  )
  await updates.of('account')
  await updates.of('position')
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await updates.of('publicTrade', (row) => row['p'] === '60000')
  await updates.of('order', (row) => row['orderStatus'] === 'filled')
  await updates.of('fill', (row) => row['execPrice'] === '60000')
  await updates.of('position', (row) => row['size'] === '0.1')
  await updates.of('ticker', (row) => row['lastPrice'] === '60000')
  await updates.of('kline')
  await updates.of('books')
  await updates.of('rpi-books')
})

callsOf('bitget-api', 'WebsocketAPIClient').works('submitNewOrder, cancelOrder and placeBatchOrders', async () => {
  const alice = await venue.person('Alice', { funds: { uta: { USDT: '100000' } } })
  const trading = new WebsocketAPIClient({ ...optionsOf(alice, '/v3/ws/private'), attachEventListeners: false }, quiet)
  open.push(trading.getWSClient())
  const order = {
    symbol: 'BTCUSDT',
    orderType: 'limit',
    side: 'buy',
    qty: '0.1',
    price: '50000',
    timeInForce: 'gtc',
  } as const
  const placed = await trading.submitNewOrder('spot', order)
  expect(placed).toMatchObject({ code: '0', args: [{ symbol: 'BTCUSDT', orderId: expect.stringMatching(/^\d+$/) }] })
  const [{ orderId = '' } = {}] = (placed as unknown as { readonly args: readonly { orderId?: string }[] }).args
  expect(await trading.cancelOrder('spot', { orderId })).toMatchObject({ code: '0', args: [{ orderId }] })
  const batch = await trading.placeBatchOrders('spot', [order, { ...order, price: '49000' }])
  expect(batch).toMatchObject({ code: '0', args: [order, order].map(({ symbol }) => ({ code: '0', symbol })) })
  await expect(trading.submitNewOrder('spot', { ...order, qty: '100' })).rejects.toMatchObject({ code: '43012' })
})
