/**
 * Facts about an account: who it is, what it pays, what may leave it, what a leverage would take.
 *
 * Source  wire/v3-endpoints.md §4; wire/client-endpoints.md §4; risk-engine.md §11, §17
 */
import { expect } from 'vitest'
import { btcMargin, btcSpot, place, setLeverage, taken, takenInBatch } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '10000' } } as const
const account = '/api/v3/account'

// who it is

row('v3 account/info', 'names the account, its main account, and what the key may do', async () => {
  const main = await at.person('Main', { ipList: ['127.0.0.1', '10.0.0.0/8'] })
  const sub = await at.person('Sub', { parent: main, permissions: ['read'] })
  expect(succeeds(await main.get(`${account}/info`)).data).toEqual({
    userId: main.uid,
    inviterId: '',
    parentId: '',
    channelCode: '',
    channel: '',
    ips: '127.0.0.1,10.0.0.0/8',
    permType: 'read-and-write',
    permissions: ['uta_mgt', 'uta_trade', 'withdraw'],
    regisTime: expect.stringMatching(/^\d{13}$/),
  })
  expect(succeeds(await sub.get(`${account}/info`)).data).toMatchObject({
    userId: sub.uid,
    parentId: main.uid,
    permType: 'read-only',
    permissions: ['uta_mgt', 'uta_trade'],
  })
})

table(
  { rule: 'v3 who may read facts', decision: 'management of the unified account, reading (40014 otherwise)' },
  ['info', 'max-withdrawal', 'deduct-info', 'repayable-coins', 'switch-status', 'pre-set-leverage'].map(
    (path) => [path, path] as const,
  ),
  async (path) => {
    const alice = await at.person('Alice', { permissions: ['uta_trade'] })
    refuses(await alice.get(`${account}/${path}`), '40014')
    const bob = await at.person('Bob', { mode: 'classic' })
    refuses(await bob.get(`${account}/${path}`), '40084')
  },
)

// fees

table(
  'v3 all-fee-rate',
  [
    ['every pair', { category: 'SPOT' }, ['BTCUSDT', 'ETHUSDT']],
    ['margin pairs', { category: 'MARGIN' }, ['BTCUSDT']],
    ['USDT futures', { category: 'usdt-futures' }, ['BTCUSDT', 'DOGEUSDT']],
    ['coin futures', { category: 'COIN-FUTURES' }, ['BTCUSD', 'ETHUSD']],
    ['one symbol', { category: 'USDC-FUTURES', symbol: 'btcperp' }, ['BTCPERP']],
  ],
  async (query, symbols) => {
    const alice = await at.person('Alice')
    const rows = succeeds(await alice.get(`${account}/all-fee-rate`, query)).list()
    expect(rows.map((rate) => rate['symbol'])).toEqual(expect.arrayContaining([...symbols]))
    if ('symbol' in query) expect(rows).toHaveLength(1)
    for (const { symbol, ...rates } of rows) {
      const rate = succeeds(await alice.get(`${account}/fee-rate`, { category: query.category, symbol })).data
      expect(rate).toEqual(rates)
    }
  },
)

table(
  'v3 wrong questions',
  [
    ['all-fee-rate without a category', 'all-fee-rate', {}, 'a missing parameter'],
    ['all-fee-rate of an unknown category', 'all-fee-rate', { category: 'OPTIONS' }, 'a parameter'],
    ['all-fee-rate of an unknown symbol', 'all-fee-rate', { category: 'SPOT', symbol: 'NOUSDT' }, 'an unknown symbol'],
    ['max-withdrawal without a coin', 'max-withdrawal', {}, 'a missing parameter'],
    ['max-withdrawal of an unknown coin', 'max-withdrawal', { coin: 'NOPE' }, 'an unknown coin'],
    [
      'open-interest-limit without a symbol',
      'open-interest-limit',
      { category: 'USDT-FUTURES' },
      'a missing parameter',
    ],
    ['open-interest-limit of spot', 'open-interest-limit', { category: 'SPOT', symbol: 'BTCUSDT' }, 'a parameter'],
    ['transferable-coins without a target', 'transferable-coins', { fromType: 'uta' }, 'a missing parameter'],
    [
      'transferable-coins of an unknown wallet',
      'transferable-coins',
      { fromType: 'uta', toType: 'savings' },
      'a parameter',
    ],
    [
      'transferable-coins to the same wallet',
      'transferable-coins',
      { fromType: 'uta', toType: 'uta' },
      'the account type',
    ],
  ],
  async (path, query, expected) => {
    const alice = await at.person('Alice')
    refuses(await alice.get(`${account}/${path}`, query), expected)
  },
)

// what may leave

row('v3 max-withdrawal', 'what may leave each wallet, margin of positions taken off', async () => {
  const alice = await at.person('Alice', {
    funds: { uta: { USDT: '1000' }, spot: { USDT: '20.5' }, p2p: { USDT: '3' } },
  })
  expect(succeeds(await alice.get(`${account}/max-withdrawal`, { coin: 'usdt' })).data).toEqual({
    coin: 'USDT',
    otcMaxWithdrawal: '3',
    spotMaxWithdrawal: '20.5',
    utaMaxWithdrawal: '1000',
    totalMaxWithdrawal: '1023.5',
  })
  await takenInBatch(alice, 'buy 0.01 @ 20000', btcSpot)
  expect(succeeds(await alice.get(`${account}/max-withdrawal`, { coin: 'USDT' })).data).toMatchObject({
    utaMaxWithdrawal: '800',
  })
})

table(
  'v3 transferable-coins',
  [
    ['between spot and unified wallet', 'unified', 'spot', 'uta', ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'USDT', 'USDC']],
    ['into USDT futures of a hybrid account', 'hybrid', 'uta', 'usdt_futures', ['USDT']],
    ['out of coin futures', 'hybrid', 'coin_futures', 'spot', ['BTC', 'ETH']],
    ['between futures wallets that share no coin', 'hybrid', 'usdt_futures', 'usdc_futures', []],
  ],
  async (mode, fromType, toType, coins) => {
    const alice = await at.person('Alice', { mode })
    const found = succeeds(await alice.get(`${account}/transferable-coins`, { fromType, toType })).data as string[]
    expect(found.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([...coins].sort())
  },
)

row('v3 transferable-coins', 'a unified sub-account has no p2p wallet', async () => {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main })
  const query = { fromType: 'uta', toType: 'p2p' }
  succeeds(await main.get(`${account}/transferable-coins`, query))
  refuses(await sub.get(`${account}/transferable-coins`, query), 'a parameter')
})

row('v3 open-interest-limit', 'the end of the last tier, as the market tells it', async () => {
  const alice = await at.person('Alice')
  const asked = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  const [market] = succeeds(await at.venue.get('/api/v3/market/oi-limit', asked)).list()
  expect(succeeds(await alice.get(`${account}/open-interest-limit`, asked)).data).toEqual({
    symbol: 'BTCUSDT',
    singleUserLimit: market?.['notionalValue'],
    masterSubLimit: '',
    marketMakerLimit: market?.['notionalValue'],
  })
})

// debts

row('v3 repayable-coins, payment-coins', 'what is owed, and what can pay it, with their worth in USDT', async () => {
  const seller = await at.person('Seller', { funds: { uta: { BTC: '1' } } })
  await takenInBatch(seller, 'sell 0.1 @ 60000', btcSpot)
  const alice = await at.person('Alice', { funds: { uta: { USDT: '5000' } } })
  expect(succeeds(await alice.get(`${account}/repayable-coins`)).data).toEqual({
    repayableCoinList: [],
    maxSelection: '50',
  })
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcMargin)
  const { repayableCoinList: owed } = succeeds(await alice.get(`${account}/repayable-coins`)).data as {
    repayableCoinList: { coin: string; size: string; amount: string }[]
  }
  expect(owed).toMatchObject([{ coin: 'USDT' }])
  // A thousand was borrowed, and its first hour is owed.
  expect(Number(owed[0]?.size)).toBeGreaterThan(1000)
  expect(Number(owed[0]?.size)).toBeLessThan(1010)
  expect(owed[0]?.amount).toBe(owed[0]?.size)
  const { paymentCoinList: paying } = succeeds(await alice.get(`${account}/payment-coins`)).data as {
    paymentCoinList: { coin: string; size: string; amount: string }[]
  }
  expect(paying.map(({ coin }) => coin)).toEqual(['BTC'])
  expect(Number(paying[0]?.amount)).toBeGreaterThan(0)
})

// fees in another coin, and the way back to a classic account

row(
  { rule: 'v3 switch-deduct', decision: 'no coin of the venue pays fees: off is accepted, on is refused' },
  'off',
  async () => {
    const alice = await at.person('Alice')
    expect(succeeds(await alice.get(`${account}/deduct-info`)).data).toEqual({ deduct: 'off' })
    succeeds(await alice.post(`${account}/switch-deduct`, { deduct: 'off' }))
    refuses(await alice.post(`${account}/switch-deduct`, { deduct: 'on' }), 'a parameter')
    refuses(await alice.post(`${account}/switch-deduct`, {}), 'a missing parameter')
    expect(succeeds(await alice.get(`${account}/deduct-info`)).data).toEqual({ deduct: 'off' })
  },
)

row('v3 switch', 'orders, positions and debt have to go first; sub-accounts may not', async () => {
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main })
  refuses(await sub.post(`${account}/switch`, ''), '40048')
  refuses(await sub.get(`${account}/switch-status`), '40048')
  await taken(main, 'buy 0.01 @ 59000')
  refuses(await main.post(`${account}/switch`, ''), '40872')
  expect(succeeds(await main.get(`${account}/switch-status`)).data).toEqual({ status: 'success', reason: '' })
})

row('v3 switch', 'is under way when it is answered', async () => {
  const main = await at.person('Main', { funds })
  expect(succeeds(await main.post(`${account}/switch`, '')).data).toBeNull()
  expect(succeeds(await main.get(`${account}/switch-status`)).data).toEqual({ status: 'process', reason: '' })
  expect(succeeds(await main.get(`${account}/settings`)).data).toMatchObject({ accountMode: 'switching' })
})

// what a leverage would take

const previewed = {
  rule: 'v3 pre-set-leverage',
  decision:
    'what positions and orders of the contract would need, and how much more that is; what could then be opened',
} as const

row(previewed, 'with an order open it is what set-leverage then does', async () => {
  const alice = await at.person('Alice', { funds })
  await setLeverage(alice, 10)
  await taken(alice, 'buy 0.1 @ 50000')
  const held = async () => {
    const { assets } = succeeds(await alice.get(`${account}/assets`)).data as { assets: { locked: string }[] }
    return Number(assets[0]?.locked)
  }
  const before = await held()
  const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'cross', leverage: '5' }
  const { requiredMargin, marginChange, estMaxOpen, estMaxBorrowable } = succeeds(
    await alice.get(`${account}/pre-set-leverage`, query),
  ).fields
  expect(estMaxBorrowable).toBe('')
  await setLeverage(alice, 5)
  const after = await held()
  expect(Number(requiredMargin)).toBeCloseTo(after, 6)
  expect(Number(marginChange)).toBeCloseTo(after - before, 6)
  // What is estimated at the mark is taken at the mark, and hardly more is.
  const more = (Number(estMaxOpen) + 0.01).toFixed(4)
  refuses(await place(alice, `buy ${more} @ 60000`), '40762')
  succeeds(await place(alice, `buy ${estMaxOpen} @ 60000`))
})

table(
  previewed,
  [
    ['without anything open nothing is required', { leverage: '20' }, { requiredMargin: '0', marginChange: '0' }],
    ['a mode that is not in force', { marginMode: 'isolated', leverage: '20' }, { requiredMargin: '0' }],
    ['one side names both', { longLeverage: '20' }, { requiredMargin: '0' }],
    ['isolated, one-way: both sides alike', { marginMode: 'isolated', longLeverage: '5', shortLeverage: '5' }, {}],
  ],
  async (asked, expected) => {
    const alice = await at.person('Alice', { funds })
    const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'cross', ...asked }
    const { data, fields } = succeeds(await alice.get(`${account}/pre-set-leverage`, query))
    expect(data).toMatchObject(expected)
    expect(Number(fields['estMaxOpen'])).toBeGreaterThan(0)
  },
)

row(previewed, 'of a coin: what may be borrowed at that leverage', async () => {
  const alice = await at.person('Alice', { funds })
  const query = { category: 'MARGIN', coin: 'USDT', marginMode: 'cross' }
  const borrowable = async (leverage: string) => {
    const { fields } = succeeds(await alice.get(`${account}/pre-set-leverage`, { ...query, leverage }))
    expect(fields).toMatchObject({ estMaxOpen: '', requiredMargin: '0', marginChange: '0' })
    return Number(fields['estMaxBorrowable'])
  }
  expect(await borrowable('1')).toBe(0)
  const twice = await borrowable('2')
  expect(twice).toBeGreaterThan(0)
  expect(await borrowable('3')).toBeGreaterThan(twice)
})

table(
  previewed,
  [
    ['without a symbol', { symbol: undefined, leverage: '5' }, 'a missing parameter'],
    ['without a leverage', {}, 'a missing parameter'],
    ['without a margin mode', { marginMode: undefined, leverage: '5' }, 'a missing parameter'],
    ['an unknown margin mode', { marginMode: 'both', leverage: '5' }, 'a parameter'],
    ['an unknown symbol', { symbol: 'NOUSDT', leverage: '5' }, 'an unknown symbol'],
    ['above the maximum', { leverage: '500' }, 'the leverage'],
    ['no number', { leverage: 'high' }, 'a parameter'],
    ['sides apart in cross mode', { longLeverage: '5', shortLeverage: '6' }, 'a parameter'],
    ['a coin that is not there', { category: 'MARGIN', coin: 'NOPE', leverage: '2' }, 'an unknown coin'],
    ['MARGIN without a coin', { category: 'MARGIN', leverage: '2' }, 'a missing parameter'],
    ['isolated MARGIN', { category: 'MARGIN', coin: 'USDT', marginMode: 'isolated', leverage: '2' }, 'a parameter'],
    ['a coin above its maximum', { category: 'MARGIN', coin: 'USDT', leverage: '500' }, 'the leverage'],
    ['SPOT', { category: 'SPOT', leverage: '2' }, 'a parameter'],
  ],
  async (asked, expected) => {
    const alice = await at.person('Alice', { funds })
    const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'cross', ...asked }
    refuses(await alice.get(`${account}/pre-set-leverage`, query), expected)
  },
)

// v2

row('v2 all-account-balance', 'each wallet of a classic account in USDT', async () => {
  const alice = await at.person('Alice', {
    mode: 'classic',
    funds: { spot: { USDT: '1' }, p2p: { USDT: '2' }, usdt_futures: { USDT: '4' }, crossed_margin: { USDT: '8' } },
  })
  expect(succeeds(await alice.get('/api/v2/account/all-account-balance')).data).toEqual([
    { accountType: 'spot', usdtBalance: '1' },
    { accountType: 'p2p', usdtBalance: '2' },
    { accountType: 'futures', usdtBalance: '4' },
    { accountType: 'margin', usdtBalance: '8' },
  ])
})

row('v2 all-account-balance', 'a unified account has one trading wallet, a hybrid one all of them', async () => {
  const types = async (mode: 'unified' | 'hybrid') => {
    const alice = await at.person('Alice', { mode, funds })
    const rows = succeeds(await alice.get('/api/v2/account/all-account-balance')).list()
    expect(rows.at(-1)).toEqual({ accountType: 'uta', usdtBalance: '10000' })
    return rows.map((record) => record['accountType'])
  }
  expect(await types('unified')).toEqual(['spot', 'p2p', 'uta'])
  expect(await types('hybrid')).toEqual(['spot', 'p2p', 'futures', 'margin', 'uta'])
})

table(
  'v2 funding-assets',
  [
    ['what there is', {}, 'ok'],
    ['a coin that is named, of which there is none', { coin: 'eth' }, 'ok'],
    ['an unknown coin', { coin: 'NOPE' }, 'an unknown coin'],
  ],
  async (query, expected) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { spot: { USDT: '12.5' } } })
    const answer = answers(await alice.get('/api/v2/account/funding-assets', query), expected)
    if (expected !== 'ok') return
    const [coin, units] = 'coin' in query ? ['ETH', '0'] : ['USDT', '12.5']
    expect(answer.data).toEqual([{ coin, available: units, frozen: '0', usdtValue: units }])
  },
)

row('v2 sub-account-assets', 'the futures assets of each sub-account that has some, to its main account', async () => {
  const main = await at.person('Main')
  const classic = await at.person('Classic', {
    parent: main,
    mode: 'classic',
    funds: { usdt_futures: { USDT: '70' } },
  })
  await at.person('Poor', { parent: main, mode: 'classic' })
  const unified = await at.person('Unified', { parent: main, funds: { uta: { USDT: '30' } } })
  const path = '/api/v2/mix/account/sub-account-assets'
  const rows = succeeds(await main.get(path, { productType: 'USDT-FUTURES' })).data
  expect(rows).toMatchObject([
    {
      userId: Number(classic.uid),
      assetList: [{ marginCoin: 'USDT', available: '70', accountEquity: '70', equity: '70' }],
    },
    { userId: Number(unified.uid), assetList: [{ marginCoin: 'USDT', available: expect.any(String) }] },
  ])
  refuses(await unified.get(path, { productType: 'USDT-FUTURES' }), '40048')
  refuses(await main.get(path), 'a missing parameter')
})

row('v2 subaccount-assets', 'what each sub-account that has some trades spot with, to its main account', async () => {
  const main = await at.person('Main', { funds: { spot: { USDT: '5' } } })
  const classic = await at.person('Classic', {
    parent: main,
    mode: 'classic',
    funds: { spot: { USDT: '70' }, usdt_futures: { USDT: '1' } },
  })
  await at.person('Poor', { parent: main, mode: 'classic', funds: { usdt_futures: { USDT: '9' } } })
  const unified = await at.person('Unified', { parent: main, funds: { uta: { BTC: '0.5' }, spot: { USDT: '8' } } })
  const bid = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '50000', size: '0.001' }
  succeeds(await classic.post('/api/v2/spot/trade/place-order', bid))

  const path = '/api/v2/spot/account/subaccount-assets'
  const asset = { locked: '0', limitAvailable: '0', uTime: expect.stringMatching(/^\d{13}$/) }
  expect(succeeds(await main.get(path)).data).toEqual([
    { userId: unified.uid, assetsList: [{ coin: 'BTC', available: '0.5', frozen: '0', ...asset }] },
    { userId: classic.uid, assetsList: [{ coin: 'USDT', available: '20', frozen: '50', ...asset }] },
  ])
  refuses(await unified.get(path), '40048')
})
