/**
 * What ccxt throws when the venue says no: the class that a program catches, and the venue's own code in its message.
 *
 * Classes  ccxt knows a class for some codes; for the others it throws ExchangeError, and the code has to be read
 * Local    some orders ccxt refuses itself; where a row is about the venue its checks of precision are taken out
 * Source   wire/errors.md; design §4.4, §4.6, §4.29, §4.30
 */
import ccxt, { type bitget, type Dict } from 'ccxt'
import { describe, expect } from 'vitest'
import { startVenue } from '../support/venue.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes } from './support/ccxt.ts'
import { amountOf, type Desk, desks, floor } from './support/desks.ts'

const at = floor()

type Thrown = typeof ccxt.BaseError

/** The call is refused with this class exactly, not with one derived from it, and with this code. */
async function throws(call: Promise<unknown>, thrown: Thrown, code: string): Promise<void> {
  const error = await call.then(
    () => undefined,
    (refusal: unknown) => refusal,
  )
  expect(error, 'it was not refused').toBeInstanceOf(Error)
  expect({ name: (error as Error).name, message: (error as Error).message }).toEqual({
    name: thrown.name,
    message: expect.stringContaining(code),
  })
}

/** ccxt without its own checks: what is written goes out. */
function unchecked(exchange: bitget): bitget {
  const asWritten = (_symbol: string, figure: unknown) => String(figure)
  return Object.assign(exchange, { amountToPrecision: asWritten, priceToPrecision: asWritten })
}

/** The code of one family of endpoints: pairs, margin and contracts of classic mode, and all of `uta`. */
type Codes = Readonly<Record<'spot' | 'margin' | 'contracts' | 'uta', string>>

interface Case {
  readonly method: string
  readonly thrown: Thrown
  readonly codes: Codes
  readonly call: (exchange: bitget, desk: Desk) => Promise<unknown>
}

const everywhere = (code: string): Codes => ({ spot: code, margin: code, contracts: code, uta: code })

const bid = (exchange: bitget, desk: Desk, btc: number, price: number, more: Dict = {}) =>
  exchange.createOrder(desk.symbol, 'limit', 'buy', amountOf(desk, btc), price, { ...desk.words, ...more })

const inFigures = (exchange: bitget, desk: Desk, quantity: number, price: number) =>
  unchecked(exchange).createOrder(desk.symbol, 'limit', 'buy', quantity, price, desk.words)

const steal = 'steal' as string as 'buy'

const cases: readonly Case[] = [
  {
    method: 'InsufficientFunds: more than the balance allows',
    thrown: ccxt.InsufficientFunds,
    codes: { spot: '43012', margin: '50020', contracts: '40762', uta: '43012 or 40762' },
    call: (exchange, desk) => bid(exchange, desk, 40_000, 59_000),
  },
  {
    method: 'OrderNotFound: fetchOrder',
    thrown: ccxt.OrderNotFound,
    // An unknown order of a pair is an empty list, which ccxt understands.
    codes: { spot: '"data":[]', margin: '"data":[]', contracts: '40109', uta: '43001' },
    call: (exchange, { symbol, words }) => exchange.fetchOrder('123456789', symbol, words),
  },
  {
    method: 'OrderNotFound: cancelOrder',
    thrown: ccxt.OrderNotFound,
    codes: { spot: '43001', margin: '43001', contracts: '40768', uta: '43001' },
    call: (exchange, { symbol, words }) => exchange.cancelOrder('123456789', symbol, words),
  },
  {
    method: 'OrderNotFound: the order of somebody else',
    thrown: ccxt.OrderNotFound,
    codes: { spot: '43001', margin: '43001', contracts: '40768', uta: '43001' },
    call: async (exchange, desk) => {
      const { id } = await bid(await at.client(desk, 'Bob'), desk, 0.1, 59_000)
      return exchange.cancelOrder(String(id), desk.symbol, desk.words)
    },
  },
  {
    method: 'InvalidOrder: too many decimals of the price',
    thrown: ccxt.InvalidOrder,
    codes: { spot: '41103', margin: '41103', contracts: '40808', uta: '41103 or 40808' },
    call: (exchange, desk) => inFigures(exchange, desk, amountOf(desk, 0.1), 59_000.123),
  },
  {
    method: 'InvalidOrder: too many decimals of the amount',
    thrown: ccxt.InvalidOrder,
    codes: { spot: '41103', margin: '41103', contracts: '40808', uta: '41103 or 40808' },
    call: (exchange, desk) => inFigures(exchange, desk, amountOf(desk, 0.1) + 0.0000001, 59_000),
  },
  {
    method: 'InvalidOrder: a market order that is post-only',
    thrown: ccxt.InvalidOrder,
    codes: everywhere('postOnly'), // by ccxt itself
    call: (exchange, desk) => {
      const words = { ...desk.words, postOnly: true }
      return exchange.createOrder(desk.symbol, 'market', 'buy', amountOf(desk, 0.1), 59_000, words)
    },
  },
  {
    method: 'ExchangeError 40786: a clientOrderId twice',
    thrown: ccxt.ExchangeError,
    codes: everywhere('40786'),
    call: async (exchange, desk) => {
      const twice = () => bid(exchange, desk, 0.1, 59_000, { clientOrderId: 'twice' })
      await twice()
      return twice()
    },
  },
  {
    method: 'ExchangeError 43009, 40815: a price beyond the limit',
    thrown: ccxt.ExchangeError,
    codes: { spot: '43009', margin: '43009', contracts: '40815', uta: '40815' },
    call: (exchange, desk) => bid(exchange, desk, 0.1, 600_000),
  },
  {
    method: 'BadRequest: a clientOrderId of forbidden letters',
    thrown: ccxt.BadRequest,
    codes: { spot: '40305', margin: '40305', contracts: '40305', uta: '400172' },
    call: (exchange, desk) => bid(exchange, desk, 0.1, 59_000, { clientOrderId: 'not allowed' }),
  },
  {
    method: 'BadRequest: a side that there is not',
    thrown: ccxt.BadRequest,
    codes: { spot: '40017', margin: '40017', contracts: '40017', uta: '400172' },
    call: (exchange, { symbol, words }) => exchange.createOrder(symbol, 'limit', steal, 1, 59_000, words),
  },
]

const families = {
  spot: 'spot',
  margin: 'margin',
  linear: 'contracts',
  USDC: 'contracts',
  inverse: 'contracts',
} as const

describe.each(desks)('orders, $mode $kind', (desk) => {
  const { mode, kind } = desk
  const { works } = callsOf('ccxt', mode)
  const family = mode === 'uta' ? 'uta' : families[kind]

  for (const { method, thrown, codes, call } of cases) {
    works(`${method}, ${kind}`, async () => {
      const exchange = await at.client(desk, 'Alice')
      const contracts = families[kind] === 'contracts'
      const code = family === 'uta' ? codes.uta.split(' or ').at(contracts ? -1 : 0) : codes[family]
      await throws(call(exchange, desk), thrown, String(code))
    })
  }

  if (kind !== 'inverse') {
    works(`InvalidOrder: worth too little, ${kind}`, async () => {
      const exchange = await at.client(desk, 'Alice')
      // 0.1 USDT of at least 1, and 4.8 of at least 5
      const [quantity, price] = families[kind] === 'contracts' ? [0.0001, 48_000] : [0.00001, 10_000]
      await throws(inFigures(exchange, desk, quantity, price), ccxt.InvalidOrder, '45110')
    })
  }
  if (mode === 'uta' && kind === 'inverse') {
    works(`InvalidOrder: worth too little, ${kind}`, async () => {
      await throws(inFigures(await at.client(desk, 'Alice'), desk, 4, 59_000), ccxt.InvalidOrder, '45110')
    })
  }
})

describe.each(ccxtModes)('requests, %s', (mode) => {
  const { works } = callsOf('ccxt', mode)
  const spot = desks.find((one) => one.mode === mode && one.kind === 'spot') as Desk
  const linear = desks.find((one) => one.mode === mode && one.kind === 'linear') as Desk
  const alice = () => at.client(spot, 'Alice')

  for (const desk of [spot, linear]) {
    works(`PermissionDenied: a key that may only read, ${desk.kind}`, async () => {
      const person = await at.stage.person('Alice', { mode: mode === 'uta' ? 'unified' : 'classic', funds: desk.funds })
      const reader = ccxtAt(at.venue, mode, await at.venue.makeKey(person.uid, ['read']))
      reader.setMarketsFromExchange(await at.client(desk, 'Bob'))
      await throws(bid(reader, desk, 0.1, 59_000), ccxt.PermissionDenied, '40014')
      await throws(reader.cancelOrder('1', desk.symbol), ccxt.PermissionDenied, '40014')
      expect((await reader.fetchBalance(desk.balance))['USDT']).toMatchObject({ total: 100_000 })
      expect(await reader.fetchOpenOrders(desk.symbol)).toEqual([])
    })
  }

  const wrong: readonly (readonly [method: string, thrown: Thrown, code: string, spoil: Partial<bitget>])[] = [
    ['AuthenticationError: no such key', ccxt.AuthenticationError, '40006', { apiKey: 'bg_unknown' }],
    ['AuthenticationError: another secret', ccxt.AuthenticationError, '40009', { secret: 'another' }],
    ['AuthenticationError: another passphrase', ccxt.AuthenticationError, '40012', { password: 'another' }],
    ['InvalidNonce: a clock a minute behind', ccxt.InvalidNonce, '40008', { nonce: () => Date.now() - 60_000 }],
    ['InvalidNonce: a clock a minute ahead', ccxt.InvalidNonce, '40008', { nonce: () => Date.now() + 60_000 }],
  ]
  for (const [method, thrown, code, spoil] of wrong) {
    works(method, async () => {
      const exchange = Object.assign(await alice(), spoil)
      await throws(exchange.fetchBalance(), thrown, code)
      await throws(bid(exchange, spot, 0.1, 59_000), thrown, code)
    })
  }

  works('BadSymbol: a market that is not listed', async () => {
    const exchange = await alice()
    await throws(exchange.createOrder('NONE/USDT', 'limit', 'buy', 1, 1), ccxt.BadSymbol, 'NONE/USDT')
  })

  works('ExchangeError 40034: a market that is listed no more', async () => {
    const exchange = await alice()
    for (const { symbol } of [spot, linear]) {
      exchange.markets = { ...exchange.markets, [symbol]: { ...exchange.market(symbol), id: 'NONEUSDT' } }
      await throws(exchange.createOrder(symbol, 'limit', 'buy', 1, 59_000), ccxt.ExchangeError, '40034')
    }
  })

  works('BadRequest: a product line that there is not', async () => {
    const exchange = await alice()
    const request = { type: 'swap', productType: 'NO-FUTURES', category: 'NO-FUTURES' }
    await throws(exchange.fetchPositions(undefined, request), ccxt.BadRequest, 'should be one of')
  })
})

describe('limits', () => {
  for (const mode of ccxtModes) {
    callsOf('ccxt', mode).works('DDoSProtection: more than 10 orders in a second', async () => {
      const venue = await startVenue({ rateLimits: true })
      try {
        const person = await venue.person('Alice', {
          mode: mode === 'uta' ? 'unified' : 'classic',
          funds: { [mode === 'uta' ? 'uta' : 'spot']: { USDT: '100000' } },
        })
        const hasty = ccxtAt(venue, mode, person.key)
        await hasty.loadMarkets()
        hasty.enableRateLimit = false
        const placed = Array.from({ length: 40 }, () => hasty.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 59_000))
        const outcomes = await Promise.allSettled(placed)
        const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason as Error)
        expect(refused.length).toBeGreaterThan(0)
        expect(new Set(refused.map(({ name }) => name))).toEqual(new Set(['DDoSProtection']))
        expect(ccxt.DDoSProtection.prototype).toBeInstanceOf(ccxt.NetworkError) // what is caught to try again
        expect(await hasty.fetchOpenOrders('BTC/USDT')).toHaveLength(40 - refused.length)
      } finally {
        await venue.remove()
      }
    })
  }
})
