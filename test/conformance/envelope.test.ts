/**
 * Every answer is the envelope, whatever happens: successes, refusals, unknown paths, and requests that are barely HTTP.
 *
 * Source  interface.md "Response envelope", Errors; design §4.4, §4.38; wire/errors.md
 */
import { expect } from 'vitest'
import { withQuery } from '../support/person.ts'
import { paths, singleOrder } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const leverage = { productType: 'USDT-FUTURES', leverage: '10' }
const queries: Readonly<Record<string, Record<string, string>>> = {
  [paths.fills]: {},
  [paths.position]: { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' },
  [paths.settings]: {},
  [paths.orderHistory]: { productType: 'USDT-FUTURES' },
  [paths.publicFills]: { category: 'USDT-FUTURES', symbol: 'BTCUSDT' },
  [paths.fundingHistory]: { category: 'USDT-FUTURES', symbol: 'BTCUSDT' },
}

table(
  'Response envelope',
  [
    ['E1', paths.fills],
    ['E5', paths.position],
    ['E6', paths.settings],
    ['E8', paths.publicFills],
    ['E10', paths.fundingHistory],
    ['E13', paths.orderHistory],
  ],
  async (path) => {
    const alice = await at.person('Alice')
    const before = Date.now()
    const answer = succeeds(await alice.get(path, queries[path] ?? {}))
    expect(Object.keys(answer.envelope ?? {}).sort()).toEqual(['code', 'data', 'msg', 'requestTime'])
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(Number.isSafeInteger(answer.requestTime)).toBe(true)
    expect(answer.requestTime).toBeGreaterThanOrEqual(before - 1000)
    expect(answer.requestTime).toBeLessThanOrEqual(Date.now() + 1000)
  },
)

table(
  { rule: 'Errors HTTP status', decision: '404 and 40404 for an unknown path (design §4.4)' },
  [
    ['a page that is not there', '/index.html'],
    ['a path of nobody', '/no/such/path'],
    ['an unknown v3 path', '/api/v3/trade/place-everything'],
    ['an unknown v2 path', '/api/v2/mix/order/place-orders'],
    ['a known path with a slash too many', `${paths.settings}/`],
    ['a known path in capitals', paths.settings.toUpperCase()],
    ['dots that climb', '/api/v3/../../etc/passwd'],
    ['an encoded slash', '/api%2Fv3%2Faccount%2Fsettings'],
    ['a broken percent sign', '/api/v3/%zz'],
  ],
  async (target) => {
    refuses(
      await at.venue.exchange({ method: 'GET', target }),
      '40404|40017|400172',
      target.includes('%zz') ? 400 : 404,
    )
  },
)

table(
  {
    rule: 'E2 rule 7 and what else is not offered',
    decision: '404 and 40404 with a sentence that says so (fidelity §2)',
  },
  [
    ['isolated margin', 'GET', '/api/v2/margin/isolated/account/assets', 'isolated spot margin is not offered'],
    ['isolated margin, a write', 'POST', '/api/v2/margin/isolated/place-order', 'isolated spot margin is not offered'],
    ['its figures', 'GET', '/api/v2/mix/market/isolated-borrow-rate', 'isolated spot margin is not offered'],
    ['followers', 'GET', '/api/v2/copy/mix-follower/query-traders', 'copy trading is not offered'],
    ['earn', 'POST', '/api/v2/earn/savings/subscribe', 'earn products are not offered'],
    ['BGB', 'POST', '/api/v2/convert/bgb-convert', 'conversion of small balances into BGB is not offered'],
    ['its records', 'GET', '/api/v2/convert/bgb-convert-records', 'the venue has no such coin'],
    ['its coins', 'GET', '/api/v2/convert/bgb-convert-coin-list', 'the venue has no such coin'],
    ['P2P', 'GET', '/api/v2/p2p/advList', 'P2P trading is not offered'],
    ['tax', 'GET', '/api/v2/tax/spot-record', 'tax records are not offered'],
    ['a broker', 'POST', '/api/v2/broker/account/create-subaccount', 'only subaccount-future-assets is offered'],
    ['bots', 'GET', '/api/v2/account/bot-assets', 'trading bots are not offered'],
    ['loans', 'GET', '/api/v3/ins-loan/product-infos', 'loans are not offered'],
    ['bots of v3', 'POST', '/api/v3/trade/grid/create-bot', 'trading bots are not offered'],
    ['stocks', 'GET', '/api/v3/reality/market/stock-info', 'stocks and their tokens are not offered'],
    ['small amounts', 'POST', '/api/v3/convert/small-assets', 'convert/trade converts one coin at a time'],
    ['another way', 'POST', '/api/v2/spot/account/upgrade', 'v3 account/switch changes the mode'],
  ],
  async (method: string, target, sentence) => {
    const answer = await at.venue.exchange({ method, target, ...(method === 'POST' && { body: '{}' }) })
    refuses(answer, '40404', 404)
    expect(answer.msg).toMatch(/^Request URL NOT FOUND - /)
    expect(answer.msg).toContain(sentence)
  },
)

row('E2 rule 7 and what else is not offered', 'what belongs to none of them is only unknown', async () => {
  for (const target of ['/api/v2/margin/isolatedly', '/api/v2/copyright', '/api/v2/mix/order/nothing']) {
    expect((await at.venue.exchange({ method: 'GET', target })).msg).toBe('Request URL NOT FOUND')
  }
})

row({ rule: 'Errors HTTP status', decision: '30032: the first version is gone' }, 'a v1 path', async () => {
  const answer = await at.venue.exchange({ method: 'GET', target: '/api/mix/v1/market/ticker?symbol=BTCUSDT_UMCBL' })
  expect([400, 404]).toContain(answer.status)
  expect(['30032', '40404']).toContain(answer.code)
})

table(
  { rule: 'Errors HTTP status', decision: '405 for a wrong method (design §4.4)' },
  [
    ['POST to E1', 'POST', paths.fills],
    ['GET of E2', 'GET', paths.placeBatch],
    ['GET of E3', 'GET', paths.placeOrder],
    ['POST to E4', 'POST', paths.subAssets],
    ['POST to E5', 'POST', paths.position],
    ['DELETE of E6', 'DELETE', paths.settings],
    ['GET of E7', 'GET', paths.batchCancel],
    ['POST to E8', 'POST', paths.publicFills],
    ['PUT to E9', 'PUT', paths.subTransfer],
    ['POST to E10', 'POST', paths.fundingHistory],
    ['GET of E11', 'GET', paths.repay],
    ['PATCH of E12', 'PATCH', paths.allLeverage],
    ['POST to E13', 'POST', paths.orderHistory],
  ],
  async (method, target) => {
    const alice = await at.person('Alice')
    const answer = await alice.send(method, target, method === 'GET' ? undefined : '{}')
    expect(answer.status).toBe(405)
    expect(answer.envelope).toMatchObject({ code: expect.any(String), msg: expect.any(String), data: null })
    expect(answer.code).not.toBe('00000')
  },
)

table(
  {
    rule: 'Errors request body',
    decision: 'a body that is not the JSON of its endpoint is refused before anything is read of it',
  },
  [
    // what                                path                body
    ['no body', paths.placeOrder, ''],
    ['half an object', paths.placeOrder, '{"symbol":"BTCUSDT"'],
    ['a trailing comma', paths.placeOrder, '{"symbol":"BTCUSDT",}'],
    ['single quotes', paths.placeOrder, "{'symbol':'BTCUSDT'}"],
    ['a word', paths.placeOrder, 'hello'],
    ['null', paths.placeOrder, 'null'],
    ['a number', paths.placeOrder, '1'],
    ['a string', paths.placeOrder, '"BTCUSDT"'],
    ['an array for an object', paths.placeOrder, '[]'],
    ['an object for an array', paths.placeBatch, '{}'],
    ['an array of numbers', paths.placeBatch, '[1,2]'],
    ['an array of null', paths.placeBatch, '[null]'],
    ['an array of arrays', paths.placeBatch, '[[]]'],
    ['a string for a list', paths.batchCancel, '{"symbol":"BTCUSDT","orderList":"all"}'],
    ['an object for a list', paths.batchCancel, '{"symbol":"BTCUSDT","orderList":{}}'],
    ['a list of numbers', paths.batchCancel, '{"symbol":"BTCUSDT","orderList":[1]}'],
    ['a thousand brackets', paths.placeOrder, `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['a NUL', paths.placeOrder, '\u0000'],
    ['a byte order mark and nothing else', paths.placeOrder, '\ufeff'],
  ],
  async (path, body) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    const answer = await alice.post(path, body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.envelope).toMatchObject({ code: expect.stringMatching(/^\d{5,6}$/), data: null })
    expect(answer.code).not.toBe('00000')
    expect(answer.code).not.toBe('45001')
  },
)

table(
  { rule: 'Errors transport', decision: 'bodies over 1 MiB 413, request lines 414, headers 431 (design §4.38)' },
  [
    ['a body of 2 MB', 2_000_000],
    ['a body of 10 MB', 10_000_000],
  ],
  async (bytes) => {
    const alice = await at.person('Alice')
    const answer = await alice.post(paths.allLeverage, JSON.stringify({ ...leverage, note: 'x'.repeat(bytes) }))
    expect(answer.status).toBe(413)
    expect(answer.envelope).toMatchObject({ code: expect.any(String), msg: expect.any(String), data: null })
    succeeds(await alice.get(paths.settings))
  },
)

row(
  { rule: 'Errors transport', decision: 'a body of less than 1 MiB is read' },
  'a body of 1,000,000 bytes',
  async () => {
    const alice = await at.person('Alice')
    succeeds(await alice.post(paths.allLeverage, JSON.stringify({ ...leverage, note: 'x'.repeat(999_000) })))
  },
)

row(
  { rule: 'Errors transport', decision: '414 or 431 in the envelope (design §4.38)' },
  'a request line of 100,000 bytes',
  async () => {
    const answer = await at.venue.get(paths.publicFills, { category: 'SPOT', symbol: 'x'.repeat(100_000) })
    expect([414, 431]).toContain(answer.status)
    expect(answer.envelope).toMatchObject({ code: expect.any(String), msg: expect.any(String), data: null })
  },
)

row(
  { rule: 'Errors transport', decision: '431 in the envelope (design §4.38)' },
  'headers of 100,000 bytes',
  async () => {
    const answer = await at.venue.get(paths.publicFills, { category: 'SPOT' }, { 'x-long': 'x'.repeat(100_000) })
    expect(answer.status).toBe(431)
    expect(answer.envelope).toMatchObject({ code: expect.any(String), msg: expect.any(String), data: null })
  },
)

const lenient = { rule: 'design §4.3', decision: 'lenient in, exact out: any case, unknown fields ignored' } as const

table(
  lenient,
  [
    // what                                 query
    ['a product type in lower case', { productType: 'usdt-futures', symbol: 'BTCUSDT', marginCoin: 'USDT' }],
    ['a symbol in lower case', { productType: 'USDT-FUTURES', symbol: 'btcusdt', marginCoin: 'USDT' }],
    ['a coin in lower case', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'usdt' }],
    ['a parameter of nobody', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT', colour: 'green' }],
  ],
  async (query) => {
    const alice = await at.person('Alice')
    succeeds(await alice.get(paths.position, query))
  },
)

table(
  lenient,
  [
    // what                                        fields of E3
    ['enumerations in capitals', { side: 'BUY', orderType: 'LIMIT', force: 'GTC', marginMode: 'CROSSED' }],
    ['enumerations with a capital', { side: 'Buy', orderType: 'Limit', force: 'Gtc', marginMode: 'Crossed' }],
    ['reduceOnly in lower case', { reduceOnly: 'no' }],
    ['a symbol in lower case', { symbol: 'btcusdt', productType: 'usdt-futures', marginCoin: 'usdt' }],
    ['an unknown field', { colour: 'green', nested: { deep: [1, 2, 3] } }],
    ['a price as a number', { price: 59000.1 }],
    ['a size as a number', { size: 0.01 }],
    ['empty optional fields', { presetStopLossPrice: '', presetStopSurplusPrice: '', clientOid: '' }],
  ],
  async (fields) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    succeeds(await alice.post(paths.placeOrder, { ...singleOrder('buy 0.01 @ 59000'), ...fields }))
  },
)

row(lenient, 'answers use the spelling of the interface, whatever was sent', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
  const order = {
    ...singleOrder('buy 0.01 oid:shouted @ 59000'),
    side: 'BUY',
    orderType: 'LIMIT',
    force: 'GTC',
    symbol: 'btcusdt',
  }
  succeeds(await alice.post(paths.placeOrder, order))
  const record = await alice.get('/api/v2/mix/order/detail', {
    productType: 'usdt-futures',
    symbol: 'btcusdt',
    clientOid: 'shouted',
  })
  const spelled = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '59000',
    marginCoin: 'USDT',
  }
  expect(record.fields).toMatchObject(spelled)
})

table(
  lenient,
  [
    // what                                          body of E12
    [
      'a duplicate key: the last one counts or the request is refused',
      '{"productType":"USDT-FUTURES","leverage":"10","leverage":"20"}',
    ],
    [
      '__proto__ is an unknown field like any other',
      '{"__proto__":{"leverage":"5"},"productType":"USDT-FUTURES","leverage":"10"}',
    ],
    [
      'constructor is an unknown field like any other',
      '{"constructor":{"prototype":{"leverage":"5"}},"productType":"USDT-FUTURES","leverage":"10"}',
    ],
  ],
  async (body) => {
    const alice = await at.person('Alice')
    const answer = await alice.post(paths.allLeverage, body)
    if (answer.status === 200) succeeds(answer)
    else refuses(answer, 'the shape of the body')
    const bob = await at.person('Bob')
    refuses(await bob.post(paths.allLeverage, { productType: 'USDT-FUTURES' }), 'a missing parameter')
  },
)

row(lenient, 'a required field that only __proto__ carries is missing', async () => {
  const alice = await at.person('Alice')
  refuses(
    await alice.post(paths.allLeverage, '{"__proto__":{"leverage":"5"},"productType":"USDT-FUTURES"}'),
    'a parameter',
  )
})

row(lenient, 'a repeated query parameter is one value or a refusal, never trouble', async () => {
  const target = withQuery(paths.publicFills, 'category=SPOT&category=SPOT&symbol=BTCUSDT')
  const answer = await at.venue.exchange({ method: 'GET', target })
  expect([200, 400]).toContain(answer.status)
  expect(answer.envelope).toBeDefined()
})

table(
  { rule: 'design §6', decision: 'health and metrics need no key' },
  [
    ['GET /health', '/health'],
    ['GET /metrics', '/metrics'],
  ],
  async (target) => {
    const answer = await at.venue.exchange({ method: 'GET', target })
    expect(answer.status).toBe(200)
    expect(answer.text).not.toBe('')
  },
)
