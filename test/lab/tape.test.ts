/**
 * Recorded markets in the book: without orders of others it is the record at every row, and every trade has its price and size.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imported, written } from '../tape/read.ts'
import { open, type Row, t, tapeOf } from './playing.ts'

const snapshot: readonly Row[] = [60_000, 59_999, 59_998].flatMap((price, place): Row[] => [
  { at: 0, side: 'bid', price, size: 2 + place, snapshot: true },
  { at: 0, side: 'ask', price: 60_001 + place, size: 1 + place, snapshot: true },
])

describe('without orders of others', () => {
  test('the book is the record, from the first moment on', async () => {
    const market = await tapeOf([
      ...snapshot,
      { at: 250, side: 'bid', price: 60_000, size: 0 },
      { at: 250, side: 'bid', price: 59_990.5, size: 7 },
    ])
    await using opened = await open({ market })
    expect(await opened.book()).toEqual({
      bids: ['60000 x 2', '59999 x 3', '59998 x 4'],
      asks: ['60001 x 1', '60002 x 2', '60003 x 3'],
    })
    await opened.clock({ step: '249ms' })
    expect((await opened.book()).bids[0]).toBe('60000 x 2')
    await opened.clock({ step: '1ms' })
    expect((await opened.book()).bids).toEqual(['59999 x 3', '59998 x 4', '59990.5 x 7'])
    expect(await opened.impact()).toMatchObject({ equal: true, refused: 0, rounded: 0 })
  })

  test('every trade has its price and size, and the book is the record behind it', async () => {
    const trades: Row[] = [
      { at: 10, trade: 'buy', price: 60_001, size: 0.4 },
      { at: 20, trade: 'buy', price: 60_002, size: 0.5 },
      { at: 30, trade: 'sell', price: 59_998, size: 9 },
      { at: 30, trade: 'sell', price: 59_997, size: 0.001 },
      { at: 40, trade: 'buy', price: 59_990, size: 0.25 },
    ]
    await using opened = await open({ market: await tapeOf([...snapshot, ...trades]) })
    const before = await opened.book()
    for (const { at } of trades) {
      await opened.clock({ to: t + at })
      expect(await opened.book()).toEqual(before)
    }
    expect(await opened.trades()).toEqual([
      'buy 60001 x 0.4',
      'buy 60002 x 0.5',
      'sell 59998 x 9',
      'sell 59997 x 0.001',
      'buy 59990 x 0.25',
    ])
  })

  test('whatever a record says', { timeout: 60_000 }, async () => {
    const at = fc.integer({ min: 1, max: 30 })
    const size = fc.integer({ min: 1, max: 5_000 }).map((lots) => lots / 1_000)
    const level = fc.record({
      at,
      side: fc.constantFrom('bid' as const, 'ask' as const),
      price: fc.integer({ min: 59_980, max: 60_020 }),
      size: fc.oneof(size, fc.constant(0)),
    })
    const trade = fc.record({
      at,
      trade: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.integer({ min: 59_985, max: 60_015 }),
      size,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(level, trade), { minLength: 1, maxLength: 60 }), async (rows) => {
        const sorted = [...snapshot, ...(rows as Row[]).toSorted((a, b) => a.at - b.at)]
        await using opened = await open({ market: await tapeOf(sorted) })
        for (let now = 0; now <= 30; now++) {
          await opened.clock({ to: t + now })
          expect(await opened.book(), `after ${now} ms`).toEqual(recorded(sorted, now))
        }
        const traded = sorted.flatMap((row) => ('trade' in row ? [`${row.trade} ${row.price} x ${row.size}`] : []))
        expect(await opened.trades()).toEqual(traded)
        expect(await opened.verified()).toBe(true)
      }),
      { numRuns: 12 },
    )
  })
})

/** The book as a reader of the rows alone would have it: an older level that a newer one meets is gone at the end of its moment. */
function recorded(rows: readonly Row[], now: number) {
  const levels = new Map<string, { side: string; price: number; size: number; set: number }>()
  const moments = [...new Set(rows.map(({ at }) => at))].filter((at) => at <= now)
  let counted = 0
  for (const moment of moments) {
    for (const row of rows) {
      if (row.at !== moment || 'trade' in row) continue
      const key = `${row.side} ${row.price}`
      if (row.size === 0) levels.delete(key)
      else levels.set(key, { side: row.side, price: row.price, size: row.size, set: counted++ })
    }
    for (;;) {
      const bid = [...levels.values()].filter(({ side }) => side === 'bid').toSorted((a, b) => b.price - a.price)[0]
      const ask = [...levels.values()].filter(({ side }) => side === 'ask').toSorted((a, b) => a.price - b.price)[0]
      if (bid === undefined || ask === undefined || bid.price < ask.price) break
      const older = bid.set < ask.set ? bid : ask
      levels.delete(`${older.side} ${older.price}`)
    }
  }
  const shown = (side: string, sign: number) =>
    [...levels.values()]
      .filter((level) => level.side === side)
      .toSorted((a, b) => sign * (a.price - b.price))
      .map(({ price, size }) => `${price} x ${size}`)
  return { bids: shown('bid', -1), asks: shown('ask', 1) }
}

describe('with orders of others', () => {
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    orderType: 'limit',
    side: 'buy',
    price: '60000',
    qty: '1',
  }
  const take = { ...order, orderType: 'market', qty: '0.4' }

  test.each([
    ['2s', [0.6, 0.6, 0.8, 0.9, 1]],
    ['0', [0.6, 1, 1, 1, 1]],
    ['never', [0.6, 0.6, 0.6, 0.6, 0.6]],
  ])('what is taken comes back with a half-life of %s', async (heal, sizes) => {
    const market = await tapeOf([...snapshot, { at: 60_000, side: 'bid', price: 59_998, size: 1 }])
    await using opened = await open({ market, heal })
    expect((await opened.person('unified-main').post('/api/v3/trade/place-order', take)).code).toBe('00000')
    const seen = [Number((await opened.book()).asks[0].split(' x ')[1])]
    expect(await opened.impact()).toMatchObject({
      equal: false,
      asks: { missing: '0.4', levels: [{ price: '60001', recorded: '1', book: '0.6' }] },
    })
    for (const step of ['1ms', '1999ms', '2s', '40s']) {
      await opened.clock({ step })
      seen.push(Number((await opened.book()).asks[0].split(' x ')[1]))
    }
    seen.forEach((size, at) => expect(size, `look ${at}`).toBeCloseTo(sizes[at], 2))
    expect(await opened.verified()).toBe(true)
  })

  test('a revert goes back in the tape, and a fork goes on in it by itself', async () => {
    const rows: Row[] = [10, 20, 30].map((at) => ({ at, side: 'bid', price: 60_000, size: at }))
    await using opened = await open({ market: await tapeOf([...snapshot, ...rows]) })
    await opened.clock({ to: t + 10 })
    const { snapshot: saved } = await opened.venue.post<{ snapshot: string }>('/snapshots')
    await opened.clock({ to: t + 30 })
    const last = await opened.book()
    expect(last.bids[0]).toBe('60000 x 30')
    await opened.venue.post('/revert', { snapshot: saved })
    expect((await opened.book()).bids[0]).toBe('60000 x 10')
    const fork = await opened.venue.fork()
    await opened.clock({ to: t + 30 })
    expect(await opened.book()).toEqual(last)
    expect(await fork.get('/market/impact')).toMatchObject({
      played: 8,
      equal: true,
      best: { book: ['60000', '60001'] },
    })
    await fork.post('/clock', { to: t + 20 })
    expect(await fork.get('/market/impact')).toMatchObject({ played: 9, equal: true })
  })
})

describe('time and end', () => {
  const rows: Row[] = [...snapshot, { at: 500, side: 'bid', price: 60_000, size: 9 }]

  test('the venue begins when the tape does, or within it where it is told', async () => {
    const market = await tapeOf(rows)
    await using first = await open({ market })
    expect(await first.venue.get('')).toMatchObject({
      now: t,
      market: { symbol: 'BTCUSDT', state: 'playing', at: t, from: t, to: t + 500 },
    })
    await using later = await open({ market, startAt: String(t + 600) })
    expect((await later.book()).bids[0]).toBe('60000 x 9')
  })

  test.each([
    ['hold', '60000 x 9', 'over'],
    ['loop', '60000 x 2', 'playing'],
  ])('at its end: %s', async (atEnd, bid, state) => {
    await using opened = await open({ market: await tapeOf(rows), atEnd })
    await opened.clock({ to: t + 1_499 })
    expect((await opened.book()).bids[0]).toBe('60000 x 9')
    await opened.clock({ to: t + 1_501 })
    expect((await opened.book()).bids[0]).toBe(bid)
    expect(await opened.impact()).toMatchObject({ state, equal: true })
  })

  test('at its end the simulated agents take the book over', async () => {
    await using opened = await open({ market: await tapeOf(rows), atEnd: 'simulator', simulator: 'on' })
    await opened.clock({ step: '10s' })
    expect(await opened.impact()).toMatchObject({ state: 'over' })
    const { bids } = await opened.book()
    expect(bids.length).toBeGreaterThan(2)
    expect(bids).not.toContain('59999 x 3')
  })

  test('index, mark and funding rate are what the ticker says, else by the formulas of the venue', async () => {
    const columns =
      'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price'
    const ticker = written('ticker.csv', `${columns}\nx,BTCUSDT,${t}000,${t}000,,0.000123,,,,60123.4,60100\n`)
    await using told = await open({ market: await tapeOf(rows, [ticker]) })
    expect(await told.impact()).toMatchObject({
      indexPrice: { recorded: '60123.4', venue: '60123.4' },
      markPrice: { recorded: '60100', venue: '60100' },
      fundingRate: { recorded: '0.000123', venue: '0.000123' },
    })
    const shown = await told.ask('/api/v3/market/tickers?category=USDT-FUTURES&symbol=BTCUSDT')
    expect(shown).toMatchObject([{ indexPrice: '60123.4', markPrice: '60100', fundingRate: '0.000123' }])
    // Long after the last row of the record it holds still.
    await told.clock({ step: '6h' })
    expect(await told.impact()).toMatchObject({ markPrice: { venue: '60100' }, fundingRate: { venue: '0.000123' } })
    await using reckoned = await open({ market: await tapeOf(rows) })
    expect(await reckoned.impact()).toMatchObject({
      indexPrice: { recorded: null, venue: '60000.5' },
      markPrice: { recorded: null },
      fundingRate: { recorded: null, venue: '0.0001' },
    })
  })

  test('as an anchor simulated prices follow it', async () => {
    const candles = [0, 1, 2].map(
      (minute) =>
        `${t / 1_000 + minute * 60},${70_000 + minute * 100},${70_100 + minute * 100},${70_000 + minute * 100},${70_100 + minute * 100}`,
    )
    const { out: market } = await imported(written('c.csv', ['time,open,high,low,close', ...candles, ''].join('\n')))
    await using opened = await open({ market, marketMode: 'anchor', simulator: 'on' })
    await opened.clock({ step: '90s' })
    const { bids, asks } = await opened.book()
    const [bid, ask] = [bids, asks].map(([best]) => Number(best.split(' x ')[0]))
    expect(bid).toBeGreaterThan(70_000)
    expect(ask).toBeLessThan(70_300)
  })
})
