/**
 * `tidemark dev --deterministic`: two processes that get the same calls answer with the same bytes and end in the same state.
 *
 * Calls    drawn from a seed: orders, changes, cancels, transfers, reads of v2 and v3, wrong ones too, and steps of the clock
 * Source   lab.md §4.1, §5
 */
import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { Random } from '../../src/simulator/random.ts'
import { tries } from '../support/depth.ts'
import { withQuery } from '../support/person.ts'
import { Laboratory, type LabVenue } from './laboratory.ts'

const callsMax = tries(10_000)
const lateCallsMax = 150
const opened: Laboratory[] = []
afterAll(async () => {
  for (const laboratory of opened) await laboratory.close()
})

const start = Date.UTC(2026, 0, 1)
const roles = ['unified-main', 'unified-peer', 'classic-main', 'hybrid-main', 'broker-main']
const category = 'USDT-FUTURES'

/** The same calls for the same seed; the hash of all answers, heads included. */
async function play(venue: LabVenue, seed: number): Promise<{ answers: string; stateHash: string; sequence: number }> {
  const random = new Random(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.share() * list.length)]
  const hash = createHash('sha256')
  let now = start
  const orders = ['0']
  for (let call = 0; call < callsMax; call++) {
    const role = random.happens(0.7) ? pick(['unified-main', 'unified-peer']) : pick(roles)
    const person = venue.person(role, () => now)
    const drawn = random.share()
    const price = String(59_900 + Math.floor(random.share() * 200))
    const size = (Math.ceil(random.share() * 30) / 100).toFixed(2)
    const side = pick(['buy', 'sell'])
    let answer
    if (drawn < 0.45) {
      const order = {
        category,
        symbol: pick(['BTCUSDT', 'ETHUSDT']),
        orderType: 'limit',
        timeInForce: 'gtc',
        side,
        price,
        qty: size,
      }
      answer = await person.post('/api/v3/trade/place-order', order)
      const placed = (answer.data as { orderId?: string } | null)?.orderId
      if (placed !== undefined) orders.push(placed)
    } else if (drawn < 0.55) {
      answer = await person.post('/api/v3/trade/cancel-order', { orderId: pick(orders) })
    } else if (drawn < 0.62) {
      const order = {
        symbol: 'BTCUSDT',
        productType: category,
        marginMode: 'crossed',
        marginCoin: 'USDT',
        orderType: 'limit',
      }
      answer = await person.post('/api/v2/mix/order/place-order', { ...order, side, price, size })
    } else if (drawn < 0.68) {
      answer = await person.post('/api/v2/spot/wallet/transfer', {
        fromType: 'spot',
        toType: 'p2p',
        coin: 'USDT',
        amount: '1',
      })
    } else if (drawn < 0.72) {
      const moved = await venue.call('POST', '/clock', { step: Math.floor(random.share() * 3_600_000) })
      now = (moved.envelope as { data: { now: number } }).data.now
      answer = moved
    } else {
      const path = pick([
        '/api/v3/trade/unfilled-orders',
        '/api/v3/trade/fills',
        '/api/v3/account/assets',
        '/api/v3/position/current-position',
        '/api/v2/mix/order/orders-history',
        '/api/v2/spot/account/assets',
        '/api/v3/trade/nothing',
      ])
      answer = await person.get(path, { category, productType: category, limit: pick([1, 5, 100, 1000]) })
    }
    hash.update(`${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}\n`)
  }
  for (const target of ['/api/v3/market/tickers', '/api/v3/market/fills', '/api/v3/market/candles']) {
    const asked = withQuery(target, { category, symbol: 'BTCUSDT', interval: '1m' })
    hash.update((await venue.exchange({ method: 'GET', target: asked })).text)
  }
  const { stateHash, sequence } = await venue.get<{ stateHash: string; sequence: number }>('/operator/verify')
  return { answers: hash.digest('hex'), stateHash, sequence }
}

test(`${callsMax} calls in two processes: the same bytes of every answer, the same state`, {
  timeout: 240_000,
}, async () => {
  const played = await Promise.all(
    ['one', 'other'].map(async () => {
      const laboratory = await Laboratory.open('--deterministic')
      opened.push(laboratory)
      return play(laboratory.main, 7)
    }),
  )
  expect(played[1]).toEqual(played[0])
  expect(played[0].sequence).toBeGreaterThan(tries(5_000))
})

/** The same with latency, held commands and faults in the way: nobody waits for an answer before the clock has moved. */
async function playLate(
  venue: LabVenue,
  seed: number,
): Promise<{ answers: string; stateHash: string; late: number; lost: number }> {
  const random = new Random(seed)
  let now = start
  await venue.post('/latency', {
    rules: [
      { leg: 'entry', lognormal: { median: 80, sigma: 0.8, max: '2s' }, on: { role: 'unified-main' }, seed },
      { leg: 'ack', uniform: { min: 0, max: 50 }, seed },
    ],
  })
  await venue.post('/hold', { on: { role: 'unified-peer' } })
  await venue.post('/faults', { fault: 'lost-ack', when: { chance: 0.1 }, seed })
  const answers: Promise<string>[] = []
  let late = 0
  for (let call = 0; call < lateCallsMax; call++) {
    const role = random.happens(0.5) ? 'unified-main' : 'unified-peer'
    const order = { category, symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', clientOid: `c${call}` }
    const terms = {
      side: random.happens(0.5) ? 'buy' : 'sell',
      price: String(59_990 + Math.floor(random.share() * 20)),
    }
    const [there, waiting] = [
      role === 'unified-main' ? '/latency' : '/pending',
      role === 'unified-main'
        ? (await venue.get<{ waiting: { entry: number } }>('/latency')).waiting.entry
        : (await venue.get<object[]>('/pending')).length,
    ]
    const answer = venue
      .person(role, () => now)
      .post('/api/v3/trade/place-order', { ...order, ...terms, qty: '0.01' })
      .then(({ status, headers, text }) => `${status} ${JSON.stringify(headers)} ${text}`)
      // A lost one.
      .catch((error: unknown) => (error as Error).message)
    answers.push(answer)
    await venue.get(`${there}?atLeast=${waiting + 1}`)
    if (random.happens(0.3)) await venue.post('/release', { order: 'shuffle', seed: call })
    late += waiting
    if (random.happens(0.4))
      now = (await venue.post<{ now: number }>('/clock', { step: Math.floor(random.share() * 100) })).now
  }
  await venue.call('DELETE', '/hold')
  await venue.post('/release')
  await venue.post('/clock', { step: '1m' })
  const hash = createHash('sha256')
  const all = await Promise.all(answers)
  for (const answer of all) hash.update(`${answer}\n`)
  hash.update(JSON.stringify(await venue.get('/firings')))
  const { stateHash } = await venue.get<{ stateHash: string }>('/operator/verify')
  return { answers: hash.digest('hex'), stateHash, late, lost: all.filter((text) => text === 'socket hang up').length }
}

test('with latency, held commands and faults as well', { timeout: 240_000 }, async () => {
  const played = await Promise.all(
    ['one', 'other'].map(async () => {
      const laboratory = await Laboratory.open('--deterministic', '--no-rate-limits')
      opened.push(laboratory)
      return playLate(laboratory.main, 7)
    }),
  )
  expect(played[1]).toEqual(played[0])
  expect(played[0].late).toBeGreaterThan(lateCallsMax)
  expect(played[0].lost).toBeGreaterThan(5)
})

test('the venue says that it is a laboratory, in every answer and in its health', async () => {
  const { main } = opened[0]
  for (const target of ['/health', '/api/v2/public/time', '/api/v3/nothing', '/_lab', '/']) {
    const answer = await main.exchange({ method: 'GET', target, headers: { host: '127.0.0.1' } })
    expect([target, answer.headers['x-tidemark-lab']]).toEqual([target, '1'])
  }
  const health = await main.exchange({ method: 'GET', target: '/health' })
  expect(health.envelope).toEqual({ status: 'ok', reasons: [], lab: true })
})

test('who says when it begins has a clock that stands still there, deterministic or not', async () => {
  const laboratory = await Laboratory.open('--simulator', 'off', '--start-at', '2026-03-01T00:00:00Z')
  opened.push(laboratory)
  const at = Date.UTC(2026, 2, 1)
  const shown = await laboratory.main.get<{ now: number; clock: object }>('')
  expect(shown).toMatchObject({ now: at, clock: { mode: 'manual', speed: 0 } })
  const other = { startAt: '2026-04-01T00:00:00Z' }
  const further = await laboratory.main.post('/venues', other)
  expect(further).toMatchObject({ now: Date.UTC(2026, 3, 1), clock: { mode: 'manual' } })
})
