/** Whose turn the simulated market is: what the core that leads answers, and that no two gateways ever run it at once. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { MarketTurn } from '../../src/cluster/market-turn.ts'
import { MarketInTurn } from '../../src/gateway/market-in-turn.ts'
import { type Core, CommandNotSequenced } from '../../src/runtime/core.ts'

let nowMs: number
beforeEach(() => {
  nowMs = 1_000
})

function turnOfLeader() {
  const asked = { prepared: 0, ended: 0 }
  const turn = new MarketTurn({
    now: () => nowMs,
    fresh: () => Promise.resolve(),
    prepare: async () => void asked.prepared++,
    end: async () => void asked.ended++,
  })
  turn.leads()
  return { turn, asked }
}

describe('the turn', () => {
  test('is one gateway’s, for five seconds from when it asked last', async () => {
    const { turn, asked } = turnOfLeader()
    nowMs += 5_000
    expect(await turn.take(1, false)).toBe('yours')
    nowMs += 4_000
    expect(await turn.take(1, true)).toBe('yours')
    nowMs += 4_999
    expect(await turn.take(2, false)).toBe('others')
    nowMs += 1
    expect(await turn.take(2, false)).toBe('yours')
    expect(await turn.take(1, true)).toBe('others')
    expect(asked).toEqual({ prepared: 2, ended: 0 })
  })

  test('is let go', async () => {
    const { turn } = turnOfLeader()
    nowMs += 5_000
    await turn.take(1, false)
    turn.release(2)
    expect(await turn.take(2, false)).toBe('others')
    turn.release(1)
    expect(await turn.take(2, false)).toBe('yours')
  })

  test('goes on with a core that leads anew, and begins with nobody else before every other is over', async () => {
    const { turn, asked } = turnOfLeader()
    expect(await turn.take(2, false)).toBe('waits')
    expect(await turn.take(1, true)).toBe('yours')
    expect(await turn.take(2, false)).toBe('others')
    expect(asked.prepared).toBe(0)
    turn.leads()
    nowMs += 4_999
    expect(await turn.take(2, false)).toBe('waits')
    nowMs += 1
    expect(await turn.take(2, false)).toBe('yours')
  })

  test('is nobody’s at a core that does not lead', async () => {
    const { turn } = turnOfLeader()
    turn.follows()
    await expect(turn.take(1, false)).rejects.toThrow(CommandNotSequenced)
  })

  test('that nobody has had for a minute ends the market, at the core that leads', async () => {
    const { turn, asked } = turnOfLeader()
    nowMs += 5_000
    await turn.take(1, false)
    nowMs += 64_999
    await turn.look()
    expect(asked.ended).toBe(0)
    nowMs += 1
    await turn.look()
    expect(asked.ended).toBe(1)
    turn.follows()
    await turn.look()
    expect(asked.ended).toBe(1)
  })
})

/** A gateway with a link that may be cut, and a market that may submit. */
function gateway(session: number, leader: () => MarketTurn) {
  const told = { isCut: false, starts: 0, stops: 0 }
  let open: Core | undefined
  const venue = { submitAll: () => Promise.resolve([]), query: () => undefined, now: () => nowMs } as unknown as Core
  const ask = async (what: string, ...[of, has]: readonly unknown[]) => {
    if (told.isCut) throw new CommandNotSequenced('the core is away')
    return what === 'market' ? leader().take(of as number, has as boolean) : leader().release(of as number)
  }
  const market = new MarketInTurn({
    ask,
    session,
    core: venue,
    open: (core) => {
      open = core
      return { start: async () => void told.starts++, stop: async () => void told.stops++ }
    },
    now: () => nowMs,
    log: { info() {}, warn() {}, error() {} },
  })
  const mayTrade = () =>
    (open?.submitAll([]) ?? Promise.reject(new CommandNotSequenced('it never began'))).then(
      () => true,
      () => false,
    )
  return { told, market, mayTrade }
}

/** As many turns as an answer takes. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await Promise.resolve()
}

test('a gateway whose link is cut stops by itself, before another begins', async () => {
  vi.useFakeTimers()
  const { turn } = turnOfLeader()
  nowMs += 5_000
  const [one, other] = [gateway(1, () => turn), gateway(2, () => turn)]
  await settled()
  expect([one.market.state, other.market.state]).toEqual(['running', 'standby'])
  one.told.isCut = true
  nowMs += 3_999
  expect(await one.mayTrade()).toBe(true)
  nowMs += 1
  expect(await one.mayTrade()).toBe(false)
  other.market.look()
  await settled()
  expect(other.market.state).toBe('standby')
  nowMs += 1_000
  for (const { market } of [one, other]) market.look()
  await settled()
  expect([one.market.state, other.market.state]).toEqual(['standby', 'running'])
  expect(one.told).toMatchObject({ starts: 1, stops: 1 })
  await other.market.stop()
  one.told.isCut = false
  one.market.look()
  await settled()
  expect(one.market.state).toBe('running')
  await one.market.stop()
  vi.useRealTimers()
})

test('whatever is cut, and whoever leads: never two at once, and one of them most of the time', async () => {
  vi.useFakeTimers()
  let state = 20_261_129
  const chance = (share: number) => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 < share
  let leader = turnOfLeader().turn
  const gateways = [1, 2, 3].map((session) => gateway(session, () => leader))
  let trading = 0
  const steps = 3_000
  for (let step = 0; step < steps; step++) {
    nowMs += 250
    if (chance(0.01)) {
      leader.follows()
      leader = turnOfLeader().turn
    }
    for (const { told, market } of gateways) {
      if (chance(0.02)) told.isCut = !told.isCut
      else if (chance(0.1)) told.isCut = false
      if (chance(0.5)) market.look()
    }
    await settled()
    const may = await Promise.all(gateways.map(({ mayTrade }) => mayTrade()))
    const count = may.filter(Boolean).length
    expect(count, `step ${step}`).toBeLessThan(2)
    trading += count
  }
  expect(trading / steps).toBeGreaterThan(0.5)
  await Promise.all(gateways.map(({ market }) => market.stop()))
  vi.useRealTimers()
})
