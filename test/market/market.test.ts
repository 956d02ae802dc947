/**
 * Recent trades and tickers, live and after a restart.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { TradeEvent } from '../../src/engine/protocol/event.ts'
import { openHistory } from '../../src/history/history.ts'
import { Market, recentTradesMax, volumes } from '../../src/market/market.ts'

const midnight = 1_790_035_200_000
const minute = 60_000
const day = 24 * 60 * minute

function trade(matchId: number, at: number, price = 100, quantity = 1, instrument = 1): TradeEvent {
  return { kind: 'trade', matchId, instrument, price: ticks(price), quantity: lots(quantity), side: 'buy', at }
}

test('recent trades: newest first, the last 500 of each instrument, several together', () => {
  const market = new Market()
  for (let n = 1; n <= 1_500; n++) market.record([trade(n, midnight + n, 100, 1, n % 2)])
  const numbers = (instruments: number[], limit: number) =>
    market.recentTrades(instruments, limit).map(({ matchId }) => matchId)
  expect(numbers([1], 3)).toEqual([1_499, 1_497, 1_495])
  expect(numbers([0, 1], 3)).toEqual([1_500, 1_499, 1_498])
  expect(numbers([1], 10_000)).toHaveLength(recentTradesMax)
  expect(numbers([1], 10_000).at(-1)).toBe(501)
  expect(numbers([2], 3)).toEqual([])
})

test('a trade that is known is left out', () => {
  const market = new Market()
  market.record([trade(1, midnight), trade(2, midnight), trade(1, midnight), trade(2, midnight)])
  expect(market.recentTrades([1], 10)).toHaveLength(2)
  expect(market.ticker(1, midnight)?.quantity).toBe(2n)
})

test('ticker: open, high, low, last and sums of the last 24 hours', () => {
  const market = new Market()
  expect(market.ticker(1, midnight)).toBeUndefined()
  market.record([
    trade(1, midnight, 999, 9),
    trade(2, midnight + minute, 100, 1),
    trade(3, midnight + minute, 300, 2),
    trade(4, midnight + 2 * minute, 50, 4),
    trade(5, midnight + 3 * minute, 80, 1),
  ])
  const whole = { lastPrice: 80, openPrice: 999, highPrice: 999, lowPrice: 50, quantity: 17n }
  expect(market.ticker(1, midnight + day)).toMatchObject(whole)
  const without = { openPrice: 100, highPrice: 300, quantity: 8n, ticksTimesLots: 980n }
  expect(market.ticker(1, midnight + day + minute)).toMatchObject(without)
  expect(market.ticker(1, midnight + 2 * day)).toEqual({
    lastPrice: 80,
    openPrice: 80,
    openPriceUtc: 80,
    highPrice: 80,
    lowPrice: 80,
    quantity: 0n,
    ticksTimesLots: 0n,
    lotsPerTick: 0n,
  })
})

test('volumes in coins: spot and linear by price, inverse by its reciprocal', () => {
  const market = new Market()
  // 3 lots at 50,000.0 and 1 lot at 40,000.0, ticks of 0.1
  market.record([trade(1, midnight, 500_000, 3), trade(2, midnight, 400_000, 1)])
  const ticker = market.ticker(1, midnight)
  if (ticker === undefined) throw new Error('it traded')
  const scales = { priceStep: 1, priceDecimals: 1, quantityStep: 1 }
  // Lots of 0.001 BTC: 0.004 BTC for 150 + 40 USDT.
  expect(volumes(ticker, { ...scales, kind: 'linear', quantityDecimals: 3 })).toEqual({
    base: 400_000n,
    quote: 19_000_000_000n,
  })
  // Contracts of 1 USD: 4 USD, 3/50,000 + 1/40,000 BTC.
  expect(volumes(ticker, { ...scales, kind: 'inverse', quantityDecimals: 0 })).toEqual({
    base: 8_500n,
    quote: 400_000_000n,
  })
})

test('a day may trade more than an account can have: its volumes are whole', () => {
  const market = new Market()
  const many = 2 ** 52
  // Ten trades at 2,000.0, in lots of 0.1 coins.
  market.record(Array.from({ length: 10 }, (_, number) => trade(number + 1, midnight, 20_000, many)))
  const ticker = market.ticker(1, midnight)
  if (ticker === undefined) throw new Error('it traded')
  const scales = { priceStep: 1, priceDecimals: 1, quantityStep: 1, quantityDecimals: 1 }
  expect(volumes(ticker, { ...scales, kind: 'linear' })).toEqual({
    base: BigInt(many) * 10n ** 8n,
    quote: BigInt(many) * 2_000n * 10n ** 8n,
  })
})

test('a ticker is the plain sum over the trades of its window, whenever it is asked', () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 4 * 60 * minute }),
    price: fc.integer({ min: 1, max: 1_000 }),
    quantity: fc.integer({ min: 1, max: 1_000 }),
    ask: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const market = new Market()
      const trades: TradeEvent[] = []
      let now = midnight
      for (const { wait, price, quantity, ask } of steps) {
        now += wait
        trades.push(trade(trades.length + 1, now, price, quantity))
        market.record(trades.slice(-1))
        if (!ask) continue
        const first = now - day - ((now - day) % minute)
        const inside = trades.filter((past) => past.at >= first)
        const prices = inside.map((past) => past.price)
        expect(market.ticker(1, now)).toMatchObject({
          lastPrice: price,
          openPrice: prices[0],
          highPrice: Math.max(...prices),
          lowPrice: Math.min(...prices),
          quantity: BigInt(inside.reduce((sum, past) => sum + past.quantity, 0)),
          ticksTimesLots: BigInt(inside.reduce((sum, past) => sum + past.price * past.quantity, 0)),
        })
      }
    }),
  )
})

test('after a restart the market is what it was', async () => {
  const history = await openHistory(':memory:')
  const market = new Market()
  for (let n = 1; n <= 3_000; n++) {
    const latest = trade(n, midnight + n * minute, 100 + (n % 37), n % 11, n % 3)
    market.record([latest])
    history.record(n, latest.at, [latest])
  }
  const now = midnight + 3_000 * minute
  const restored = new Market()
  await restored.restore(history, [0, 1, 2, 3], now)
  // The tail of the journal may bring trades that the history has had.
  restored.record([trade(2_999, now - minute, 1, 1, 2), trade(3_000, now, 1, 1, 0)])
  for (const instrument of [0, 1, 2, 3]) {
    expect(restored.ticker(instrument, now)).toEqual(market.ticker(instrument, now))
    expect(restored.recentTrades([instrument], 1_000)).toEqual(market.recentTrades([instrument], 1_000))
  }
  await history.close()
})
