/**
 * The states of an account: which interface its mode serves, and what a change of mode allows meanwhile.
 *
 * Source  interface.md "States and transitions", "Account settings"; design §3; wire/auth.md §4
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { batchOrder, btcSpot, paths, place, taken } from '../support/trading.ts'
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
    await taken(alice, `buy 100 @ ${price} as early`, market)
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
