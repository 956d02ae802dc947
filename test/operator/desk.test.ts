/**
 * What the operator's desk reads, on a real venue: markets, an account's holdings, conservation, insurance funds,
 * liquidations with what came of them, metrics; and accounts found by a part of their number or name.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { MetricRead } from '../../src/operator/metric-registry.ts'
import type { Person } from '../support/person.ts'
import { ethPerpetual, setLeverage, taken, takenInBatch } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'

vi.setConfig({ testTimeout: 60_000 }) // starts a process, on a machine that may be busy

let venue: Venue
let alice: Person
let bob: Person

beforeAll(async () => {
  venue = await startVenue({ clock: 'manual' })
  await venue.setIndexPrices({ ETH: '3000', BTC: '60000' })
  bob = await venue.person('Bob', { funds: { uta: { USDT: '1000000' } } })
  alice = await venue.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' }, spot: { BTC: '1' } } })
  await opens(alice, 'buy', '3000')
})

afterAll(() => venue?.remove())

/** One ether with fifty times leverage, Bob on the other side. */
async function opens(who: Person, side: 'buy' | 'sell', price: string): Promise<void> {
  await setLeverage(who, 50, ethPerpetual)
  await takenInBatch(bob, `${side === 'buy' ? 'sell' : 'buy'} 1 @ ${price}`, ethPerpetual)
  await taken(who, `${side} 1 @ ${price}`, ethPerpetual)
}

async function moveTo(price: string): Promise<void> {
  await venue.setIndexPrices({ ETH: price })
  await venue.advance(5_000)
}

type Fields = Record<string, unknown>

test('a market: state, prices and what is open in it', async () => {
  const markets = await venue.operator<Fields[]>('markets')
  const find = (category: string) =>
    markets.find((market) => market['category'] === category && market['symbol'] === 'ETHUSDT')
  expect(find('USDT-FUTURES')).toMatchObject({
    status: 'online',
    lastPrice: '3000',
    markPrice: '3000',
    indexPrice: '3000',
    openInterest: '1',
    openInterestUnit: 'ETH',
    fundingRate: expect.stringMatching(/^-?0\.?\d*$/),
    nextFundingAt: expect.any(Number),
    frozen: null,
  })
  expect(find('SPOT')).toMatchObject({ lastPrice: null, openInterest: null, fundingRate: null, nextFundingAt: null })
})

describe('holdings', () => {
  test('of a classic account: each wallet, its position, and what all is worth', async () => {
    const held = await venue.operator<Fields>(`accounts/holdings?uid=${alice.uid}`)
    expect(held).toMatchObject({ uid: alice.uid, orders: [] })
    expect(held['wallets']).toContainEqual({
      wallet: 'spot',
      coin: 'BTC',
      balance: '1',
      held: '0',
      available: '1',
      debt: '0',
    })
    expect(held['positions']).toMatchObject([{ symbol: 'ETHUSDT', posSide: 'long', total: '1', avgPrice: '3000' }])
    const [pool, ...others] = held['pools'] as Fields[]
    expect(others).toEqual([])
    expect(pool).toMatchObject({ wallet: 'usdt_futures', unit: 'USDT', symbol: null, equity: '98.2', halted: false })
    const ratio = Number(pool?.['maintenance']) / Number(pool?.['equity'])
    expect(Number(pool?.['marginRatio'])).toBeCloseTo(ratio, 7)
    expect(ratio).toBeGreaterThan(0)
    // 100 less the taker's fee of 1.8, and a bitcoin
    expect(held['equityUsdt']).toBe('60098.2')
  })

  test('of a unified account: positions and orders once, though both interfaces have them', async () => {
    await takenInBatch(bob, 'sell 2 @ 4000', ethPerpetual)
    const held = await venue.operator<Fields>(`accounts/holdings?uid=${bob.uid}`)
    expect(held['positions']).toMatchObject([{ symbol: 'ETHUSDT', posSide: 'short', total: '1' }])
    expect(held['orders']).toMatchObject([{ symbol: 'ETHUSDT', side: 'sell', price: '4000', qty: '2' }])
  })

  test('trigger orders once, those that were set together as one', async () => {
    const both = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', takeProfit: '2000', stopLoss: '4000' }
    expect((await bob.post('/api/v3/trade/place-strategy-order', both)).code).toBe('00000')
    const { triggers } = await venue.operator<{ triggers: Fields[] }>(`accounts/holdings?uid=${bob.uid}`)
    expect(triggers).toMatchObject([{ symbol: 'ETHUSDT', type: 'tpsl', takeProfit: '2000', stopLoss: '4000', qty: '' }])
    const { orderId } = triggers[0] as { orderId: string }
    expect((await bob.post('/api/v3/trade/cancel-strategy-order', { orderId })).code).toBe('00000')
    expect(await venue.operator(`accounts/holdings?uid=${bob.uid}`)).toMatchObject({ triggers: [] })
  })

  test('of nobody: 404', async () => {
    await expect(venue.operator('accounts/holdings?uid=77')).rejects.toThrow('404')
  })
})

describe('accounts', () => {
  interface Page {
    readonly accounts: readonly { readonly uid: string; readonly name: string; readonly equityUsdt?: string }[]
    readonly next: string | null
  }
  const find = (query: string) => venue.operator<Page>(`accounts?${query}`)

  test.each([
    ['a part of a name, in any case', 'search=UNIFIED-', ['unified-main', 'unified-sub', 'unified-peer']],
    ['page by page', 'search=unified-&limit=1', ['unified-main']],
    ['behind an account', 'search=unified-&after=1000000002', ['unified-peer']],
    ['nothing like it', 'search=nobody', []],
  ])('by %s', async (_, query, names) => {
    expect((await find(query)).accounts.map(({ name }) => name)).toEqual(names)
  })

  test('by a part of their number, and a page that is full names the next', async () => {
    const page = await find('search=100000000&limit=2')
    expect(page.accounts.map(({ uid }) => uid)).toEqual(['1000000001', '1000000002'])
    expect(page.next).toBe('1000000002')
    expect((await find('search=unified-peer')).next).toBeNull()
  })

  test('say what they are worth when they are asked', async () => {
    const [asked] = (await find(`search=${alice.uid}&worth=yes`)).accounts
    expect(asked?.equityUsdt).toBe('60098.2')
    const [unasked] = (await find(`search=${alice.uid}`)).accounts
    expect(unasked).not.toHaveProperty('equityUsdt')
  })
})

describe('an account that the operator stops', () => {
  const rest = {
    category: 'USDT-FUTURES',
    symbol: 'ETHUSDT',
    side: 'sell',
    orderType: 'limit',
    price: '5000',
    qty: '1',
  }

  test('places nothing while it is frozen, and its orders are canceled all the same', async () => {
    const frank = await venue.person('Frank', { funds: { uta: { USDT: '10000' } } })
    expect((await frank.post('/api/v3/trade/place-order', rest)).code).toBe('00000')
    expect(await venue.operator('accounts/freeze', { uid: frank.uid, frozen: 'yes' })).toMatchObject({
      frozen: true,
      frozenByOperator: true,
    })
    expect((await frank.post('/api/v3/trade/place-order', rest)).code).toBe('40024')
    expect(await venue.operator('accounts/cancel-orders', { uid: frank.uid })).toMatchObject({ orders: 1, triggers: 0 })
    expect(await venue.operator(`accounts/holdings?uid=${frank.uid}`)).toMatchObject({ orders: [] })
    await venue.operator('accounts/freeze', { uid: frank.uid, frozen: 'no' })
    expect((await frank.post('/api/v3/trade/place-order', rest)).code).toBe('00000')
  })

  test('bills say what changed a wallet, a page at a time', async () => {
    const of = `accounts/bills?uid=${alice.uid}&wallet=usdt_futures&limit=1`
    const { bills, next } = await venue.operator<{ bills: Fields[]; next: number }>(of)
    expect(bills).toMatchObject([{ symbol: 'ETHUSDT', coin: 'USDT', amount: '-1.8', balance: '98.2' }])
    const older = await venue.operator<{ bills: Fields[]; next: null }>(`${of}&before=${next}`)
    expect(older.bills).toMatchObject([{ symbol: null, coin: 'USDT', amount: '100', balance: '100' }])
  })
})

test('conservation: what came in is with accounts and with the house, and a deposit counts on both sides', async () => {
  const usdt = async () => {
    const { coins } = await venue.operator<{ coins: readonly Fields[] }>('conservation')
    for (const coin of coins) expect(coin['difference'], String(coin['coin'])).toBe('0')
    return coins.find((coin) => coin['coin'] === 'USDT')
  }
  const before = await usdt()
  await venue.deposit(bob, { uta: { USDT: '12.5' } })
  const after = await usdt()
  for (const name of ['deposited', 'accounts']) {
    expect(Number(after?.[name]) - Number(before?.[name]), name).toBeCloseTo(12.5, 6)
  }
  expect(after?.['house']).toMatchObject({ insurance: expect.any(String), fees: expect.any(String) })
  expect(after?.['house']).not.toHaveProperty('external')
})

describe('a long that is liquidated', () => {
  interface Fund {
    readonly coin: string
    readonly balance: string
    readonly highest: string
    readonly deleveraging: boolean
  }
  interface Told {
    readonly liquidationId: string
    readonly insurance: Readonly<Record<string, string>>
  }
  const fundOf = async (coin: string) =>
    (await venue.operator<Fund[]>('house-funds')).find((fund) => fund.coin === coin)
  const newest = async () =>
    (await venue.operator<{ liquidations: readonly Told[] }>('liquidations?limit=1')).liquidations[0]

  test('is in the list, with what the insurance fund paid or took', async () => {
    expect(await newest()).toBeUndefined()
    const before = await fundOf('USDT')
    expect(before?.deleveraging).toBe(false)
    await moveTo('2850')
    const found = await newest()
    expect(found).toMatchObject({
      uid: alice.uid,
      wallet: 'usdt_futures',
      pool: 'cross',
      positions: [{ category: 'USDT-FUTURES', symbol: 'ETHUSDT', holdSide: 'long', quantity: '1' }],
      debtUsd: null,
      deleveraged: 0,
    })
    const paid = Number(found.insurance['USDT'] ?? 0)
    expect(Number((await fundOf('USDT'))?.balance)).toBeCloseTo(Number(before?.balance) - paid, 6)
    const why = await venue.operator<{ subject: Fields }>(`explain?liquidationId=${found.liquidationId}`)
    expect(why.subject['uid']).toBe(alice.uid)
  })

  test('after the fund has lost, it is low: the next one is taken from a counterparty, and the list says so', async () => {
    // The fund holds Alice's long; it goes against Carol's short far below.
    await moveTo('2000')
    const carol = await venue.person('Carol', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
    await opens(carol, 'sell', '2000')
    await moveTo('2150')
    await venue.operator('risk', { adlStartShare: '1', adlEndShare: '1' })
    const fund = await fundOf('USDT')
    expect(fund?.deleveraging).toBe(true)
    expect(Number(fund?.balance)).toBeLessThan(Number(fund?.highest))

    const erin = await venue.person('Erin', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
    await opens(erin, 'buy', '2150')
    await moveTo('2000')
    expect(await newest()).toMatchObject({ uid: erin.uid, deleveraged: 1 })
  })

  test('pages go back, newest first', async () => {
    const all = await venue.operator<{ liquidations: readonly { liquidationId: string }[]; next: number | null }>(
      'liquidations',
    )
    expect(all.next).toBeNull()
    const [first] = all.liquidations
    const rest = await venue.operator<typeof all>(`liquidations?before=${first?.liquidationId}`)
    expect(rest.liquidations).toEqual(all.liquidations.slice(1))
  })
})

test('accounts near their liquidation, nearest first, and what is open by contract', async () => {
  const greta = await venue.person('Greta', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  await opens(greta, 'sell', '2000')
  interface Near {
    readonly accounts: readonly Fields[]
    readonly more: boolean
  }
  const { accounts, more } = await venue.operator<Near>('near-liquidation')
  expect(accounts[0]).toMatchObject({
    uid: greta.uid,
    wallet: 'usdt_futures',
    unit: 'USDT',
    symbol: null,
  })
  expect(more).toBe(false)
  const ratios = accounts.map(({ marginRatio }) => Number(marginRatio))
  expect(ratios).toEqual(ratios.toSorted((one, other) => other - one))
  expect(ratios.length).toBeGreaterThan(1)
  expect(await venue.operator<Near>('near-liquidation?limit=1')).toEqual({ accounts: accounts.slice(0, 1), more: true })
  await expect(venue.operator('near-liquidation?limit=301')).rejects.toThrow('limit')

  const exposure = await venue.operator<readonly Fields[]>('exposure')
  const ether = exposure.find(({ category, symbol }) => category === 'USDT-FUTURES' && symbol === 'ETHUSDT')
  expect(ether).toMatchObject({ largestLong: { uid: expect.any(String) }, longAccounts: expect.any(Number) })
  // The mark is the index and a part of the funding rate, more of it the longer the next funding is away.
  const markets = await venue.operator<readonly Fields[]>('markets')
  const { markPrice } = markets.find(
    ({ category, symbol }) => category === 'USDT-FUTURES' && symbol === 'ETHUSDT',
  ) as Fields
  expect(Number(ether?.['notionalUsd'])).toBeCloseTo(Number(ether?.['openInterest']) * Number(markPrice), 6)
  const solana = exposure.find(({ category, symbol }) => category === 'USDT-FUTURES' && symbol === 'SOLUSDT')
  expect(solana).toMatchObject({ openInterest: '0', notionalUsd: '0', largestLong: null, fundPosition: '0' })
})

test('the trail has who did what, and the commands that it became', async () => {
  const { sequence } = await venue.operator<{ sequence: number }>('status')
  await venue.operator('accounts/freeze', { uid: bob.uid, frozen: 'no' })
  const { actions } = await venue.operator<{ actions: readonly Fields[] }>('trail?limit=1')
  expect(actions).toMatchObject([
    {
      call: 'POST /operator/accounts/freeze',
      body: { uid: bob.uid, frozen: 'no' },
      who: null,
      outcome: 'done',
      commands: [{ kind: 'freeze-account', sequence: sequence + 1 }],
    },
  ])
  await venue.kill()
  await venue.restart()
  expect(await venue.operator('trail?limit=1')).toMatchObject({ actions })
})

test('the log tells what was done, from a level on, and the course has begun', async () => {
  await venue.operator('risk', { adlEndShare: '1' })
  const { lines } = await venue.operator<{ lines: readonly Fields[] }>('log?level=info&limit=5')
  expect(lines[0]).toMatchObject({ level: 'info', message: 'operator call', facts: expect.stringContaining('risk') })
  const errors = await venue.operator<{ lines: readonly Fields[] }>('log?level=error')
  expect(errors.lines).toEqual([])
  await expect(venue.operator('log?level=loud')).rejects.toThrow('level')
  expect(await venue.operator('course')).toMatchObject({ everyS: 60, points: expect.any(Array) })
})

test('metrics: those of /metrics, as JSON', async () => {
  const metrics = await venue.operator<readonly MetricRead[]>('metrics')
  const { text } = await venue.get('/metrics')
  const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  expect(new Set(metrics.map(({ name }) => name))).toEqual(names)
  const stages = metrics.find(({ name }) => name === 'tidemark_stage_seconds_bucket')
  expect(stages?.values[0]).toEqual({ labels: { stage: 'queue', le: '0.00025' }, value: expect.any(Number) })
})
