/**
 * What the operator's desk reads, on a real venue: markets, an account's holdings, conservation, insurance funds,
 * liquidations with what came of them, metrics; and accounts found by a part of their number or name.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { MetricRead } from '../../src/operator/metrics.ts'
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
    // 100 less the taker's fee of 1.8, and a bitcoin
    expect(held['equityUsdt']).toBe('60098.2')
  })

  test('of a unified account: positions and orders once, though both interfaces have them', async () => {
    await takenInBatch(bob, 'sell 2 @ 4000', ethPerpetual)
    const held = await venue.operator<Fields>(`accounts/holdings?uid=${bob.uid}`)
    expect(held['positions']).toMatchObject([{ symbol: 'ETHUSDT', posSide: 'short', total: '1' }])
    expect(held['orders']).toMatchObject([{ symbol: 'ETHUSDT', side: 'sell', price: '4000', qty: '2' }])
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

test('metrics: those of /metrics, as JSON', async () => {
  const metrics = await venue.operator<readonly MetricRead[]>('metrics')
  const { text } = await venue.get('/metrics')
  const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  expect(new Set(metrics.map(({ name }) => name))).toEqual(names)
  const stages = metrics.find(({ name }) => name === 'tidemark_stage_seconds_bucket')
  expect(stages?.values[0]).toEqual({ labels: { stage: 'queue', le: '0.00025' }, value: expect.any(Number) })
})
