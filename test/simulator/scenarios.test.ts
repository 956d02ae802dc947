/** What each scenario is asked for, seen in a whole venue: docs/market.md. */
import { describe, expect, test } from 'vitest'
import { defaultParameters } from '../../src/simulator/simulator.ts'
import { wholeVenue } from './whole-venue.ts'

const largest = (values: readonly number[]) => Math.max(...values)
const smallest = (values: readonly number[]) => Math.min(...values)

function realized(prices: readonly number[]): number {
  const moves = prices.slice(1).map((price, index) => Math.log(price / prices[index]))
  return Math.sqrt(moves.reduce((sum, move) => sum + move ** 2, 0) / moves.length)
}

/** Few quotes and takers: these are about prices. */
const quiet = { takesPerS: 0.5, visitsPerStep: 1 }

test('calm: prices move less than half as much as usual', async () => {
  const { venue, simulator, play } = await wholeVenue({ coins: ['BTC', 'ETH'], stepMs: 1_000, parameters: quiet })
  const { id } = venue.coin('BTC')
  await play(180)
  const usual = realized(venue.indexPrices(id))
  expect(simulator.begin('calm')).toEqual({ name: 'calm', coin: undefined, minutesLeft: 10 })
  venue.commands.length = 0
  await play(180)
  expect(realized(venue.indexPrices(id))).toBeLessThan(usual / 2)
})

test('trend: a coin rises by some 0.3 % a minute, the others do not', async () => {
  const { venue, simulator, play } = await wholeVenue({ coins: ['BTC', 'ETH'], stepMs: 1_000, parameters: quiet })
  simulator.begin('trend', venue.coin('ETH').id, 5)
  await play(300)
  const rise = (name: string) => {
    const prices = venue.indexPrices(venue.coin(name).id)
    return prices.at(-1)! / prices[0] - 1
  }
  expect(rise('ETH')).toBeGreaterThan(0.009)
  expect(rise('ETH')).toBeLessThan(0.021)
  expect(Math.abs(rise('BTC'))).toBeLessThan(0.008)
  expect(simulator.scenario()).toBeUndefined()
})

test('crash: a tenth is gone within a minute, and those who were long on leverage are liquidated', async () => {
  const { venue, simulator, play } = await wholeVenue({
    coins: ['BTC', 'ETH'],
    events: ['liquidation'],
    parameters: { takesPerS: 1 },
  })
  const { id } = venue.coin('BTC')
  await play(5)
  const before = venue.indexPrices(id).at(-1)!
  simulator.begin('crash')
  await play(60)
  const low = venue.indexPrices(id).at(-1)! / before
  expect(low).toBeLessThan(0.92)
  expect(low).toBeGreaterThan(0.88)
  const found = venue.events.flatMap((event) => (event.kind === 'liquidation' ? event.positions : []))
  expect(found.length).toBeGreaterThan(1)
  expect(new Set(found.map(({ side }) => side))).toEqual(new Set(['long']))
  await play(121)
  expect(venue.indexPrices(id).at(-1)! / before).toBeGreaterThan(low)
  expect(simulator.scenario()).toBeUndefined()
  expect(venue.query({ kind: 'verify' }).faults).toEqual([])
})

test('crash: with their usual quickness makers keep both sides of the books, and near the index', async () => {
  const { stepMs, stepsPerPrice, visitsPerStep } = defaultParameters
  const { venue, simulator, play } = await wholeVenue({ stepMs, parameters: { stepMs, stepsPerPrice, visitsPerStep } })
  const { id } = venue.instrument('USDT-FUTURES', 'BTCUSDT')
  simulator.begin('crash')
  const empty: number[] = []
  const apart: number[] = []
  await play(30, () => {
    const { bids, asks } = venue.query({ kind: 'depth', instrument: id, limit: 1 })
    const { indexPrice } = venue.query({ kind: 'prices', instrument: id })
    if (bids.length === 0 || asks.length === 0) empty.push(venue.now())
    else apart.push(Math.abs((bids[0][0] + asks[0][0]) / 2 / indexPrice - 1))
  })
  expect(empty).toEqual([])
  expect(largest(apart)).toBeLessThan(0.01)
})

test('squeeze: a coin rises by some 8 % within a minute, and shorts are liquidated', async () => {
  const { venue, simulator, play } = await wholeVenue({ seed: 2, coins: ['BTC', 'ETH'], events: ['liquidation'] })
  const { id } = venue.coin('ETH')
  await play(5)
  const before = venue.indexPrices(id).at(-1)!
  simulator.begin('squeeze', id, 1)
  await play(61)
  const high = largest(venue.indexPrices(id)) / before
  expect(high).toBeGreaterThan(1.06)
  expect(high).toBeLessThan(1.1)
  const found = venue.events.flatMap((event) => (event.kind === 'liquidation' ? event.positions : []))
  expect(found.length).toBeGreaterThan(0)
  expect(new Set(found.map(({ side }) => side))).toEqual(new Set(['short']))
  expect(simulator.scenario()).toBeUndefined()
})

test('stale-index: its contracts are frozen after thirty seconds, and go on when it is over', async () => {
  const { venue, simulator, play } = await wholeVenue({
    coins: ['BTC', 'ETH'],
    stepMs: 1_000,
    parameters: quiet,
    events: ['instrument-frozen', 'instrument-unfrozen'],
  })
  const { id: coin } = venue.coin('BTC')
  const { id } = venue.instrument('USDT-FUTURES', 'BTCUSDT')
  const { id: other } = venue.instrument('USDT-FUTURES', 'ETHUSDT')
  await play(2)
  const published = venue.indexPrices(coin).length
  expect(simulator.begin('stale-index', undefined, 1)).toEqual({ name: 'stale-index', coin, minutesLeft: 1 })
  await play(29)
  expect(venue.query({ kind: 'prices', instrument: id }).indexHalt).toBeUndefined()
  await play(20)
  expect(venue.indexPrices(coin)).toHaveLength(published)
  expect(venue.query({ kind: 'prices', instrument: id }).indexHalt).toBe('stale')
  expect(venue.query({ kind: 'prices', instrument: other }).indexHalt).toBeUndefined()
  // Who wants to reduce finds somebody.
  const { bids, asks } = venue.query({ kind: 'depth', instrument: id, limit: 5 })
  expect([bids.length, asks.length]).toEqual([5, 5])
  await play(13)
  expect(venue.query({ kind: 'prices', instrument: id }).indexHalt).toBeUndefined()
  const kinds = venue.events.map((event) => event.kind)
  expect(kinds.filter((kind) => kind === 'instrument-unfrozen')).toHaveLength(kinds.length / 2)
})

test('what is left to others: nobody trades there, and prices are shifted or stay away, until it is given back', async () => {
  const { venue, simulator, play } = await wholeVenue({ coins: ['BTC', 'ETH'], stepMs: 1_000, parameters: quiet })
  const [btc, eth] = ['BTC', 'ETH'].map((name) => venue.coin(name).id)
  const { id } = venue.instrument('USDT-FUTURES', 'BTCUSDT')
  const nothing = { books: new Set<number>(), coins: new Set<number>(), shifts: new Map<number, number>() }
  await play(5)
  const before = [btc, eth].map((coin) => venue.indexPrices(coin).at(-1)!)
  simulator.leave({ books: new Set([id]), coins: new Set([eth]), shifts: new Map([[btc, 0.5]]) })
  venue.commands.length = 0
  await play(20)
  expect(venue.commands.filter((command) => 'instrument' in command && command.instrument === id)).toEqual([])
  expect(venue.indexPrices(eth)).toEqual([])
  expect(Math.abs(venue.indexPrices(btc).at(-1)! / before[0] - 0.5)).toBeLessThan(0.01)
  simulator.leave(nothing)
  await play(20)
  expect(venue.commands.filter((command) => 'instrument' in command && command.instrument === id)).not.toEqual([])
  for (const [place, coin] of [btc, eth].entries()) {
    expect(Math.abs(venue.indexPrices(coin).at(-1)! / before[place] - 1)).toBeLessThan(0.02)
  }
})

describe('adl', () => {
  test('the fund is short, a deleveraging occurs, and at the end the fund has what it had', async () => {
    const { venue, simulator, play } = await wholeVenue({ coins: ['BTC'], events: ['fill'] })
    const { id } = venue.coin('BTC')
    const fund = () => Number(venue.query({ kind: 'insurance-fund', coin: id })) / 1e8
    await play(5)
    const before = fund()
    const seen: number[] = []
    expect(simulator.begin('adl')).toEqual({ name: 'adl', coin: id, minutesLeft: 5 })
    await play(90, () => void seen.push(fund()))
    expect(simulator.scenario()).toBeUndefined()
    expect(smallest(seen)).toBeLessThan(0.7 * before)
    const { id: contract } = venue.instrument('COIN-FUTURES', 'BTCUSD')
    const taken = venue.events.filter((event) => event.kind === 'fill' && event.cause === 'adl')
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.every((event) => event.kind === 'fill' && event.instrument === contract)).toBe(true)
    expect(fund()).toBeGreaterThanOrEqual(before)
    expect(venue.query({ kind: 'verify' }).faults).toEqual([])
  })

  test('is refused where nobody could play it', async () => {
    const { venue, simulator } = await wholeVenue({ coins: ['BTC'], gamblerUid: undefined })
    expect(simulator.begin('adl')).toBeUndefined()
    const whole = await wholeVenue({ coins: ['BTC'] })
    expect(whole.simulator.begin('adl', venue.coin('USDT').id)).toBeUndefined()
  })
})

test('one at a time: a new one ends the one before, none ends what runs', async () => {
  const { venue, simulator, play } = await wholeVenue({ coins: ['BTC', 'ETH'], stepMs: 1_000, parameters: quiet })
  simulator.begin('trend')
  simulator.begin('calm', venue.coin('BTC').id, 2)
  await play(6)
  expect(simulator.scenario()).toEqual({ name: 'calm', coin: venue.coin('BTC').id, minutesLeft: 1.9 })
  simulator.end()
  expect(simulator.scenario()).toBeUndefined()
})
