/**
 * Both dialects of v3 over the wire: every row of src/api/errors/dialect.ts that a client can meet, in either column. v2 has one.
 *
 * Source  design §4.40; fidelity.md §1 rows 3, 5, 6, §3
 */
import { expect } from 'vitest'
import type { V3Dialect } from '../../src/api/api.ts'
import { fieldDifferences } from '../../src/api/errors/dialect.ts'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { btcPerpetual, btcSpot, place, setHoldMode, taken, takenInBatch } from '../support/trading.ts'
import { refuses, row, type Stage, stage, succeeds, table } from './conformance.ts'

const stages: Readonly<Record<V3Dialect, Stage>> = {
  interface: stage(),
  live: stage({ environment: { TIDEMARK_V3_DIALECT: 'live' } }),
}
const dialects = ['interface', 'live'] as const

const trade = '/api/v3/trade'
const rich = { funds: { uta: { USDT: '1000000', BTC: '10' } } } as const
const limit = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01', price: '50000' } as const
const spot = { ...limit, category: 'SPOT' } as const
const futures = { ...limit, category: 'USDT-FUTURES' } as const

type Act = (alice: Person) => Promise<Answer>
const post =
  (path: string, body: object): Act =>
  (alice) =>
    alice.post(path, body)
const get =
  (path: string, query: Record<string, string>): Act =>
  (alice) =>
    alice.get(path, query)
const placing = (order: object) => post(`${trade}/place-order`, order)

/** What is asked, and how each dialect refuses it. */
const refusals: readonly (readonly [sentence: string, act: Act, inInterface: string, live: string])[] = [
  ['not enough spot money', placing({ ...spot, qty: '100' }), '43012', '25202'],
  ['not enough margin', placing({ ...futures, qty: '100' }), '40762', '25203'],
  ['an unknown pair', placing({ ...spot, symbol: 'NOSUCH' }), '40034', '25100'],
  [
    'an unknown contract of a list',
    get('/api/v3/market/tickers', { category: 'USDT-FUTURES', symbol: 'NOSUCH' }),
    '40034',
    '25100',
  ],
  ['an unknown coin', get('/api/v3/account/max-transferable', { coin: 'NOSUCH' }), '40034', '25201'],
  ['an unknown order canceled', post(`${trade}/cancel-order`, { orderId: '1' }), '43001', '25204'],
  ['an unknown order asked for', get(`${trade}/order-info`, { orderId: '1' }), '43001', '25204'],
  ['an unknown order changed', post(`${trade}/modify-order`, { orderId: '1', qty: '1' }), '43001', '25204'],
  ['a price above the band', placing({ ...futures, price: '200000' }), '40815', '25206'],
  ['a price below the band', placing({ ...futures, side: 'sell', price: '1000' }), '40816', '25205'],
  ['a quantity below the minimum', placing({ ...futures, qty: '0' }), '45111', '25207'],
  ['an order worth too little', placing({ ...spot, qty: '0.000001' }), '45110', '25611'],
  ['more than is counted', placing({ ...futures, qty: '9'.repeat(30) }), '45112', '25208'],
  ['a price with too many decimals', placing({ ...futures, price: '50000.001' }), '40808', '25244'],
  ['a price of a pair with too many decimals', placing({ ...spot, price: '50000.001' }), '41103', '25244'],
  ['a quantity with too many decimals', placing({ ...futures, qty: '0.00000001' }), '40808', '25610'],
  ['nothing to close', post(`${trade}/close-positions`, { category: 'USDT-FUTURES' }), '22002', '25227'],
  ['nothing to reduce', placing({ ...futures, reduceOnly: 'yes' }), '22002', '25227'],
  [
    'leverage beyond the maximum',
    post('/api/v3/account/set-leverage', { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '1000' }),
    '43050',
    '25223',
  ],
  ['an unknown strategy', post(`${trade}/cancel-strategy-order`, { orderId: '1' }), '43025', '25597'],
  [
    'take-profit without a position',
    post(`${trade}/place-strategy-order`, {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      type: 'tpsl',
      tpslMode: 'full',
      posSide: 'long',
      takeProfit: '100000',
    }),
    '40891',
    '25601',
  ],
  ['a field that is wrong', placing({ ...spot, side: 'up' }), '400172', '400172'],
  ['a field that is missing', placing({ category: 'SPOT' }), '40019', '40019'],
]

for (const [index, dialect] of dialects.entries()) {
  const at = stages[dialect]

  table(
    { rule: `v3Dialect ${dialect}: refusals` },
    refusals.map(([sentence, act, ...codes]) => [sentence, act, codes[index] ?? ''] as const),
    async (act, code) => {
      const alice = await at.person('Alice', { funds: { uta: { USDT: '1000' } } })
      const answer = refuses(await act(alice), code)
      expect(answer.msg).not.toMatch(/[{}]/)
    },
  )

  row(`v3Dialect ${dialect}: refusals`, 'a client order id twice, alone, in a batch and over the socket', async () => {
    const code = ['40786', '25212'][index] ?? ''
    const alice = await at.person('Alice', rich)
    const order = { ...spot, price: '40000', clientOid: 'twice' }
    succeeds(await alice.post(`${trade}/place-order`, order))
    refuses(await alice.post(`${trade}/place-order`, order), code)
    const batch = succeeds(await alice.post(`${trade}/place-batch`, [order, { ...order, clientOid: 'other' }]))
    expect(batch.list()).toMatchObject([{ code, clientOid: 'twice' }, { clientOid: 'other' }])
    const canceled = succeeds(await alice.post(`${trade}/cancel-batch`, [{ category: 'SPOT', orderId: '1' }]))
    expect(canceled.list()).toMatchObject([{ code: ['43001', '25204'][index] }])
    const socket = await Socket.of(alice, '/v3/ws/private')
    const { category: _category, ...args } = order
    socket.send({ op: 'trade', id: '1', category: 'spot', topic: 'place-order', args: [args] })
    expect(await socket.next()).toMatchObject({ event: 'error', id: '1', code })
    socket.send({ op: 'trade', id: '2', category: 'spot', topic: 'batch-place', args: [args] })
    expect(await socket.next()).toMatchObject({ event: 'trade', id: '2', code: '0', args: [{ code }] })
    socket.close()
  })

  row(`v3Dialect ${dialect}: refusals`, 'a classic account, and a key that may not', async () => {
    const [unsuitable, forbidden] = dialect === 'live' ? ['25245', '25620'] : ['40084', '40014']
    const classic = await at.person('Classic', { mode: 'classic' })
    refuses(await classic.get('/api/v3/account/settings'), unsuitable)
    const reader = await at.person('Reader', { permissions: ['read'] })
    refuses(await reader.post(`${trade}/cancel-order`, { orderId: '1' }), forbidden)
    const socket = await Socket.of(classic, '/v3/ws/private')
    socket.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] })
    expect(await socket.next()).toMatchObject({ event: 'error', code: Number(unsuitable) })
    socket.close()
  })

  row(`v3Dialect ${dialect}: v2`, 'speaks the interface alone', async () => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
    refuses(await place(alice, 'buy 10 @ 50000'), '40762')
    refuses(await alice.post('/api/v2/mix/order/cancel-order', { ...contract, orderId: '1' }), '40768')
    refuses(await alice.post('/api/v2/spot/trade/place-order', { symbol: 'NOSUCH', ...market }), '40034')
    const reader = await at.person('Reader', { mode: 'classic', permissions: ['read'] })
    refuses(await reader.post('/api/v2/spot/trade/place-order', { symbol: 'BTCUSDT', ...market }), '40014')
  })

  row(`v3Dialect ${dialect}: fills`, 'the sign of their fees, and the side of the position in hedge mode', async () => {
    const [alice, bob] = [await at.person('Alice', rich), await at.person('Bob', rich)]
    await setHoldMode(alice, 'hedge_mode')
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(alice, 'buy 0.1 open @ 60000')
    await taken(bob, 'buy 0.1 @ 60000')
    await taken(alice, 'buy 0.1 close @ 60000')
    await taken(bob, 'buy 0.1 @ 60000')
    await taken(alice, 'sell 0.1 open @ 60000')
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(alice, 'sell 0.1 close @ 60000')
    await takenInBatch(bob, 'sell 0.01 @ 60000', btcSpot)
    await takenInBatch(alice, 'buy 0.01 @ 60000', btcSpot)
    const hedged = await fillsOf(alice)
    const oneWay = await fillsOf(bob)
    const sides = {
      interface: ['', 'close', 'open', 'close', 'open'],
      live: ['', 'close_short', 'open_short', 'close_long', 'open_long'],
    }
    expect(hedged.map(({ tradeSide }) => tradeSide)).toEqual(sides[dialect])
    expect(oneWay.map(({ tradeSide }) => tradeSide)).toEqual(['', 'close', 'open', 'close', 'open'])
    for (const { feeDetail } of [...hedged, ...oneWay] as unknown as readonly {
      feeDetail: readonly { fee: string }[]
    }[]) {
      expect(feeDetail[0]?.fee).toMatch(dialect === 'live' ? /^-[\d.]+$/ : /^[\d.]+$/)
    }
    const order = await alice.get(`${trade}/order-info`, { orderId: hedged[1]?.['orderId'] ?? '' })
    expect(succeeds(order).data, 'orders are the same').toMatchObject({
      tradeSide: 'close',
      feeDetail: [{ fee: expect.stringMatching(/^\d/) }],
    })
  })

  row(`v3Dialect ${dialect}: fills`, 'over the socket as the interface has them', async () => {
    const [alice, bob] = [await at.person('Alice', rich), await at.person('Bob', rich)]
    await setHoldMode(alice, 'hedge_mode')
    const socket = await Socket.of(alice, '/v3/ws/private')
    await socket.subscribe({ instType: 'UTA', topic: 'fill' })
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(alice, 'buy 0.1 open @ 60000')
    const { data } = await socket.next()
    expect(data).toMatchObject([{ tradeSide: 'open', feeDetail: [{ fee: expect.stringMatching(/^\d/) }] }])
    socket.close()
  })
}

const contract = { symbol: btcPerpetual.symbol, productType: btcPerpetual.category, marginCoin: 'USDT' }
const market = { side: 'buy', orderType: 'market', size: '1' }

async function fillsOf(person: Person): Promise<Fields[]> {
  return succeeds(await person.get(`${trade}/fills`)).list('list')
}

/** An account with rows in every list that pages by cursor. */
async function busy(at: Stage): Promise<Person> {
  const [alice, bob] = [await at.person('Alice', rich), await at.person('Bob', rich)]
  for (let times = 0; times < 3; times++) {
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(alice, 'buy 0.1 @ 60000')
    await taken(bob, 'buy 0.1 @ 60000')
    await taken(alice, 'sell 0.1 reduce-only @ 60000')
    await takenInBatch(alice, 'buy 0.01 @ 40000', btcSpot)
  }
  for (let times = 0; times < 3; times++) {
    const name = `sub${'abc'[times] ?? ''}`
    const { subUid } = succeeds(await alice.post('/api/v3/user/create-sub', { username: name })).fields
    succeeds(
      await alice.post('/api/v3/account/sub-transfer', {
        fromType: 'uta',
        toType: 'uta',
        amount: '1',
        coin: 'USDT',
        fromUserId: alice.uid,
        toUserId: subUid,
        clientOid: name,
      }),
    )
    succeeds(
      await alice.post('/api/v3/account/transfer', { fromType: 'uta', toType: 'spot', amount: '1', coin: 'USDT' }),
    )
  }
  return alice
}

/** Where the rows stand in each list, and which of their fields is the id. */
const lists: readonly (readonly [path: string, query: Record<string, string>, rows: string, id: string])[] = [
  ['trade/fills', {}, 'list', 'execId'],
  ['trade/unfilled-orders', {}, 'list', 'orderId'],
  ['trade/history-orders', { category: 'USDT-FUTURES' }, 'list', 'orderId'],
  ['position/history-position', { category: 'USDT-FUTURES' }, 'list', 'positionId'],
  ['account/financial-records', { category: 'USDT-FUTURES' }, 'list', 'id'],
  ['account/funding-financial-records', {}, 'list', 'id'],
  ['account/sub-transfer-record', {}, 'items', 'transferId'],
  ['user/sub-list', {}, 'list', 'subUid'],
]

for (const dialect of dialects) {
  row(`v3Dialect ${dialect}: cursors`, 'lead through every list, row by row, and past its end', async () => {
    const alice = await busy(stages[dialect])
    for (const [path, query, rows, id] of lists) {
      const read = async (more: Record<string, string>) => {
        const { data } = succeeds(await alice.get(`/api/v3/${path}`, { ...query, ...more }))
        const page = data as { readonly cursor: string | null } & Readonly<Record<string, Fields[]>>
        return { ids: (page[rows] ?? []).map((one) => one[id] ?? ''), cursor: page.cursor }
      }
      const all = await read({})
      expect(all.ids.length, path).toBeGreaterThan(2)
      expect(all.cursor, path).toBe(dialect === 'live' ? all.ids.at(-1) : null)
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = await read({ limit: '1', ...(cursor === null ? {} : { cursor }) })
        seen.push(...page.ids)
        if (page.cursor !== null && dialect === 'live') expect(page.cursor, path).toBe(page.ids[0])
        cursor = page.cursor
      } while (cursor !== null && seen.length < 100)
      expect(seen, path).toEqual(all.ids)
      if (dialect === 'live') {
        expect(await read({ cursor: all.ids.at(-1) ?? '' }), path).toEqual({ ids: [], cursor: null })
        refuses(await alice.get(`/api/v3/${path}`, { ...query, cursor: 'abc' }), 'a parameter')
      }
    }
  })
}

row('v3Dialect interface: cursors', 'that are no more than an id are refused', async () => {
  const alice = await stages.interface.person('Alice', rich)
  refuses(await alice.get(`${trade}/fills`, { cursor: '12345' }), '400172')
})

row('v3Dialect', 'every place that the table names is an endpoint', async () => {
  const { envelope } = await stages.live.venue.get('/api/openapi.json')
  const paths = Object.keys(envelope?.['paths'] ?? {})
  for (const endpoint of fieldDifferences.flatMap(({ where }) => where)) expect(paths).toContain(endpoint.split(' ')[1])
})
