/** The simulated market: repeatable, well-behaved towards every instrument, and not to be discouraged. */
import { describe, expect, test, vi } from 'vitest'
import { CommandNotSequenced } from '../../src/runtime/core.ts'
import { defaultParameters, Simulator, type SimulatorOptions, withdrawQuotes } from '../../src/simulator/simulator.ts'
import { FakeVenue, instruments } from './fake-venue.ts'

/** Of a maker on a side, near ones and far ones. */
const quotes = defaultParameters.levels + defaultParameters.farLevels
const maker = 2001
const taker = 2002

function market(options: Partial<SimulatorOptions> = {}) {
  const core = new FakeVenue()
  const simulator = new Simulator({ core, seed: 7, makerUids: [maker], takerUids: [taker], ...options })
  return { core, simulator }
}

async function run(steps: number, options: Partial<SimulatorOptions> = {}) {
  const { core, simulator } = market(options)
  await simulator.open()
  for (let step = 0; step < steps; step++) await simulator.step()
  return { core, simulator }
}

describe('repeats', () => {
  test('the same seed gives the same commands', async () => {
    const [first, second] = [await run(300), await run(300)]
    expect(first.core.submissions).toEqual(second.core.submissions)
  })

  test('another seed gives others', async () => {
    const [first, second] = [await run(50), await run(50, { seed: 8 })]
    expect(first.core.commands).not.toEqual(second.core.commands)
  })
})

describe('lively', () => {
  test('every book is quoted on both sides, and traded once, before start resolves', async () => {
    const { core, simulator } = market()
    await simulator.start()
    await simulator.stop()
    const taken = core.orders.filter((order) => order.uid === taker).map((order) => order.instrument)
    expect(taken).toEqual(instruments.map(({ id }) => id))
    for (const { id } of instruments) {
      const sides = core.restingOf(maker, id).map((quote) => quote.side)
      expect(sides.filter((side) => side === 'buy')).toHaveLength(quotes)
      expect(sides.filter((side) => side === 'sell')).toHaveLength(quotes)
    }
  })

  test('within two seconds prices have moved twice, quotes have changed and takers have come', async () => {
    const { core } = await run(20)
    const prices = core.commands.filter((command) => command.kind === 'set-index-prices')
    expect(prices).toHaveLength(3)
    expect(new Set(prices.map(({ prices: [[, btc]] }) => btc)).size).toBe(3)
    const counts = Object.groupBy(core.commands, (command) => command.kind)
    expect(counts['cancel-order']!.length).toBeGreaterThan(10)
    expect(core.orders.filter((order) => order.uid === taker).length).toBeGreaterThan(2)
  })

  test('a tenth of its activity: prices come as always, orders far fewer', async () => {
    const counted = async (share: number) => {
      const { core, simulator } = market()
      await simulator.open()
      const opened = core.commands.length
      simulator.setActivity(share)
      for (let step = 0; step < 20; step++) await simulator.step(10_000)
      const made = core.commands.slice(opened)
      const prices = made.filter(({ kind }) => kind === 'set-index-prices').length
      return { prices, others: made.length - prices }
    }
    const [usual, quiet] = [await counted(1), await counted(0.1)]
    expect(quiet.prices).toBe(usual.prices)
    expect(quiet.others).toBeLessThan(usual.others / 2)
    expect(quiet.others).toBeGreaterThan(0)
  })

  test('in long steps takers are as many as in a second, and each stands for as many as would have come', async () => {
    const taken = async (stepMs: number) => {
      const { core, simulator } = market({ parameters: { jumpEveryS: Infinity, marketJumpEveryS: Infinity } })
      await simulator.open()
      const before = core.orders.length
      for (let passed = 0; passed < 600_000; passed += stepMs) await simulator.step(stepMs)
      const orders = core.orders.slice(before).filter(({ uid, instrument }) => uid === taker && instrument === 0)
      const sizes = orders.flatMap(({ quantity }) => (quantity.unit === 'lots' ? [quantity.lots] : []))
      return { count: orders.length, size: sizes.reduce((sum, lots) => sum + lots, 0) / sizes.length }
    }
    const [seconds, long] = [await taken(1_000), await taken(10_000)]
    expect(seconds.count / long.count).toBeGreaterThan(7)
    expect(seconds.count / long.count).toBeLessThan(14)
    expect(long.size / seconds.size).toBeGreaterThan(6)
    expect(long.size / seconds.size).toBeLessThan(15)
  })

  test('steps are made by a timer until it is stopped', async () => {
    const { core, simulator } = market({ parameters: { stepMs: 5 } })
    await simulator.start()
    await vi.waitFor(() => expect(simulator.stats().steps).toBeGreaterThan(5))
    await simulator.stop()
    const { length } = core.submissions
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(core.submissions).toHaveLength(length)
  })

  test('both makers and both takers take part', async () => {
    const { core } = await run(100, { makerUids: [1, 2], takerUids: [3, 4] })
    expect(new Set(core.orders.map((order) => order.uid))).toEqual(new Set([1, 2, 3, 4]))
  })
})

describe('well-behaved', () => {
  test.each([1, 2, 3])('seed %d: sizes fit every instrument, no quote meets its own other side', async (seed) => {
    const { core } = await run(2_000, { seed, parameters: { jumpEveryS: 5, jumpBps: 100 } })
    expect(core.faults).toEqual([])
    expect(core.orders.length).toBeGreaterThan(3_000)
  })

  test.each([
    // Takers come three times as often in a crash, half as often in calm times.
    ['crash', 3],
    ['calm', 1],
  ] as const)('%s: makers look at %i book(s) in a step', async (scenario, books) => {
    const { core, simulator } = await run(1)
    simulator.begin(scenario)
    const query = vi.spyOn(core, 'query')
    for (let step = 0; step < 20; step++) await simulator.step()
    expect(query.mock.calls.filter(([{ kind }]) => kind === 'open-orders')).toHaveLength(20 * books)
  })

  test('open orders stay few, and the books near the fair price', async () => {
    const { core } = await run(1_000)
    for (const { id, base, priceStep, priceDecimals } of instruments) {
      const resting = core.restingOf(maker, id)
      expect(resting.length).toBeLessThanOrEqual(2 * (quotes + defaultParameters.quotesPerVisit + 1))
      const tick = priceStep / 10 ** priceDecimals
      const worst = Math.max(...resting.map((quote) => Math.abs((quote.price * tick) / core.shown[base] - 1)))
      // The ladder ends at two per cent, and its last quote reaches some way beyond. The coarsest instrument quotes its levels a step of
      // 5 dollars apart, at 3,000.
      expect(worst).toBeLessThan(0.04)
    }
  })

  test('index prices stay near their listing, dollars stay dollars', async () => {
    const { core } = await run(5_000, { parameters: { visitsPerStep: 0, takesPerS: 0, jumpEveryS: 1, jumpBps: 1_000 } })
    for (const command of core.commands) {
      if (command.kind !== 'set-index-prices') continue
      const [btc, , , usdt, usdc] = command.prices.map(([, units]) => Number(units) / 1e8)
      expect(usdt).toBe(1)
      expect(Math.abs(usdc - 1)).toBeLessThanOrEqual(0.0006)
      expect(btc).toBeGreaterThanOrEqual(42_000)
      expect(btc).toBeLessThanOrEqual(78_000)
    }
  })
})

describe('restart', () => {
  test('old quotes are cancelled first, and prices go on from where the venue shows them', async () => {
    const { core, simulator } = market()
    core.shown = [66_000, 2_700, 0.16, 1, 1]
    await simulator.open()
    const [withdrawals, [prices]] = core.submissions
    expect(withdrawals.map((command) => command.kind)).toEqual(Array(4).fill('cancel-orders'))
    expect(prices).toMatchObject({
      kind: 'set-index-prices',
      prices: [
        [0, 6_600_000_000_000n],
        [1, 270_000_000_000n],
        [2, 16_000_000n],
        [3, 100_000_000n],
        [4, 100_000_000n],
      ],
    })
  })

  test('a venue that goes on without agents is rid of their quotes', async () => {
    const { core } = await run(20)
    await withdrawQuotes(core, [maker, taker])
    expect(core.restingOf(maker)).toEqual([])
  })
})

describe('not to be discouraged', () => {
  test('refusals are counted', async () => {
    const { core, simulator } = market()
    core.answer = () => ({ kind: 'refused', refusal: { kind: 'account-unknown' } })
    await simulator.open()
    await simulator.step()
    const { refused, commands } = simulator.stats()
    expect(refused).toBe(commands)
  })

  test('a venue that takes no commands is asked again', async () => {
    const warn = vi.fn<(facts: object, text: string) => void>()
    const { core, simulator } = market({ log: { warn } })
    const submitAll = vi.spyOn(core, 'submitAll').mockRejectedValue(new CommandNotSequenced('the venue is stopping'))
    await simulator.open()
    for (let step = 0; step < 5; step++) await simulator.step()
    expect(warn).toHaveBeenCalledTimes(1)
    submitAll.mockRestore()
    for (let step = 0; step < 20; step++) await simulator.step()
    expect(core.restingOf(maker).length).toBeGreaterThan(20)
  })

  test('a venue without a catalogue, or agents without accounts, is no trouble', async () => {
    const { core, simulator } = market({ makerUids: [], takerUids: [] })
    await simulator.open()
    await simulator.step()
    expect(core.orders).toEqual([])
  })
})
