/**
 * Snapshots, reverts, resets and forks in any order: whatever path led there, a venue is what one is that came by the straight one.
 *
 * Seen    the hash of the state, and the bytes of what clients read: orders, fills, bills, balances, samples of equity, candles, keys, ids
 * Source  lab.md §4.4, §5
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Laboratory, LabVenue } from './laboratory.ts'

let laboratory: Laboratory
beforeAll(async () => {
  laboratory = await Laboratory.open('--deterministic', '--no-rate-limits')
})
afterAll(() => laboratory.close())

/** What can be done to a venue; the same act on two venues in the same state does the same. */
type Act =
  | {
      readonly kind: 'order'
      readonly who: string
      readonly side: string
      readonly price: number
      readonly size: number
    }
  | { readonly kind: 'cancel-all'; readonly who: string }
  | { readonly kind: 'transfer' }
  | { readonly kind: 'step'; readonly ms: number }
  | { readonly kind: 'price'; readonly btc: number }
  | { readonly kind: 'key' }

const start = Date.UTC(2026, 0, 1)
const who = fc.constantFrom('unified-main', 'unified-peer')
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who,
      side: fc.constantFrom('buy', 'sell'),
      price: fc.integer({ min: 59_900, max: 60_100 }),
      size: fc.integer({ min: 1, max: 50 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel-all' as const), who }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'transfer' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: 0, max: 9 * 3_600_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('price' as const), btc: fc.integer({ min: 59_000, max: 61_000 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'key' as const }) },
)

const category = 'USDT-FUTURES'

async function carryOut(one: Act, venue: LabVenue, now: number): Promise<{ now: number; answer: unknown }> {
  const as = (role: string) => venue.person(role, () => now)
  switch (one.kind) {
    case 'order': {
      const order = { category, symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', side: one.side }
      const sent = { ...order, price: String(one.price), qty: (one.size / 100).toFixed(2) }
      return { now, answer: (await as(one.who).post('/api/v3/trade/place-order', sent)).text }
    }
    case 'cancel-all':
      return { now, answer: (await as(one.who).post('/api/v3/trade/cancel-symbol-order', { category })).text }
    case 'transfer': {
      const sent = { fromType: 'spot', toType: 'p2p', coin: 'USDT', amount: '1' }
      return { now, answer: (await as('classic-main').post('/api/v2/spot/wallet/transfer', sent)).text }
    }
    case 'step': {
      const moved = await venue.post<{ now: number }>('/clock', { step: one.ms })
      return { now: moved.now, answer: moved }
    }
    case 'price':
      return { now, answer: await venue.post('/operator/prices', { prices: { BTC: String(one.btc) } }) }
    case 'key': {
      const sent = { uid: '1000000009', permissions: ['read'], label: 'another' }
      // An account has ten keys at most: the refusal is an answer, too.
      return { now, answer: (await venue.call('POST', '/operator/keys', sent)).text }
    }
  }
}

/** Everything that is looked at, as bytes. */
async function seen(venue: LabVenue, now: number): Promise<unknown> {
  const reads: [string, string][] = [
    ['unified-main', `/api/v3/trade/unfilled-orders?category=${category}`],
    ['unified-main', `/api/v3/trade/history-orders?category=${category}`],
    ['unified-main', `/api/v3/trade/fills?category=${category}`],
    ['unified-peer', `/api/v3/position/current-position?category=${category}`],
    ['unified-peer', '/api/v3/account/assets'],
    ['unified-peer', '/terminal/equity?limit=1000'],
    ['unified-peer', '/api/v3/account/financial-records?category=USDT-FUTURES'],
    ['classic-main', '/api/v2/spot/account/assets'],
    ['classic-main', '/api/v2/spot/account/transferRecords?coin=USDT'],
  ]
  const answers: string[] = []
  for (const [role, target] of reads) answers.push((await venue.person(role, () => now).get(target)).text)
  for (const target of [
    `/api/v3/market/candles?category=${category}&symbol=BTCUSDT&interval=1m`,
    `/api/v3/market/tickers?category=${category}&symbol=BTCUSDT`,
    `/api/v3/market/orderbook?category=${category}&symbol=BTCUSDT`,
    `/api/v3/market/fills?category=${category}&symbol=BTCUSDT`,
  ]) {
    answers.push((await venue.exchange({ method: 'GET', target })).text)
  }
  const { stateHash, sequence } = await venue.get<{ stateHash: string; sequence: number }>('/operator/verify')
  return { stateHash, sequence, answers }
}

async function remove(venue: LabVenue): Promise<void> {
  await laboratory.main.call('DELETE', `/venues/${venue.id}`)
}

test('in any order of commands, snapshots, reverts, resets and forks', { timeout: 120_000 }, async () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: act },
    { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('revert' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'fork' as const }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      let venue = await laboratory.main.fork()
      const twin = await laboratory.main.fork()
      const opened = [venue, twin]
      try {
        let [now, path]: [number, readonly Act[]] = [start, []]
        // What the venue began with: a fork begins where it was made.
        let begun = { now, path }
        let kept: { id: string; now: number; path: readonly Act[] }[] = []
        const answers = new Map<string, unknown>()
        for (const one of steps) {
          if (one.kind === 'snapshot') {
            const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
            kept.push({ id: snapshot, now, path })
          } else if (one.kind === 'revert') {
            if (kept.length === 0) continue
            const back = kept[one.which % kept.length]
            await venue.post('/revert', { snapshot: back.id })
            ;({ now, path } = back)
          } else if (one.kind === 'reset') {
            await venue.post('/reset')
            ;({ now, path } = begun)
          } else if (one.kind === 'fork') {
            venue = await venue.fork()
            opened.push(venue)
            begun = { now, path }
            kept = []
          } else {
            path = [...path, one]
            const done = await carryOut(one, venue, now)
            now = done.now
            // The same path has the same answer, however it was come by.
            const name = JSON.stringify(path)
            if (answers.has(name)) expect(done.answer).toEqual(answers.get(name))
            answers.set(name, done.answer)
          }
        }
        let twinNow = start
        for (const [place, one] of path.entries()) {
          const done = await carryOut(one, twin, twinNow)
          twinNow = done.now
          expect(done.answer).toEqual(answers.get(JSON.stringify(path.slice(0, place + 1))))
        }
        expect(twinNow).toBe(now)
        expect(await seen(venue, now)).toEqual(await seen(twin, now))
      } finally {
        for (const one of opened) await remove(one)
      }
    }),
    { numRuns: 12 },
  )
})

test('a fork and where it came from share nothing', async () => {
  const [one, other] = [await laboratory.main.fork(), await laboratory.main.fork()]
  const before = await seen(other, start)
  await carryOut({ kind: 'order', who: 'unified-main', side: 'buy', price: 60_000, size: 5 }, one, start)
  await carryOut({ kind: 'step', ms: 8 * 3_600_000 }, one, start)
  expect(await seen(other, start)).toEqual(before)
  await remove(one)
  expect(await seen(other, start)).toEqual(before)
  await remove(other)
})

test.each(['close', 'keep'] as const)('sockets at a revert: %s', async (streams) => {
  const venue = await laboratory.main.fork()
  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
  const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/v2/ws/public`)
  const pushed: { action?: string; data?: unknown }[] = []
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  let hear = () => {}
  socket.on('message', (text: Buffer) => {
    pushed.push(JSON.parse(text.toString()) as (typeof pushed)[number])
    hear()
  })
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      hear = () => {
        if (holds()) resolve()
      }
      hear()
    })
  await new Promise((resolve) => socket.on('open', resolve))
  socket.send('{"op":"subscribe","args":[{"instType":"USDT-FUTURES","channel":"books5","instId":"BTCUSDT"}]}')
  const snapshots = () => pushed.filter(({ action }) => action === 'snapshot').length
  await until(() => snapshots() === 1)
  await venue.post('/revert', { snapshot, streams })
  if (streams === 'close') expect(await closed).toBe(1012)
  else {
    await until(() => snapshots() === 2)
    socket.close()
  }
  await remove(venue)
})

describe('a fork of the past', () => {
  const hashOf = async (venue: LabVenue) => {
    const { stateHash, sequence } = await venue.get<{ stateHash: string; sequence: number }>('/operator/verify')
    return { stateHash, sequence }
  }

  test('is the venue as it was after a command, or at a time, with all that clients read', async () => {
    const venue = await laboratory.main.fork()
    const moments: { sequence: number; stateHash: string; now: number; seen: unknown }[] = []
    let now = start
    const acts: Act[] = [
      { kind: 'order', who: 'unified-main', side: 'buy', price: 60_000, size: 5 },
      { kind: 'order', who: 'unified-peer', side: 'sell', price: 60_000, size: 3 },
      { kind: 'step', ms: 3_600_000 },
      { kind: 'transfer' },
      { kind: 'step', ms: 9 * 3_600_000 },
      { kind: 'cancel-all', who: 'unified-main' },
    ]
    for (const one of acts) {
      now = (await carryOut(one, venue, now)).now
      moments.push({ ...(await hashOf(venue)), now, seen: await seen(venue, now) })
    }
    for (const { sequence, stateHash, now: then, seen: expected } of moments) {
      const fork = await LabVenue.at((await venue.post<{ url: string }>('/fork', { at: { sequence } })).url)
      expect(await hashOf(fork)).toEqual({ sequence, stateHash })
      expect(await seen(fork, then)).toEqual(expected)
      await remove(fork)
    }
    const atTime = await venue.post<{ url: string; now: number }>('/fork', { at: { time: start + 1_800_000 } })
    expect(atTime.now).toBe(start + 1_800_000)
    // The last command that was stamped by then, and not one more.
    const reached = await hashOf(await LabVenue.at(atTime.url))
    const one = await venue.post<{ url: string; now: number }>('/fork', { at: { sequence: reached.sequence } })
    const next = await venue.post<{ now: number }>('/fork', { at: { sequence: reached.sequence + 1 } })
    expect(await hashOf(await LabVenue.at(one.url))).toEqual(reached)
    expect(one.now).toBeLessThanOrEqual(start + 1_800_000)
    expect(next.now).toBeGreaterThan(start + 1_800_000)
    await remove(venue)
  })

  test('has the replies and events of all that led there in its journal', async () => {
    const venue = await laboratory.main.fork()
    const linesOf = async (one: LabVenue) => (await one.call('GET', '/journal?limit=10000')).text.trimEnd().split('\n')
    await carryOut({ kind: 'order', who: 'unified-main', side: 'buy', price: 60_000, size: 5 }, venue, start)
    await carryOut({ kind: 'order', who: 'unified-peer', side: 'sell', price: 60_000, size: 3 }, venue, start)
    const made = await carryOut({ kind: 'key' }, venue, start)
    const { sequence } = await hashOf(venue)
    await carryOut({ kind: 'transfer' }, venue, start)
    const lines = await linesOf(venue)
    const fork = await LabVenue.at((await venue.post<{ url: string }>('/fork', { at: { sequence } })).url)
    expect(await linesOf(fork)).toEqual(lines.slice(0, -1))
    // Names that were drawn on the way are not drawn again.
    const keyOf = ({ answer }: { answer: unknown }) => /"apiKey":"(tm_[0-9a-f]+)"/.exec(String(answer))?.[1]
    expect(keyOf(made)).toBeDefined()
    expect(keyOf(await carryOut({ kind: 'key' }, fork, start))).not.toBe(keyOf(made))
    for (const one of [fork, venue]) await remove(one)
  })

  test.each([
    // asked                                                status  code              field
    [{ at: { sequence: 1_000_000 } }, 409, 'moment-unknown', 'at'],
    [{ at: { time: '2025-01-01T00:00:00Z' } }, 409, 'moment-unknown', 'at'],
    [{ at: { time: '2030-01-01T00:00:00Z' } }, 409, 'moment-unknown', 'at'],
    [{ at: { sequence: -1 } }, 400, 'body-wrong', 'at'],
    [{ at: {} }, 400, 'body-wrong', 'at'],
  ])('%o is refused', async (asked, status, code, field) => {
    const answer = await laboratory.main.call('POST', '/fork', asked)
    expect([answer.status, answer.envelope]).toMatchObject([status, { ok: false, error: { code, field } }])
  })
})
