/**
 * E8: what was traded, for everyone to see.
 *
 * Source  interface.md E8, "Public fill"; design §4.2, §4.34, §4.35
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import {
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  ethPerpetual,
  ethSpot,
  paths,
  placeBatch,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()
const funds = { uta: { USDT: '1000000', BTC: '10', ETH: '100' } } as const

async function publicFills(query: Record<string, string>): Promise<Fields[]> {
  return succeeds(await at.venue.get(paths.publicFills, query)).list()
}

async function tradeOnce(market: typeof btcSpot, sell: string, buy: string): Promise<Fields> {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, sell, market)
  await takenInBatch(alice, buy, market)
  const [newest] = await publicFills({ category: market.category, symbol: market.symbol })
  return newest ?? {}
}

table(
  'Public fill fields',
  [
    // what                                                market         resting              taking                 fill
    ['a spot buy takes', btcSpot, 'sell 0.1 @ 60001', 'buy 0.1 @ 60001', { price: '60001', size: '0.1', side: 'buy' }],
    [
      'a spot sell takes',
      btcSpot,
      'buy 0.1 @ 60002',
      'sell 0.1 @ 60002',
      { price: '60002', size: '0.1', side: 'sell' },
    ],
    [
      'the maker’s price counts',
      btcSpot,
      'sell 0.1 @ 60003',
      'buy 0.1 @ 60010',
      { price: '60003', size: '0.1', side: 'buy' },
    ],
    [
      'a linear contract',
      btcPerpetual,
      'sell 0.2 @ 60004',
      'buy 0.2 @ 60004',
      { price: '60004', size: '0.2', side: 'buy' },
    ],
    ['an inverse contract', btcInverse, 'sell 12000 @ 60000', 'buy 12000 @ 60000', { price: '60000', side: 'buy' }],
  ],
  async (market, resting, taking, expected) => {
    const before = at.venue.now()
    const fill = await tradeOnce(market, resting, taking)
    expect(fill).toMatchObject({
      execId: expect.stringMatching(/./),
      execLinkId: expect.stringMatching(/./),
      ...expected,
    })
    expect(fill['ts']).toMatch(/^\d{13}$/)
    expect(Number(fill['ts'])).toBeGreaterThanOrEqual(before - 1000)
  },
)

table(
  'E8 table category',
  [
    ['missing', { symbol: 'BTCUSDT' }, 'a missing parameter'],
    ['empty', { category: '', symbol: 'BTCUSDT' }, 'a missing parameter or a parameter'],
    ['unknown', { category: 'OPTIONS', symbol: 'BTCUSDT' }, 'a parameter'],
  ],
  async (query, expected) => {
    refuses(await at.venue.get(paths.publicFills, query), expected)
  },
)

table(
  'E8 table category',
  ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'spot', 'Usdt-Futures'].map(
    (category) => [category, category] as const,
  ),
  async (category) => {
    expect(Array.isArray(await publicFills({ category }))).toBe(true)
  },
)

table(
  'E8 table symbol',
  [
    ['an unknown symbol is refused', { category: 'SPOT', symbol: 'NOSUCH' }],
    ['a symbol of another category is refused', { category: 'SPOT', symbol: 'BTCPERP' }],
  ],
  async (query) => {
    refuses(await at.venue.get(paths.publicFills, query), 'an unknown symbol')
  },
)

row('E8 table symbol', 'absent: every symbol of the category', async () => {
  const btc = await tradeOnce(btcSpot, 'sell 0.1 @ 60000', 'buy 0.1 @ 60000')
  const eth = await tradeOnce(ethSpot, 'sell 1 @ 3000', 'buy 1 @ 3000')
  const ids = (await publicFills({ category: 'SPOT' })).map((fill) => fill['execId'])
  expect(ids).toContain(btc['execId'])
  expect(ids).toContain(eth['execId'])
})

row('E8 table symbol', 'given: no other symbol', async () => {
  const eth = await tradeOnce(ethPerpetual, 'sell 1 @ 3000', 'buy 1 @ 3000')
  const ids = (await publicFills({ category: 'USDT-FUTURES', symbol: 'BTCUSDT' })).map((fill) => fill['execId'])
  expect(ids).not.toContain(eth['execId'])
})

row(
  { rule: 'design §4.35', decision: 'spot and margin share one book' },
  'a margin order meets a spot order, and both categories show it',
  async () => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    await takenInBatch(bob, 'sell 0.1 @ 60005', btcSpot)
    await takenInBatch(alice, 'buy 0.1 @ 60005', btcMargin)
    const [spot] = await publicFills({ category: 'SPOT', symbol: 'BTCUSDT' })
    const [margin] = await publicFills({ category: 'MARGIN', symbol: 'BTCUSDT' })
    expect(spot).toMatchObject({ price: '60005' })
    expect(margin).toEqual(spot)
  },
)

row('E8 table limit', 'absent: 100 of 105, the newest first', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  for (const count of [20, 20, 20, 20, 20, 5]) {
    succeeds(
      await placeBatch(
        bob,
        Array.from({ length: count }, () => 'sell 0.001 @ 60000'),
        btcSpot,
      ),
    )
  }
  await takenInBatch(alice, 'buy 0.105 @ 60000', btcSpot)
  const query = { category: 'SPOT', symbol: 'BTCUSDT' }
  const all = await publicFills(query)
  expect(all).toHaveLength(100)
  expect(await publicFills({ ...query, limit: '7' })).toEqual(all.slice(0, 7))
})

row('E8', 'newest first', async () => {
  const first = await tradeOnce(btcPerpetual, 'sell 0.1 @ 60000', 'buy 0.1 @ 60000')
  const second = await tradeOnce(btcPerpetual, 'sell 0.1 @ 60001', 'buy 0.1 @ 60001')
  const newest = await publicFills({ category: 'USDT-FUTURES', symbol: 'BTCUSDT', limit: '2' })
  expect(newest.map((fill) => fill['execId'])).toEqual([second['execId'], first['execId']])
})

row('E8', 'nothing in it names an account or an order', async () => {
  const fill = await tradeOnce(btcPerpetual, 'sell 0.1 @ 60000', 'buy 0.1 @ 60000')
  expect(Object.keys(fill)).not.toEqual(expect.arrayContaining(['orderId']))
  expect(JSON.stringify(fill)).not.toMatch(/orderId|clientOid|uid|fee/i)
})
