/** The operator's calls of the simulated market: what is asked of it, and what is said of a wrong request. */
import { describe, expect, test } from 'vitest'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import type { SimulatedMarket } from '../../src/operator/calls/scenarios.ts'
import { fakeVenue } from './fake-core.ts'

type Begun = Parameters<SimulatedMarket['begin']>

/** A market that begins what it is asked for, as long as it is not `adl`. */
function market() {
  const begun: Begun[] = []
  let running: ReturnType<SimulatedMarket['scenario']>
  const asked: SimulatedMarket = {
    begin(...scenario) {
      begun.push(scenario)
      const [name, coin, minutes = 3] = scenario
      return name === 'adl' ? undefined : (running = { name, coin, minutesLeft: minutes })
    },
    end: () => void (running = undefined),
    scenario: () => running,
  }
  return { begun, asked }
}

async function call(asked: SimulatedMarket | undefined, method: 'GET' | 'POST', sent?: unknown): Promise<unknown> {
  const found = operatorCalls.find(
    (candidate) => candidate.method === method && candidate.path === '/operator/scenario',
  )!
  return await found.run(sent, fakeVenue({ market: asked }).ports)
}

test('a scenario begins, is shown, and ends', async () => {
  const { begun, asked } = market()
  expect(await call(asked, 'GET')).toEqual({ name: 'none', coin: null, minutesLeft: 0 })
  expect(await call(asked, 'POST', { name: 'crash' })).toEqual({ name: 'crash', coin: null, minutesLeft: 3 })
  expect(await call(asked, 'POST', { name: 'trend', minutes: '20', coin: 'btc' })).toEqual({
    name: 'trend',
    coin: 'BTC',
    minutesLeft: 20,
  })
  expect(begun).toEqual([
    ['crash', undefined, undefined],
    ['trend', 0, 20],
  ])
  expect(await call(asked, 'GET')).toEqual({ name: 'trend', coin: 'BTC', minutesLeft: 20 })
  expect(await call(asked, 'POST', { name: 'none' })).toEqual({ name: 'none', coin: null, minutesLeft: 0 })
})

describe('a wrong request names the field and the rule, and begins nothing', () => {
  test.each([
    [{}, 'name is required'],
    [{ name: 'boom' }, 'name must be one of calm, trend, crash, squeeze, stale-index, adl, none'],
    [{ name: 'calm', minutes: 0 }, 'minutes must be a whole number from 1 to 60'],
    [{ name: 'calm', minutes: 61 }, 'minutes must be a whole number from 1 to 60'],
    [{ name: 'calm', coin: 'GOLD' }, 'coin: there is no coin GOLD'],
    [{ name: 'calm', speed: 2 }, 'speed is not known'],
    [{ name: 'none', minutes: 2 }, 'minutes is not expected: none ends what runs'],
    [{ name: 'none', coin: 'BTC' }, 'coin is not expected: none ends what runs'],
  ])('%j: %s', async (sent, message) => {
    const { begun, asked } = market()
    await expect(call(asked, 'POST', sent)).rejects.toThrow(message)
    expect(begun).toEqual([])
  })

  test('where it cannot be played, and where there is no market', async () => {
    const impossible = { status: 409, code: 'scenario-impossible' }
    await expect(call(market().asked, 'POST', { name: 'adl', coin: 'USDT' })).rejects.toMatchObject(impossible)
    const off = { status: 409, code: 'simulator-off' }
    await expect(call(undefined, 'POST', { name: 'calm' })).rejects.toMatchObject(off)
    await expect(call(undefined, 'GET')).rejects.toMatchObject(off)
  })
})
