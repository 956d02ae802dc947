/**
 * Market faults: what a client sees of each, what the journal says, and that all is what it was when `for` is over.
 *
 * Source  lab.md §4.5, the last row; docs/lab.md
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import { LabVenue } from './laboratory.ts'

let here: OpenedHere
let venue: LabVenue
let trader: Person
let now = 0

beforeAll(async () => {
  here = await openHere({})
  venue = here.venue
  now = (await venue.get<{ now: number }>('')).now
  trader = venue.person('unified-main', () => now)
})
afterAll(() => here.close())
beforeEach(async () => {
  now = (await venue.post<{ now: number }>('/reset')).now
})
afterEach(async () => {
  expect(await venue.get('/operator/verify')).toMatchObject({ balanced: true, faults: [] })
})

type Levels = readonly (readonly [string, string])[]
interface Done {
  readonly sequences: readonly number[]
  readonly market: { readonly id: number | null; readonly until: number | null } & Readonly<Record<string, unknown>>
}

const book = (symbol: string, bids: Levels, asks: Levels, category = 'USDT-FUTURES') =>
  venue.post('/book', { symbol, category, bids, asks })
const fault = (name: string, more: object = {}) =>
  venue.post<Done>('/cheats', { market: { fault: name, symbol: 'BTCUSDT', ...more } })
const step = async (duration: string) => (now = (await venue.post<{ now: number }>('/clock', { step: duration })).now)

/** What a client is answered: the code of the refusal, or 00000. */
async function place(order: Readonly<Record<string, string>>, by: Person = trader): Promise<string | undefined> {
  const usual = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', qty: '0.01' }
  const { code } = await by.post('/api/v3/trade/place-order', { ...usual, price: '50000', ...order })
  return code
}

/** Best first, as the interface shows them. */
async function depth(symbol = 'BTCUSDT', category = 'USDT-FUTURES') {
  const { data } = await trader.get('/api/v3/market/orderbook', { category, symbol, limit: 5 })
  const { b, a } = data as { b: unknown[]; a: unknown[] }
  return { bids: JSON.stringify(b), asks: JSON.stringify(a) }
}

const ticker = async (symbol = 'BTCUSDT') =>
  (await trader.get('/api/v3/market/tickers', { category: 'USDT-FUTURES', symbol })).list()[0]
const instrument = async () =>
  (await trader.get('/api/v3/market/instruments', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })).list()[0]

interface Line {
  readonly sequence: number
  readonly command: Readonly<Record<string, unknown>>
}

/** Kinds of the commands that a call answered with. */
async function kinds({ sequences }: { readonly sequences: readonly number[] }): Promise<string[]> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
  return sequences.map((sequence) => String(lines.find((line) => line.sequence === sequence)?.command['kind']))
}

/** All that a fault changes and a client can ask for. */
async function seen() {
  return {
    ...(await depth()),
    instrument: await instrument(),
    tiers: (await trader.get('/api/v3/market/position-tier', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })).data,
    pricing: await venue.get('/operator/pricing'),
    index: (await ticker())['indexPrice'],
    mark: (await ticker())['markPrice'],
    last: (await ticker())['lastPrice'],
  }
}

const plain: [Levels, Levels] = [
  [
    ['59990', '1'],
    ['59980', '2'],
  ],
  [
    ['60010', '1'],
    ['60020', '2'],
  ],
]

interface Row {
  readonly fault: string
  readonly with?: object
  /** Milliseconds that have to pass before it is seen. */
  readonly after?: string
  readonly journal: readonly string[]
  readonly see: () => Promise<void>
}

const rows: Row[] = [
  {
    fault: 'halt',
    journal: ['set-instrument'],
    see: async () => {
      expect((await instrument())['status']).toBe('offline')
      expect(await place({})).toBe('41114')
    },
  },
  {
    fault: 'cancel-only',
    journal: ['set-instrument'],
    see: async () => {
      expect((await instrument())['status']).toBe('limit_open')
      expect(await place({})).toBe('41114')
    },
  },
  {
    fault: 'index-stale',
    after: '2ms',
    journal: ['configure-pricing'],
    see: async () => {
      expect(await place({})).toBe('45043')
    },
  },
  {
    fault: 'index-jump',
    with: { size: 9 },
    journal: ['set-index-prices', 'set-index-prices'],
    see: async () => {
      expect(await ticker()).toMatchObject({ indexPrice: '600000', markPrice: '600000' })
    },
  },
  {
    fault: 'index-jump',
    journal: ['set-index-prices'],
    see: async () => {
      expect(await ticker()).toMatchObject({ indexPrice: '66000', markPrice: '66000' })
    },
  },
  {
    fault: 'one-sided',
    journal: ['cancel-order', 'cancel-order'],
    see: async () => {
      expect(await depth()).toEqual({ bids: '[[59990,1],[59980,2]]', asks: '[]' })
    },
  },
  {
    fault: 'one-sided',
    with: { side: 'bids' },
    journal: ['cancel-order', 'cancel-order'],
    see: async () => {
      expect(await depth()).toEqual({ bids: '[]', asks: '[[60010,1],[60020,2]]' })
      expect(await place({ orderType: 'market', side: 'sell', timeInForce: 'ioc' })).toBe('00000')
    },
  },
  {
    fault: 'empty-book',
    journal: Array.from({ length: 4 }, () => 'cancel-order'),
    see: async () => {
      expect(await depth()).toEqual({ bids: '[]', asks: '[]' })
    },
  },
  {
    fault: 'wide',
    with: { size: '0.1' },
    journal: [...Array.from({ length: 4 }, () => 'cancel-order'), ...Array.from({ length: 10 }, () => 'place-order')],
    see: async () => {
      const { bids, asks } = await depth()
      expect([bids, asks]).toEqual([expect.stringMatching(/^\[\[57000,/), expect.stringMatching(/^\[\[63000,/)])
    },
  },
  {
    fault: 'flash-crash',
    with: { size: '0.2' },
    journal: [],
    see: async () => {
      expect(await ticker()).toMatchObject({ indexPrice: '48000', markPrice: '48000', lastPrice: '48000' })
      const { bids, asks } = await depth()
      expect([bids, asks]).toEqual([expect.stringMatching(/^\[\[47952,/), expect.stringMatching(/^\[\[48048,/)])
    },
  },
  {
    fault: 'squeeze',
    with: { size: '0.5' },
    journal: [],
    see: async () => {
      expect(await ticker()).toMatchObject({ indexPrice: '90000', markPrice: '90000', lastPrice: '90000' })
      const { bids, asks } = await depth()
      expect([bids, asks]).toEqual([expect.stringMatching(/^\[\[89910,/), expect.stringMatching(/^\[\[90090,/)])
    },
  },
  {
    fault: 'tier-down',
    with: { size: 5 },
    journal: ['set-instrument'],
    see: async () => {
      const leverage = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '100' }
      expect(await place({ qty: '10' })).toBe('00000')
      expect((await trader.post('/api/v3/account/set-leverage', leverage)).code).not.toBe('00000')
    },
  },
  {
    fault: 'fee-up',
    journal: ['set-instrument'],
    see: async () => {
      expect(await instrument()).toMatchObject({ makerFeeRate: '0.0004', takerFeeRate: '0.0012' })
    },
  },
  {
    fault: 'min-size-up',
    journal: ['set-order-minimum'],
    see: async () => {
      expect(await place({ qty: '0.0009' })).toBe('45111')
      expect(await place({ qty: '0.001' })).toBe('00000')
    },
  },
]

describe('what a client sees, what the journal says, and what is there when it is over', () => {
  test.each(rows)('$fault $with', async ({ fault: name, with: more, after, journal, see }) => {
    await book('BTCUSDT', ...plain)
    const before = await seen()
    const done = await fault(name, { ...more, for: '10s' })
    expect(done.market).toMatchObject({ fault: name, symbol: 'BTCUSDT', category: 'USDT-FUTURES', until: now + 10_000 })
    if (journal.length > 0) expect(await kinds(done)).toEqual(journal)
    expect(done.sequences.length).toBeGreaterThan(0)
    if (after !== undefined) await step(after)
    await see()
    await trader.post('/api/v3/trade/cancel-symbol-order', { category: 'USDT-FUTURES' })
    expect(await venue.get('/cheats')).toMatchObject({ market: [{ fault: name, until: expect.any(Number) as number }] })
    await step('9997ms')
    expect(await venue.get('/cheats')).toMatchObject({ market: [{ fault: name }] })
    await step('3ms')
    expect(await venue.get('/cheats')).toEqual({ market: [] })
    expect(await seen()).toEqual(before)
  })
})

const position = (uid: string, side: string, size: string, more: object = {}) =>
  venue.post('/cheats', { position: { uid, symbol: 'BTCUSDT', side, size, ...more } })

describe('accounts', () => {
  test('liquidate: the account is liquidated, and then the index is what it was', async () => {
    await position('unified-main', 'long', '1', { leverage: 20, marginMode: 'isolated' })
    const done = await fault('liquidate', { uid: 'unified-main', for: '1m' })
    expect(done.market).toMatchObject({ liquidations: 1, indexPrices: { BTC: expect.any(String) as string } })
    expect((await trader.get('/api/v3/position/current-position', { category: 'USDT-FUTURES' })).list('list')).toEqual(
      [],
    )
    expect(Number((await ticker())['indexPrice'])).toBeLessThan(58_000)
    await step('1m')
    expect(await ticker()).toMatchObject({ indexPrice: '60000' })
  })

  test('adl: the account is deleveraged, and then the index is what it was', async () => {
    await position('unified-main', 'long', '2', { leverage: 20, marginMode: 'isolated' })
    const done = await fault('adl', { uid: 'unified-main', for: '1m' })
    expect(done.market).toMatchObject({ fault: 'adl', positions: [] })
    await step('1m')
    expect(await ticker()).toMatchObject({ indexPrice: '60000' })
  })

  test('funding-spike: settles once, at the cap unless a rate is given', async () => {
    await position('unified-main', 'long', '1')
    for (const [size, rate] of [
      [undefined, '0.003'],
      ['-0.01', '-0.01'],
    ]) {
      const { market } = await fault('funding-spike', { size })
      expect(market).toMatchObject({ id: null, rate, positions: 2, until: null })
    }
    expect(await venue.get('/cheats')).toEqual({ market: [] })
    const { data } = await trader.get('/api/v3/market/history-fund-rate', {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
    })
    // Those of before the venue come behind.
    const settled = (data as { resultList: { fundingRate: string }[] }).resultList.slice(0, 2)
    expect(settled.map(({ fundingRate }) => Number(fundingRate))).toEqual([-0.01, 0.003])
  })
})

describe('moves', () => {
  test('flash-crash: bids of users on the way are met, those below are not, and both sides of the account add up', async () => {
    await book('BTCUSDT', ...plain)
    expect(await place({ price: '58000' })).toBe('00000')
    expect(await place({ price: '50000' })).toBe('00000')
    await fault('flash-crash', { for: '5s' })
    const filled = (await trader.get('/api/v3/trade/fills', { category: 'USDT-FUTURES' })).list('list')
    expect(filled).toMatchObject([{ execPrice: '58000', execQty: '0.01' }])
    expect((await depth()).bids).toMatch(/^\[\[53946,.*\]$/)
    await step('5s')
    expect(await ticker()).toMatchObject({ lastPrice: '60000', indexPrice: '60000', markPrice: '60000' })
    expect(await depth()).toEqual({ bids: '[[59990,1],[59980,2],[50000,0.01]]', asks: '[[60010,1],[60020,2]]' })
  })

  test('squeeze: shorts are liquidated by it', async () => {
    await position('classic-main', 'short', '1', { leverage: 20, marginMode: 'isolated' })
    const { sequences } = await fault('squeeze', { for: '5s' })
    const { text } = await venue.call('GET', '/journal?uid=classic-main&limit=10000')
    const liquidated = text.split('\n').filter((line) => line.includes('"liquidation"'))
    expect(liquidated.some((line) => sequences.includes((JSON.parse(line) as Line).sequence))).toBe(true)
  })

  test('what would meet a user who came meanwhile stays away', async () => {
    await book('BTCUSDT', ...plain)
    await fault('empty-book', { for: '5s' })
    expect(await place({ price: '60015' })).toBe('00000')
    await step('5s')
    expect(await depth()).toEqual({ bids: '[[60015,0.01],[59990,1],[59980,2]]', asks: '[[60020,2]]' })
  })
})

test.each([
  ['BTCUSDT', 'SPOT', '59990', '60010'],
  ['BTCPERP', 'USDC-FUTURES', '59990', '60010'],
  ['BTCUSD', 'COIN-FUTURES', '59990', '60010'],
])('books of %s %s go, widen, leap and come back', async (symbol, category, bid, ask) => {
  await book(symbol, [[bid, '5']], [[ask, '5']], category)
  const before = await depth(symbol, category)
  for (const name of ['empty-book', 'wide', 'flash-crash', 'squeeze']) {
    await venue.post('/cheats', { market: { fault: name, symbol, category, for: '1s' } })
    expect(await depth(symbol, category)).not.toEqual(before)
    await step('1s')
    expect(await depth(symbol, category)).toEqual(before)
  }
})

describe('several at once', () => {
  const status = async () => (await instrument())['status']

  test.each([
    ['the first ends first', '10s', '20s', ['limit_open', 'limit_open', 'online']],
    ['the second ends first', '20s', '10s', ['limit_open', 'offline', 'online']],
  ])('%s, and all is what it was when both have ended', async (_, first, second, statuses) => {
    await fault('halt', { for: first })
    await fault('cancel-only', { for: second })
    expect(await status()).toBe(statuses[0])
    await step('10s')
    expect(await status()).toBe(statuses[1])
    await step('10s')
    expect(await status()).toBe(statuses[2])
  })

  test('factors multiply, whichever goes first', async () => {
    await fault('index-jump', { for: '10s' })
    await fault('index-jump', { for: '20s', size: '-0.5' })
    expect(await ticker()).toMatchObject({ indexPrice: '33000' })
    await step('10s')
    expect(await ticker()).toMatchObject({ indexPrice: '33000' })
    await step('10s')
    expect(await ticker()).toMatchObject({ indexPrice: '60000' })
  })

  test('without `for` one stays until it is ended, by its number or all together', async () => {
    const { market } = await fault('fee-up', { size: 3 })
    await fault('min-size-up')
    await fault('halt', { symbol: 'ETHUSDT' })
    await step('90d')
    expect(await instrument()).toMatchObject({ takerFeeRate: '0.0018', minOrderQty: '0.001' })
    const ended = await venue.post<Done>('/cheats', { market: { end: market.id } })
    expect([await kinds(ended), ended.market['left']]).toMatchObject([['set-instrument'], [{ id: 2 }, { id: 3 }]])
    expect(await instrument()).toMatchObject({ takerFeeRate: '0.0006', minOrderQty: '0.001' })
    await venue.post('/cheats', { market: { end: 'all' } })
    expect(await instrument()).toMatchObject({ takerFeeRate: '0.0006', minOrderQty: '0.0001' })
    expect((await venue.call('POST', '/cheats', { market: { end: 1 } })).envelope).toMatchObject({
      error: { code: 'unknown-fault', field: 'end' },
    })
  })
})

test('with simulated agents: they leave the book alone, follow the index, and come back', async () => {
  const { url, venue: id } = await venue.post<{ url: string; venue: string }>('/venues', { simulator: true })
  const lively = await LabVenue.at(url)
  await lively.post('/clock', { freeze: true })
  const view = async () => {
    const someone = lively.person('unified-main', () => now)
    const [of] = (await someone.get('/api/v3/market/tickers', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })).list()
    const { data } = await someone.get('/api/v3/market/orderbook', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })
    const { a, b } = data as { readonly a: readonly unknown[]; readonly b: readonly unknown[] }
    return { index: Number(of['indexPrice']), levels: a.length + b.length }
  }
  const move = async (duration: string) =>
    (now = (await lively.post<{ now: number }>('/clock', { step: duration })).now)
  await move('1s')
  const before = await view()
  expect(before.levels).toBeGreaterThan(4)
  await lively.post('/cheats', { market: { fault: 'empty-book', symbol: 'BTCUSDT', for: '10s' } })
  await lively.post('/cheats', { market: { fault: 'index-jump', symbol: 'BTCUSDT', size: '0.5', for: '10s' } })
  await move('8s')
  const during = await view()
  expect([during.levels, during.index / before.index]).toEqual([0, expect.closeTo(1.5, 1)])
  await move('8s')
  const after = await view()
  expect(after.levels).toBeGreaterThan(4)
  expect(after.index / before.index).toBeCloseTo(1, 1)
  await venue.call('DELETE', `/venues/${id}`)
})

describe('saved with the venue', () => {
  const isHalted = async () => (await instrument())['status'] === 'offline'

  test('a revert brings a fault back with the time that it has left, and a fork has it, too', async () => {
    await fault('halt', { for: '10s' })
    await step('4s')
    const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
    await step('6s')
    expect(await isHalted()).toBe(false)
    now = (await venue.post<{ now: number }>('/revert', { snapshot })).now
    expect(await isHalted()).toBe(true)
    const fork = await venue.fork(snapshot)
    expect(await fork.get('/cheats')).toMatchObject({ market: [{ fault: 'halt' }] })
    await step('5999ms')
    expect(await isHalted()).toBe(true)
    await step('1ms')
    expect(await isHalted()).toBe(false)
    await fork.post('/clock', { step: '6s' })
    expect(await fork.get('/cheats')).toEqual({ market: [] })
    await venue.call('DELETE', `/venues/${fork.id}`)
    await venue.call('DELETE', `/snapshots/${snapshot}`)
  })

  test('a reset knows of none', async () => {
    await fault('halt', { for: '10s' })
    now = (await venue.post<{ now: number }>('/reset')).now
    expect([await isHalted(), await venue.get('/cheats')]).toEqual([false, { market: [] }])
    await step('1h')
    expect(await isHalted()).toBe(false)
  })

  test('on the clock of the system it goes back by itself', async () => {
    await fault('halt', { for: '100ms' })
    await venue.post('/clock', { thaw: true })
    await expect.poll(async () => venue.get('/cheats'), { timeout: 5_000, interval: 20 }).toEqual({ market: [] })
    now = (await venue.post<{ now: number }>('/clock', { freeze: true })).now
    expect(await isHalted()).toBe(false)
  })
})

test.each<[object, number, string, RegExp]>([
  [{}, 400, 'market.fault', /exactly one of fault and end is wanted, not none/],
  [{ fault: 'halt', end: 'all' }, 400, 'market.fault', /not both/],
  [{ end: 'all', symbol: 'BTCUSDT' }, 400, 'market.symbol', /goes with fault/],
  [{ fault: 'tea' }, 400, 'market.fault', /one of halt, cancel-only/],
  [{ fault: 'halt' }, 400, 'market.symbol', /is required/],
  [{ fault: 'halt', symbol: 'TEAUSDT' }, 404, 'market.symbol', /no instrument TEAUSDT/],
  [{ fault: 'halt', symbol: 'BTCUSDT', size: '1' }, 400, 'market.size', /is not for halt/],
  [{ fault: 'halt', symbol: 'BTCUSDT', for: 'soon' }, 400, 'market.for', /a duration/],
  [{ fault: 'halt', symbol: 'BTCUSDT', uid: 'unified-main' }, 400, 'market.uid', /liquidate and adl only/],
  [{ fault: 'halt', symbol: 'BTCUSDT', side: 'bids' }, 400, 'market.side', /one-sided only/],
  [{ fault: 'liquidate', symbol: 'BTCUSDT' }, 400, 'market.uid', /is required by liquidate/],
  [{ fault: 'liquidate', symbol: 'BTCUSDT', uid: 'unified-main' }, 409, '', /no position in BTCUSDT/],
  [{ fault: 'adl', symbol: 'BTCUSDT', category: 'SPOT', uid: 5 }, 400, 'market.symbol', /no contract/],
  [{ fault: 'tier-down', symbol: 'BTCUSDT', category: 'SPOT' }, 400, 'market.symbol', /no contract/],
  [{ fault: 'tier-down', symbol: 'BTCUSDT', size: 1 }, 400, 'market.size', /a factor above 1, at most 1000/],
  [{ fault: 'fee-up', symbol: 'BTCUSDT', size: 100 }, 409, '', /maintenance rate that with the taker fee/],
  [{ fault: 'flash-crash', symbol: 'BTCUSDT', size: '0.91' }, 400, 'market.size', /at most 0\.9/],
  [{ fault: 'flash-crash', symbol: 'BTCUSDT', size: '-0.1' }, 400, 'market.size', /above 0/],
  [{ fault: 'index-jump', symbol: 'BTCUSDT', size: 0 }, 400, 'market.size', /above -1/],
  [{ fault: 'funding-spike', symbol: 'BTCUSDT', size: '1.1' }, 400, 'market.size', /-8\/8 to 8\/8/],
  [{ fault: 'funding-spike', symbol: 'BTCUSDT', for: '1s' }, 400, 'market.for', /settles once/],
  [{ fault: 'min-size-up', symbol: 'BTCUSDT', size: 'x' }, 400, 'market.size', /a decimal number/],
])('%j is refused and changes nothing', async (market, status, at, sentence) => {
  const before = await venue.get<{ stateHash: string }>('/operator/verify')
  const answer = await venue.call('POST', '/cheats', { market })
  const error = answer.envelope?.['error'] as { readonly message: string; readonly field?: string }
  expect([answer.status, error.field ?? '']).toEqual([status, at])
  expect(error.message).toMatch(sentence)
  expect(await venue.get('/operator/verify')).toEqual(before)
  expect(await venue.get('/cheats')).toEqual({ market: [] })
})
