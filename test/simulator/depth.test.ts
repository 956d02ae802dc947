/**
 * Books as deep as docs/market.md says, and trades as often: on the whole demo venue, over simulated minutes.
 * Source  docs/market.md "Depth"; design §6
 */
import { expect, test } from 'vitest'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import { lotValue, priceOf } from '../../src/simulator/scale.ts'
import { mean } from './figures.ts'
import { type WholeVenue, wholeVenue } from './whole-venue.ts'

const minutes = 4
/** A fiftieth of what the richest demo account has, some 2.6 million dollars. */
const order = 52_000

interface Look {
  /** Dollars of the thinner side within so many bps of the middle. */
  readonly within: ReadonlyMap<number, number>
  /** How far an order of `order` dollars moves the thinner side's best price, bps. */
  readonly impact: number
}

function look(venue: WholeVenue, instrument: Instrument): Look {
  const { bids, asks } = venue.query({ kind: 'depth', instrument: instrument.id, limit: 1_000 })
  const shown = (levels: readonly (readonly [number, number])[]) =>
    levels.map(([ticks, lots]) => {
      const price = priceOf(instrument, ticks)
      return { price, value: lots * lotValue(instrument, price) }
    })
  const [bid, ask] = [shown(bids), shown(asks)]
  const middle = (bid[0].price + ask[0].price) / 2
  const bpsOf = (price: number) => Math.abs(price / middle - 1) * 1e4
  const within = (side: typeof bid, bps: number) =>
    side.filter(({ price }) => bpsOf(price) <= bps).reduce((sum, { value }) => sum + value, 0)
  const moved = (side: typeof bid) => {
    let left = order
    for (const { price, value } of side) {
      left -= value
      if (left < 0) return bpsOf(price) - bpsOf(side[0].price)
    }
    return Number.POSITIVE_INFINITY
  }
  const reaches = [10, 25, 50, 100, 150, 200]
  return {
    within: new Map(reaches.map((bps) => [bps, Math.min(within(bid, bps), within(ask, bps))])),
    impact: Math.max(moved(bid), moved(ask)),
  }
}

test('books reach to two per cent, fall off outwards, and bear an order; trades come as on a liquid pair', async () => {
  const { venue, play } = await wholeVenue({
    events: ['trade'],
    stepMs: 100,
    parameters: { visitsPerStep: 1, stepsPerPrice: 10 },
  })
  const names = [
    ['USDT-FUTURES', 'BTCUSDT', 12_000_000],
    ['USDT-FUTURES', 'ETHUSDT', 7_500_000],
    ['USDT-FUTURES', 'SOLUSDT', 3_500_000],
    ['USDT-FUTURES', 'XRPUSDT', 1_800_000],
    ['SPOT', 'BTCUSDT', 4_500_000],
    ['COIN-FUTURES', 'BTCUSD', 3_500_000],
    ['USDC-FUTURES', 'BTCPERP', 3_000_000],
  ] as const
  const looks = new Map(names.map(([category, symbol]) => [`${category} ${symbol}`, [] as Look[]]))
  const begun = venue.now()
  let steps = 0
  await play(minutes * 60, () => {
    if (++steps % 50 !== 0) return
    for (const [category, symbol] of names) {
      looks.get(`${category} ${symbol}`)?.push(look(venue, venue.instrument(category, symbol)))
    }
  })
  for (const [category, symbol, least] of names) {
    const seen = looks.get(`${category} ${symbol}`) ?? []
    const at = (bps: number) => mean(seen.map(({ within }) => within.get(bps) ?? 0))
    const label = `${category} ${symbol}`
    expect(at(200), label).toBeGreaterThan(least)
    // A basis point further out offers less.
    const offered = [25, 50, 100, 150].map((bps, index) => {
      const next = [50, 100, 150, 200][index]
      return (at(next) - at(bps)) / (next - bps)
    })
    expect(offered, label).toEqual(offered.toSorted((a, b) => b - a))
    expect(mean(seen.map(({ impact }) => impact)), label).toBeLessThan(8)
    expect(Math.max(...seen.map(({ impact }) => impact)), label).toBeLessThan(20)
  }

  const { instruments } = venue.query({ kind: 'catalog' })
  const counts = new Map(instruments.map(({ id }) => [id, Array.from({ length: minutes * 60 }, () => 0)]))
  for (const event of venue.events) {
    if (event.kind === 'trade')
      counts.get(event.instrument)![Math.min(minutes * 60 - 1, Math.floor((event.at - begun) / 1000))]++
  }
  const perSecond = counts.get(venue.instrument('USDT-FUTURES', 'BTCUSDT').id)!
  expect(mean(perSecond)).toBeGreaterThan(3)
  expect(mean(perSecond)).toBeLessThan(10)
  // Trades that know nothing of each other would have 1.
  expect(mean(perSecond.map((count) => (count - mean(perSecond)) ** 2)) / mean(perSecond)).toBeGreaterThan(1.5)
  for (const { id, symbol } of instruments) expect(mean(counts.get(id)!), symbol).toBeGreaterThan(0.2)
})
