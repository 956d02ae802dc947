/**
 * The states of an account: which interface its mode serves, and what a change of mode allows meanwhile.
 *
 * Source  interface.md "States and transitions", "Account settings"; design §3; wire/auth.md §4
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  batchOrder,
  btcMargin,
  btcPerpetual,
  btcSpot,
  paths,
  place,
  singleOrder,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const classicFunds = { spot: { USDT: '1000' }, usdt_futures: { USDT: '2000' } } as const

table(
  {
    rule: 'design §3 v3',
    decision: 'a classic account gets 40084 on every private v3 path; unified and hybrid are served',
  },
  [
    // what                  mode        endpoint   answer
    ['E1 unified', 'unified', 'E1', 'ok'],
    ['E1 hybrid', 'hybrid', 'E1', 'ok'],
    ['E1 classic', 'classic', 'E1', '40084'],
    ['E6 unified', 'unified', 'E6', 'ok'],
    ['E6 classic', 'classic', 'E6', '40084'],
    ['E2 classic', 'classic', 'E2', '40084'],
    ['E9 classic', 'classic', 'E9', '40084'],
    ['open orders of v3, classic', 'classic', 'open orders', '40084'],
    ['assets of v3, classic', 'classic', 'assets', '40084'],
  ],
  async (mode, endpoint, expected) => {
    const alice = await at.person('Alice', { mode })
    const requests = {
      E1: () => alice.get(paths.fills),
      E2: () => alice.post(paths.placeBatch, [batchOrder('buy 0.01 @ 59000', btcSpot)]),
      E6: () => alice.get(paths.settings),
      E9: () => alice.post(paths.subTransfer, {}),
      'open orders': () => alice.get('/api/v3/trade/unfilled-orders'),
      assets: () => alice.get('/api/v3/account/assets'),
    }
    answers(await requests[endpoint](), expected)
  },
)

table(
  { rule: 'design §3 v2', decision: 'v2 calls of a unified account are served on its uta wallet rather than refused' },
  [
    ['E5 unified', 'unified', 'E5'],
    ['E5 hybrid', 'hybrid', 'E5'],
    ['E5 classic', 'classic', 'E5'],
    ['E12 unified', 'unified', 'E12'],
    ['E12 classic', 'classic', 'E12'],
    ['E13 unified', 'unified', 'E13'],
    ['E13 classic', 'classic', 'E13'],
  ],
  async (mode, endpoint) => {
    const alice = await at.person('Alice', { mode })
    const requests = {
      E5: () => alice.get(paths.position, { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }),
      E12: () => alice.post(paths.allLeverage, { productType: 'USDT-FUTURES', leverage: '10' }),
      E13: () => alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' }),
    }
    succeeds(await requests[endpoint]())
  },
)

const hybridFunds = {
  uta: { USDT: '10000' },
  spot: { USDT: '10000' },
  usdt_futures: { USDT: '10000' },
  crossed_margin: { USDT: '10000' },
} as const
const btcContract = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' } as const
const v2Plan = {
  ...btcContract,
  planType: 'normal_plan',
  marginMode: 'crossed',
  size: '0.01',
  side: 'buy',
  orderType: 'market',
  triggerPrice: '50000',
  triggerType: 'mark_price',
} as const
const v3Plan = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  type: 'trigger',
  side: 'buy',
  qty: '0.01',
  triggerBy: 'mark',
  triggerPrice: '50000',
} as const
const v2Spot = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '59000' } as const
const inOneList = { symbol: 'BTCUSDT', orderIdList: [{ clientOid: 'mine' }] } as const

/** How an order named `mine` is placed over each version. */
const placed = {
  'v2 futures': (alice: Person) => alice.post(paths.placeOrder, singleOrder('buy 0.01 oid:mine @ 59000')),
  'v2 spot': (alice: Person) =>
    alice.post('/api/v2/spot/trade/place-order', { ...v2Spot, size: '0.01', clientOid: 'mine' }),
  'v2 plan': (alice: Person) => alice.post('/api/v2/mix/order/place-plan-order', { ...v2Plan, clientOid: 'mine' }),
  'v3 futures': (alice: Person) => alice.post('/api/v3/trade/place-order', batchOrder('buy 0.01 oid:mine @ 59000')),
  'v3 spot': (alice: Person) =>
    alice.post('/api/v3/trade/place-order', batchOrder('buy 0.01 oid:mine @ 59000', btcSpot)),
  'v3 margin': (alice: Person) =>
    alice.post('/api/v3/trade/place-order', batchOrder('buy 0.01 oid:mine @ 59000', btcMargin)),
  'v3 plan': (alice: Person) => alice.post('/api/v3/trade/place-strategy-order', { ...v3Plan, clientOid: 'mine' }),
} as const

table(
  { rule: 'design §3', decision: 'what a hybrid account has over one version is unknown to the other' },
  [
    // what                              placed         by the other version                            with
    ['cancel-order of spot', 'v3 spot', '/api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT' }],
    ['cancel-order of futures', 'v3 futures', '/api/v2/mix/order/cancel-order', btcContract],
    [
      'batch-cancel-orders of futures',
      'v3 futures',
      '/api/v2/mix/order/batch-cancel-orders',
      { ...btcContract, ...inOneList },
    ],
    ['cancel-order of cross margin', 'v3 margin', '/api/v2/margin/crossed/cancel-order', { symbol: 'BTCUSDT' }],
    ['batch-cancel-order of cross margin', 'v3 margin', '/api/v2/margin/crossed/batch-cancel-order', inOneList],
    [
      'cancel-plan-order of futures',
      'v3 plan',
      '/api/v2/mix/order/cancel-plan-order',
      { ...btcContract, ...inOneList },
    ],
    [
      'modify-plan-order',
      'v3 plan',
      '/api/v2/mix/order/modify-plan-order',
      { ...btcContract, newTriggerPrice: '51000' },
    ],
    [
      'modify-order, presets alone',
      'v3 futures',
      '/api/v2/mix/order/modify-order',
      { ...btcContract, newPresetStopLossPrice: '58000' },
    ],
    ['v3 cancel-order of futures', 'v2 futures', '/api/v3/trade/cancel-order', {}],
    ['v3 cancel-order of spot', 'v2 spot', '/api/v3/trade/cancel-order', {}],
    ['v3 modify-order', 'v2 futures', '/api/v3/trade/modify-order', { qty: '0.02' }],
    ['v3 cancel-strategy-order', 'v2 plan', '/api/v3/trade/cancel-strategy-order', {}],
  ],
  async (which, path, body) => {
    const alice = await at.person('Alice', { mode: 'hybrid', funds: hybridFunds })
    succeeds(await placed[which](alice))
    const answer = await alice.post(path, { clientOid: 'mine', ...body })
    if ('orderIdList' in body) {
      const { successList, failureList } = succeeds(answer).data as Record<'successList' | 'failureList', Fields[]>
      expect(successList).toEqual([])
      expect(failureList).toMatchObject([{ clientOid: 'mine', errorCode: expect.stringMatching(/^(4\d{4})$/) }])
    } else refuses(answer, '43001|40768|43025')
  },
)

const changing = {
  rule: 'Account states',
  decision: 'upgrading and switching: every order refused with a clear error; reads work',
} as const

async function changed(person: Person, mode: 'unified' | 'classic'): Promise<void> {
  await at.venue.operator('accounts/mode', { uid: person.uid, mode })
}

row(changing, 'classic to unified: orders are refused, reads work, then the balances are all in uta', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: classicFunds })
  await changed(alice, 'unified')
  refuses(await place(alice, 'buy 0.01 @ 59000'), 'the account mode or a closed instrument')
  succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' }))
  succeeds(await alice.get(paths.position, { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }))
  await at.venue.advance(10 * 60_000)
  expect(succeeds(await alice.get(paths.settings)).data).toMatchObject({ accountMode: 'unified' })
  const assets = succeeds(await alice.get('/api/v3/account/assets')).data as {
    assets: { coin: string; balance: string }[]
  }
  expect(assets.assets).toMatchObject([{ coin: 'USDT', balance: '3000' }])
  succeeds(await place(alice, 'buy 0.01 @ 59000'))
})

row(changing, 'while upgrading, E6 says so', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: classicFunds })
  await changed(alice, 'unified')
  const answer = await alice.get(paths.settings)
  if (answer.status === 200) expect(succeeds(answer).data).toMatchObject({ accountMode: 'upgrading' })
  else refuses(answer, '40084')
})

row(
  changing,
  'unified to classic: E6 says switching, orders of both versions are refused, then v3 is closed',
  async () => {
    const alice = await at.person('Alice', { mode: 'unified', funds: { uta: { USDT: '3000' } } })
    await changed(alice, 'classic')
    expect(succeeds(await alice.get(paths.settings)).data).toMatchObject({ accountMode: 'switching' })
    refuses(await place(alice, 'buy 0.01 @ 59000'), 'the account mode or a closed instrument')
    const answer = await alice.post(paths.placeBatch, [batchOrder('buy 0.01 @ 59000', btcSpot)])
    if (answer.status === 200) expect(answer.list()[0]).toHaveProperty('code')
    else refuses(answer, 'the account mode')
    await at.venue.advance(10 * 60_000)
    refuses(await alice.get(paths.settings), '40084')
    succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' }))
  },
)

const histories = {
  E13: [paths.orderHistory, { productType: 'USDT-FUTURES' }, 'entrustedList'],
  'futures fills': ['/api/v2/mix/order/fills', { productType: 'USDT-FUTURES' }, 'fillList'],
  'futures plans': [
    '/api/v2/mix/order/orders-plan-history',
    { productType: 'USDT-FUTURES', planType: 'normal_plan' },
    'entrustedList',
  ],
  'closed positions': ['/api/v2/mix/position/history-position', { productType: 'USDT-FUTURES' }, 'list'],
  'spot orders': ['/api/v2/spot/trade/history-orders', {}, undefined],
  'spot fills': ['/api/v2/spot/trade/fills', {}, undefined],
  'margin orders': ['/api/v2/margin/crossed/history-orders', { symbol: 'BTCUSDT', startTime: 0 }, 'orderList'],
} as const

/** How many records each history of v2 has. */
async function recorded(person: Person): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [what, [path, query, name]] of Object.entries(histories)) {
    const answer = succeeds(await person.get(path, query))
    counts[what] = (name === undefined ? answer.list() : answer.list(name)).length
  }
  return counts
}

/** Leaves something in each of them: two fills that open and close a position, a spot fill, and orders that were canceled. */
async function trades(person: Person, bob: Person): Promise<void> {
  const future = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
  const pair = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '60000' }
  await taken(bob, 'sell 0.01 @ 60000')
  await taken(person, 'buy 0.01 @ 60000')
  await taken(bob, 'buy 0.01 @ 60000')
  await taken(person, 'sell 0.01 @ 60000')
  const plan = {
    ...future,
    planType: 'normal_plan',
    marginMode: 'crossed',
    size: '0.01',
    side: 'buy',
    orderType: 'market',
  }
  const waiting = { ...plan, triggerPrice: '50000', triggerType: 'mark_price' }
  succeeds(await person.post('/api/v2/mix/order/place-plan-order', waiting))
  succeeds(await person.post('/api/v2/mix/order/cancel-plan-order', future))
  await takenInBatch(bob, 'sell 0.01 @ 60000', btcSpot)
  succeeds(await person.post('/api/v2/spot/trade/place-order', { ...pair, size: '0.01' }))
  const lent = { ...pair, price: '50000', baseSize: '0.01', loanType: 'normal' }
  const { orderId } = succeeds(await person.post('/api/v2/margin/crossed/place-order', lent)).fields
  succeeds(await person.post('/api/v2/margin/crossed/cancel-order', { symbol: 'BTCUSDT', orderId }))
}

row(
  {
    rule: 'E13',
    decision:
      'all that the account placed, in whatever mode; the same for the other histories of orders, fills and positions',
  },
  'a change of mode takes nothing out of a history',
  async () => {
    const bob = await at.person('Bob', { funds: { uta: { USDT: '100000', BTC: '1' } } })
    const funds = { spot: { USDT: '1000' }, usdt_futures: { USDT: '2000' }, crossed_margin: { USDT: '1000' } }
    const alice = await at.person('Alice', { mode: 'classic', funds })
    await trades(alice, bob)
    const once = await recorded(alice)
    for (const [what, count] of Object.entries(once)) expect(count, what).toBeGreaterThan(0)
    await changed(alice, 'unified')
    await at.venue.advance(10 * 60_000)
    expect(await recorded(alice)).toEqual(once)
    const closed = await alice.get('/api/v3/position/history-position', { category: 'USDT-FUTURES' })
    expect(closed.list('list')).toHaveLength(once['closed positions'] ?? 0)
    await trades(alice, bob)
    const twice = Object.fromEntries(Object.entries(once).map(([what, count]) => [what, 2 * count]))
    expect(await recorded(alice)).toEqual(twice)
    await changed(alice, 'classic')
    await at.venue.advance(10 * 60_000)
    expect(await recorded(alice)).toEqual(twice)
  },
)

row(
  {
    rule: 'E13',
    decision: 'the modes of a hybrid account live side by side: each version has its own wallet (design §3)',
  },
  'a hybrid account sees over v2 what it placed on its classic wallet',
  async () => {
    const funds = { uta: { USDT: '1000' }, usdt_futures: { USDT: '1000' } }
    const alice = await at.person('Alice', { mode: 'hybrid', funds })
    await taken(alice, 'buy 0.01 ioc oid:classic @ 50000')
    await takenInBatch(alice, 'buy 0.01 ioc oid:unified @ 50000', btcPerpetual)
    const answer = succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' }))
    expect(answer.list('entrustedList')).toMatchObject([{ clientOid: 'classic' }])
  },
)

row(
  {
    rule: 'design §4.14',
    decision: 'the same E9 request again answers the first transferId, whatever has changed since',
  },
  'a transfer into a wallet that the sub-account has no more',
  async () => {
    const main = await at.person('Main', { funds: { spot: { USDT: '1000' } } })
    const sub = await at.person('Sub', { parent: main, mode: 'classic' })
    const move = { fromType: 'spot', toType: 'usdt_futures', amount: '10', coin: 'USDT' }
    const body = { ...move, fromUserId: main.uid, toUserId: sub.uid, clientOid: 'once' }
    const first = succeeds(await main.post(paths.subTransfer, body)).fields
    await changed(sub, 'unified')
    expect(succeeds(await main.post(paths.subTransfer, body)).fields).toEqual(first)
    await at.venue.advance(10 * 60_000)
    expect(succeeds(await main.post(paths.subTransfer, body)).fields).toEqual(first)
    const another = refuses(await main.post(paths.subTransfer, { ...body, clientOid: 'twice' }), '400172')
    expect(another.msg).toContain('toType')
  },
)

row(
  { rule: 'Account states', decision: 'a change needs no open orders, positions or debt' },
  'with an open order the mode does not change',
  async () => {
    const alice = await at.person('Alice', { mode: 'classic', funds: classicFunds })
    await taken(alice, 'buy 0.01 @ 59000')
    await expect(changed(alice, 'unified')).rejects.toThrow(/orders|flat/)
  },
)

table(
  { rule: 'Instrument states', decision: 'neither takes orders; what rests may be cancelled (design §6)' },
  [
    // state                       v2 contracts    v3 instruments
    ['cancel_only', 'cancel_only', 'restrictedAPI', 'limit_open'],
    ['halted', 'halted', 'maintain', 'offline'],
  ],
  async (status, v2Word, v3Word) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: classicFunds })
    const market = { category: 'USDT-FUTURES', symbol: 'XRPUSDT', marginCoin: 'USDT' }
    const [ticker] = succeeds(
      await at.venue.get('/api/v2/mix/market/symbol-price', { productType: 'USDT-FUTURES', symbol: 'XRPUSDT' }),
    ).list()
    const price = Number(ticker?.['indexPrice']).toFixed(2)
    await taken(alice, `buy 100 oid:early @ ${price}`, market)
    const set = (to: string) =>
      at.venue.operator('instruments/status', { category: 'USDT-FUTURES', symbol: 'XRPUSDT', status: to })
    await set(status)
    try {
      refuses(await place(alice, `buy 100 @ ${price}`, market), 'a closed instrument')
      const [contract] = succeeds(
        await at.venue.get('/api/v2/mix/market/contracts', { productType: 'USDT-FUTURES', symbol: 'XRPUSDT' }),
      ).list()
      expect(contract?.['symbolStatus']).toBe(v2Word)
      const [instrument] = succeeds(
        await at.venue.get('/api/v3/market/instruments', { category: 'USDT-FUTURES', symbol: 'XRPUSDT' }),
      ).list()
      expect(instrument?.['status']).toBe(v3Word)
      const cancel = { productType: 'USDT-FUTURES', symbol: 'XRPUSDT', marginCoin: 'USDT', clientOid: 'early' }
      succeeds(await alice.post('/api/v2/mix/order/cancel-order', cancel))
    } finally {
      await set('online')
    }
    succeeds(await place(alice, `buy 100 @ ${price}`, market))
  },
)

row(
  {
    rule: 'Daily order count',
    decision: 'per main account with its sub-accounts and UTC day, on an endpoint (design §4.20)',
  },
  'a sub-account’s orders count for its main account',
  async () => {
    const main = await at.person('Main', { mode: 'classic', funds: classicFunds })
    const sub = await at.person('Sub', { parent: main, mode: 'classic', funds: classicFunds })
    await taken(main, 'buy 0.001 @ 59000')
    await taken(sub, 'buy 0.001 @ 59000')
    const metrics = await at.venue.exchange({ method: 'GET', target: '/metrics' })
    expect(metrics.text).toMatch(/daily/)
  },
)
