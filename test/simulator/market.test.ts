/**
 * The simulated market behaves like one: what docs/market.md says of prices, bursts, basis and liquidations, on fixed
 * seeds and simulated time.
 */
import { describe, expect, test } from 'vitest'
import { Bursts } from '../../src/simulator/bursts.ts'
import { normalConditions } from '../../src/simulator/market-conditions.ts'
import { defaultParameters } from '../../src/simulator/parameters.ts'
import { coinPrice, MarketFactor } from '../../src/simulator/prices.ts'
import { Random } from '../../src/simulator/random.ts'
import type { Scenario } from '../../src/simulator/scenarios.ts'
import { autocorrelation, correlation, kurtosis, mean } from './figures.ts'
import { observe } from './observed.ts'
import { wholeVenue } from './whole-venue.ts'

/** Log returns of two coins over ten seconds each, a day long. */
function returns(seed: number, change: Partial<typeof defaultParameters> = {}) {
  const parameters = { ...defaultParameters, ...change }
  const random = new Random(seed)
  const marketFactor = new MarketFactor(random.for('market'), parameters)
  const prices = [
    coinPrice('BTC', { listed: 60_000, now: 60_000 }, random.for('BTC'), parameters),
    coinPrice('ETH', { listed: 3_000, now: 3_000 }, random.for('ETH'), parameters),
  ]
  const series: number[][] = [[], []]
  for (let step = 0; step < 8_640; step++) {
    const before = prices.map((price) => price.dollars)
    const market = marketFactor.move(10)
    prices.forEach((price, index) => {
      price.move(market, normalConditions)
      series[index].push(Math.log(price.dollars / before[index]))
    })
  }
  return series
}

describe.each([1, 2, 3])('prices of seed %d', (seed) => {
  const [btc, eth] = returns(seed)

  test('volatility comes in clusters: a large move is followed by large moves, of either direction', () => {
    const lags = [1, 2, 3, 6, 12]
    // Of independent moves it would be 0 with a deviation of 0.005.
    expect(autocorrelation(btc.map(Math.abs), lags)).toBeGreaterThan(0.05)
    expect(Math.abs(autocorrelation(btc, lags))).toBeLessThan(0.03)
  })

  test('large moves are far more frequent than a normal distribution has them', () => {
    expect(kurtosis(btc)).toBeGreaterThan(3.8)
    const calm = returns(seed, { jumpEveryS: Infinity, marketJumpEveryS: Infinity, volatilityOfVolatility: 0 })[0]
    expect(kurtosis(calm)).toBeLessThan(3.2)
  })

  test('coins move together, and about as much as their volatility says', () => {
    expect(correlation(btc, eth)).toBeGreaterThan(0.35)
    expect(correlation(btc, eth)).toBeLessThan(0.65)
    const yearly = Math.sqrt(mean(btc.map((move) => move ** 2)) * 365.25 * 8_640)
    expect(yearly).toBeGreaterThan(0.3)
    expect(yearly).toBeLessThan(0.9)
  })
})

describe('takers', () => {
  /** Orders in each quarter of a minute, for three hours. */
  function counts(burstShare: number): number[] {
    const bursts = new Bursts(new Random(5), { ...defaultParameters, burstShare })
    const inAQuarter = () =>
      Array.from({ length: 30 }, () => bursts.arrivals(0.5, 2)).reduce((sum, count) => sum + count, 0)
    return Array.from({ length: 720 }, inAQuarter)
  }
  const dispersion = (values: readonly number[]) =>
    mean(values.map((value) => (value - mean(values)) ** 2)) / mean(values)

  test('come in bursts, and as often as the parameter says', () => {
    const bursting = counts(defaultParameters.burstShare)
    // Orders that know nothing of each other have a dispersion of 1.
    expect(dispersion(bursting)).toBeGreaterThan(2)
    expect(mean(bursting)).toBeGreaterThan(25)
    expect(mean(bursting)).toBeLessThan(35)
    expect(dispersion(counts(0))).toBeLessThan(1.25)
  })

  test('in a burst they go the same way more often than not', () => {
    const bursts = new Bursts(new Random(6), defaultParameters)
    bursts.arrivals(1, 20)
    bursts.went('sell')
    const sides = Array.from({ length: 200 }, () => bursts.sideOfOthers(1))
    expect(sides.filter((side) => side === 'sell').length).toBeGreaterThan(100)
    expect(sides).not.toContain('buy')
  })
})

/** Every deviation of the contract's mid from its index, in bps, while takers want one side of it. */
async function basis(takerBias: number, arbitrage: boolean) {
  const change = arbitrage ? {} : { arbitrageurUid: undefined }
  const { venue, simulator, play } = await wholeVenue({
    ...change,
    coins: ['BTC'],
    stepMs: 1_000,
    parameters: {
      mood: 0,
      takesPerS: 3,
      inventoryNotional: 1e9,
      quoteNotional: 40_000,
      // A book of usual depth, whatever the coin
      depths: {},
      depthShares: {},
      takeShares: {},
      arbitrageNotional: 40_000,
      visitsPerStep: 4,
      makerInventoryNotional: 100_000,
      jumpEveryS: Infinity,
      marketJumpEveryS: Infinity,
      volatility: { BTC: 0.02 },
    },
  })
  const { id } = venue.instrument('USDT-FUTURES', 'BTCUSDT')
  // The rate is the mean premium, and nothing else.
  await venue.operator('pricing', { fundingClamp: '0' })
  simulator.play(leaning(takerBias))
  const seen: number[] = []
  await play(360, () => {
    const { bids, asks } = venue.query({ kind: 'depth', instrument: id, limit: 1 })
    const { indexPrice } = venue.query({ kind: 'prices', instrument: id })
    if (bids.length > 0 && asks.length > 0) seen.push(((bids[0][0] + asks[0][0]) / 2 / indexPrice - 1) * 1e4)
  })
  return { late: seen.slice(-50), rate: Number(venue.query({ kind: 'prices', instrument: id }).fundingRate) / 1e12 }
}

/** Takers want one side, and nothing else is unusual. */
function leaning(takerBias: number): Scenario {
  const conditions = () => ({ ...normalConditions, takerBias })
  const save = () => ({ name: 'trend', coin: undefined, lengthS: 1e9, elapsedS: 0, drift: 0 }) as const
  return {
    name: 'trend',
    coin: undefined,
    secondsLeft: 1e9,
    isOver: false,
    pass: () => [],
    end: () => [],
    conditions,
    save,
  }
}

describe('between books and index', () => {
  test('a crowd moves a contract its way, and the arbitrageur bounds how far', { timeout: 60_000 }, async () => {
    const [up, down, alone] = [await basis(0.8, true), await basis(-0.8, true), await basis(0.8, false)]
    expect(mean(up.late)).toBeGreaterThan(2)
    expect(mean(down.late)).toBeLessThan(-2)
    expect(mean(alone.late)).toBeGreaterThan(mean(up.late) + 2)
    const { arbitrageBps, elsewhereBps, halfSpreadBps } = defaultParameters
    expect(mean(up.late)).toBeLessThan(arbitrageBps + elsewhereBps + halfSpreadBps)
    expect(mean(down.late)).toBeGreaterThan(-arbitrageBps - elsewhereBps - halfSpreadBps)
    // Who crowds in pays.
    expect(up.rate).toBeGreaterThan(0)
    expect(down.rate).toBeLessThan(0)
  })
})

describe('leveraged traders', () => {
  test('are liquidated now and then, topped up by the rule, and the books hold', { timeout: 60_000 }, async () => {
    const { venue, simulator, play } = await wholeVenue({
      seed: 3,
      coins: ['BTC', 'ETH'],
      stepMs: 2_000,
      events: ['liquidation'],
      // A year's wildness and quick traders, so that a quarter of an hour shows what else takes a day.
      parameters: { volatility: { BTC: 3, ETH: 4 }, traderIdleS: 20, takesPerS: 1 },
    })
    await play(1_800)
    const liquidations = venue.events.filter((event) => event.kind === 'liquidation')
    expect(liquidations.length).toBeGreaterThan(2)
    expect(liquidations.length).toBeLessThan(100)
    const deposits = venue.commands.flatMap((command) => (command.kind === 'deposit' ? [command] : []))
    expect(deposits.length).toBeGreaterThan(0)
    for (const { coin, amount } of deposits) {
      const dollars = (Number(amount) / 1e8) * (venue.indexPrices(coin).at(-1) ?? 1)
      expect(dollars).toBeLessThan(defaultParameters.traderFunds * 1.3)
      expect(dollars).toBeGreaterThan(defaultParameters.traderFunds * 0.6)
    }
    expect(venue.query({ kind: 'verify' }).faults).toEqual([])
    const { commands, refused } = simulator.stats()
    expect(refused / commands).toBeLessThan(0.01)
  })
})

test('the usual market, for a few minutes: every book is quoted and traded in, and all books hold', async () => {
  const { faults, figures } = await observe({ seed: 2, hours: 0.1, stepMs: 1_000 })
  expect(faults).toEqual([])
  expect(figures['minutes with an empty side, all books']).toBe('0')
  expect(figures['commands refused']).toBe('0.00 %')
})

test('the same seed and the same clock give the same commands, with everybody in it', async () => {
  const [first, second] = [await wholeVenue({ seed: 4, coins: ['BTC'] }), await wholeVenue({ seed: 4, coins: ['BTC'] })]
  for (const { simulator, play } of [first, second]) {
    await play(10)
    simulator.begin('crash')
    await play(20)
  }
  expect(first.venue.commands.length).toBeGreaterThan(300)
  expect(first.venue.commands).toEqual(second.venue.commands)
})

test('on the manual clock hours take few steps, and no index turns stale on the way', async () => {
  const { venue, simulator } = await wholeVenue({ coins: ['BTC'], events: ['instrument-frozen'] })
  const { steps } = simulator.stats()
  await simulator.advance(2 * 3_600_000, async (ms) => venue.advance(ms))
  expect(simulator.stats().steps - steps).toBeLessThanOrEqual(600)
  expect(venue.events).toEqual([])
  const before = venue.now()
  await simulator.advance(1, async (ms) => venue.advance(ms))
  expect(venue.now()).toBe(before + 1)
})
