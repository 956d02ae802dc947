/**
 * Scripted makers and steps: what they do and when, what is refused with its line, and that they go back with the venue.
 *
 * Source  lab.md §4.10; docs/lab.md
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openHere, type OpenedHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'

let here: OpenedHere
let venue: LabVenue
const start = Date.UTC(2026, 0, 1)

beforeAll(async () => {
  here = await openHere({})
  venue = here.venue
})
afterAll(() => here.close())
beforeEach(async () => {
  await venue.post('/reset')
})
afterEach(async () => {
  expect(await venue.get('/operator/verify')).toMatchObject({ balanced: true, faults: [] })
})

interface Shown {
  readonly script: string
  readonly state: string
  readonly done: number
  readonly refused: number
  readonly refusals: readonly string[]
}

const begin = (body: object) => venue.post<Shown>('/script', body)
const run = (text: string) => begin({ text, file: 'a.yaml' })
const list = () => venue.get<Shown[]>('/script')
const step = (duration: string) => venue.post('/clock', { step: duration })

async function market(of: LabVenue = venue, symbol = 'BTCUSDT', category = 'USDT-FUTURES') {
  const trader = of.person('unified-main', () => start)
  const { data } = await trader.get('/api/v3/market/orderbook', { category, symbol, limit: 5 })
  const { b, a } = data as { b: unknown[]; a: unknown[] }
  const ticker = (await trader.get('/api/v3/market/tickers', { category, symbol })).list()[0]
  return { bids: JSON.stringify(b), asks: JSON.stringify(a), last: ticker['lastPrice'] }
}

async function journal(): Promise<{ at: number; command: Record<string, unknown> }[]> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as never]))
}

describe('steps', () => {
  test.each([
    ['a list', 'symbol: BTCUSDT\nsteps:\n  - at 10s: ask 60000×2\n  - at 12s: trade buy 1.5\n'],
    ['a mapping', 'symbol: BTCUSDT\nsteps:\n  at 10s: ask 60000x2\n  at 12s: trade buy 1.5 @ 60000\n'],
    ['nothing but steps', 'at 10s: ask BTCUSDT 60000 x 2\nat 12s: [trade buy BTCUSDT 1.5]\n'],
    ['one text', 'symbol: BTCUSDT\nsteps: "at 10s: ask 60000×2; at 12s: trade buy 1.5"\n'],
    ['lines', 'symbol: BTCUSDT\nsteps: |\n  at 12s: trade buy 1.5\n  at 10s: ask 60000x2\n'],
    ['JSON', '{"symbol": "BTCUSDT", "steps": ["at 10s: ask 60000x2", "at 12s: trade buy 1.5"]}'],
  ])('%s: each at its moment, by its account', async (_, text) => {
    expect(await run(text)).toMatchObject({
      script: 'p1',
      name: 'p1',
      state: 'running',
      since: start,
      steps: 2,
      done: 0,
    })
    await step('9999ms')
    expect(await market()).toMatchObject({ bids: '[]', asks: '[]' })
    await step('1ms')
    expect(await market()).toMatchObject({ asks: '[[60000,2]]' })
    await step('1h')
    expect(await market()).toEqual({ bids: '[]', asks: '[[60000,0.5]]', last: '60000' })
    expect(await list()).toMatchObject([{ state: 'done', done: 2, refused: 0, next: null }])
    const lines = await journal()
    const orders = lines.filter(({ command }) => command['kind'] === 'place-order')
    expect(orders.map(({ at }) => at - start)).toEqual([10_000, 12_000])
    const names = lines.flatMap(({ command }) => (command['kind'] === 'create-account' ? command['name'] : []))
    expect(names).toEqual(['lab-script-p1', 'lab-script-p1-taker'])
  })

  test('as fields; orders are taken back, an index moves, and several come at one moment in their order', async () => {
    const steps = {
      'at 0s': ['bid 59000x1', 'bid 58000x1', 'ask 61000x1'],
      'at 1s': 'cancel bids',
      'at 2s': ['index 900000', 'cancel'],
    }
    expect(await begin({ name: 'mine', symbol: 'BTCUSDT', steps })).toMatchObject({ name: 'mine', done: 3 })
    expect(await market()).toMatchObject({ bids: '[[59000,1],[58000,1]]', asks: '[[61000,1]]' })
    await step('1s')
    expect(await market()).toMatchObject({ bids: '[]', asks: '[[61000,1]]' })
    await step('1s')
    expect(await market()).toMatchObject({ bids: '[]', asks: '[]', last: '900000' })
  })

  test.each([
    ['SPOT', 'BTCUSDT'],
    ['USDC-FUTURES', 'BTCPERP'],
    ['COIN-FUTURES', 'BTCUSD'],
  ])('%s: both sides are traded', async (category, symbol) => {
    const steps = ['at 1s: ask 60100x20', 'at 1s: bid 59900x20', 'at 2s: trade buy 10', 'at 3s: trade sell 5']
    await begin({ symbol, category, steps })
    await step('3s')
    expect(await market(venue, symbol, category)).toEqual({
      bids: '[[59900,15]]',
      asks: '[[60100,10]]',
      last: '59900',
    })
  })

  test('what the engine refuses is told, and the others go on', async () => {
    await begin({ symbol: 'BTCUSDT', steps: 'at 1s: bid 99000x1; at 2s: bid 59000x1' })
    await step('2s')
    expect(await market()).toMatchObject({ bids: '[[59000,1]]' })
    const [{ refused, refusals }] = await list()
    expect([refused, refusals]).toEqual([1, [expect.stringMatching(/^at 1s: bid 99000x1: place-order: .*limit/)]])
  })
})

describe('makers', () => {
  const maker = { symbol: 'BTCUSDT', levels: 2, spreadBps: 10, size: '0.5', refresh: '1s' }

  test('follow the index, a refresh later at most, and come back for what was taken', async () => {
    await begin({ makers: [maker] })
    expect(await market()).toMatchObject({ bids: '[[59970,0.5],[59940,0.5]]', asks: '[[60030,0.5],[60060,0.5]]' })
    await venue.post('/cheats', { price: { coin: 'BTC', price: '61000' } })
    await step('999ms')
    expect(await market()).toMatchObject({ bids: '[[59970,0.5],[59940,0.5]]' })
    await step('1ms')
    expect(await market()).toMatchObject({ bids: '[[60969.5,0.5],[60939,0.5]]', asks: '[[61030.5,0.5],[61061,0.5]]' })
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'market', qty: '0.7' }
    const { code } = await venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order)
    expect(code).toBe('00000')
    expect(await market()).toMatchObject({ asks: '[[61061,0.3]]' })
    await step('1s')
    expect(await market()).toMatchObject({ asks: '[[61030.5,0.5],[61061,0.5]]' })
  })

  test('orders that are as they are wanted stay: nothing is sent', async () => {
    await begin({ makers: [maker] })
    const before = (await journal()).length
    await step('1m')
    const sent = (await journal()).slice(before).filter(({ command }) => command['kind'] !== 'run-timers')
    expect(sent).toEqual([])
  })

  test('follow the middle of others, and lean where they are told', async () => {
    await venue.post('/book', { symbol: 'BTCUSDT', bids: [['58000', '1']], asks: [['59000', '1']] })
    await begin({ makers: [{ ...maker, levels: 1, spreadBps: 100, follow: 'mid', skew: 1 }] })
    // 58500, half a spread (292.5) up; then half a spread away on both sides.
    expect(await market()).toMatchObject({ bids: '[[58498.5,0.5],[58000,1]]', asks: '[[59000,1],[59086.5,0.5]]' })
  })

  test('leave a book to a fault that has it, and come back', async () => {
    await begin({ makers: [maker] })
    await venue.post('/cheats', { market: { fault: 'empty-book', symbol: 'BTCUSDT', for: '5s' } })
    await step('4s')
    expect(await market()).toMatchObject({ bids: '[]', asks: '[]' })
    await step('2s')
    expect(await market()).toMatchObject({ bids: '[[59970,0.5],[59940,0.5]]' })
  })

  test('a long move of the clock has a bounded number of refreshes', async () => {
    await begin({ makers: [{ ...maker, refresh: '100ms' }] })
    const { sequence } = await venue.get<{ sequence: number }>('')
    await step('90d')
    expect((await venue.get<{ sequence: number }>('')).sequence - sequence).toBeLessThan(8_000)
  })
})

describe('begun and ended', () => {
  const makers = [{ symbol: 'BTCUSDT', size: 1 }]

  test('one is ended by its id or its name, and its orders go; all at once', async () => {
    await begin({ name: 'one', makers })
    await begin({ name: 'two', symbol: 'ETHUSDT', steps: 'at 0s: bid 2000x1' })
    expect((await list()).map(({ state }) => state)).toEqual(['running', 'done'])
    expect((await venue.call('DELETE', '/script/one')).envelope).toMatchObject({
      data: { ended: ['p1'], cancelled: 10 },
    })
    expect(await market()).toMatchObject({ bids: '[]', asks: '[]' })
    expect(await market(venue, 'ETHUSDT')).toMatchObject({ bids: '[[2000,1]]' })
    expect((await venue.call('DELETE', '/script')).envelope).toMatchObject({ data: { ended: ['p2'], cancelled: 1 } })
    expect(await list()).toEqual([])
    expect((await venue.call('DELETE', '/script/one')).envelope).toMatchObject({ error: { code: 'unknown-script' } })
  })

  test('they go back with a revert, come along with a fork, and a reset knows of none', async () => {
    await begin({ symbol: 'BTCUSDT', makers, steps: ['at 10s: ask 60500x2', 'at 20s: cancel'] })
    await step('5s')
    const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
    const walk = async (of: LabVenue) => {
      await of.post('/clock', { step: '7s' })
      const { stateHash } = await of.get<{ stateHash: string }>('/operator/verify')
      return { ...(await market(of)), stateHash, list: await of.get('/script') }
    }
    const first = await walk(venue)
    await venue.post('/revert', { snapshot })
    expect(await walk(venue)).toEqual(first)
    const fork = await venue.fork(snapshot)
    expect(await walk(fork)).toEqual(first)
    await venue.call('DELETE', `/venues/${fork.id}`)
    await venue.call('DELETE', `/snapshots/${snapshot}`)
    await venue.post('/reset')
    expect(await list()).toEqual([])
    await step('1m')
    expect(await market()).toMatchObject({ bids: '[]', asks: '[]' })
  })

  test('on the clock of the system they run by themselves', async () => {
    await begin({ symbol: 'BTCUSDT', steps: 'at 50ms: bid 50000x1' })
    await venue.post('/clock', { thaw: true })
    await expect.poll(list, { timeout: 5_000, interval: 20 }).toMatchObject([{ state: 'done' }])
    await venue.post('/clock', { freeze: true })
    expect(await market()).toMatchObject({ bids: '[[50000,1]]' })
  })
})

const maker = (fields: string) => `makers:\n  - {symbol: BTCUSDT, size: 1, ${fields}}\n`

test.each<[string, number, string, RegExp]>([
  ['', 1, 'script', /has makers or steps/],
  ['steps: []', 1, 'script', /has makers or steps/],
  ['makers: [', 1, 'script', /is to be YAML or JSON/],
  ['a: 1\nb: [1\nc: 2', 3, 'script', /is to be YAML or JSON/],
  ['tea: 1\nsteps: []', 1, 'tea', /is not known/],
  ['symbol: BTCUSDT\ncategory: TEA\nsteps: []', 2, 'category', /is one of SPOT/],
  ['makers: 5', 1, 'makers', /is a list/],
  ['makers:\n  - 5', 2, 'makers[0]', /is a mapping/],
  ['makers:\n  - {size: 1}', 2, 'makers[0].symbol', /names no symbol/],
  ['makers:\n  - symbol: BTCUSDT\n    levels: 2', 2, 'makers[0].size', /is required/],
  ['makers:\n  - symbol: TEAUSDT\n    size: 2', 2, 'makers[0].symbol', /no instrument TEAUSDT/],
  ['makers:\n  - symbol: BTCUSDT\n    size: 0.00001', 3, 'makers[0].size', /multiple of 0\.0001/],
  [maker('levels: 0'), 2, 'makers[0].levels', /whole number from 1 to 50/],
  [maker('spreadBps: wide'), 2, 'makers[0].spreadBps', /number from 0\.01 to 5000/],
  [maker('refresh: 99ms'), 2, 'makers[0].refresh', /at least 100ms/],
  [maker('follow: moon'), 2, 'makers[0].follow', /index or mid/],
  [maker('skew: 11'), 2, 'makers[0].skew', /from -10 to 10/],
  [maker('tea: 1'), 2, 'makers[0].tea', /is not known; a maker has symbol/],
  ['at soon: bid BTCUSDT 1x1', 1, 'at soon', /a duration such as/],
  [
    'symbol: BTCUSDT\nsteps:\n  - at 1s: bid 1x1\n  - at 2s: drink tea',
    4,
    'steps[1].at 2s',
    /drink tea.*is one of `bid/,
  ],
  ['symbol: BTCUSDT\nsteps:\n  - now', 3, 'steps[0]', /at DURATION: ACTION/],
  ['steps:\n  - at 1s: bid 1x1', 2, 'steps[0].at 1s', /names no symbol/],
  ['symbol: BTCUSDT\nsteps:\n  - at 1s: bid 1.05x1', 3, 'steps[0].at 1s', /a price of BTCUSDT is a multiple of 0\.1/],
  ['symbol: BTCUSDT\nsteps:\n  - at 1s: index 0', 3, 'steps[0].at 1s', /above 0/],
])('%j is refused with its line, and nothing has changed', async (text, line, at, rule) => {
  const before = await venue.get('/operator/verify')
  const { status, envelope } = await venue.call('POST', '/script', { text, file: 'a.yaml' })
  const error = envelope?.['error'] as { readonly message: string }
  expect([status, error]).toMatchObject([400, { code: 'file-wrong', file: 'a.yaml', line, field: at }])
  expect(error.message).toMatch(rule)
  expect(error.message.startsWith(`a.yaml:${line}: ${at} `)).toBe(true)
  expect([await venue.get('/operator/verify'), await list()]).toEqual([before, []])
})

test('as fields there are no lines; a name is taken once, and there is room for sixteen', async () => {
  const wrong = await venue.call('POST', '/script', { makers: [{ symbol: 'BTCUSDT' }] })
  expect(wrong.envelope?.['error']).toEqual({
    code: 'file-wrong',
    field: 'makers[0].size',
    rule: 'is required',
    message: 'makers[0].size is required',
  })
  const both = await venue.call('POST', '/script', { text: 'steps: []', makers: [] })
  expect(both.envelope?.['error']).toMatchObject({ code: 'body-wrong', field: 'makers' })
  const steps = 'at 1h: bid BTCUSDT 50000x1'
  for (let place = 0; place < 16; place++) await begin({ name: `script-${place}`, steps })
  const more = await venue.call('POST', '/script', { steps })
  expect([more.status, more.envelope?.['error']]).toMatchObject([409, { code: 'scripts-max' }])
  await venue.call('DELETE', '/script/script-3')
  const taken = await venue.call('POST', '/script', { name: 'script-4', steps })
  expect([taken.status, taken.envelope?.['error']]).toMatchObject([409, { code: 'name-taken', field: 'name' }])
})
