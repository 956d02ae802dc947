/**
 * The past of a running demo venue, as clients see it: no seam where it ends, over v2, v3, sockets and ccxt; the same after a
 * restart.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ccxtAt, ccxtModes } from '../clients/support/ccxt.ts'
import { Socket } from '../support/socket.ts'
import { startVenue, type Venue } from '../support/venue.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** One of each line. */
const lines = [
  { category: 'SPOT', symbol: 'BTCUSDT', ccxt: 'BTC/USDT' },
  { category: 'USDT-FUTURES', symbol: 'BTCUSDT', ccxt: 'BTC/USDT:USDT' },
  { category: 'USDC-FUTURES', symbol: 'ETHPERP', ccxt: 'ETH/USDC:USDC' },
  { category: 'COIN-FUTURES', symbol: 'BTCUSD', ccxt: 'BTC/USD:BTC' },
] as const

let venue: Venue
/** Where the past ends. */
let end: number

beforeAll(async () => {
  venue = await startVenue({ past: 90, simulator: true, clock: 'manual' })
  end = Number((await pastOf(venue))!.to)
  // Everything has traded, some minutes behind the end.
  await venue.advance(3 * minute)
})
afterAll(async () => {
  await venue?.remove()
})

async function pastOf(of: Venue) {
  const status = await of.operator<{ past: Record<string, unknown> | null }>('status')
  return status.past
}

type Row = readonly string[]

async function candles(path: string, query: Record<string, string | number>): Promise<readonly Row[]> {
  const answer = await venue.get(path, query)
  expect(answer.code).toBe('00000')
  return answer.data as readonly Row[]
}

const closesOf = (rows: readonly Row[]) => rows.map(([start, , , , close]) => [Number(start), Number(close)] as const)

/** One candle after the other, each price near the one before. */
function expectNoSeam(rows: readonly Row[]): void {
  const closes = closesOf(rows)
  for (const [place, [start, close]] of closes.entries()) {
    if (place === 0) continue
    const [startBefore, closeBefore] = closes[place - 1]
    expect(start - startBefore).toBe(minute)
    expect(Math.abs(close / closeBefore - 1)).toBeLessThan(0.01)
  }
  expect(closes[0][0]).toBeLessThan(end)
  expect(closes.at(-1)![0]).toBeGreaterThan(end)
}

test('status says that it is simulated, and how much', async () => {
  const past = (await pastOf(venue))!
  expect(past).toMatchObject({ kind: 'simulated', days: 90, seed: 1 })
  expect(end % minute).toBe(0)
  expect(end - Number(past['from'])).toBeGreaterThanOrEqual(90 * day)
  expect(end - Number(past['from'])).toBeLessThan(90 * day + 60 * minute)
})

test.each(lines)('$category $symbol: candles of v3 go over the end of the past, of all three prices', async (line) => {
  const { category, symbol } = line
  for (const type of ['market', 'mark', 'index']) {
    for (const path of ['/api/v3/market/candles', '/api/v3/market/history-candles']) {
      expectNoSeam(await candles(path, { category, symbol, interval: '1m', type, limit: 100 }))
    }
    const months = await candles('/api/v3/market/candles', { category, symbol, interval: '1M', type })
    expect(months.length).toBeGreaterThanOrEqual(3)
    const days = await candles('/api/v3/market/candles', { category, symbol, interval: '1D', type })
    expect(days.length).toBeGreaterThanOrEqual(90)
    expect(days.length).toBeLessThanOrEqual(92)
    const { from } = (await pastOf(venue))!
    const before = { category, symbol, interval: '1m', type, endTime: Number(from), startTime: Number(from) - day }
    expect(await candles('/api/v3/market/candles', before)).toEqual([])
  }
})

test('candles of v2 go over the end of the past', async () => {
  const spot = { symbol: 'BTCUSDT', granularity: '1min', limit: '200' }
  expectNoSeam(await candles('/api/v2/spot/market/candles', spot))
  expectNoSeam(await candles('/api/v2/spot/market/history-candles', { ...spot, endTime: venue.now() }))
  for (const { category, symbol } of lines.slice(1)) {
    const futures = { symbol, productType: category, granularity: '1m', limit: '200' }
    for (const path of ['candles', 'history-candles', 'history-mark-candles', 'history-index-candles']) {
      expectNoSeam(await candles(`/api/v2/mix/market/${path}`, futures))
    }
    const weeks = await candles('/api/v2/mix/market/candles', { ...futures, granularity: '1W' })
    expect(weeks.length).toBeGreaterThanOrEqual(13)
  }
})

test.each(lines)('$category $symbol: the ticker is what the candles of 24 hours say', async ({ category, symbol }) => {
  const ticker = (await venue.get('/api/v3/market/tickers', { category, symbol })).data as Record<string, string>[]
  const rows: Row[] = []
  const from = Math.floor((venue.now() - day) / minute) * minute
  for (let start = from; start <= venue.now(); start += 1000 * minute) {
    const asked = { category, symbol, interval: '1m', startTime: start, endTime: start + 1000 * minute, limit: 1000 }
    rows.push(...(await candles('/api/v3/market/candles', asked)))
  }
  expect(rows).toHaveLength(1441)
  const traded = rows.filter((row) => Number(row[5]) > 0)
  const [first] = traded
  expect(Number(ticker[0]['openPrice24h'])).toBe(Number(first[1]))
  expect(Number(ticker[0]['highPrice24h'])).toBe(Math.max(...traded.map(([, , high]) => Number(high))))
  expect(Number(ticker[0]['lowPrice24h'])).toBe(Math.min(...traded.map(([, , , low]) => Number(low))))
  const volume = traded.reduce((sum, row) => sum + Number(row[5]), 0)
  expect(Number(ticker[0]['volume24h']) / volume).toBeCloseTo(1, 6)
})

test.each(['5m', '30m', '1H', '4H', '1D', '1Dutc', '1W'])(
  'the %s candle that the last minute of the past lies in is its minutes, in v2 and v3',
  async (interval) => {
    for (const { category, symbol } of lines) {
      const [candle] = await candles('/api/v3/market/candles', {
        category,
        symbol,
        interval,
        startTime: end - 1,
        limit: 1,
      })
      const begin = Number(candle[0])
      const minutes: Row[] = []
      const next = Math.min(venue.now(), begin + lengthOf(interval) - 1)
      for (let start = begin; start <= next; start += 1000 * minute) {
        const to = Math.min(next + 1, start + 1000 * minute)
        const page = { category, symbol, interval: '1m', startTime: start, endTime: to, limit: 1000 }
        minutes.push(...(await candles('/api/v3/market/candles', page)))
      }
      expect(begin).toBeLessThan(end)
      expect(candle[1]).toBe(minutes[0][1])
      expect(Number(candle[2])).toBe(Math.max(...minutes.map((row) => Number(row[2]))))
      expect(Number(candle[3])).toBe(Math.min(...minutes.map((row) => Number(row[3]))))
      expect(candle[4]).toBe(minutes.at(-1)![4])
      for (const column of [5, 6]) {
        const sum = minutes.reduce((all, row) => all + Number(row[column]), 0)
        expect(Number(candle[column]) / sum).toBeCloseTo(1, 7)
      }
      if (category === 'SPOT') continue
      const named = { symbol, productType: category, granularity: interval, startTime: begin, endTime: begin + 1 }
      expect(await candles('/api/v2/mix/market/candles', named)).toEqual([candle])
    }
  },
)

/** Of those that are as long as one another. */
function lengthOf(interval: string): number {
  const units: Readonly<Record<string, number>> = { m: minute, H: 60 * minute, D: day, W: 7 * day }
  return parseInt(interval) * units[interval.replace(/^\d+|utc$/g, '')]
}

test('funding has rows before the first settlement of the venue, and the next one follows', async () => {
  const { nextUpdate, rows } = await fundingOf(venue)
  expect(rows).toHaveLength(100)
  for (const [place, at] of rows.entries()) expect(at).toBe(nextUpdate - (place + 1) * 8 * 60 * minute)
  const v2 = await venue.get('/api/v2/mix/market/history-fund-rate', {
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    pageSize: '100',
    pageNo: '3',
  })
  expect((v2.data as unknown[]).length).toBeGreaterThanOrEqual(69)
  expect((v2.data as unknown[]).length).toBeLessThanOrEqual(70)
})

async function fundingOf(of: Venue) {
  const named = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  const [current] = (await of.get('/api/v3/market/current-fund-rate', named)).data as { nextUpdate: string }[]
  const { data } = await of.get('/api/v3/market/history-fund-rate', { ...named, limit: '100' })
  const { resultList } = data as { resultList: { fundingRateTimestamp: string }[] }
  return { nextUpdate: Number(current.nextUpdate), rows: resultList.map((row) => Number(row.fundingRateTimestamp)) }
}

test('the first snapshot of a socket has the past', async () => {
  const v2 = await Socket.open(venue, '/v2/ws/public')
  const v3 = await Socket.open(venue, '/v3/ws/public')
  try {
    v2.send({ op: 'subscribe', args: [{ instType: 'SPOT', channel: 'candle1m', instId: 'BTCUSDT' }] })
    v3.send({
      op: 'subscribe',
      args: [{ instType: 'usdt-futures', topic: 'kline', symbol: 'BTCUSDT', interval: '1m' }],
    })
    for (const socket of [v2, v3]) {
      const { data } = await socket.next(({ action }) => action === 'snapshot')
      const starts = data!.map((row) => Number(Array.isArray(row) ? row[0] : row['start']))
      expect(starts).toHaveLength(500)
      for (const [place, start] of starts.entries()) if (place > 0) expect(start - starts[place - 1]).toBe(minute)
      expect(starts[0]).toBeLessThan(end)
      expect(starts.at(-1)).toBeGreaterThan(end)
    }
  } finally {
    v2.close()
    v3.close()
  }
})

describe('ccxt, by the clock of the system', () => {
  let live: Venue
  beforeAll(async () => {
    live = await startVenue({ past: 90, simulator: true })
  })
  afterAll(async () => {
    await live?.remove()
  })

  test.each(ccxtModes)('%s: pages of fetchOHLCV since go to the present without a gap, on every line', async (mode) => {
    const ended = Number((await pastOf(live))!.to)
    const exchange = ccxtAt(live, mode)
    await exchange.loadMarkets()
    for (const { ccxt: symbol } of lines) {
      const since = ended - 500 * minute
      const closes: (readonly [number, number])[] = []
      for (let from = since; from <= Date.now(); from = closes.at(-1)![0] + minute) {
        const page = await exchange.fetchOHLCV(symbol, '1m', from, 200)
        expect(page.length).toBeGreaterThan(0)
        closes.push(...page.map(([start, , , , close]) => [Number(start), Number(close)] as const))
      }
      expect(closes[0][0]).toBe(since)
      for (const [place, [start, close]] of closes.entries()) {
        if (place === 0) continue
        expect(start - closes[place - 1][0]).toBe(minute)
        expect(Math.abs(close / closes[place - 1][1] - 1)).toBeLessThan(0.01)
      }
      expect(closes.at(-1)![0]).toBeGreaterThanOrEqual(ended)
    }
  })

  test.each(ccxtModes)('%s: every timeframe has a page from the first days of the past on', async (mode) => {
    const exchange = ccxtAt(live, mode)
    await exchange.loadMarkets()
    const symbol = 'BTC/USDT:USDT'
    // Months differ in length.
    for (const timeframe of Object.keys(exchange.timeframes).filter((name) => name !== '1M')) {
      const length = exchange.parseTimeframe(timeframe) * 1000
      const since = Date.now() - 89 * day
      const starts = (await exchange.fetchOHLCV(symbol, timeframe, since, 50)).map(([start]) => Number(start))
      expect(starts.length).toBeGreaterThanOrEqual(Math.min(50, Math.floor((Date.now() - since) / length)))
      expect(Math.abs(starts[0] - since)).toBeLessThanOrEqual(length)
      for (const [place, start] of starts.entries()) {
        if (place > 0) expect(start - starts[place - 1], `${timeframe} after ${since}`).toBe(length)
      }
    }
    const rates = await exchange.fetchFundingRateHistory(symbol, Date.now() - 10 * day, 100)
    expect(rates).toHaveLength(30)
  })
})

test('what has not traded in the venue shows its mark price, and the figures of its past', async () => {
  const own = await startVenue({ past: 90 })
  try {
    await own.setIndexPrices({ DOGE: '0.3' })
    const named = { category: 'SPOT', symbol: 'DOGEUSDT' }
    const [v3] = (await own.get('/api/v3/market/tickers', named)).data as Record<string, string>[]
    const [v2] = (await own.get('/api/v2/spot/market/tickers', named)).data as Record<string, string>[]
    expect(v3).toMatchObject({ lastPrice: '0.3', highPrice24h: '0.3' })
    expect(v2).toMatchObject({ lastPr: '0.3', high24h: '0.3' })
    expect(Number(v3['openPrice24h'])).toBeLessThan(0.25)
    expect(Number(v3['lowPrice24h'])).toBeLessThan(0.25)
    expect(Number(v3['volume24h'])).toBeGreaterThan(0)
  } finally {
    await own.remove()
  }
})

test('a restart, and another setting at it, leave the past as it was', async () => {
  const own = await startVenue({ past: 30, clock: 'manual' })
  try {
    const named = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', interval: '1m', limit: '1000' }
    const seen = async () => {
      const { data } = await own.get('/api/v3/market/candles', named)
      const ticker = (await own.get('/api/v3/market/tickers', named)).data as Record<string, string>[]
      const { ts: _, ...figures } = ticker[0]
      return { data, figures, past: await pastOf(own), funding: await fundingOf(own) }
    }
    const before = await seen()
    expect(before.data).toHaveLength(1000)
    Object.assign(own.options, { past: 0, environment: { TIDEMARK_SEED: '7' } })
    await own.restart('kill')
    expect(await seen()).toEqual(before)
    // A venue of a release that knew of none goes on without.
    await own.stop()
    const file = join(own.directory, 'venue.json')
    const { crc32: _, pastDays, pastSeed, ...record } = JSON.parse(await readFile(file, 'utf8'))
    expect({ pastDays, pastSeed }).toEqual({ pastDays: 30, pastSeed: 1 })
    await writeFile(file, JSON.stringify(record))
    await own.start()
    expect(await pastOf(own)).toBeNull()
    expect((await own.get('/api/v3/market/candles', named)).data).toEqual([])
    expect((await fundingOf(own)).rows).toEqual([])
  } finally {
    await own.remove()
  }
})
