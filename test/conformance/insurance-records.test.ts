/**
 * Public records of risk: liquidations, the insurance fund, the proof of reserves.
 *
 * Source  wire/v3-endpoints.md §1; risk-engine.md §14
 */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import { ethPerpetual, setLeverage, taken, takenInBatch } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const market = '/api/v3/market'
const ether = { category: 'USDT-FUTURES', symbol: 'ETHUSDT' }
const digits = expect.stringMatching(/^\d+$/)

async function asks(path: string, query: Record<string, string | number> = {}): Promise<Answer> {
  return succeeds(await at.venue.get(`${market}/${path}`, query))
}

/** Alice with 100 USDT and one ETH at 3000, until the price crashes and nobody bids: the fund takes it over. */
async function crash(side: 'buy' | 'sell' = 'buy'): Promise<void> {
  await at.venue.setIndexPrices({ ETH: '3000' })
  const bob = await at.person('Bob', { funds: { uta: { USDT: '1000000' } } })
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  await setLeverage(alice, 50, ethPerpetual)
  await takenInBatch(bob, `${side === 'buy' ? 'sell' : 'buy'} 1 @ 3000`, ethPerpetual)
  await taken(alice, `${side} 1 @ 3000`, ethPerpetual)
  await at.venue.setIndexPrices({ ETH: side === 'buy' ? '2850' : '3150' })
  await at.venue.advance(5000)
  await at.venue.setIndexPrices({ ETH: '3000' })
}

table(
  'wire/v3-endpoints §1 liquidations',
  [
    ['of a long: buy', 'buy', 'buy'],
    ['of a short: sell', 'sell', 'sell'],
  ],
  async (opened, side) => {
    const before = Number(at.venue.now())
    await crash(opened)
    const [newest] = (await asks('liquidations', ether)).list('list')
    expect(newest).toEqual({ symbol: 'ETHUSDT', side, price: expect.any(String), amount: '1', ts: digits })
    // 100 less the fee of 1.8, a little less for the fee of closing
    const distance = Math.abs(Number(newest?.['price']) - 3000)
    expect(distance).toBeGreaterThan(90)
    expect(distance).toBeLessThan(100)
    expect(Number(newest?.['ts'])).toBeGreaterThanOrEqual(before)
  },
)

row('wire/v3-endpoints §1 liquidations', 'by category, and page by page', async () => {
  await crash()
  await crash()
  const all = (await asks('liquidations', { category: 'USDT-FUTURES' })).list('list')
  expect(all.length).toBeGreaterThanOrEqual(2)
  const seen: Fields[] = []
  let cursor: string | undefined
  do {
    const answer = await asks('liquidations', { ...ether, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...answer.list('list'))
    cursor = (answer.data as { readonly cursor: string | null }).cursor ?? undefined
  } while (cursor !== undefined)
  expect(seen).toEqual(all)
  expect((await asks('liquidations', { category: 'USDC-FUTURES' })).list('list')).toEqual([])
})

interface Fund {
  readonly coin: string
  readonly totalBalance: string
  readonly riskReserveRecords: readonly Fields[]
}

row('wire/v3-endpoints §1 risk-reserve', 'each movement with the balance after it', async () => {
  await crash()
  const { coin, totalBalance, riskReserveRecords } = (await asks('risk-reserve', ether)).data as Fund
  expect(coin).toBe('USDT')
  const [newest, second] = riskReserveRecords
  expect(newest?.['balance']).toBe(totalBalance)
  expect(['in', 'out']).toContain(newest?.['type'])
  expect(newest?.['type'] === 'in').toBe(Number(newest?.['amount']) > 0)
  if (second !== undefined) {
    expect(figure(exact(second['balance'] ?? '').plus(newest?.['amount'] ?? ''))).toBe(newest?.['balance'])
  }
  const books = await at.venue.operator<{ coins: readonly { coin: string; house: Record<string, string> }[] }>('verify')
  expect(books.coins.find((entry) => entry.coin === 'USDT')?.house['insurance']).toBe(totalBalance)
  const named = await asks('risk-reserve', { ...ether, marginCoin: 'usdt' })
  expect((named.data as Fund).totalBalance).toBe(totalBalance)
})

row('wire/v3-endpoints §1 risk-reserve-hour', 'the movements of an hour are one record', async () => {
  await crash()
  const { riskReserveRecords: moves } = (await asks('risk-reserve', ether)).data as Fund
  const { coin, riskReserveRecords: hours } = (await asks('risk-reserve-hour', ether)).data as Fund
  expect(coin).toBe('USDT')
  const [hour] = hours
  expect(Number(hour?.['ts']) % 3_600_000).toBe(0)
  expect(hour?.['balance']).toBe(moves[0]?.['balance'])
  const within = moves.filter(({ ts }) => Number(ts) >= Number(hour?.['ts']))
  const sum = within.reduce((total, { amount = '' }) => total.plus(amount), exact('0'))
  expect(hour?.['amount']).toBe(figure(sum))
})

table(
  {
    rule: 'wire/v3-endpoints §1 risk-reserve-hour',
    decision: 'only the category is required: the fund of its first coin, or of the one that is named',
  },
  [
    ['of a line with one coin', { category: 'USDT-FUTURES' }, 'USDT'],
    ['of a line with several', { category: 'COIN-FUTURES' }, 'BTC'],
    ['of the coin that is named', { category: 'COIN-FUTURES', marginCoin: 'ETH' }, 'ETH'],
    ['of the contract that is named', { category: 'COIN-FUTURES', symbol: 'ETHUSD' }, 'ETH'],
  ],
  async (query, coin) => {
    expect(((await asks('risk-reserve-hour', query)).data as Fund).coin).toBe(coin)
  },
)

row('wire/v3-endpoints §1 risk-reserve-all', 'one fund for each coin', async () => {
  const { totalBalance } = (await asks('risk-reserve', ether)).data as Fund
  const { list } = (await asks('risk-reserve-all', { category: 'USDT-FUTURES' })).data as {
    readonly list: readonly { readonly symbols: readonly string[]; readonly coin: string; readonly balance: string }[]
  }
  expect(list).toHaveLength(1)
  expect(list[0]).toMatchObject({ coin: 'USDT', balance: totalBalance })
  expect(list[0]?.symbols).toEqual(expect.arrayContaining(['BTCUSDT', 'ETHUSDT']))
})

interface Proof {
  readonly merkleRootHash: string
  readonly totalReserveRatio: string
  readonly list: readonly Fields[]
}

row('wire/v3-endpoints §1 proof-of-reserves', 'the venue has what it owes, and its own besides', async () => {
  await crash()
  await at.venue.advance(600_000)
  const { merkleRootHash, totalReserveRatio, list } = (await asks('proof-of-reserves')).data as Proof
  expect(merkleRootHash).toMatch(/^[0-9a-f]{64}$/)
  const usdt = list.find((record) => record['coin'] === 'USDT')
  const books = await at.venue.operator<{ coins: readonly { coin: string; house: Record<string, string> }[] }>('verify')
  const house = books.coins.find((entry) => entry.coin === 'USDT')?.house ?? {}
  expect(usdt?.['platformAssets']).toBe(figure(exact(house['external'] ?? '').negated()))
  const own = exact(house['fees'] ?? '0')
    .plus(house['insurance'] ?? '0')
    .plus(house['rounding'] ?? '0')
  expect(
    figure(
      exact(usdt?.['platformAssets'] ?? '')
        .minus(own)
        .minus(house['interest'] ?? '0'),
    ),
  ).toBe(usdt?.['userAssets'])
  expect(Number(usdt?.['reserveRatio'])).toBeGreaterThanOrEqual(1)
  expect(Number(totalReserveRatio)).toBeGreaterThanOrEqual(1)
})

row('wire/v3-endpoints §1 proof-of-reserves', 'is made anew after ten minutes, not before', async () => {
  await at.venue.advance(600_000)
  const before = (await asks('proof-of-reserves')).data as Proof
  await at.person('Erin', { funds: { spot: { USDT: '123' } } })
  expect((await asks('proof-of-reserves')).data).toEqual(before)
  await at.venue.advance(600_000)
  const after = (await asks('proof-of-reserves')).data as Proof
  expect(after.merkleRootHash).not.toBe(before.merkleRootHash)
  const of = ({ list }: Proof) => list.find((record) => record['coin'] === 'USDT')?.['userAssets'] ?? ''
  expect(figure(exact(of(after)).minus(of(before)))).toBe('123')
})

table(
  'wire/errors: wrong input',
  [
    ['liquidations: no category', 'liquidations', {}, 'a missing parameter'],
    ['liquidations: a category without liquidations', 'liquidations', { category: 'SPOT' }, 'a parameter'],
    ['liquidations: an unknown symbol', 'liquidations', { ...ether, symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['liquidations: a foreign cursor', 'liquidations', { ...ether, cursor: 'AAAAAAAAAAAAAAAA' }, 'a parameter'],
    ['liquidations: a limit over 100', 'liquidations', { ...ether, limit: '101' }, 'a parameter'],
    ['risk-reserve: no symbol', 'risk-reserve', { category: 'USDT-FUTURES' }, 'a missing parameter'],
    ['risk-reserve: an unknown symbol', 'risk-reserve', { ...ether, symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['risk-reserve: another margin coin', 'risk-reserve', { ...ether, marginCoin: 'BTC' }, 'the margin coin'],
    ['risk-reserve-hour: no category', 'risk-reserve-hour', { symbol: 'ETHUSDT' }, 'a missing parameter'],
    [
      'risk-reserve-hour: a coin of another line',
      'risk-reserve-hour',
      { category: 'COIN-FUTURES', marginCoin: 'USDT' },
      'the margin coin',
    ],
    ['risk-reserve-all: an unknown category', 'risk-reserve-all', { category: 'SPOT' }, 'a parameter'],
  ],
  async (path, query, refusal) => {
    refuses(await at.venue.get(`${market}/${path}`, query), refusal)
  },
)

row('design §5', 'liquidations and the fund are the same after a crash', async () => {
  const all = async () => [
    (await asks('liquidations', ether)).data,
    (await asks('risk-reserve', ether)).data,
    (await asks('risk-reserve-hour', ether)).data,
  ]
  await crash()
  const before = await all()
  await at.venue.restart('kill')
  expect(await all()).toEqual(before)
})

row('wire/v3-endpoints §1 proof-of-reserves', 'the hash of nothing is known', async () => {
  const empty = createHash('sha256').digest('hex')
  await at.venue.advance(600_000)
  expect(((await asks('proof-of-reserves')).data as Proof).merkleRootHash).not.toBe(empty)
})
