/**
 * Candles of the history: whatever happens to the process, they are the plain sums of the events that made them.
 */
import fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { minuteMs, openHistory, quarterMs } from '../../src/history/history.ts'
import { noon, tradeNumber } from './samples.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-candles-'))
  file = join(directory, 'history.sqlite')
})
afterEach(() => rm(directory, { recursive: true }))

const start = noon - (noon % quarterMs)

function traded(n: number, seconds: number, price: number, quantity: number, instrument = 3): Event {
  return tradeNumber(n, {
    price: ticks(price),
    quantity: lots(quantity),
    at: start + seconds * 1_000,
    instrument,
  })
}

function priced(seconds: number, mark: number, index: number): Event {
  const prices = { markPrice: ticks(mark), indexPrice: ticks(index) }
  return { kind: 'prices-changed', instrument: 3, ...prices, at: start + seconds * 1_000 }
}

const bounds = (count: number, lengthMs = minuteMs) => Array.from({ length: count + 1 }, (_, n) => start + n * lengthMs)
const market = { instrument: 3, priceKind: 'market' } as const

test('trades between bounds: prices, exact sums, and the price before', async () => {
  const history = await openHistory(':memory:')
  const events = [
    traded(1, -1, 1, 1),
    traded(2, 0, 100, 1),
    traded(3, 10, 200, 2),
    traded(4, 59, 50, 3),
    traded(5, 60, 1, 1, 4),
    traded(6, 120, 8, 1),
  ]
  history.record(1, noon, events)
  const running = { start, openPrice: 100, highPrice: 200, lowPrice: 50, closePrice: 50, quantity: 6n }
  const last = { start: start + 120_000, openPrice: 8, highPrice: 8, lowPrice: 8, closePrice: 8, quantity: 1n }
  expect(await history.candles({ ...market, bounds: bounds(3) })).toEqual({
    before: 1,
    candles: [
      { ...running, ticksTimesLots: 650n, lotsPerTick: 80_000_000_000n },
      { ...last, ticksTimesLots: 8n, lotsPerTick: 125_000_000_000n },
    ],
  })
  expect(await history.candles({ ...market, bounds: bounds(1, quarterMs) })).toEqual({
    before: 1,
    candles: [
      { ...running, lowPrice: 8, closePrice: 8, quantity: 7n, ticksTimesLots: 658n, lotsPerTick: 205_000_000_000n },
    ],
  })
  expect(await history.candles({ ...market, instrument: 5, bounds: bounds(1) })).toEqual({
    before: undefined,
    candles: [],
  })
  await history.close()
})

test('marks and indexes, each for itself', async () => {
  const history = await openHistory(':memory:')
  history.record(1, noon, [priced(0, 10, 20), priced(30, 12, 20), priced(90, 11, 25)])
  const of = async (priceKind: 'mark' | 'index') =>
    (await history.candles({ instrument: 3, priceKind, bounds: bounds(2) })).candles.map((candle) => [
      candle.openPrice,
      candle.highPrice,
      candle.lowPrice,
      candle.closePrice,
      Number(candle.quantity),
    ])
  expect(await of('mark')).toEqual([
    [10, 12, 10, 12, 0],
    [11, 11, 11, 11, 0],
  ])
  expect(await of('index')).toEqual([
    [20, 20, 20, 20, 0],
    [25, 25, 25, 25, 0],
  ])
  await history.close()
})

test('a sum beyond 64 bits stays exact', async () => {
  const history = await openHistory(file)
  const huge = traded(1, 0, 2 ** 30 - 1, Number.MAX_SAFE_INTEGER)
  history.record(1, noon, [huge, { ...huge, matchId: 2 } as Event])
  await history.close()
  const again = await openHistory(file)
  const [candle] = (await again.candles({ ...market, bounds: bounds(1) })).candles
  expect(candle?.ticksTimesLots).toBe(2n * BigInt(2 ** 30 - 1) * BigInt(Number.MAX_SAFE_INTEGER))
  await again.close()
})

test('crashes and replays leave every trade in its candles once', async () => {
  const life = fc.record({ trades: fc.integer({ min: 1, max: 40 }), flush: fc.boolean(), crash: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 3 }), async (lives) => {
      const path = join(directory, `${Math.random()}.sqlite`)
      const record = (history: Awaited<ReturnType<typeof openHistory>>, through: number) => {
        for (let n = 1; n <= through; n++) history.record(n, noon, [traded(n, n * 7, 100 + (n % 5), n)])
      }
      let last = 0
      for (const { trades, flush, crash } of lives) {
        const history = await openHistory(path)
        record(history, (last += trades))
        if (flush) await history.flush()
        await (crash ? history.abandon() : history.close())
      }
      const history = await openHistory(path)
      record(history, last)
      for (const lengthMs of [minuteMs, quarterMs]) {
        const { candles } = await history.candles({ ...market, bounds: bounds(20, lengthMs) })
        expect(candles.reduce((sum, candle) => sum + candle.quantity, 0n)).toBe(BigInt((last * (last + 1)) / 2))
      }
      await history.close()
    }),
    { numRuns: 3 },
  )
})

test('old candles go, but never the last price', async () => {
  const history = await openHistory(':memory:')
  history.record(1, noon, [traded(1, 0, 7, 1), traded(2, 60, 8, 1), traded(3, 3_600, 9, 1)])
  await history.prune(start + 86_400_000)
  expect(await history.candles({ ...market, bounds: bounds(60) })).toEqual({ before: undefined, candles: [] })
  const later = bounds(1).map((bound) => bound + 7_200_000)
  expect(await history.candles({ ...market, bounds: later })).toEqual({ before: 9, candles: [] })
  await history.close()
})
