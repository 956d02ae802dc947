/** What the chart reckons by itself: indicators by hand, where intervals begin, lengths of indicators, its scale. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intervals as venueIntervals, intervalStart as venueStart } from '../../src/market/intervals.ts'
import { units } from '../../web/numbers/decimal.ts'
import { atr, type Bar, macd, rsi, stochastic, vwap } from '../../web/trading/indicators.ts'
import { isolatedLiquidation, marginForLiquidation } from '../../web/trading/liquidation.ts'
import { chosenOf, lengthsOf, textOf } from '../../web/store/indicators.ts'
import { intervals, intervalStart } from '../../web/venue/intervals.ts'

const bar = (close: number, high = close, low = close, volume = 1, timestamp = 0): Bar => ({
  timestamp,
  open: close,
  high,
  low,
  close,
  volume,
})
const rounded = (values: readonly (number | undefined)[]) =>
  values.map((value) => (value === undefined ? undefined : Number(value.toFixed(4))))

test('RSI: Wilder’s averages of gains and losses', () => {
  // Gains 2, 0, 2 and losses 0, 1, 0. First 1 against 0.5, then 1.5 against 0.25.
  expect(
    rounded(
      rsi(
        [10, 12, 11, 13].map((close) => bar(close)),
        2,
      ),
    ),
  ).toEqual([undefined, undefined, 66.6667, 85.7143])
  expect(
    rsi(
      [1, 2, 3].map((close) => bar(close)),
      2,
    ).at(-1),
  ).toBe(100)
  expect(
    rsi(
      [5, 5, 5].map((close) => bar(close)),
      2,
    ).at(-1),
  ).toBe(50)
})

test('ATR: the true range takes in the close before', () => {
  // Ranges 4, then from the close of 10 up to 15: 5, then 2. Means: 4.5, then 4.5 + (2 − 4.5) / 2.
  const bars = [bar(10, 12, 8), bar(14, 15, 13), bar(14, 15, 13)]
  expect(rounded(atr(bars, 2))).toEqual([undefined, 4.5, 3.25])
})

test('stochastic: where the close lies between the lowest and the highest', () => {
  const bars = [bar(5, 10, 0), bar(8, 10, 0), bar(2, 10, 0)]
  expect(stochastic(bars, [2, 1, 2])).toEqual([
    { k: undefined, d: undefined },
    { k: 80, d: undefined },
    { k: 20, d: 50 },
  ])
  expect(stochastic([bar(3), bar(3)], [2, 1, 1]).at(-1)).toEqual({ k: 50, d: 50 })
})

test('MACD: the histogram is the difference itself', () => {
  // Averages of 1 and 2 bars over 2, 4, 8: lines 1 (4 − 3) and 8 − (3 + (8 − 3) · 2/3) = 1.6667, signal of 1 bar is the line.
  const found = macd(
    [2, 4, 8].map((close) => bar(close)),
    [1, 2, 1],
  )
  expect(rounded(found.map(({ line }) => line))).toEqual([undefined, 1, 1.6667])
  expect(rounded(found.map(({ histogram }) => histogram))).toEqual([undefined, 0, 0])
})

test('VWAP begins anew with each day of UTC', () => {
  const day = 86_400_000
  const bars = [bar(10, 10, 10, 1, 0), bar(20, 20, 20, 3, 60_000), bar(50, 50, 50, 2, day), bar(60, 60, 60, 0, day + 1)]
  expect(vwap(bars)).toEqual([10, 17.5, 50, 50])
})

test('intervals begin where those of the venue do', () => {
  expect(intervals).toEqual(venueIntervals)
  const moments = fc.integer({ min: 0, max: 4_000_000_000_000 })
  fc.assert(
    fc.property(fc.constantFrom(...intervals), moments, (interval, at) => {
      expect(intervalStart(interval, at)).toBe(venueStart(interval, at as never))
    }),
  )
})

test.each([
  ['linear', 'long', '57100'],
  ['linear', 'short', '62400'],
  ['inverse', 'long', '57100'],
  ['inverse', 'short', '62400'],
] as const)('the margin for a liquidation price gives that price: %s %s at %s', (kind, side, price) => {
  const contract = { kind, takerFeeRate: units('0.0006'), priceStep: units('0.1') }
  const tiers = [{ from: 0n, to: units('1000000'), leverageMax: 100, maintenanceRate: units('0.004') }]
  const position = { side, entryPrice: units('60000'), quantity: units(kind === 'linear' ? '0.5' : '30000') }
  const margin = marginForLiquidation(contract, position, units(price), tiers)
  expect(margin).toBeGreaterThan(0n)
  const found = isolatedLiquidation(contract, position, margin, tiers) ?? 0n
  // Rounding is up, so that the price is no nearer to the market than what was asked for, and within a step of it.
  const away = side === 'long' ? units(price) - found : found - units(price)
  expect(away).toBeGreaterThanOrEqual(-units('0.1'))
  expect(away).toBeLessThanOrEqual(units('0.1'))
})

test.each([
  ['MA:7,25 VOL:20', 'MA:7,25 VOL:20'],
  ['NOSUCH:1 RSI:14', 'RSI:14'],
  ['RSI:0', 'RSI:14'],
  ['MACD:12,26', 'MACD:12,26,9'],
  ['VWAP:', 'VWAP:'],
])('indicators that were kept as %j are %j', (text, expected) => {
  expect(textOf(chosenOf(text))).toBe(expected)
})

test.each([
  ['MA', '7, 25 99', [7, 25, 99]],
  ['MA', '1 2 3 4 5', undefined],
  ['MA', '', undefined],
  ['RSI', '14', [14]],
  ['RSI', '14 2', undefined],
  ['RSI', '501', undefined],
  ['RSI', '1.5', undefined],
] as const)('lengths of %s: %j', (name, text, expected) => {
  expect(lengthsOf(name, text)).toEqual(expected)
})
