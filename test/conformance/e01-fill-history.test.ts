/**
 * E1: the private fill history, its window, its filters and its pages.
 *
 * Source  interface.md E1, "Fill"; design §4.7, §4.27, §4.32, §4.33, §4.34
 */
import { beforeAll, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  type Market,
  batchOrder,
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  btcUsdc,
  fills,
  paths,
  placeBatch,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const day = 86_400_000
const funds = { uta: { USDT: '1000000', USDC: '1000000', BTC: '10' } } as const

/** Alice bought once in every category from Bob; nothing here changes afterwards. */
let alice: Person
let bob: Person
const orderIds: Record<string, string> = {}

beforeAll(async () => {
  alice = await at.venue.person('Alice', { funds })
  bob = await at.venue.person('Bob', { funds })
  await trade(btcSpot, '0.1')
  await trade(btcMargin, '0.2')
  await trade(btcPerpetual, '0.3')
  await trade(btcInverse, '30000')
  await trade(btcUsdc, '0.4')
})

async function trade(market: Market, quantity: string): Promise<void> {
  await takenInBatch(bob, `sell ${quantity} @ 60000`, market)
  const taken = await takenInBatch(alice, `buy ${quantity} @ 60000`, market)
  orderIds[market.category] = taken['orderId'] ?? ''
}

const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, expect.any(String)]))

row('Fill fields', 'every field of a futures fill is there, and a string', async () => {
  const [fill] = await fills(alice, { category: 'USDT-FUTURES' })
  const names = ['execId', 'execLinkId', 'orderId', 'clientOid', 'category', 'symbol', 'orderType', 'side', 'tradeSide']
  const more = ['execPrice', 'execQty', 'execValue', 'tradeScope', 'createdTime', 'updatedTime', 'execPnl']
  expect(fill).toMatchObject(texts([...names, ...more]))
  expect(fill).toMatchObject({ feeDetail: [{ feeCoin: 'USDT', fee: '10.8' }] })
})

table(
  'Fill fields',
  [
    // what                               category        fields
    [
      'a spot buy',
      'SPOT',
      {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        execPrice: '60000',
        execQty: '0.1',
        execValue: '6000',
        tradeScope: 'taker',
        tradeSide: '',
      },
    ],
    [
      'a margin buy',
      'MARGIN',
      { category: 'MARGIN', symbol: 'BTCUSDT', side: 'buy', execQty: '0.2', execValue: '12000', tradeSide: '' },
    ],
    [
      'a linear buy that opens',
      'USDT-FUTURES',
      { category: 'USDT-FUTURES', side: 'buy', execQty: '0.3', execValue: '18000', tradeSide: 'open' },
    ],
    [
      'an inverse buy',
      'COIN-FUTURES',
      { category: 'COIN-FUTURES', symbol: 'BTCUSD', side: 'buy', execPrice: '60000', tradeSide: 'open' },
    ],
    [
      'a USDC buy',
      'USDC-FUTURES',
      {
        category: 'USDC-FUTURES',
        symbol: 'BTCPERP',
        side: 'buy',
        execQty: '0.4',
        execValue: '24000',
        tradeSide: 'open',
      },
    ],
  ],
  async (category, fields) => {
    const found = await fills(alice, { category })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject(fields)
    expect(found[0]).toMatchObject({ orderId: orderIds[category] })
  },
)

table(
  { rule: 'Fill feeDetail', decision: 'an array; the fee is positive when paid (design §4.33)' },
  [
    // what                                      who     category          coin    fee
    ['a spot buyer pays in base coin', 'Alice', 'SPOT', 'BTC', '0.0001'],
    ['a spot seller pays in quote coin', 'Bob', 'SPOT', 'USDT', '6'],
    ['a futures taker', 'Alice', 'USDT-FUTURES', 'USDT', '10.8'],
    ['a futures maker', 'Bob', 'USDT-FUTURES', 'USDT', '3.6'],
    ['an inverse taker pays the coin', 'Alice', 'COIN-FUTURES', 'BTC', '0.0003'],
    ['an inverse maker pays the coin', 'Bob', 'COIN-FUTURES', 'BTC', '0.0001'],
    ['a USDC taker', 'Alice', 'USDC-FUTURES', 'USDC', '14.4'],
  ],
  async (who, category, feeCoin, fee) => {
    const [fill] = await fills(who === 'Alice' ? alice : bob, { category })
    expect(fill).toMatchObject({ feeDetail: [{ feeCoin, fee }], tradeScope: who === 'Alice' ? 'taker' : 'maker' })
  },
)

table(
  'E1 table category',
  [
    // what                                     query                          how many
    ['absent: every category', {}, 5],
    ['SPOT', { category: 'SPOT' }, 1],
    ['MARGIN', { category: 'MARGIN' }, 1],
    ['USDT-FUTURES', { category: 'USDT-FUTURES' }, 1],
    ['COIN-FUTURES', { category: 'COIN-FUTURES' }, 1],
    ['USDC-FUTURES', { category: 'USDC-FUTURES' }, 1],
    ['in lower case', { category: 'usdt-futures' }, 1],
  ],
  async (query, count) => {
    expect(await fills(alice, query)).toHaveLength(count)
  },
)

table(
  'E1 table category',
  [
    ['an unknown category is refused', 'OPTIONS'],
    ['a symbol is no category', 'BTCUSDT'],
  ],
  async (category) => {
    refuses(await alice.get(paths.fills, { category }), 'a parameter')
  },
)

row('E1 table orderId', 'only the fills of that order', async () => {
  const orderId = orderIds['USDT-FUTURES'] ?? ''
  expect(await fills(alice, { orderId })).toMatchObject([{ orderId, category: 'USDT-FUTURES' }])
})

row('E1 table orderId', 'an order that nobody has: an empty list', async () => {
  const answer = succeeds(await alice.get(paths.fills, { orderId: '999999999999999' }))
  expect(answer.list('list')).toEqual([])
})

row('E1 table orderId', 'an order of somebody else: an empty list', async () => {
  const [fillOfBob] = await fills(bob, { category: 'SPOT' })
  expect(await fills(alice, { orderId: fillOfBob?.['orderId'] ?? '' })).toEqual([])
})

row('E1 table orderId', 'with the wrong category: an empty list', async () => {
  expect(await fills(alice, { orderId: orderIds['SPOT'] ?? '', category: 'USDT-FUTURES' })).toEqual([])
})

row('E1', 'a stranger sees nothing of it', async () => {
  const carol = await at.person('Carol')
  expect(await fills(carol)).toEqual([])
})

row({ rule: 'E1', decision: 'newest first (design §4.7)' }, 'the newest fill is the first of the list', async () => {
  const list = succeeds(await alice.get(paths.fills)).list('list')
  expect(list.map((fill) => fill['category'])).toEqual([
    'USDC-FUTURES',
    'COIN-FUTURES',
    'USDT-FUTURES',
    'MARGIN',
    'SPOT',
  ])
})

const window = {
  rule: 'E1 window',
  decision:
    'both absent: 90 days; one given: the 30 days after startTime or before endTime; times inclusive (design §4.7)',
} as const

table(
  window,
  [
    // what                                       start, end in ms from now          answer
    ['30 days to the millisecond are answered', [-30 * day, 0], 'ok'],
    ['30 days and a millisecond are refused', [-30 * day - 1, 0], 'a time window'],
    ['31 days are refused', [-31 * day, 0], 'a time window'],
    ['a start 89 days ago is answered', [-89 * day, -60 * day], 'ok'],
    ['a start 90 days and half a minute ago is answered', [-90 * day - 30_000, -80 * day], 'ok'],
    ['a start 90 days and two minutes ago is refused', [-90 * day - 120_000, -80 * day], 'a time window'],
    ['a start 91 days ago is refused', [-91 * day, -80 * day], 'a time window'],
    ['only a start, 91 days ago, is refused', [-91 * day, undefined], 'a time window'],
    ['a start after its end is refused', [-day, -2 * day], 'a time window'],
    ['a start equal to its end is answered', [-day, -day], 'ok'],
    ['only a start is answered', [-day, undefined], 'ok'],
    ['only an end is answered', [undefined, 0], 'ok'],
  ],
  async ([start, end], expected) => {
    const now = at.venue.now()
    const startTime = start === undefined ? undefined : now + start
    const endTime = end === undefined ? undefined : now + end
    const answer = await alice.get(paths.fills, { startTime, endTime })
    if (expected === 'ok') succeeds(answer)
    else refuses(answer, expected)
  },
)

table(
  window,
  [
    // what                                                 start, end from the fill's time     found
    ['a window of the very millisecond holds the fill', [0, 0], true],
    ['a window that ends at it holds it', [-1000, 0], true],
    ['a window that starts at it holds it', [0, 1000], true],
    ['a window that ends just before does not', [-1000, -1], false],
    ['a window that starts just after does not', [1, 1000], false],
    ['only a start at it', [0, undefined], true],
    ['only a start just after it', [1, undefined], false],
    ['only an end at it', [undefined, 0], true],
    ['only an end just before it', [undefined, -1], false],
    ['only a start more than 30 days before: its 30 days are over', [-40 * day, undefined], false],
  ],
  async ([start, end], isThere) => {
    const [fill] = await fills(alice, { category: 'USDT-FUTURES' })
    const time = Number(fill?.['createdTime'])
    const startTime = start === undefined ? undefined : time + start
    const endTime = end === undefined ? undefined : time + end
    const answer = succeeds(await alice.get(paths.fills, { category: 'USDT-FUTURES', startTime, endTime }))
    expect(answer.list('list')).toHaveLength(isThere ? 1 : 0)
  },
)

const pages = {
  rule: 'E1 table cursor',
  decision: 'an opaque text that stays valid while new fills arrive; null at the end (design §4.7)',
} as const

/** Somebody with this many spot fills of 0.001 BTC from one order of theirs. */
async function withFills(count: number): Promise<Person> {
  const maker = await at.person('Bob', { funds })
  const taker = await at.person('Alice', { funds })
  for (let left = count; left > 0; left -= 20) {
    const orders = Array.from({ length: Math.min(left, 20) }, () => 'sell 0.001 @ 60000')
    succeeds(await placeBatch(maker, orders, btcSpot))
  }
  await takenInBatch(taker, `buy ${count / 1000} @ 60000`, btcSpot)
  return taker
}

async function page(person: Person, query: Record<string, string>): Promise<{ ids: string[]; cursor: string | null }> {
  const answer = succeeds(await person.get(paths.fills, query))
  const { list, cursor } = answer.data as { list: Fields[]; cursor: string | null }
  return { ids: list.map((fill) => fill['execId'] ?? ''), cursor }
}

row('E1 table limit', 'absent: pages of 100', async () => {
  const carol = await withFills(105)
  const first = await page(carol, {})
  expect(first.ids).toHaveLength(100)
  const second = await page(carol, { cursor: first.cursor ?? '' })
  expect(second.ids).toHaveLength(5)
  expect(second.cursor).toBeNull()
  expect(new Set([...first.ids, ...second.ids]).size).toBe(105)
})

row(pages, 'pages of 3 over 10 fills neither repeat nor miss one', async () => {
  const carol = await withFills(10)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const next: Awaited<ReturnType<typeof page>> = await page(
      carol,
      cursor === null ? { limit: '3' } : { limit: '3', cursor },
    )
    seen.push(...next.ids)
    cursor = next.cursor
  } while (cursor !== null)
  expect(seen).toHaveLength(10)
  expect(seen).toEqual((await page(carol, {})).ids)
})

row(pages, 'new fills between two pages do not move the second', async () => {
  const carol = await withFills(6)
  const all = await page(carol, {})
  const first = await page(carol, { limit: '4' })
  const dave = await at.person('Dave', { funds })
  await takenInBatch(dave, 'sell 0.005 @ 60000', btcSpot)
  await takenInBatch(carol, 'buy 0.005 @ 60000', btcSpot)
  const second = await page(carol, { limit: '4', cursor: first.cursor ?? '' })
  expect([...first.ids, ...second.ids]).toEqual(all.ids)
})

row(pages, 'a page that ends with the list has a null cursor', async () => {
  const carol = await withFills(4)
  expect((await page(carol, { limit: '4' })).cursor).toBeNull()
  expect((await page(carol, { limit: '5' })).cursor).toBeNull()
})

row(pages, 'an empty list has a null cursor', async () => {
  const carol = await at.person('Carol')
  expect(await page(carol, {})).toEqual({ ids: [], cursor: null })
})

row(pages, 'the last page of a filter keeps the filter', async () => {
  const carol = await withFills(5)
  const first = await page(carol, { category: 'SPOT', limit: '3' })
  const second = await page(carol, { category: 'SPOT', limit: '3', cursor: first.cursor ?? '' })
  expect(second.ids).toHaveLength(2)
})

table(
  { rule: 'E1 table cursor', decision: 'a cursor not made by the venue is refused (design §4.32)' },
  [
    ['a word', 'garbage'],
    ['a JSON text', '{"id":1}'],
    ['SQL', "' OR 1=1 --"],
    ['a very long text', 'A'.repeat(2000)],
  ],
  async (cursor) => {
    refuses(await alice.get(paths.fills, { cursor }), 'a parameter')
  },
)

row(
  { rule: 'design §4.27', decision: 'a read sees whatever was acknowledged before it began' },
  'fills are there at once, every time',
  async () => {
    const maker = await at.person('Bob', { funds })
    const taker = await at.person('Alice', { funds })
    for (let count = 1; count <= 20; count += 1) {
      await takenInBatch(maker, 'sell 0.001 @ 60000', btcSpot)
      const { orderId } = await takenInBatch(taker, 'buy 0.001 @ 60000', btcSpot)
      const found = await fills(taker)
      expect(found).toHaveLength(count)
      expect(found.at(-1)).toMatchObject({ orderId })
    }
  },
)

row('Fill execPnl', 'a close carries its profit without fees, an open carries none', async () => {
  const maker = await at.person('Bob', { funds })
  const taker = await at.person('Alice', { funds })
  await takenInBatch(maker, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(taker, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(maker, 'buy 0.1 @ 60500', btcPerpetual)
  await takenInBatch(taker, 'sell 0.1 @ 60500', btcPerpetual)
  const [open, close] = await fills(taker)
  expect(open).toMatchObject({ tradeSide: 'open', execPnl: '0' })
  expect(close).toMatchObject({ tradeSide: 'close', execPnl: '50', side: 'sell' })
  const [, makersClose] = await fills(maker)
  expect(makersClose).toMatchObject({ tradeSide: 'close', execPnl: '-50', side: 'buy' })
})

row(
  { rule: 'design §4.34', decision: 'one link per match; each side’s fills have their own execId' },
  'both sides of a match share the execLinkId',
  async () => {
    const maker = await at.person('Bob', { funds })
    const taker = await at.person('Alice', { funds })
    await takenInBatch(maker, 'sell 0.1 @ 60000', btcPerpetual)
    await takenInBatch(taker, 'buy 0.1 @ 60000', btcPerpetual)
    const [bought] = await fills(taker)
    const [sold] = await fills(maker)
    expect(bought?.['execLinkId']).toBe(sold?.['execLinkId'])
    expect(bought?.['execId']).not.toBe(sold?.['execId'])
    const publicFills = succeeds(
      await at.venue.get(paths.publicFills, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }),
    ).list()
    const seen = publicFills.find((fill) => fill['execId'] === bought?.['execLinkId'])
    expect(seen).toMatchObject({ price: '60000', size: '0.1', side: 'buy', execLinkId: bought?.['execLinkId'] })
  },
)

row(
  { rule: 'design §4.34', decision: 'a fill that flips a position is two private fills with one link' },
  'long 0.1, sell 0.3: a close and an open',
  async () => {
    const maker = await at.person('Bob', { funds })
    const taker = await at.person('Alice', { funds })
    await takenInBatch(maker, 'sell 0.1 @ 60000', btcPerpetual)
    await takenInBatch(taker, 'buy 0.1 @ 60000', btcPerpetual)
    await takenInBatch(maker, 'buy 0.3 @ 60000', btcPerpetual)
    const { orderId = '' } = await takenInBatch(taker, 'sell 0.3 @ 60000', btcPerpetual)
    const parts = await fills(taker, { orderId })
    expect(parts.map((fill) => `${fill['tradeSide']} ${fill['execQty']}`)).toEqual(['close 0.1', 'open 0.2'])
    expect(parts[0]?.['execLinkId']).toBe(parts[1]?.['execLinkId'])
    expect(parts[0]?.['execId']).not.toBe(parts[1]?.['execId'])
  },
)

row('E1', 'market orders and client order ids are shown', async () => {
  const maker = await at.person('Bob', { funds })
  const taker = await at.person('Alice', { funds })
  await takenInBatch(maker, 'sell 0.1 @ 60000', btcPerpetual)
  succeeds(await taker.post(paths.placeBatch, [batchOrder('buy 0.1 oid:my-order:1', btcPerpetual)]))
  expect(await fills(taker)).toMatchObject([{ orderType: 'market', clientOid: 'my-order:1', tradeScope: 'taker' }])
})

row(
  { rule: 'Fill execQty', decision: 'base coin and quote coin in every category, as the interface says' },
  'an inverse fill of 30000 USD at 60000',
  async () => {
    const [fill] = await fills(alice, { category: 'COIN-FUTURES' })
    expect(fill).toMatchObject({ execQty: '0.5', execValue: '30000' })
  },
)

row('Fill fields', 'a fill never changes: both times are its own and the public fill’s', async () => {
  const [fill] = await fills(alice, { category: 'USDC-FUTURES' })
  const answer = await at.venue.get(paths.publicFills, { category: 'USDC-FUTURES', symbol: 'BTCPERP' })
  const seen = succeeds(answer)
    .list()
    .find((record) => record['execId'] === fill?.['execLinkId'])
  expect(fill?.['createdTime']).toBe(fill?.['updatedTime'])
  expect(seen?.['ts']).toBe(fill?.['createdTime'])
})
