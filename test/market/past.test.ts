/**
 * The past of a demo venue (docs/market.md): candles of every interval are their minutes, prices and quantities are the
 * instrument's, it ends at the listing price, and it follows from seed, listing prices and moment alone.
 */
import { expect, test } from 'vitest'
import { type History, openHistoryInMemory } from '../../src/history/history.ts'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { intervalsAfter, intervalStart } from '../../src/market/intervals.ts'
import { type Candle, type Interval, intervals, Market, type PriceKind, readCandles } from '../../src/market/market.ts'
import { demoInstruments } from '../../src/operator/demo/catalog.ts'
import { SimulatedPast } from '../../src/simulator/simulator.ts'
import { demoCatalog } from './demo-catalog.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** A Thursday, within an hour. */
const begun = Date.UTC(2026, 9, 15, 13, 47, 11, 123)
const end = Date.UTC(2026, 9, 15, 13, 47)
const kinds = ['market', 'mark', 'index'] as const
const catalog = demoCatalog(begun)
const names = new Set(demoInstruments.map(({ category, symbol }) => `${category} ${symbol}`))
const ids = catalog.instruments.map(({ id }) => id)
const idOf = (name: string) => catalog.instruments.findIndex(({ category, symbol }) => `${category} ${symbol}` === name)
const btcUsdt = idOf('USDT-FUTURES BTCUSDT')

function pastOf(seed = 1, days = 90, listedAt = begun): SimulatedPast {
  return new SimulatedPast({ seed, days, catalog: () => demoCatalog(listedAt), instruments: names })
}

function minutesOf(
  past: SimulatedPast,
  instrument: number,
  priceKind: PriceKind,
  from: number,
  to = end,
): readonly Candle[] {
  const bounds: number[] = []
  for (let at = from; at <= to; at += minute) bounds.push(at)
  return past.candles({ instrument, priceKind, bounds })
}

function joined(minutes: readonly Candle[], start: number): Candle {
  const sum = (of: (candle: Candle) => bigint) => minutes.reduce((all, candle) => all + of(candle), 0n)
  return {
    start,
    openPrice: minutes[0].openPrice,
    highPrice: ticks(Math.max(...minutes.map(({ highPrice }) => highPrice))),
    lowPrice: ticks(Math.min(...minutes.map(({ lowPrice }) => lowPrice))),
    closePrice: minutes.at(-1)!.closePrice,
    quantity: sum(({ quantity }) => quantity),
    ticksTimesLots: sum(({ ticksTimesLots }) => ticksTimesLots),
    lotsPerTick: sum(({ lotsPerTick }) => lotsPerTick),
  }
}

const textOf = (value: unknown) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))

test.each(intervals)('%s: each of its candles is its minutes, of all three prices', (interval: Interval) => {
  const past = pastOf()
  const newest = intervalStart(interval, end - 1)
  // Months are many minutes: one instrument has to do.
  const others = interval.startsWith('1M') ? [] : [idOf('SPOT DOGEUSDT'), idOf('COIN-FUTURES ETHUSD')]
  for (const instrument of [btcUsdt, ...others]) {
    for (const priceKind of kinds) {
      const starts = [-3, -2, -1, 0].map((count) => intervalsAfter(interval, newest, count))
      const bounds = [...starts, intervalsAfter(interval, newest, 1)]
      const candles = past.candles({ instrument, priceKind, bounds })
      // By another one, which has no sums yet.
      const apart = pastOf()
      const oldest = Math.max(starts[0], end - 90 * day - hour)
      const minutes = minutesOf(apart, instrument, priceKind, oldest)
      const expected = bounds.slice(0, -1).flatMap((start, place) => {
        const within = minutes.filter((candle) => candle.start >= start && candle.start < bounds[place + 1])
        return within.length === 0 ? [] : [joined(within, start)]
      })
      expect(textOf(candles)).toBe(textOf(expected))
      expect(candles.length).toBeGreaterThan(0)
    }
  }
})

test.each(ids)(
  'instrument %i: prices and quantities are whole steps within their bounds, and follow one another',
  (instrument) => {
    const past = pastOf()
    const { quantityMin } = catalog.instruments[instrument]
    for (const priceKind of kinds) {
      const minutes = minutesOf(past, instrument, priceKind, end - day)
      let before = past.priceBefore({ instrument, priceKind }, end - day)!
      for (const { openPrice, highPrice, lowPrice, closePrice, quantity, ticksTimesLots, lotsPerTick } of minutes) {
        for (const price of [openPrice, highPrice, lowPrice, closePrice]) expect(Number.isSafeInteger(price)).toBe(true)
        expect(lowPrice).toBeGreaterThan(0)
        expect(lowPrice).toBeLessThanOrEqual(Math.min(openPrice, closePrice))
        expect(highPrice).toBeGreaterThanOrEqual(Math.max(openPrice, closePrice))
        if (priceKind === 'market') {
          expect(quantity).toBeGreaterThanOrEqual(BigInt(quantityMin))
          expect(ticksTimesLots).toBeGreaterThanOrEqual(quantity * BigInt(lowPrice))
          expect(ticksTimesLots).toBeLessThanOrEqual(quantity * BigInt(highPrice))
          expect(lotsPerTick).toBeGreaterThan(0n)
          // A trade is a tick or some bps away from the one before, in the next minute that has any.
          expect(Math.abs(openPrice - before)).toBeLessThanOrEqual(Math.max(2, before * 0.02))
        } else {
          expect(quantity).toBe(0n)
          expect(openPrice).toBe(before)
        }
        before = closePrice
      }
      if (priceKind !== 'market') expect(minutes).toHaveLength(24 * 60)
    }
  },
)

test('every price ends at the listing price, and begins so many days before', () => {
  const past = pastOf()
  for (const { id, base, priceDecimals } of catalog.instruments) {
    const listed = (Number(catalog.coins[base].listingPriceE8) / 1e8) * 10 ** priceDecimals
    for (const priceKind of kinds) {
      const last = past.candles({ instrument: id, priceKind, bounds: [end - minute, end] })
      expect(last.map(({ closePrice }) => closePrice)).toEqual([Math.round(listed)])
      const first = Math.floor((end - 90 * day) / hour) * hour
      const candles = past.candles({ instrument: id, priceKind, bounds: [first - day, first, first + minute] })
      expect(past.priceBefore({ instrument: id, priceKind }, first)).toBeUndefined()
      expect(candles.map(({ start }) => start)).toEqual([first])
    }
  }
})

test('the same seed is the same past, in whatever order it is asked; another seed, another beginning is another', () => {
  const whole = (past: SimulatedPast) =>
    textOf(ids.flatMap((id) => [kinds.map((kind) => minutesOf(past, id, kind, end - 3 * hour)), past.fundingRates(id)]))
  const asked = pastOf()
  for (const instrument of ids.toReversed()) {
    for (const priceKind of kinds) asked.candles({ instrument, priceKind, bounds: [end - 60 * day, end - day, end] })
  }
  const told = whole(asked)
  expect(told).toBe(whole(pastOf()))
  expect(whole(pastOf(2))).not.toBe(told)
  expect(whole(pastOf(1, 90, begun + 7 * minute))).not.toBe(told)
  // Another length has the same end.
  expect(minutesOf(pastOf(1, 30), btcUsdt, 'market', end - day)).toEqual(minutesOf(asked, btcUsdt, 'market', end - day))
})

test.each([0, 30_000, 90 * minute, 5 * day])(
  'a venue that begins %i ms after 1970 has a past from then on',
  (listedAt) => {
    const past = pastOf(1, 90, listedAt)
    const to = Math.floor(listedAt / minute) * minute
    for (const instrument of ids) {
      expect(past.spanOf(instrument)).toEqual({ from: 0, to })
      const minutes = minutesOf(past, instrument, 'mark', 0, to)
      expect(minutes).toHaveLength(to / minute)
      for (const { lowPrice } of minutes) expect(lowPrice).toBeGreaterThan(0)
      for (const { at } of past.fundingRates(instrument)) expect(at).toBeGreaterThan(0)
      expect(past.priceBefore({ instrument, priceKind: 'market' }, to) === undefined).toBe(to === 0)
    }
  },
)

test('mark, index and trades lie close together, and so do the lines of a coin', () => {
  const past = pastOf()
  const closes = (name: string, priceKind: PriceKind, scale: number) =>
    minutesOf(past, idOf(name), priceKind, end - 5 * hour).map(({ start, closePrice }) => [start, closePrice / scale])
  const index = new Map(closes('USDT-FUTURES BTCUSDT', 'index', 10) as [number, number][])
  const others = [
    closes('USDT-FUTURES BTCUSDT', 'mark', 10),
    closes('USDT-FUTURES BTCUSDT', 'market', 10),
    closes('SPOT BTCUSDT', 'market', 100),
    closes('COIN-FUTURES BTCUSD', 'market', 10),
    closes('USDC-FUTURES BTCPERP', 'market', 10),
  ]
  for (const all of others) {
    for (const [at, close] of all) expect(Math.abs(close / index.get(at)! - 1)).toBeLessThan(0.002)
  }
})

test('it looks like a market: large returns come in clusters, more often than a bell curve has them, and coins move together', () => {
  const past = pastOf()
  const returnsOf = (name: string) => {
    const closes = minutesOf(past, idOf(name), 'index', end - 14 * day).map(({ closePrice }) => closePrice)
    return closes.slice(1).map((close, place) => Math.log(close / closes[place]))
  }
  const [bitcoin, ether] = [returnsOf('USDT-FUTURES BTCUSDT'), returnsOf('USDT-FUTURES ETHUSDT')]
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const correlation = (one: readonly number[], other: readonly number[]) => {
    const [a, b] = [mean(one), mean(other)]
    const product = mean(one.map((value, place) => (value - a) * (other[place] - b)))
    return (
      product / Math.sqrt(mean(one.map((value) => (value - a) ** 2)) * mean(other.map((value) => (value - b) ** 2)))
    )
  }
  const variance = mean(bitcoin.map((value) => value ** 2))
  const yearly = Math.sqrt(variance * 365.25 * 24 * 60)
  expect(yearly).toBeGreaterThan(0.25)
  expect(yearly).toBeLessThan(1)
  expect(mean(bitcoin.map((value) => value ** 4)) / variance ** 2).toBeGreaterThan(5)
  const sizes = bitcoin.map(Math.abs)
  expect(correlation(sizes.slice(1), sizes.slice(0, -1))).toBeGreaterThan(0.1)
  expect(Math.abs(correlation(bitcoin.slice(1), bitcoin.slice(0, -1)))).toBeLessThan(0.05)
  expect(correlation(bitcoin, ether)).toBeGreaterThan(0.4)
  // The leading coin tells a little of the next minute of others, and they nothing of its own.
  expect(correlation(bitcoin.slice(0, -1), ether.slice(1))).toBeGreaterThan(0.05)
  expect(Math.abs(correlation(ether.slice(0, -1), bitcoin.slice(1)))).toBeLessThan(0.05)
})

test('funding was settled at every boundary, within its cap, at rates that its basis explains', () => {
  const past = pastOf()
  const first = Math.ceil((end - 90 * day) / (8 * hour)) * 8 * hour
  for (const { id, category } of catalog.instruments) {
    const rates = past.fundingRates(id)
    if (category === 'SPOT') {
      expect(rates).toEqual([])
      continue
    }
    const times = rates.map(({ at }) => at)
    expect(times[0]).toBe(Date.UTC(2026, 9, 15, 8))
    expect(times.at(-1)).toBeGreaterThanOrEqual(first)
    expect(times.at(-1)).toBeLessThanOrEqual(first + 8 * hour)
    for (const [place, { fundingRate, markPrice, at }] of rates.entries()) {
      if (place > 0) expect(times[place - 1] - at).toBe(8 * hour)
      expect(fundingRate >= -3_000_000_000n && fundingRate <= 3_000_000_000n).toBe(true)
      const [{ openPrice }] = past.candles({ instrument: id, priceKind: 'mark', bounds: [at, at + minute] })
      expect(markPrice).toBe(openPrice)
    }
    // Quiet intervals have the interest alone; not all of them are quiet, nor all of one sign.
    expect(rates.some(({ fundingRate }) => fundingRate === 100_000_000n)).toBe(true)
    expect(rates.some(({ fundingRate }) => fundingRate > 100_000_000n)).toBe(true)
    expect(rates.some(({ fundingRate }) => fundingRate < 0n)).toBe(true)
  }
})

test('an instrument that is none of the demo venue has no past', () => {
  const listed = { ...catalog.instruments[0], id: ids.length, symbol: 'NEWUSDT' }
  const grown = { ...catalog, instruments: [...catalog.instruments, listed] }
  const past = new SimulatedPast({ seed: 1, days: 90, catalog: () => grown, instruments: names })
  expect(past.spanOf(listed.id)).toBeUndefined()
  expect(past.candles({ instrument: listed.id, priceKind: 'market', bounds: [end - minute, end] })).toEqual([])
})

interface Seen {
  readonly market: Market
  readonly history: History
}

/** A market with a past that then lives through some trades, as a venue keeps it. */
async function lived(steps: readonly (readonly [at: number, price: number, quantity: number])[]): Promise<Seen> {
  const market = new Market(undefined, pastOf())
  const history = await openHistoryInMemory()
  for (const [place, [at, price, quantity]] of steps.entries()) {
    const trade = {
      kind: 'trade',
      instrument: btcUsdt,
      matchId: place + 1,
      price: ticks(price),
      quantity: lots(quantity),
      at,
    }
    const prices = {
      kind: 'prices-changed',
      instrument: btcUsdt,
      markPrice: ticks(price),
      indexPrice: ticks(price),
      at,
    }
    const events = [{ ...trade, side: 'buy' }, prices] as unknown as Event[]
    market.record(events)
    history.record(place + 1, at, events)
  }
  return { market, history }
}

const steps = [
  [begun + 200, 600_010, 5],
  [begun + 30_000, 599_000, 7],
  [begun + 3 * minute, 601_000, 11],
  [begun + 26 * hour, 605_000, 2],
] as const

test.each([0, 1, 2, 3, 4])(
  'after %i trades running candles are those of the records, in every interval',
  async (count) => {
    const { market, history } = await lived(steps.slice(0, count))
    for (const now of [begun + 3 * minute + 1, begun + 26 * hour + 1, begun + 40 * day]) {
      if (count > 0 && now < steps[count - 1][0]) continue
      for (const interval of intervals) {
        for (const priceKind of kinds) {
          const ask = { instrument: btcUsdt, priceKind, interval, limit: 1 }
          const [newest] = await readCandles(market.records(history, now), ask, now)
          expect(textOf(market.candle(btcUsdt, priceKind, interval, now))).toBe(textOf(newest))
        }
      }
    }
    await history.close()
  },
)

test('what is saved and restored has the same past, once', async () => {
  const { market, history } = await lived(steps)
  const restored = new Market(undefined, pastOf())
  const now = begun + 26 * hour + 1
  market.ticker(btcUsdt, now)
  restored.restoreFrom(market.save())
  const refilled = new Market(undefined, pastOf())
  await refilled.restore(history, [btcUsdt], now)
  for (const other of [restored, refilled]) {
    expect(textOf(other.ticker(btcUsdt, now))).toBe(textOf(market.ticker(btcUsdt, now)))
    for (const interval of intervals) {
      const told = textOf(market.candle(btcUsdt, 'market', interval, now))
      expect(textOf(other.candle(btcUsdt, 'market', interval, now))).toBe(told)
    }
  }
  await history.close()
})

test.each([
  // trades, now: the window reaches from then
  [0, begun + 1],
  [1, begun + 300],
  [3, begun + 5 * minute],
  [3, begun + 23 * hour],
  [3, begun + 26 * hour],
  [4, begun + 26 * hour + 1],
])('after %i trades the ticker is the sum of the minutes of 24 hours', async (count, now) => {
  const { market, history } = await lived(steps.slice(0, count))
  const from = Math.floor((now - day) / minute) * minute
  const ask = { instrument: btcUsdt, priceKind: 'market', interval: '1m', from, to: now + 1, limit: 1441 } as const
  const minutes = (await readCandles(market.records(history, now), ask, now)).filter(({ quantity }) => quantity > 0n)
  const ticker = market.ticker(btcUsdt, now)!
  if (minutes.length === 0) expect(ticker).toMatchObject({ openPrice: 601_000, lastPrice: 601_000, quantity: 0n })
  else {
    const { openPrice, highPrice, lowPrice, closePrice, quantity, ticksTimesLots } = joined(minutes, from)
    expect(ticker).toMatchObject({ openPrice, highPrice, lowPrice, lastPrice: closePrice, quantity, ticksTimesLots })
  }
  await history.close()
})

test('funding rates of the venue come before those of the past, on every page', async () => {
  const { market, history } = await lived([])
  const settledAt = [Date.UTC(2026, 9, 15, 16), Date.UTC(2026, 9, 16, 0)]
  for (const [place, at] of settledAt.entries()) {
    const settled = { kind: 'funding-settled', instrument: btcUsdt, fundingRate: 7n, markPrice: ticks(600_000), at }
    history.record(place + 1, at, [settled as unknown as Event])
  }
  const records = market.records(history, begun + day)
  const all = [
    ...settledAt.toReversed(),
    ...pastOf()
      .fundingRates(btcUsdt)
      .map(({ at }) => at),
  ]
  for (const limit of [1, 2, 3, 100]) {
    for (const offset of [0, limit, 2 * limit, 3 * limit]) {
      const page = await records.fundingRates({ instrument: btcUsdt, offset, limit })
      expect(page.map(({ at }) => at)).toEqual(all.slice(offset, offset + limit))
    }
  }
  expect(await records.fundingRates({ instrument: btcUsdt, offset: 9_900, limit: 100 })).toEqual([])
  await history.close()
})

test('after 90 days of the venue its past is served no more: whatever is answered has no hole', async () => {
  const { market, history } = await lived(steps)
  const ask = { instrument: btcUsdt, priceKind: 'market', interval: '1D', from: end - 3 * day, limit: 100 } as const
  const whole = await readCandles(market.records(history, end + 90 * day), ask, end + 90 * day)
  expect(whole[0].start).toBe(intervalStart('1D', end - 3 * day))
  const later = end + 90 * day + 1
  const kept = await readCandles(market.records(history, later), ask, later)
  expect(kept[0]).toMatchObject({ start: intervalStart('1D', begun), openPrice: 600_010, quantity: 23n })
  const rates = { instrument: btcUsdt, offset: 0, limit: 1 }
  expect(await market.records(history, end + 90 * day).fundingRates(rates)).toHaveLength(1)
  expect(await market.records(history, later).fundingRates(rates)).toEqual([])
  // What was never traded goes on standing at the last price.
  const other = { ...ask, instrument: idOf('SPOT DOGEUSDT'), from: later - 3 * day }
  const [flat] = await readCandles(market.records(history, later), other, later)
  expect(flat).toMatchObject({ openPrice: flat.closePrice, quantity: 0n })
  expect(market.candle(other.instrument, 'market', '1D', later)?.closePrice).toBe(flat.closePrice)
  await history.close()
})

test('a first look at months lets others have their turn; what it answers is the same as by minutes, and again', async () => {
  const past = pastOf()
  const market = new Market(undefined, past)
  const history = await openHistoryInMemory()
  const ask = { instrument: btcUsdt, priceKind: 'market', interval: '1M', limit: 5 } as const
  const made: number[] = []
  let isRead = false
  const watch = () => {
    made.push(past.hoursMade)
    if (!isRead) setImmediate(watch)
  }
  setImmediate(watch)
  const first = await readCandles(market.records(history, begun), ask, begun)
  isRead = true
  expect(Math.max(...made.slice(1).map((hours, place) => hours - made[place]))).toBeLessThanOrEqual(50)
  expect(past.hoursMade).toBeGreaterThanOrEqual(90 * 24)
  const starts = first.map(({ start }) => start)
  const minutes = minutesOf(pastOf(), btcUsdt, 'market', end - 91 * day)
  const months = starts.map((start, place) => {
    const next = starts[place + 1] ?? begun
    return joined(
      minutes.filter((candle) => candle.start >= start && candle.start < next),
      start,
    )
  })
  expect(textOf(first)).toBe(textOf(months))
  expect(textOf(await readCandles(market.records(history, begun), ask, begun))).toBe(textOf(months))
  await history.close()
})
