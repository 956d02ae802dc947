/**
 * What a clock runs up to: each condition stops at the exact millisecond at which it comes about, and each is also never reached.
 * The same conditions answer `wait`.
 *
 * Source  lab.md §4.3, §5
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Laboratory, type LabVenue } from './laboratory.ts'

let laboratory: Laboratory
let venue: LabVenue

beforeAll(async () => {
  laboratory = await Laboratory.open('--deterministic')
  venue = laboratory.main
})
afterAll(() => laboratory.close())
beforeEach(async () => {
  await venue.post('/reset')
})

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const now = () => start

interface Moved {
  readonly now: number
  readonly reached?: boolean
  readonly fired: readonly { readonly kind: string; readonly at: number; readonly symbol?: string }[]
}

/** An order of the unified account that its countdown cancels after ten seconds. */
async function doomedOrder(): Promise<string> {
  const person = venue.person('unified-main', now)
  const placed = await person.post('/api/v3/trade/place-order', {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '59000',
    qty: '1',
    timeInForce: 'gtc',
    clientOid: 'doomed',
  })
  expect(placed.code).toBe('00000')
  const armed = await person.post('/api/v3/trade/countdown-cancel-all', { countdown: '10' })
  expect(armed.code).toBe('00000')
  return placed.fields['orderId']
}

const position = (size: string) =>
  venue.post('/cheats', { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size } })

/** What is done first, the condition, and how long after the start it comes about; undefined: never. */
const rows: [string, (() => Promise<unknown>) | undefined, object | (() => object), number | undefined][] = [
  ['order gone', doomedOrder, { order: { clientOid: 'doomed', is: 'gone' } }, 10_000],
  ['order cancelled', doomedOrder, { order: { clientOid: 'doomed', is: 'cancelled' } }, 10_000],
  ['order live, at once', doomedOrder, { order: { clientOid: 'doomed', is: 'live' } }, 0],
  ['order filled', doomedOrder, { order: { clientOid: 'doomed', is: 'filled' } }, undefined],
  ['order partially filled', doomedOrder, { order: { clientOid: 'doomed', is: 'partially_filled' } }, undefined],
  ['order unknown', undefined, { order: { orderId: '7', is: 'gone' } }, undefined],
  ['position open', () => position('1'), { position: { uid: 'unified-main', symbol: 'BTCUSDT', is: 'open' } }, 0],
  ['position not opened', undefined, { position: { uid: 1_000_000_001, symbol: 'BTCUSDT', is: 'open' } }, undefined],
  ['position closed', undefined, { position: { uid: 'classic-main', symbol: 'BTCUSDT', is: 'closed' } }, 0],
  [
    'position not closed',
    () => position('1'),
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', is: 'closed' } },
    undefined,
  ],
  ['mark at least', undefined, { price: { symbol: 'BTCUSDT', kind: 'mark', atLeast: '60000' } }, 0],
  ['index at most', undefined, { price: { symbol: 'BTCUSDT', kind: 'index', atMost: 60_000 } }, 0],
  ['index never', undefined, { price: { symbol: 'BTCUSDT', kind: 'index', atLeast: '60000.1' } }, undefined],
  [
    'last before the first trade',
    undefined,
    { price: { symbol: 'BTCUSDT', kind: 'last', atMost: '99999' } },
    undefined,
  ],
  ['last', () => position('1'), { price: { symbol: 'BTCUSDT', kind: 'last', atMost: '99999' } }, 0],
  ['liquidated never', () => position('1'), { liquidated: 'unified-main' }, undefined],
  ['funding', undefined, { funding: { symbol: 'BTCUSDT' } }, 8 * hour],
  ['funding twice', undefined, { funding: { symbol: 'BTCUSDT', times: 2 } }, 16 * hour],
  ['funding too often', undefined, { funding: { symbol: 'BTCUSDT', times: 9 } }, undefined],
  ['fills', () => position('1'), { fills: { uid: 'unified-main', count: 1 } }, 0],
  ['fills too many', () => position('1'), { fills: { uid: 'unified-main', count: 2 } }, undefined],
  ['sequence', undefined, { sequence: 1 }, 0],
  ['sequence never', undefined, { sequence: 1_000_000 }, undefined],
  ['quiet', undefined, { quiet: '50ms' }, 50],
  ['quiet for longer than the walk', undefined, { quiet: '3d' }, undefined],
  [
    'all',
    doomedOrder,
    { all: [{ funding: { symbol: 'BTCUSDT' } }, { order: { clientOid: 'doomed', is: 'gone' } }] },
    8 * hour,
  ],
  [
    'all, one never',
    doomedOrder,
    { all: [{ sequence: 1_000_000 }, { order: { clientOid: 'doomed', is: 'gone' } }] },
    undefined,
  ],
  ['any', doomedOrder, { any: [{ sequence: 1_000_000 }, { order: { clientOid: 'doomed', is: 'gone' } }] }, 10_000],
  ['any, by time', undefined, { any: [{ sequence: 1_000_000 }, { quiet: 1_234 }] }, 1_234],
  ['any, none', undefined, { any: [{ sequence: 1_000_000 }, { funding: { symbol: 'BTCUSDT', times: 9 } }] }, undefined],
  ['as text', undefined, () => '{"quiet": "7ms"}' as unknown as object, 7],
]

test.each(rows)('until: %s', async (_name, first, condition, after) => {
  await first?.()
  const until = typeof condition === 'function' ? condition() : condition
  const { status, envelope } = await venue.call('POST', '/clock', { until, max: '1d' })
  if (after === undefined) {
    const error = { code: 'until-not-reached', field: 'until', now: start + 24 * hour }
    expect([status, envelope?.['error']]).toMatchObject([409, error])
  } else expect(envelope?.['data']).toMatchObject({ now: start + after, reached: true })
})

test('until: liquidated, also before', async () => {
  await venue.post('/cheats', {
    position: { uid: 'classic-main', symbol: 'BTCUSDT', side: 'long', size: '1', leverage: 20, marginMode: 'isolated' },
  })
  await venue.post('/cheats', { liquidate: { uid: 'classic-main' } })
  for (const uid of ['classic-main', '1000000005', 1_000_000_005]) {
    expect(await venue.post<Moved>('/clock', { until: { liquidated: uid } })).toMatchObject({
      now: start,
      reached: true,
    })
  }
})

test('until: what another client does meanwhile is heard', async () => {
  const waiting = venue.get(
    `/wait?for=${encodeURIComponent('{"order":{"clientOid":"doomed","is":"gone"}}')}&timeout=20s`,
  )
  await doomedOrder()
  await venue.post('/clock', { step: '1m' })
  expect(await waiting).toMatchObject({ reached: true })
})

test.each<[object, number, string]>([
  [{ next: 'funding', symbol: 'BTCUSDT' }, 8 * hour, 'funding'],
  [{ next: 'funding' }, 8 * hour, 'funding'],
  [{ next: 'candle:1m' }, 60_000, ''],
  [{ next: 'candle:1H' }, hour, ''],
])('%j', async (asked, after, kind) => {
  const moved = await venue.post<Moved>('/clock', asked)
  expect(moved.now).toBe(start + after)
  if (kind !== '') expect(moved.fired.map((fired) => fired.kind)).toContain(kind)
})

test('next timer: the countdown, by what it is', async () => {
  await doomedOrder()
  let moved = await venue.post<Moved>('/clock', { next: 'timer' })
  while (moved.now < start + 10_000) moved = await venue.post<Moved>('/clock', { next: 'timer' })
  expect(moved).toMatchObject({ now: start + 10_000, fired: [{ kind: 'timer', at: start + 10_000 }] })
})

test('next interest: the hour of a loan, not its beginning', async () => {
  await venue.post('/clock', { step: 1 })
  const borrowed = await venue
    .person('classic-main', () => start + 1)
    .post('/api/v2/margin/crossed/account/borrow', { coin: 'ETH', borrowAmount: '1' })
  expect(borrowed.code).toBe('00000')
  const moved = await venue.post<Moved>('/clock', { next: 'interest' })
  expect(moved.now).toBe(start + 1 + hour)
  expect(moved.fired.map(({ kind }) => kind)).toContain('interest')
})

test('step 0 runs what is due, and time that passes fires once for each contract', async () => {
  expect(await venue.post<Moved>('/clock', { step: 0 })).toEqual({ now: start, fired: [] })
  const { fired } = await venue.post<Moved>('/clock', { step: '8h' })
  const funding = fired.filter(({ kind }) => kind === 'funding')
  expect(new Set(funding.map(({ symbol }) => symbol)).size).toBe(funding.length)
  expect(funding.every(({ at }) => at === start + 8 * hour)).toBe(true)
})

test.each<[unknown]>([
  [{}],
  [{ tea: 1 }],
  [{ sequence: 1, quiet: 1 }],
  [{ order: { is: 'gone' } }],
  [{ order: { clientOid: 'a', orderId: '1', is: 'gone' } }],
  [{ order: { clientOid: 'a', is: 'lost' } }],
  [{ position: { uid: '', symbol: 'BTCUSDT', is: 'open' } }],
  [{ price: { symbol: 'BTCUSDT', kind: 'mark' } }],
  [{ price: { symbol: 'BTCUSDT', kind: 'tea', atLeast: 1 } }],
  [{ price: { symbol: 'BTCUSDT', kind: 'mark', atLeast: '1e3' } }],
  [{ liquidated: -1 }],
  [{ funding: {} }],
  [{ funding: { symbol: 'BTCUSDT', times: -1 } }],
  [{ fills: { uid: 'unified-main', count: 101 } }],
  [{ quiet: 'long' }],
  [{ all: [] }],
  [{ any: [{ sequence: 1 }, 7] }],
  ['no json'],
])('%j is no condition', async (until) => {
  const { status, envelope } = await venue.call('POST', '/clock', { until })
  expect([status, envelope?.['error']]).toMatchObject([400, { code: 'body-wrong', field: 'until' }])
})
