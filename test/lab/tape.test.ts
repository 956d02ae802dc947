/**
 * Recorded markets in the book: without orders of others it is the record at every row, and every trade has its price and size.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imported, written } from '../tape/read.ts'
import { openHere } from './in-process.ts'

const header = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'
const tradeHeader = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount'
/** Milliseconds. */
const t = 1_704_067_200_000

type Row =
  | {
      readonly at: number
      readonly side: 'bid' | 'ask'
      readonly price: number
      readonly size: number
      readonly snapshot?: true
    }
  | { readonly at: number; readonly trade: 'buy' | 'sell'; readonly price: number; readonly size: number }

/** A tape of rows, times in milliseconds from its beginning. */
export async function tapeOf(rows: readonly Row[]): Promise<string> {
  const levels = rows.flatMap((row) => {
    if ('trade' in row) return []
    const at = (t + row.at) * 1_000
    return [`x,BTCUSDT,${at},${at},${row.snapshot === true},${row.side},${row.price},${row.size}`]
  })
  const trades = rows.flatMap((row, id) => {
    const at = (t + row.at) * 1_000
    return 'trade' in row ? [`x,BTCUSDT,${at},${at},${id},${row.trade},${row.price},${row.size}`] : []
  })
  const files = [written('levels.csv', [header, ...levels, ''].join('\n'))]
  if (trades.length > 0) files.push(written('trades.csv', [tradeHeader, ...trades, ''].join('\n')))
  const { out } = await imported(files)
  return out
}

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

async function open(settings: Readonly<Record<string, string>>) {
  const here = await openHere(settings)
  const { venue } = here
  const get = async (path: string) => {
    const answer = await fetch(`${venue.url}${path}`)
    return ((await answer.json()) as { data: any }).data
  }
  const shown = (levels: readonly (readonly [string, string])[]) =>
    levels.map(([price, size]) => `${Number(price)} x ${Number(size)}`)
  return {
    venue,
    async book() {
      const { a, b } = await get('/api/v3/market/orderbook?category=USDT-FUTURES&symbol=BTCUSDT&limit=200')
      return { bids: shown(b), asks: shown(a) }
    },
    async trades(): Promise<string[]> {
      const fills = (await get('/api/v3/market/fills?category=USDT-FUTURES&symbol=BTCUSDT&limit=100')) as Record<
        string,
        string
      >[]
      return fills.toReversed().map(({ side, price, size }) => `${side} ${Number(price)} x ${Number(size)}`)
    },
    impact: () => venue.get('/market/impact'),
    clock: (move: object) => venue.post('/clock', move),
    async verified() {
      return (await venue.get<{ balanced: boolean }>('/operator/verify')).balanced
    },
    [Symbol.asyncDispose]: () => here.close(),
  }
}
