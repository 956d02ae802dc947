/**
 * Changing orders, closing and reversing positions with the published clients, unmodified.
 *
 * Source  wire/client-endpoints.md §2, §3; wire/v3-endpoints.md §8
 */
import { type bitget, InsufficientFunds, type Order, OrderNotFound } from 'ccxt'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { btcPerpetual, btcSpot, position, taken, takenInBatch } from '../support/trading.ts'
import { type PersonOptions, startVenue, type Venue } from '../support/venue.ts'
import { clientV2, clientV3 } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes } from './support/ccxt.ts'

let venue: Venue
let maker: Person

beforeAll(async () => {
  venue = await startVenue()
  maker = await venue.person('Bob', { funds: { uta: { USDT: '10000000', BTC: '100' } } })
  await takenInBatch(maker, 'buy 50 @ 59900', btcPerpetual)
  await takenInBatch(maker, 'sell 50 @ 60100', btcPerpetual)
})
afterAll(async () => {
  await venue?.remove()
})

const options = {
  classic: {
    mode: 'classic',
    funds: {
      usdt_futures: { USDT: '1000000' },
      spot: { USDT: '1000000' },
      crossed_margin: { USDT: '1000000' },
    },
  },
  uta: { funds: { uta: { USDT: '1000000' } } },
} as const satisfies Record<string, PersonOptions>

describe.each(ccxtModes)('ccxt, %s', (mode) => {
  const { works } = callsOf('ccxt', mode)
  let alice: Person
  let exchange: bitget

  beforeAll(async () => {
    alice = await venue.person('Alice', options[mode])
    exchange = ccxtAt(venue, mode, alice.key)
    await exchange.loadMarkets()
  })

  for (const [kind, symbol, params] of [
    ['spot', 'BTC/USDT', {}],
    ['margin', 'BTC/USDT', { marginMode: 'cross' }],
    ['contract', 'BTC/USDT:USDT', {}],
  ] as const) {
    works(`editOrder, ${kind}`, async () => {
      const id = idOf(await exchange.createOrder(symbol, 'limit', 'buy', 0.2, 50000, params))
      const edited = idOf(await exchange.editOrder(id, symbol, 'limit', 'buy', 0.1, 49000))
      expect(edited === id).toBe(mode === 'uta')
      const found = await exchange.fetchOrder(edited, symbol)
      expect(found).toMatchObject({ id: edited, status: 'open', amount: 0.1, price: 49000 })
      if (mode === 'classic') expect((await exchange.fetchOrder(id, symbol)).status).toBe('canceled')
      await exchange.cancelOrder(edited, symbol, params)
    })
  }

  works('editOrder by clientOrderId', async () => {
    await exchange.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.2, 50000, { clientOrderId: `edit-${mode}` })
    const named = { clientOrderId: `edit-${mode}` }
    const id = idOf(await exchange.editOrder('', 'BTC/USDT:USDT', 'limit', 'buy', 0.1, 49000, named))
    expect(await exchange.fetchOrder(id, 'BTC/USDT:USDT')).toMatchObject({ amount: 0.1, price: 49000 })
    await exchange.cancelOrder(id, 'BTC/USDT:USDT')
  })

  works('editOrder beyond the money, and of an order that is not there', async () => {
    const id = idOf(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 50000))
    await expect(exchange.editOrder(id, 'BTC/USDT', 'limit', 'buy', 100, 50000)).rejects.toThrow(InsufficientFunds)
    expect(await exchange.fetchOrder(id, 'BTC/USDT')).toMatchObject({ status: 'open', amount: 0.1, price: 50000 })
    await exchange.cancelOrder(id, 'BTC/USDT')
    await expect(exchange.editOrder(id, 'BTC/USDT', 'limit', 'buy', 0.2, 50000)).rejects.toThrow(OrderNotFound)
  })

  works('closePosition', async () => {
    await exchange.createOrder('BTC/USDT:USDT', 'market', 'buy', 0.3)
    expect(await exchange.fetchPositions(['BTC/USDT:USDT'])).toHaveLength(1)
    const id = idOf(await exchange.closePosition('BTC/USDT:USDT'))
    expect(await exchange.fetchOrder(id, 'BTC/USDT:USDT')).toMatchObject({
      status: 'closed',
      side: 'sell',
      filled: 0.3,
    })
    expect(await exchange.fetchPositions(['BTC/USDT:USDT'])).toEqual([])
  })

  works('closeAllPositions', async () => {
    await exchange.createOrder('BTC/USDT:USDT', 'market', 'sell', 0.3)
    expect(await exchange.closeAllPositions({ productType: 'USDT-FUTURES' })).toHaveLength(1)
    expect(await position(alice)).toBe('flat')
  })

  if (mode === 'uta') {
    works('privateUtaPostV3TradeCountdownCancelAll', async () => {
      const countDown = (countdown: string) =>
        (exchange as unknown as Record<string, (params: object) => Promise<unknown>>)[
          'privateUtaPostV3TradeCountdownCancelAll'
        ]?.({ countdown })
      expect(await countDown('60')).toMatchObject({ data: 'success' })
      expect(await countDown('0')).toMatchObject({ data: 'success' })
    })
  } else {
    works('privateMixPostV2MixOrderClickBackhand', async () => {
      await exchange.createOrder('BTC/USDT:USDT', 'market', 'buy', 0.3)
      const body = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', side: 'sell', size: '0.3' }
      await (exchange as unknown as Record<string, (params: object) => Promise<unknown>>)[
        'privateMixPostV2MixOrderClickBackhand'
      ]?.(body)
      expect(await position(alice)).toBe('short 0.3')
      await exchange.closePosition('BTC/USDT:USDT')
    })
  }
})

function idOf({ id }: Order): string {
  expect(id).toMatch(/^\d+$/)
  return id ?? ''
}

async function dataOf<Data>(call: Promise<{ code: string; data: Data }>): Promise<Data> {
  const { code, data } = await call
  expect(code).toBe('00000')
  return data
}

const number = expect.stringMatching(/^\d+$/)

describe('bitget-api, RestClientV2', () => {
  const { works } = callsOf('bitget-api', 'RestClientV2')
  let alice: Person
  const client = () => clientV2(venue, alice.key)
  const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' } as const
  const spot = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '50000',
    size: '0.1',
  } as const

  beforeAll(async () => {
    alice = await venue.person('Alice', options.classic)
  })

  works('futuresModifyOrder', async () => {
    const { orderId = '' } = await taken(alice, 'buy 0.2 @ 50000')
    const modified = await dataOf(
      client().futuresModifyOrder({
        ...contract,
        orderId,
        newClientOid: 'modified',
        newSize: '0.1',
        newPrice: '49000',
      }),
    )
    expect(modified).toEqual({ orderId: number, clientOid: 'modified' })
    const found = await dataOf(client().getFuturesOrder({ ...contract, clientOid: 'modified' }))
    expect(found).toMatchObject({ state: 'live', size: '0.1', price: '49000' })
    await client().futuresCancelOrder({ ...contract, clientOid: 'modified' })
  })

  works('futuresFlashClosePositions', async () => {
    await taken(alice, 'buy 0.2')
    const closed = await dataOf(client().futuresFlashClosePositions(contract))
    expect(closed).toMatchObject({ successList: [{ orderId: number, symbol: 'BTCUSDT' }], failureList: [] })
    expect(await position(alice)).toBe('flat')
  })

  works('futuresSubmitReversal', async () => {
    await taken(alice, 'buy 0.2')
    const body = { ...contract, marginCoin: 'USDT', size: '0.2', side: 'sell' } as const
    expect(await dataOf(client().futuresSubmitReversal(body))).toMatchObject({ orderId: number })
    expect(await position(alice)).toBe('short 0.2')
    await client().futuresFlashClosePositions(contract)
  })

  works('spotCancelandSubmitOrder', async () => {
    const { orderId } = await dataOf(client().spotSubmitOrder({ ...spot, clientOid: 'first' }))
    const body = { symbol: 'BTCUSDT', orderId, price: '49000', size: '0.2', newClientOid: 'second' }
    expect(await dataOf(client().spotCancelandSubmitOrder(body))).toMatchObject({
      clientOid: 'second',
      success: 'success',
    })
    const [found] = await dataOf(client().getSpotOrder({ clientOid: 'second' }))
    expect(found).toMatchObject({ status: 'live', size: '0.2', price: '49000' })
  })

  works('spotBatchCancelandSubmitOrder', async () => {
    await client().spotSubmitOrder({ ...spot, clientOid: 'third' })
    const orderList = [
      { symbol: 'BTCUSDT', clientOid: 'third', price: '49000', size: '0.2', newClientOid: 'fourth' },
      { symbol: 'BTCUSDT', clientOid: 'nothing', price: '49000', size: '0.2' },
    ]
    expect(await dataOf(client().spotBatchCancelandSubmitOrder({ orderList }))).toMatchObject([
      { clientOid: 'fourth', success: 'success' },
      { clientOid: 'nothing', success: 'failure' },
    ])
  })
})

describe('bitget-api, RestClientV3', () => {
  const { works } = callsOf('bitget-api', 'RestClientV3')
  let alice: Person
  const client = () => clientV3(venue, alice.key)

  beforeAll(async () => {
    alice = await venue.person('Alice', options.uta)
  })

  works('modifyOrder', async () => {
    const { orderId = '' } = await takenInBatch(alice, 'buy 0.2 oid:one @ 50000', btcPerpetual)
    const body = {
      orderId,
      qty: '0.1',
      price: '49000',
      takeProfit: '55000',
      tpTriggerBy: 'mark',
      autoCancel: 'no',
    } as const
    expect(await dataOf(client().modifyOrder(body))).toEqual({ orderId, clientOid: 'one' })
    const found = await dataOf(client().getOrderInfo({ orderId }))
    expect(found).toMatchObject({ orderStatus: 'live', qty: '0.1', price: '49000', takeProfit: '55000' })
    await client().cancelOrder({ orderId })
  })

  works('batchModifyOrders', async () => {
    await takenInBatch(alice, 'buy 0.2 oid:two @ 50000', btcPerpetual)
    await takenInBatch(alice, 'buy 0.2 oid:three @ 50000', btcSpot)
    const orders = [
      { clientOid: 'two', qty: '0.1' },
      { clientOid: 'three', price: '49000' },
      { clientOid: 'nothing', qty: '1' },
    ]
    const entries = await dataOf(client().batchModifyOrders(orders))
    expect(entries).toMatchObject([
      { clientOid: 'two' },
      { clientOid: 'three' },
      { clientOid: 'nothing', code: '43001' },
    ])
    for (const clientOid of ['two', 'three']) await client().cancelOrder({ clientOid })
  })

  works('closeAllPositions', async () => {
    await takenInBatch(alice, 'buy 0.2', btcPerpetual)
    const { list } = await dataOf(client().closeAllPositions({ category: 'USDT-FUTURES' }))
    expect(list).toMatchObject([{ orderId: number, code: '00000' }])
    expect(await position(alice)).toBe('flat')
  })

  works('countdownCancelAll', async () => {
    expect(await dataOf(client().countdownCancelAll({ countdown: '5' }))).toBe('success')
    expect(await dataOf(client().countdownCancelAll({ countdown: '0' }))).toBe('success')
  })
})
