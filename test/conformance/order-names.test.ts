/**
 * Orders that a request names together with a category, a symbol or a margin coin: these have to be the order's own.
 *
 * Source  design §4.43; wire/v3-endpoints.md §2, §6; wire/client-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import {
  batchOrder,
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  type Market,
  openOrders,
  taken,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const funds = { uta: { USDT: '1000000', BTC: '20', ETH: '100' } } as const
const trade = '/api/v3/trade'
const mix = '/api/v2/mix/order'
const spot = '/api/v2/spot/trade'
const margin = '/api/v2/margin/crossed'
const rule = {
  rule: 'design §4.43',
  decision: 'a symbol or category that is not the order’s refuses a cancel or a change everywhere',
} as const

const perpetual = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
const waits = { side: 'buy', orderType: 'limit', size: '0.01', triggerPrice: '59500' }
const placed = {
  contract: (person: Person): Promise<Answer> =>
    person.post(`${trade}/place-order`, batchOrder('buy 0.1 @ 50000', btcPerpetual)),
  pair: (person: Person): Promise<Answer> =>
    person.post(`${trade}/place-order`, batchOrder('buy 0.1 @ 50000', btcSpot)),
  margin: (person: Person): Promise<Answer> =>
    person.post(`${trade}/place-order`, batchOrder('buy 0.1 @ 50000', btcMargin)),
  plan: (person: Person): Promise<Answer> => {
    const words = { planType: 'normal_plan', marginMode: 'crossed', price: '59000', triggerType: 'mark_price' }
    return person.post(`${mix}/place-plan-order`, { ...perpetual, ...waits, ...words })
  },
  pairPlan: (person: Person): Promise<Answer> => {
    const words = { symbol: 'BTCUSDT', executePrice: '59000', triggerType: 'fill_price' }
    return person.post(`${spot}/place-plan-order`, { ...waits, ...words })
  },
}

/** The code of a refusal, of the answer or of its only entry; 00000: it was done. */
function codeOf(answer: Answer): string {
  if (answer.code !== '00000') return answer.code ?? 'none'
  if (Array.isArray(answer.data)) return answer.list()[0]?.['code'] ?? '00000'
  const { failureList = [] } = (answer.data ?? {}) as { readonly failureList?: readonly Fields[] }
  return failureList[0]?.['errorCode'] ?? '00000'
}

const unified = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const changed = { qty: '0.2' }
const alone = (body: object) => body
const listed = (body: object) => [body]

table(
  rule,
  [
    // call                          order       path                             body                            right                wrong                                                     code
    [
      'v3 cancel-order',
      'contract',
      `${trade}/cancel-order`,
      alone,
      unified,
      [
        { symbol: 'ETHUSDT' },
        { category: 'SPOT' },
        { category: 'USDT-FUTURES', symbol: 'ETHUSDT' },
        { category: 'SPOT', symbol: 'BTCUSDT' },
      ],
      '43001',
    ],
    [
      'v3 cancel-order by symbol',
      'contract',
      `${trade}/cancel-order`,
      alone,
      { symbol: 'BTCUSDT' },
      [{ symbol: 'NOSUCH' }],
      '40034',
    ],
    [
      'v3 cancel-order of a pair',
      'pair',
      `${trade}/cancel-order`,
      alone,
      { symbol: 'BTCUSDT' },
      [{ category: 'MARGIN' }, { symbol: 'ETHUSDT' }],
      '43001',
    ],
    [
      'v3 cancel-batch',
      'contract',
      `${trade}/cancel-batch`,
      listed,
      unified,
      [{ category: 'USDT-FUTURES', symbol: 'ETHUSDT' }, { category: 'SPOT' }],
      '43001',
    ],
    [
      'v3 modify-order',
      'contract',
      `${trade}/modify-order`,
      alone,
      { ...unified, ...changed },
      [
        { symbol: 'ETHUSDT', ...changed },
        { category: 'SPOT', ...changed },
      ],
      '43001',
    ],
    [
      'v3 batch-modify-order',
      'contract',
      `${trade}/batch-modify-order`,
      listed,
      { ...unified, ...changed },
      [
        { symbol: 'ETHUSDT', ...changed },
        { category: 'SPOT', ...changed },
      ],
      '43001',
    ],
    [
      'v3 modify-strategy-order',
      'plan',
      `${trade}/modify-strategy-order`,
      alone,
      { ...unified, ...changed },
      [
        { symbol: 'ETHUSDT', ...changed },
        { category: 'COIN-FUTURES', ...changed },
      ],
      '43025',
    ],
    [
      'v3 cancel-strategy-order',
      'plan',
      `${trade}/cancel-strategy-order`,
      alone,
      unified,
      [{ symbol: 'ETHUSDT' }, { category: 'SPOT' }],
      '43025',
    ],
    [
      'v2 mix cancel-order',
      'contract',
      `${mix}/cancel-order`,
      alone,
      perpetual,
      [{ ...perpetual, symbol: 'ETHUSDT' }],
      '40768',
    ],
    [
      'v2 mix cancel-order, coin',
      'contract',
      `${mix}/cancel-order`,
      alone,
      perpetual,
      [{ ...perpetual, marginCoin: 'BTC' }],
      '40778',
    ],
    [
      'v2 mix batch-cancel-orders',
      'contract',
      `${mix}/batch-cancel-orders`,
      (body: Fields) => ({ ...body, orderIdList: [{ orderId: body['orderId'] }] }),
      perpetual,
      [{ ...perpetual, symbol: 'ETHUSDT' }],
      '40768',
    ],
    [
      'v2 mix batch-cancel-orders, coin',
      'contract',
      `${mix}/batch-cancel-orders`,
      (body: Fields) => ({ ...body, orderIdList: [{ orderId: body['orderId'] }] }),
      perpetual,
      [{ ...perpetual, marginCoin: 'BTC' }],
      '40778',
    ],
    [
      'v2 mix modify-order',
      'contract',
      `${mix}/modify-order`,
      alone,
      { ...perpetual, newSize: '0.2', newClientOid: 'new-1' },
      [{ ...perpetual, symbol: 'ETHUSDT', newSize: '0.2', newClientOid: 'new-2' }],
      '40768',
    ],
    [
      'v2 mix modify-plan-order',
      'plan',
      `${mix}/modify-plan-order`,
      alone,
      { ...perpetual, newSize: '0.2' },
      [{ ...perpetual, symbol: 'ETHUSDT', newSize: '0.2' }],
      '43025',
    ],
    [
      'v2 mix cancel-plan-order',
      'plan',
      `${mix}/cancel-plan-order`,
      (body: Fields) => ({ ...body, orderIdList: [{ orderId: body['orderId'] }] }),
      perpetual,
      [{ ...perpetual, symbol: 'ETHUSDT' }],
      '43025',
    ],
    [
      'v2 spot cancel-order',
      'pair',
      `${spot}/cancel-order`,
      alone,
      { symbol: 'BTCUSDT' },
      [{ symbol: 'ETHUSDT' }],
      '43001',
    ],
    [
      'v2 spot cancel-order, margin',
      'margin',
      `${margin}/cancel-order`,
      alone,
      { symbol: 'BTCUSDT' },
      [{ symbol: 'ETHUSDT' }],
      '43001',
    ],
    [
      'v2 spot batch-cancel-order',
      'pair',
      `${spot}/batch-cancel-order`,
      (body: Fields) => ({ symbol: body['symbol'], orderList: [{ orderId: body['orderId'] }] }),
      { symbol: 'BTCUSDT' },
      [{ symbol: 'ETHUSDT' }],
      '43001',
    ],
    [
      'v2 spot cancel-replace-order',
      'pair',
      `${spot}/cancel-replace-order`,
      alone,
      { symbol: 'BTCUSDT', size: '0.2', price: '49000' },
      [{ symbol: 'ETHUSDT', size: '0.2', price: '3000' }],
      '43001',
    ],
    [
      'v2 spot cancel-plan-order',
      'pairPlan',
      `${spot}/cancel-plan-order`,
      alone,
      { symbol: 'BTCUSDT' },
      [{ symbol: 'ETHUSDT' }],
      '43025',
    ],
    [
      'v2 spot modify-plan-order',
      'pairPlan',
      `${spot}/modify-plan-order`,
      alone,
      { ...waits, symbol: 'BTCUSDT', executePrice: '59000', size: '0.02' },
      [{ ...waits, symbol: 'ETHUSDT', executePrice: '59000', size: '0.02' }],
      '43025',
    ],
  ] as const,
  async (what, path, body, right, wrong, code) => {
    const alice = await at.person('Alice', { funds })
    const { orderId = '' } = succeeds(await placed[what](alice)).fields
    const call = (named: object) => alice.post(path, (body as (named: object) => object)({ orderId, ...named }))
    for (const named of wrong) expect(codeOf(await call(named)), JSON.stringify(named)).toBe(code)
    expect(codeOf(await call(right))).toBe('00000')
  },
)

row(rule, 'v3 cancel-order, sent before the answer to the order came', async () => {
  const alice = await at.person('Alice', { funds })
  const order = { ...batchOrder('buy 0.1 @ 50000', btcPerpetual), clientOid: 'hasty' }
  const [, wrong, right] = await Promise.all([
    alice.post(`${trade}/place-order`, order),
    alice.post(`${trade}/cancel-order`, { clientOid: 'hasty', symbol: 'ETHUSDT' }),
    alice.post(`${trade}/cancel-order`, { clientOid: 'hasty', symbol: 'BTCUSDT' }),
  ])
  expect(wrong.code).toBe('43001')
  expect(right.code).toBe('00000')
})

table(
  rule,
  [
    // socket      path                request                                                    order                          answer
    ['v3 category', { category: 'SPOT' }, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }, '30016'],
    ['v3 category of the order alone', {}, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }, '0'],
    ['v3 category, in another case', { category: 'usdt-futures' }, { category: 'USDT-FUTURES' }, '0'],
    ['v3 symbol', { category: 'USDT-FUTURES' }, { symbol: 'ETHUSDT' }, '43001'],
  ] as const,
  async (message, named, code) => {
    const alice = await at.person('Alice', { funds })
    const { orderId = '' } = succeeds(await placed.contract(alice)).fields
    const socket = await Socket.of(alice, '/v3/ws/private')
    socket.send({ op: 'trade', id: '1', topic: 'cancel-order', ...message, args: [{ orderId, ...named }] })
    expect(await socket.next()).toMatchObject({ code })
    socket.close()
  },
)

table(
  rule,
  [
    // socket    beside the order                                    in the order               answer
    ['v2 symbol', { instType: 'USDT-FUTURES', instId: 'BTCUSDT' }, { symbol: 'ETHUSDT' }, 30016],
    ['v2 product type', { instType: 'USDT-FUTURES', instId: 'BTCUSDT' }, { productType: 'USDC-FUTURES' }, 30016],
    ['v2 another contract', { instType: 'USDT-FUTURES', instId: 'ETHUSDT' }, {}, 40768],
    ['v2 its own', { instType: 'USDT-FUTURES', instId: 'BTCUSDT' }, { symbol: 'btcusdt' }, 0],
  ] as const,
  async (beside, named, code) => {
    const alice = await at.person('Alice', { funds })
    const { orderId = '' } = await taken(alice, 'buy 0.1 @ 50000')
    const socket = await Socket.of(alice, '/v2/ws/private')
    socket.send({ op: 'trade', args: [{ id: '1', channel: 'cancel-order', ...beside, params: { orderId, ...named } }] })
    expect(await socket.next()).toMatchObject({ code })
    socket.close()
  },
)

const ethInverse: Market = { category: 'COIN-FUTURES', symbol: 'ETHUSD', marginCoin: 'ETH' }
const coinRule = { rule: 'v2 marginCoin of a cancel-all', decision: 'only contracts that are settled in it' } as const

table(
  coinRule,
  [
    // call                     path                           named                                            left in BTCUSD, ETHUSD
    ['cancel-all-orders', `${mix}/cancel-all-orders`, { marginCoin: 'BTC' }, [0, 1]],
    ['cancel-all-orders without', `${mix}/cancel-all-orders`, {}, [0, 0]],
    ['batch-cancel-orders', `${mix}/batch-cancel-orders`, { marginCoin: 'ETH' }, [1, 0]],
    [
      'batch-cancel-orders of a contract',
      `${mix}/batch-cancel-orders`,
      { symbol: 'BTCUSD', marginCoin: 'BTC' },
      [0, 1],
    ],
    ['a coin that settles none', `${mix}/cancel-all-orders`, { marginCoin: 'USDT' }, '40778'],
    [
      'a coin that is not the contract’s',
      `${mix}/batch-cancel-orders`,
      { symbol: 'BTCUSD', marginCoin: 'ETH' },
      '40778',
    ],
  ] as const,
  async (path, named, expected) => {
    const alice = await at.person('Alice', { funds })
    await taken(alice, 'buy 0.01 @ 50000', btcInverse)
    await taken(alice, 'buy 0.1 @ 2500', ethInverse)
    const answer = await alice.post(path, { productType: 'COIN-FUTURES', ...named })
    if (typeof expected === 'string') refuses(answer, expected)
    else succeeds(answer)
    const left = [await openOrders(alice, btcInverse), await openOrders(alice, ethInverse)].map((found) => found.length)
    expect(left).toEqual(typeof expected === 'string' ? [1, 1] : expected)
  },
)

table(
  coinRule,
  [
    // call                        named                       left
    ['cancel-plan-order', { marginCoin: 'BTC' }, ['ETHUSD']],
    ['cancel-plan-order without', {}, []],
    ['cancel-plan-order of a coin that settles none', { marginCoin: 'USDC' }, ['ETHUSD', 'BTCUSD']],
  ] as const,
  async (named, left) => {
    const alice = await at.person('Alice', { funds })
    const words = { planType: 'normal_plan', marginMode: 'crossed', triggerType: 'mark_price', orderType: 'market' }
    for (const [symbol, marginCoin, triggerPrice] of [
      ['BTCUSD', 'BTC', '50000'],
      ['ETHUSD', 'ETH', '2500'],
    ]) {
      const body = { ...words, productType: 'COIN-FUTURES', symbol, marginCoin, triggerPrice, side: 'buy', size: '0.1' }
      succeeds(await alice.post(`${mix}/place-plan-order`, body))
    }
    await alice.post(`${mix}/cancel-plan-order`, { productType: 'COIN-FUTURES', ...named })
    const query = { productType: 'COIN-FUTURES', planType: 'normal_plan' }
    const waiting = succeeds(await alice.get(`${mix}/orders-plan-pending`, query)).fields['entrustedList']
    const symbols = ((waiting ?? []) as unknown as readonly Fields[]).map((plan) => plan['symbol'])
    expect(symbols).toEqual(left)
  },
)
