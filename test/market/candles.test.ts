/**
 * Candles: where intervals begin, and that the running ones and those of the history are the plain sums of what happened.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type Candle, openHistory, type PriceKind } from '../../src/history/history.ts'
import { intervalsAfter } from '../../src/market/intervals.ts'
import { type Interval, intervals, intervalStart, Market, readCandles } from '../../src/market/market.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** A Thursday. */
const someday = Date.UTC(2026, 9, 15, 13, 47, 11, 123)

test.each([
  // interval   begins                 the next one begins
  ['1m', '2026-10-15T13:47:00Z', '2026-10-15T13:48:00Z'],
  ['3m', '2026-10-15T13:45:00Z', '2026-10-15T13:48:00Z'],
  ['5m', '2026-10-15T13:45:00Z', '2026-10-15T13:50:00Z'],
  ['15m', '2026-10-15T13:45:00Z', '2026-10-15T14:00:00Z'],
  ['30m', '2026-10-15T13:30:00Z', '2026-10-15T14:00:00Z'],
  ['1H', '2026-10-15T13:00:00Z', '2026-10-15T14:00:00Z'],
  ['2H', '2026-10-15T12:00:00Z', '2026-10-15T14:00:00Z'],
  ['4H', '2026-10-15T12:00:00Z', '2026-10-15T16:00:00Z'],
  ['6H', '2026-10-15T10:00:00Z', '2026-10-15T16:00:00Z'],
  ['6Hutc', '2026-10-15T12:00:00Z', '2026-10-15T18:00:00Z'],
  ['12H', '2026-10-15T04:00:00Z', '2026-10-15T16:00:00Z'],
  ['12Hutc', '2026-10-15T12:00:00Z', '2026-10-16T00:00:00Z'],
  ['1D', '2026-10-14T16:00:00Z', '2026-10-15T16:00:00Z'],
  ['1Dutc', '2026-10-15T00:00:00Z', '2026-10-16T00:00:00Z'],
  ['3D', '2026-10-12T16:00:00Z', '2026-10-15T16:00:00Z'],
  ['3Dutc', '2026-10-13T00:00:00Z', '2026-10-16T00:00:00Z'],
  ['1W', '2026-10-11T16:00:00Z', '2026-10-18T16:00:00Z'],
  ['1Wutc', '2026-10-12T00:00:00Z', '2026-10-19T00:00:00Z'],
  ['1M', '2026-09-30T16:00:00Z', '2026-10-31T16:00:00Z'],
  ['1Mutc', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
] as const)('%s begins %s', (interval, start, next) => {
  expect(intervalStart(interval, someday)).toBe(Date.parse(start))
  expect(intervalsAfter(interval, Date.parse(start), 1)).toBe(Date.parse(next))
  expect(intervalsAfter(interval, Date.parse(next), -1)).toBe(Date.parse(start))
  expect(intervalStart(interval, Date.parse(next) - 1)).toBe(Date.parse(start))
})

interface PricePoint {
  readonly at: number
  readonly price: number
  readonly quantity: number
}

/** A candle by the definition, from everything that was published of a price. */
function plain(
  published: readonly PricePoint[],
  kind: PriceKind,
  start: number,
  end: number,
): Partial<Candle> | undefined {
  const before = published.findLast(({ at }) => at < start)?.price
  const within = published.filter(({ at }) => at >= start && at < end)
  const prices = within.map(({ price }) => price)
  if (before !== undefined && (kind !== 'market' || prices.length === 0)) prices.unshift(before)
  if (prices.length === 0) return undefined
  return {
    start,
    openPrice: ticks(prices[0]),
    highPrice: ticks(Math.max(...prices)),
    lowPrice: ticks(Math.min(...prices)),
    closePrice: ticks(prices.at(-1) ?? 0),
    quantity: BigInt(within.reduce((sum, { quantity }) => sum + quantity, 0)),
  }
}

const kinds = ['market', 'mark', 'index'] as const

test('running and past candles are the plain sums, over 90 days, before and after a restart', {
  timeout: 180_000,
}, async () => {
  const step = fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 2 * minute }), fc.integer({ min: 0, max: 3 * day })),
    price: fc.integer({ min: 1, max: 1_000 }),
    quantity: fc.integer({ min: 0, max: 50 }),
    ask: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const history = await openHistory(':memory:')
      const market = new Market()
      const published: Record<PriceKind, PricePoint[]> = { market: [], mark: [], index: [] }
      let now = someday
      const expectRunning = (asked: Market) => {
        for (const kind of kinds) {
          for (const interval of intervals) {
            const start = intervalStart(interval, now)
            const expected = plain(published[kind], kind, start, now + 1)
            const found = asked.candle(1, kind, interval, now)
            if (expected === undefined) expect(found).toBeUndefined()
            else expect(found, `${kind} ${interval}`).toMatchObject(expected)
          }
        }
      }
      for (const [n, { wait, price, quantity, ask }] of steps.entries()) {
        now += wait
        const event: Event =
          quantity > 0
            ? {
                kind: 'trade',
                matchId: n + 1,
                instrument: 1,
                price: ticks(price),
                quantity: lots(quantity),
                side: 'buy',
                at: now,
              }
            : { kind: 'prices-changed', instrument: 1, markPrice: ticks(price), indexPrice: ticks(price + 1), at: now }
        if (quantity > 0) published.market.push({ at: now, price, quantity })
        else {
          published.mark.push({ at: now, price, quantity: 0 })
          published.index.push({ at: now, price: price + 1, quantity: 0 })
        }
        market.record([event])
        history.record(n + 1, now, [event])
        if (ask) expectRunning(market)
      }
      now += 1_000
      const restored = new Market()
      await restored.restore(history, [1], now)
      expectRunning(market)
      expectRunning(restored)
      expect(restored.ticker(1, now)).toEqual(market.ticker(1, now))
      for (const interval of ['1m', '5m', '1H', '1D', '1Wutc', '1M'] as const) {
        for (const priceKind of kinds) await expectPast(interval, priceKind)
      }
      await history.close()

      async function expectPast(interval: Interval, priceKind: PriceKind): Promise<void> {
        const found = await readCandles(history, { instrument: 1, priceKind, interval, limit: 40 }, now)
        const newest = intervalStart(interval, now)
        const expected = Array.from({ length: 40 }, (_, back) => {
          const start = intervalsAfter(interval, newest, back - 39)
          return plain(published[priceKind], priceKind, start, intervalsAfter(interval, start, 1))
        }).filter((candle) => candle !== undefined)
        expect(found).toMatchObject(expected)
      }
    }),
    { numRuns: 15 },
  )
})

test('windows: the newest before `to`, the first after `from` alone, `from` within its candle', async () => {
  const history = await openHistory(':memory:')
  const start = intervalStart('1H', someday)
  const trade = { kind: 'trade', instrument: 1, price: ticks(5), quantity: lots(1), side: 'buy' } as const
  history.record(1, start, [{ ...trade, matchId: 1, at: start - 100 * 60 * minute }])
  const hour = 60 * minute
  const starts = async (ask: { from?: number; to?: number; limit: number }) =>
    (await readCandles(history, { instrument: 1, priceKind: 'market', interval: '1H', ...ask }, someday)).map(
      (candle) => (candle.start - start) / hour,
    )
  expect(await starts({ limit: 3 })).toEqual([-2, -1, 0])
  expect(await starts({ to: start, limit: 2 })).toEqual([-2, -1])
  expect(await starts({ to: start + 1, limit: 2 })).toEqual([-1, 0])
  expect(await starts({ from: start - 5 * hour, limit: 2 })).toEqual([-5, -4])
  expect(await starts({ from: start - 5 * hour + 1, limit: 100 })).toEqual([-5, -4, -3, -2, -1, 0])
  expect(await starts({ from: start - 5 * hour, to: start - 2 * hour, limit: 100 })).toEqual([-5, -4, -3])
  expect(await starts({ from: start - 5 * hour, to: start - 2 * hour, limit: 2 })).toEqual([-4, -3])
  expect(await starts({ from: someday + day, limit: 2 })).toEqual([])
  expect(await starts({ limit: 1_000 })).toHaveLength(101)
  await history.close()
})

test('whoever listens hears of every change, until they stop', () => {
  const market = new Market()
  const published: string[] = []
  const stop = market.onCandles((instrument, priceKind) => published.push(`${instrument} ${priceKind}`))
  const trade = { kind: 'trade', instrument: 1, price: ticks(5), quantity: lots(1), side: 'buy', at: someday } as const
  market.record([{ ...trade, matchId: 1 }])
  market.record([{ ...trade, matchId: 1 }])
  market.record([{ kind: 'prices-changed', instrument: 2, markPrice: ticks(5), indexPrice: ticks(5), at: someday }])
  stop()
  market.record([{ ...trade, matchId: 2 }])
  expect(published).toEqual(['1 market', '2 mark', '2 index'])
})
