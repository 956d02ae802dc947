/**
 * Samples of equity (decision 0069): whose turn comes when, and what an account reads of its own, over a kill, moves of money and
 * a clock that is moved.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { turnsBetween } from '../../src/operator/equity.ts'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

const minuteMs = 60_000
const roundMs = 5 * minuteMs
const hourMs = 60 * minuteMs
/** A full hour, and the beginning of a round. */
const start = 1_790_000_000_000 - (1_790_000_000_000 % hourMs)

describe('turns', () => {
  const places = (before: number, at: number, count: number) =>
    turnsBetween(before, at, count).map(({ place }) => place)

  test.each([
    // from, to in seconds of a round, of how many accounts, whose turn it is
    [0, 1, 5, []],
    [0, 60, 5, [1]],
    [59, 61, 5, [1]],
    [0, 299, 5, [1, 2, 3, 4]],
    [0, 300, 5, [1, 2, 3, 4, 0]],
    [100, 400, 5, [2, 3, 4, 0, 1]],
    // However long nothing happened, each has one.
    [100, 40_000, 5, [2, 3, 4, 0, 1]],
    [100, 100, 5, []],
    [0, 300, 0, []],
  ])('from second %i to %i of %i accounts: %j', (from, to, count, expected) => {
    const found = places(start + from * 1_000, start + to * 1_000, count)
    expect(new Set(found)).toEqual(new Set(expected))
    expect(found).toHaveLength(expected.length)
  })

  test('everybody has one in a round, whenever commands come', () => {
    for (const count of [1, 7, 299, 10_000]) {
      const found: number[] = []
      for (let at = start; at < start + roundMs; ) {
        const next = at + 1 + ((at * 7) % 250)
        found.push(...places(at, Math.min(next, start + roundMs), count))
        at = next
      }
      expect(new Set(found).size, `${count} accounts`).toBe(count)
      expect(found).toHaveLength(count)
    }
  })

  test('of very many accounts fifty a second have one, and at once 256 at most', () => {
    const found = [...Array(100).keys()].flatMap((n) => places(start + n * 100, start + (n + 1) * 100, 1_000_000))
    expect(found).toHaveLength(500)
    expect(places(start, start + hourMs, 1_000_000)).toHaveLength(256)
  })

  test('the first turn of an hour and of four is kept for longer, also where hours were passed over', () => {
    const keptFor = (before: number, at: number) => turnsBetween(before, at, 1).map((turn) => turn.keptFor)
    const four = start - (start % (4 * hourMs))
    expect(keptFor(four - 1, four)).toEqual(['all'])
    expect(keptFor(four, four + roundMs)).toEqual(['day'])
    expect(keptFor(four + hourMs - 1, four + hourMs)).toEqual(['week'])
    expect(keptFor(four + 40 * minuteMs, four + 100 * minuteMs)).toEqual(['week'])
    expect(keptFor(four + 40 * minuteMs, four + 300 * minuteMs)).toEqual(['all'])
  })
})

interface Point {
  readonly ts: string
  readonly equity: string
  readonly moved: string
}

describe('a venue', () => {
  let venue: Venue
  let alice: Person
  let sub: Person
  let classic: Person

  beforeAll(async () => {
    venue = await startVenue({ clock: 'manual', durability: 'sync' })
    alice = await venue.person('Alice', { funds: { uta: { USDT: '1000', BTC: '1' }, spot: { USDT: '50' } } })
    sub = await venue.person('Sub', { parent: alice })
    const funds = { usdt_futures: { USDT: '300' }, crossed_margin: { USDT: '20' }, spot: { USDT: '1' } }
    classic = await venue.person('Carol', { mode: 'classic', funds })
  })

  afterAll(() => venue?.remove())

  const curve = async (person: Person, query: Record<string, string | number> = {}): Promise<readonly Point[]> => {
    const { code, msg, data } = await person.get('/terminal/equity', query)
    expect(code, msg).toBe('00000')
    return data as readonly Point[]
  }
  const figures = (points: readonly Point[]) => points.map(({ equity, moved }) => [Number(equity), Number(moved)])
  const worthOf = async (person: Person) => {
    const { data } = await person.get('/api/v2/account/all-account-balance')
    return (data as { usdtBalance: string }[]).reduce((sum, { usdtBalance }) => sum + Number(usdtBalance), 0)
  }

  test('what is paid in is moved, not won, in unified and in classic accounts', async () => {
    const found = await curve(alice)
    const { equity: last } = found.at(-1)!
    expect(Number(last)).toBeCloseTo(await worthOf(alice), 6)
    const moved = found.slice(1).reduce((sum, point) => sum + Number(point.moved), 0)
    expect(Number(found[0]?.equity) + moved).toBeCloseTo(Number(last), 6)
    const ofCarol = await curve(classic)
    expect(ofCarol.at(-1)!.equity).toBe('321')
    expect(Number(ofCarol.at(-1)!.equity)).toBeCloseTo(await worthOf(classic), 6)
  })

  test('a move between own wallets is none, one to a sub-account is one on either side', async () => {
    const before = await curve(alice)
    const within = { fromType: 'spot', toType: 'uta', coin: 'USDT', amount: '50' }
    expect((await alice.post('/api/v2/spot/wallet/transfer', within)).code).toBe('00000')
    expect((await curve(alice)).at(-1)!.equity).toBe(before.at(-1)!.equity)
    const transfer = {
      fromType: 'uta',
      toType: 'uta',
      coin: 'USDT',
      amount: '200',
      fromUserId: alice.uid,
      toUserId: sub.uid,
      clientOid: 'to-sub',
    }
    expect((await alice.post('/api/v2/spot/wallet/subaccount-transfer', transfer)).code).toBe('00000')
    const after = await curve(alice)
    const sumOf = (points: readonly Point[]) => points.reduce((sum, { moved }) => sum + Number(moved), 0)
    expect(sumOf(after) - sumOf(before)).toBeCloseTo(-200, 6)
    expect(figures(await curve(sub))).toEqual([
      [200, 0],
      [200, 0],
    ])
  })

  test('what a price does is won or lost: each round has a sample, also after a kill', async () => {
    const later = async (btc: string) => {
      await venue.advance(6 * minuteMs)
      await venue.setIndexPrices({ BTC: btc })
    }
    await later('60000')
    const from = venue.now()
    const before = Number((await curve(alice)).at(-1)!.equity)
    for (const price of ['60100', '60250', '60250', '60000']) await later(price)
    const window = { startTime: from, endTime: venue.now(), limit: 1_000 }
    const found = await curve(alice, window)
    expect(found.map(({ equity }) => Number(equity) - before)).toEqual(expect.arrayContaining([0, 100, 250]))
    expect(found.every(({ moved }, place) => place === 0 || Number(moved) === 0)).toBe(true)
    expect(found.map(({ ts }) => ts)).toEqual(found.map(({ ts }) => ts).toSorted((a, b) => Number(a) - Number(b)))
    expect(found.length).toBeGreaterThanOrEqual(5)
    await venue.restart('kill')
    expect(await curve(alice, window)).toEqual(found)
  })

  test.each([
    [{ limit: 0 }, '40017', 'limit'],
    [{ limit: 1_001 }, '40017', 'limit'],
    [{ startTime: 'yesterday' }, '40017', 'startTime'],
    [{ startTime: 2_000, endTime: 1_000 }, '40707', ''],
    [{ startTime: 1_000 }, '40704', ''],
  ])('%j is refused with %s', async (query, code, named) => {
    const { code: found, msg } = await alice.get('/terminal/equity', query)
    expect(found).toBe(code)
    expect(msg).toContain(named)
  })

  test('a key needs to read, and reads its own account whatever it names', async () => {
    const key = await venue.makeKey(alice.uid, ['transfer'])
    expect((await alice.get('/terminal/equity', {}, { key })).code).toBe('40014')
    expect((await venue.get('/terminal/equity')).code).toBe('40001')
    expect(await curve(sub, { uid: alice.uid })).toEqual(await curve(sub))
  })
})
