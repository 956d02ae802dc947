/**
 * The live dialect of v3 through the published clients, unmodified: the codes that they meet, and the fields of which they
 * make something else than with the dialect of the interface.
 *
 * Refusals   one row each with what ccxt throws and what bitget-api throws; the codes are those of docs/clients.md
 * Same       whatever has no row is tested with the other dialect alone (ccxt-errors.test.ts, bitget-api-v3.test.ts)
 * v2         has one dialect, and so have clients that speak v2 alone (requests/)
 * Source     design §4.40; fidelity.md §1 rows 3, 5, 6, §3
 */
import type { RestClientV3 } from 'bitget-api'
import ccxt, { type bitget } from 'ccxt'
import { describe, expect } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Key, Person } from '../support/person.ts'
import { btcPerpetual, btcSpot, takenInBatch } from '../support/trading.ts'
import { clientV3, dataOf, throwsCode } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt } from './support/ccxt.ts'

const at = stage({ environment: { TIDEMARK_V3_DIALECT: 'live' } })
const digits = expect.stringMatching(/^\d+$/)
const funds = { uta: { USDT: '100000', BTC: '10' } }

let loaded: Promise<bitget> | undefined

async function ccxtOf(key: Key): Promise<bitget> {
  loaded ??= (async () => {
    const fresh = ccxtAt(at.venue, 'uta')
    await fresh.loadMarkets()
    return fresh
  })()
  const exchange = ccxtAt(at.venue, 'uta', key)
  exchange.enableRateLimit = false
  exchange.setMarketsFromExchange(await loaded)
  const asWritten = (_symbol: string, figure: unknown) => String(figure)
  return Object.assign(exchange, { amountToPrecision: asWritten, priceToPrecision: asWritten })
}

interface Clients {
  readonly alice: Person
  readonly inCcxt: bitget
  readonly inBitgetApi: RestClientV3
}

async function clients(permissions?: readonly string[]): Promise<Clients> {
  const alice = await at.person('Alice', { funds })
  alice.hasTraded = true
  const key = permissions === undefined ? alice.key : await at.venue.makeKey(alice.uid, permissions)
  return { alice, inCcxt: await ccxtOf(key), inBitgetApi: clientV3(at.venue, key) }
}

const pair = 'BTC/USDT'
const contract = 'BTC/USDT:USDT'
const bid = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.1', price: '59000' } as const
const spot = { ...bid, category: 'SPOT' } as const
const futures = { ...bid, category: 'USDT-FUTURES' } as const
const set = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const

interface Refusal {
  readonly what: string
  readonly code: string
  readonly inCcxt?: (exchange: bitget) => Promise<unknown>
  readonly inBitgetApi: (client: RestClientV3) => Promise<unknown>
}

const refusals: readonly Refusal[] = [
  {
    what: 'more of a pair than the balance allows',
    code: '25202',
    inCcxt: (exchange) => exchange.createOrder(pair, 'limit', 'buy', 10, 59_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...spot, qty: '10' }),
  },
  {
    what: 'more of a contract than the margin allows',
    code: '25203',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'buy', 300, 59_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, qty: '300' }),
  },
  {
    what: 'more of a contract than its tiers allow',
    code: '25233',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'buy', 4000, 59_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, qty: '4000' }),
  },
  {
    what: 'an unknown order asked for',
    code: '25204',
    inCcxt: (exchange) => exchange.fetchOrder('123', pair),
    inBitgetApi: (client) => client.getOrderInfo({ clientOid: 'none' }),
  },
  {
    what: 'an unknown order canceled',
    code: '25204',
    inCcxt: (exchange) => exchange.cancelOrder('123', contract),
    inBitgetApi: (client) => client.cancelOrder({ orderId: '123' }),
  },
  {
    what: 'too many decimals of the price',
    code: '25244',
    inCcxt: (exchange) => exchange.createOrder(pair, 'limit', 'buy', 0.1, 59_000.123),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, price: '59000.123' }),
  },
  {
    what: 'too many decimals of the quantity',
    code: '25610',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'buy', 0.1000001, 59_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...spot, qty: '0.1000001' }),
  },
  {
    what: 'worth too little',
    code: '25611',
    inCcxt: (exchange) => exchange.createOrder(pair, 'limit', 'buy', 0.00001, 10_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...spot, qty: '0.00001', price: '10000' }),
  },
  {
    what: 'a price above the limit',
    code: '25206',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'buy', 0.1, 600_000),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, price: '600000' }),
  },
  {
    what: 'a price below the limit',
    code: '25205',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'sell', 0.1, 1000),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, side: 'sell', price: '1000' }),
  },
  {
    what: 'a client order id twice',
    code: '25212',
    async inCcxt(exchange) {
      const twice = () => exchange.createOrder(pair, 'limit', 'buy', 0.1, 59_000, { clientOrderId: 'ccxt-twice' })
      await twice()
      return twice()
    },
    async inBitgetApi(client) {
      await client.submitNewOrder({ ...spot, clientOid: 'twice' })
      return client.submitNewOrder({ ...spot, clientOid: 'twice' })
    },
  },
  {
    what: 'nothing to reduce',
    code: '25227',
    inCcxt: (exchange) => exchange.createOrder(contract, 'limit', 'sell', 0.1, 59_000, { reduceOnly: true }),
    inBitgetApi: (client) => client.submitNewOrder({ ...futures, side: 'sell', reduceOnly: 'yes' }),
  },
  {
    what: 'leverage beyond the maximum',
    code: '25223',
    inCcxt: (exchange) => exchange.setLeverage(126, contract),
    inBitgetApi: (client) => client.setLeverage({ ...set, leverage: '500' }),
  },
  {
    what: 'a take-profit without a position',
    code: '25601',
    inBitgetApi: (client) =>
      client.submitStrategyOrder({
        ...set,
        type: 'tpsl',
        tpslMode: 'full',
        posSide: 'long',
        takeProfit: '65000',
      } as never),
  },
  {
    what: 'an unknown strategy order',
    code: '25597',
    inBitgetApi: (client) => client.cancelStrategyOrder({ orderId: '123' }),
  },
  {
    what: 'an unknown pair',
    code: '25100',
    inBitgetApi: (client) => client.submitNewOrder({ ...spot, symbol: 'NONEUSDT' }),
  },
]

describe('refusals', () => {
  for (const { what, code, inCcxt, inBitgetApi } of refusals) {
    if (inCcxt !== undefined) {
      callsOf('ccxt', 'uta, live dialect').works(`ExchangeError ${code}: ${what}`, async () => {
        await throwsExactly(inCcxt((await clients()).inCcxt), code)
      })
    }
    callsOf('bitget-api', 'RestClientV3, live dialect').works(`${code}: ${what}`, async () => {
      await throwsCode(inBitgetApi((await clients()).inBitgetApi), code)
    })
  }

  callsOf('ccxt', 'uta, live dialect').works('ExchangeError 25620: a key that may only read', async () => {
    const { inCcxt } = await clients(['read'])
    await throwsExactly(inCcxt.createOrder(pair, 'limit', 'buy', 0.1, 59_000), '25620')
  })

  callsOf('bitget-api', 'RestClientV3, live dialect').works('25620, 25245: keys that may not', async () => {
    await throwsCode((await clients(['read'])).inBitgetApi.submitNewOrder(spot), '25620')
    const classic = await at.person('Classic', { mode: 'classic' })
    await throwsCode(clientV3(at.venue, classic.key).getBalances(), '25245')
  })
})

callsOf('ccxt', 'uta, live dialect').works('loadMarkets finds out which version the account speaks', async () => {
  for (const mode of ['unified', 'classic'] as const) {
    const exchange = ccxtAt(at.venue, 'uta', (await at.person('Alice', { mode })).key)
    delete exchange.options['uta']
    exchange.setMarketsFromExchange(await ccxtOf((await at.person('Bob', { mode })).key))
    await exchange.fetchBalance()
    expect(exchange.options['uta'], mode).toBe(mode === 'unified')
  }
})

/** ccxt knows no class for the codes of this dialect. */
async function throwsExactly(call: Promise<unknown>, code: string): Promise<void> {
  const error = await call.then(
    () => undefined,
    (refusal: unknown) => refusal,
  )
  expect(error, 'it was not refused').toBeInstanceOf(ccxt.ExchangeError)
  expect({ name: (error as Error).name, message: (error as Error).message }).toEqual({
    name: 'ExchangeError',
    message: expect.stringContaining(`"code":"${code}"`),
  })
}

/** Alice buys and sells 0.1 BTC of the contract in hedge mode, as the taker. */
async function hedgeTrades(): Promise<Clients> {
  const all = await clients()
  const bob = await at.person('Bob', { funds })
  await dataOf(all.inBitgetApi.setHoldMode({ holdMode: 'hedge_mode' }))
  for (const side of ['buy', 'sell'] as const) {
    await takenInBatch(bob, `${side === 'buy' ? 'sell' : 'buy'} 0.1 @ 60000`, btcPerpetual)
    await dataOf(all.inBitgetApi.submitNewOrder({ ...futures, side, price: '60000', posSide: 'long' }))
  }
  return all
}

describe('fills', () => {
  callsOf('ccxt', 'uta, live dialect').works('fetchMyTrades: fees that were paid are positive', async () => {
    const { inCcxt } = await hedgeTrades()
    const trades = await inCcxt.fetchMyTrades(contract)
    const fees = trades.map(({ side, fee }) => `${side} ${fee?.cost} ${fee?.currency}`)
    expect(fees.sort()).toEqual(['buy 3.6 USDT', 'sell 3.6 USDT'])
  })

  callsOf('ccxt', 'uta, live dialect').works('fetchMyTrades of a pair: a fee in the coin that was bought', async () => {
    const { inCcxt } = await clients()
    const bob = await at.person('Bob', { funds })
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
    await inCcxt.createOrder(pair, 'limit', 'buy', 0.1, 60_000)
    expect(await inCcxt.fetchMyTrades(pair)).toMatchObject([{ fee: { cost: 0.0001, currency: 'BTC' } }])
  })

  const api = callsOf('bitget-api', 'RestClientV3, live dialect')
  api.works('getTradeFills: tradeSide and fee in hedge mode', async () => {
    const { inBitgetApi } = await hedgeTrades()
    const { list } = await dataOf(inBitgetApi.getTradeFills({ category: 'USDT-FUTURES' }))
    const feeDetail = [{ feeCoin: 'USDT', fee: '-3.6' }]
    expect(list).toMatchObject([
      { tradeSide: 'close_long', feeDetail },
      { tradeSide: 'open_long', feeDetail },
    ])
    const order = await dataOf(inBitgetApi.getOrderInfo({ orderId: list[0]?.orderId ?? '' }))
    expect(order, 'orders are the same in both').toMatchObject({ feeDetail: [{ fee: '3.6' }] })
  })

  api.works('getTradeFills, getHistoryOrders: pages by the id of their last row', async () => {
    const { inBitgetApi } = await hedgeTrades()
    const ask = { category: 'USDT-FUTURES', limit: '1' } as const
    const pages = {
      execId: (cursor: object) => dataOf(inBitgetApi.getTradeFills({ ...ask, ...cursor })),
      orderId: (cursor: object) => dataOf(inBitgetApi.getHistoryOrders({ ...ask, ...cursor })),
    }
    for (const [id, read] of Object.entries(pages)) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: { list: readonly object[]; cursor: string } = await read(cursor === null ? {} : { cursor })
        seen.push(...page.list.map((row) => (row as Record<string, string>)[id] ?? ''))
        cursor = page.cursor
        expect(cursor, id).toBe(page.list.length === 0 ? null : seen.at(-1))
      } while (cursor !== null)
      expect(seen, id).toEqual([digits, digits])
      expect(new Set(seen).size).toBe(2)
    }
  })
})
