/** A simulator that is saved and restored goes on as it would have, and two processes make the same market. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { simulatorUids } from '../../src/operator/demo/venue.ts'
import { scenarioNames, Simulator, type SimulatorOptions } from '../../src/simulator/simulator.ts'
import { FakeVenue } from './fake-venue.ts'
import { WholeVenue, wholeVenue } from './whole-venue.ts'

const coins = ['BTC', 'ETH']

/** What comes back after two seconds, candles of a minute each. */
const recordings = {
  of: new Map([
    ['BTC', { times: [0, 1_000, 2_000], prices: [60_000, 60_100, 60_050], isStepped: false }],
    ['ETH', { times: [0, 3_000, 900_000], prices: [3_000, 3_010, 2_990], isStepped: true }],
  ]),
  beginsAt: 0,
}

/** Few quotes and takers: what counts is the scenario. */
const quiet = { takesPerS: 0.5, visitsPerStep: 1 }
const busy = { takesPerS: 4, jumpEveryS: 20, traderIdleS: 2, traderHoldS: 2 }

/** A simulator with the same options over a venue that was saved. */
function fork(saved: ReturnType<WholeVenue['save']>, options: Partial<SimulatorOptions>) {
  const venue = new WholeVenue([])
  venue.restore(saved)
  const parameters = { stepMs: 500, stepsPerPrice: 1, visitsPerStep: 4, ...options.parameters }
  return { venue, simulator: new Simulator({ core: venue, seed: 1, ...simulatorUids(venue), ...options, parameters }) }
}

async function steps(venue: WholeVenue, simulator: Simulator, count: number, ms = 500) {
  venue.commands.length = 0
  for (let step = 0; step < count; step++) await simulator.advance(ms, async (length) => venue.advance(length))
  return [...venue.commands]
}

const aMarket = fc.record({
  seed: fc.integer({ min: 1, max: 1_000 }),
  before: fc.nat(12),
  meanwhile: fc.integer({ min: 1, max: 12 }),
  scenario: fc.option(fc.constantFrom(...scenarioNames), { nil: undefined }),
  recordings: fc.constantFrom(undefined, recordings),
})

test('restored, the same commands follow: by the same simulator and by another', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(aMarket, async ({ seed, before, meanwhile, scenario, ...recorded }) => {
      const options = { seed, parameters: busy, ...recorded }
      const { venue, simulator } = await wholeVenue({ coins, ...options })
      if (scenario !== undefined) simulator.begin(scenario)
      await steps(venue, simulator, before)
      const [state, saved] = [venue.save(), simulator.save()]
      const copy = structuredClone(saved)
      const commands = await steps(venue, simulator, meanwhile)
      const { stats, view } = { stats: simulator.stats(), view: simulator.scenario() }
      expect(saved).toEqual(copy)

      simulator.begin('crash')
      await steps(venue, simulator, 1)
      for (let time = 0; time < 2; time++) {
        venue.restore(state)
        simulator.restore(saved)
        expect(await steps(venue, simulator, meanwhile)).toEqual(commands)
        expect(simulator.stats()).toEqual(stats)
        expect(simulator.scenario()).toEqual(view)
      }
      const other = fork(state, options)
      other.simulator.restore(copy)
      expect(await steps(other.venue, other.simulator, meanwhile)).toEqual(commands)
      expect(other.simulator.stats()).toEqual(stats)
    }),
    { numRuns: 6 },
  )
})

test.each(scenarioNames)(
  '%s goes on in the middle of it, and ends as it would have',
  { timeout: 30_000 },
  async (name) => {
    const { venue, simulator } = await wholeVenue({ coins, parameters: quiet })
    simulator.begin(name, undefined, 1)
    await steps(venue, simulator, 10, 1_000)
    const [state, saved] = [venue.save(), simulator.save()]
    const commands = await steps(venue, simulator, 51, 1_000)
    expect(simulator.scenario()).toBeUndefined()
    const other = fork(state, { parameters: quiet })
    other.simulator.restore(saved)
    expect(other.simulator.scenario()?.name).toBe(name)
    expect(await steps(other.venue, other.simulator, 51, 1_000)).toEqual(commands)
  },
)

test('a step under way is not saved', async () => {
  const core = new FakeVenue()
  const simulator = new Simulator({ core, seed: 1, makerUids: [1], takerUids: [2] })
  await simulator.open()
  const saved = simulator.save()
  const step = simulator.step()
  expect(() => simulator.save()).toThrow('between two steps')
  expect(() => simulator.restore(saved)).toThrow('between two steps')
  await step
  simulator.restore(saved)
})

test('a simulator with other agents is not restored', () => {
  const core = new FakeVenue()
  const saved = new Simulator({ core, seed: 1, makerUids: [1], takerUids: [2] }).save()
  const other = new Simulator({ core, seed: 1, makerUids: [1, 3], takerUids: [2] })
  expect(() => other.restore(saved)).toThrow('saved with 1, 1, 0 makers, takers and traders; it has 2, 1, 0')
})

test('two processes make the same commands with the same seed and steps', { timeout: 60_000 }, async () => {
  const script = fileURLToPath(new URL('commands-hash.ts', import.meta.url))
  const run = promisify(execFile)
  const hashes = await Promise.all(
    ['America/New_York', 'Asia/Tokyo'].map(async (TZ) => {
      const { stdout } = await run(process.execPath, [script], { env: { ...process.env, TZ, LANG: 'de_DE.UTF-8' } })
      return stdout.trim()
    }),
  )
  expect(hashes[0]).toMatch(/^\d+ commands [0-9a-f]{64}$/)
  expect(hashes[1]).toBe(hashes[0])
})
