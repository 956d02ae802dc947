/**
 * E10: historical funding rates, on a venue whose clock the test turns.
 *
 * Source  interface.md E10, "Funding rate record"; design §4.15, §4.32; risk-engine.md §13
 */
import { beforeAll, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { btcPerpetual, onePosition, paths, place, taken, takenInBatch, btcInverse } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, floor8 } from './figures.ts'

const at = stage({ clock: 'manual' })

const minute = 60_000
const query = { category: 'USDT-FUTURES', symbol: 'ETHUSDT' }

/** ETHUSDT settles 25 times, a minute apart; once more when a boundary of eight hours falls into that time. */
beforeAll(async () => {
  for (let settled = 0; settled < 25; settled += 1) {
    await at.venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'ETHUSDT' })
    await at.venue.advance(minute)
  }
})

async function rates(more: Record<string, string> = {}): Promise<Fields[]> {
  return succeeds(await at.venue.get(paths.fundingHistory, { ...query, ...more })).list('resultList')
}

row('Funding rate record', 'symbol, rate and settlement time, all texts', async () => {
  for (const record of await rates()) {
    expect(record).toEqual({
      symbol: 'ETHUSDT',
      fundingRate: expect.stringMatching(/^-?\d+(\.\d+)?$/),
      fundingRateTimestamp: expect.stringMatching(/^\d{13}$/),
    })
  }
})

row({ rule: 'E10', decision: 'newest first (design §4.15)' }, 'newest first', async () => {
  const times = (await rates({ limit: '100' })).map((record) => Number(record['fundingRateTimestamp']))
  expect(times.length).toBeGreaterThanOrEqual(25)
  expect(times).toEqual([...times].sort((left, right) => right - left))
})

table(
  { rule: 'E10 table cursor', decision: 'the page number, newest first (design §4.15)' },
  [
    // what                         query                           from, to of all records
    ['absent: the first 20', {}, 0, 20],
    ['1 is the first page', { cursor: '1' }, 0, 20],
    ['2 is the second page', { cursor: '2' }, 20, 40],
    ['limit 10, page 2', { cursor: '2', limit: '10' }, 10, 20],
    ['limit 10, page 3', { cursor: '3', limit: '10' }, 20, 30],
    ['a page after the last is empty', { cursor: '4', limit: '10' }, 30, 30],
    ['100 is the last page number', { cursor: '100' }, 30, 30],
    ['limit 1, page 25', { cursor: '25', limit: '1' }, 24, 25],
    ['limit 100', { limit: '100' }, 0, 100],
  ],
  async (more, from, to) => {
    const all = await rates({ limit: '100' })
    expect(await rates(more)).toEqual(all.slice(from, to))
  },
)

table(
  { rule: 'E10 table cursor', decision: 'outside 1 to 100 is refused (design §4.32)' },
  [['0'], ['101'], ['-1'], ['1.5'], ['two'], ['1e1']].map(([cursor = '']) => [`cursor ${cursor}`, cursor] as const),
  async (cursor) => {
    expect(refuses(await at.venue.get(paths.fundingHistory, { ...query, cursor }), 'a parameter').msg).toMatch(/cursor/)
  },
)

table(
  'E10 parameters',
  [
    // what                              query                                       refused as
    ['no category', { symbol: 'ETHUSDT' }, 'a missing parameter'],
    ['no symbol', { category: 'USDT-FUTURES' }, 'a missing parameter'],
    ['an unknown category', { category: 'OPTIONS', symbol: 'ETHUSDT' }, 'a parameter'],
    ['SPOT has no funding', { category: 'SPOT', symbol: 'ETHUSDT' }, 'a parameter'],
    ['MARGIN has no funding', { category: 'MARGIN', symbol: 'ETHUSDT' }, 'a parameter'],
    ['an unknown symbol', { category: 'USDT-FUTURES', symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a symbol of another line', { category: 'USDC-FUTURES', symbol: 'ETHUSDT' }, 'an unknown symbol'],
  ],
  async (given, expected) => {
    refuses(await at.venue.get(paths.fundingHistory, given), expected)
  },
)

row('E10 parameters', 'category and symbol in lower case', async () => {
  const answer = await at.venue.get(paths.fundingHistory, { category: 'usdt-futures', symbol: 'ethusdt' })
  expect(succeeds(answer).list('resultList')).toEqual(await rates())
})

row('E10', 'a contract that never settled has an empty list', async () => {
  await at.venue.operator('instruments', {
    category: 'USDC-FUTURES',
    symbol: 'SOLPERP',
    baseCoin: 'SOL',
    quoteCoin: 'USDC',
    pricePrecision: 2,
    quantityPrecision: 2,
    minOrderQty: '0.01',
    minOrderAmount: '5',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    maxLeverage: 20,
    fundInterval: '8',
    tiers: [{ from: '0', to: '1000000', maxLeverage: 20, maintenanceRate: '0.02' }],
  })
  const answer = await at.venue.get(paths.fundingHistory, { category: 'USDC-FUTURES', symbol: 'SOLPERP' })
  expect(succeeds(answer).list('resultList')).toEqual([])
})

row(
  'risk-engine §13',
  'a payment is the rate times the value at the mark, against the account; totalFee is empty before',
  async () => {
    const funds = { usdt_futures: { USDT: '100000' } }
    const alice = await at.person('Alice', { mode: 'classic', funds })
    const bob = await at.person('Bob', { mode: 'classic', funds })
    await taken(bob, 'sell 0.333 @ 60000')
    await taken(alice, 'buy 0.333 @ 60000')
    const before = await onePosition(alice)
    expect(before['totalFee']).toBe('')
    await at.venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
    const answer = await at.venue.get(paths.fundingHistory, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })
    const [record] = succeeds(answer).list('resultList')
    const payment = exact(record?.['fundingRate'] ?? '')
      .times(before['markPrice'] ?? '')
      .times('0.333')
    expect((await onePosition(alice, btcPerpetual))['totalFee']).toBe(floor8(payment.neg()))
    expect((await onePosition(bob, btcPerpetual))['totalFee']).toBe(floor8(payment))
  },
)

row('risk-engine §13', 'an inverse payment is the rate times contracts over the mark', async () => {
  const funds = { uta: { BTC: '10' } }
  const alice = await at.person('Alice', { funds })
  const bob = await at.person('Bob', { funds })
  await takenInBatch(bob, 'sell 32345 @ 60000', btcInverse)
  await takenInBatch(alice, 'buy 32345 @ 60000', btcInverse)
  const before = await onePosition(alice, btcInverse)
  await at.venue.operator('funding/settle', { productType: 'COIN-FUTURES', symbol: 'BTCUSD' })
  const answer = await at.venue.get(paths.fundingHistory, { category: 'COIN-FUTURES', symbol: 'BTCUSD' })
  const [record] = succeeds(answer).list('resultList')
  const payment = exact(record?.['fundingRate'] ?? '')
    .times(32345)
    .div(before['markPrice'] ?? '1')
  expect((await onePosition(alice, btcInverse))['totalFee']).toBe(floor8(payment.neg()))
  expect((await onePosition(bob, btcInverse))['totalFee']).toBe(floor8(payment))
})

row('risk-engine §13', 'contracts settle by themselves at their boundary', async () => {
  const settled = async () =>
    succeeds(await at.venue.get(paths.fundingHistory, { category: 'USDT-FUTURES', symbol: 'SOLUSDT' })).list(
      'resultList',
    )
  const before = await settled()
  await at.venue.advance(8 * 60 * minute)
  const after = await settled()
  expect(after.length).toBeGreaterThan(before.length)
  expect(Number(after[0]?.['fundingRateTimestamp']) % (60 * minute)).toBe(0)
})

row(
  { rule: 'E1 and E13 90 days', decision: '90 days are served (interface E1, E13)' },
  'what is 91 days old is not shown any more',
  async () => {
    const funds = { uta: { USDT: '100000' } }
    const alice = await at.person('Alice', { funds })
    const bob = await at.person('Bob', { funds })
    await taken(bob, 'sell 0.001 @ 60000')
    await taken(alice, 'buy 0.001 @ 60000')
    const seen = async () => [
      succeeds(await alice.get(paths.fills)).list('list').length,
      succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' })).list('entrustedList').length,
    ]
    expect(await seen()).toEqual([1, 1])
    await at.venue.advance(89 * 24 * 60 * minute)
    expect(await seen()).toEqual([1, 1])
    await at.venue.advance(2 * 24 * 60 * minute)
    expect(await seen()).toEqual([0, 0])
  },
)

row(
  { rule: 'design §4.6 24 hours', decision: 'clientOid is unique among live orders and those of the last 24 hours' },
  'the id of an ended order is free after a day, the id of a live one never',
  async () => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    await taken(alice, 'buy 0.001 ioc oid:ended @ 58000')
    await taken(alice, 'buy 0.001 oid:living @ 58000')
    await at.venue.advance(24 * 60 * minute - 1000)
    refuses(await place(alice, 'buy 0.001 oid:ended @ 58000'), '40786')
    await at.venue.advance(60 * minute)
    succeeds(await place(alice, 'buy 0.001 oid:ended @ 58000'))
    refuses(await place(alice, 'buy 0.001 oid:living @ 58000'), '40786')
  },
)

row(
  { rule: 'E1 and E13 paging', decision: 'pages neither repeat nor miss, even when all happened in one millisecond' },
  'ten orders and fills of one millisecond in pages of three',
  async () => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
    for (let count = 0; count < 10; count += 1) {
      await taken(bob, 'sell 0.001 @ 60000')
      await taken(alice, 'buy 0.001 @ 60000')
    }
    const fillIds: (string | undefined)[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const answer = succeeds(await alice.get(paths.fills, { limit: 3, cursor }))
      fillIds.push(...answer.list('list').map((fill) => fill['execId']))
      cursor = answer.fields['cursor'] as string | null
    }
    expect(new Set(fillIds).size).toBe(10)
    expect(fillIds).toHaveLength(10)
    const orderIds: (string | undefined)[] = []
    let idLessThan: string | undefined
    for (let page = 0; page < 4; page += 1) {
      const answer = succeeds(
        await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES', limit: 3, idLessThan }),
      )
      orderIds.push(...answer.list('entrustedList').map((order) => order['orderId']))
      idLessThan = answer.fields['endId']
    }
    expect(new Set(orderIds).size).toBe(10)
    expect(orderIds).toHaveLength(10)
  },
)
