/**
 * Cheats: what each comes to, what it refuses, that a refused one changes nothing, and that the books add up after all of them.
 *
 * Source  lab.md §4.2; docs/lab.md
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { looksLike } from '../stream/shapes.ts'
import { type Argument, Socket } from '../support/socket.ts'
import { Laboratory, type LabVenue, type Shown } from './laboratory.ts'

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
afterEach(async () => {
  expect(await venue.get('/operator/verify')).toMatchObject({ balanced: true, faults: [] })
})

interface Done {
  readonly sequences: readonly number[]
  readonly [name: string]: unknown
}
interface Position {
  readonly side: string
  readonly size: string
}

const cheat = (body: object) => venue.post<Done>('/cheats', body)
const take = (uid: string, side: string, size: string, more: object = {}) =>
  cheat({ position: { uid, symbol: 'BTCUSDT', side, size, ...more } })

async function positionsOf(done: Promise<Done>): Promise<readonly Position[]> {
  return ((await done)['position'] as { positions: Position[] }).positions
}

interface Line {
  readonly sequence: number
  readonly command: { readonly kind: string }
  readonly events: readonly Record<string, unknown>[]
}

async function journal(uid: string): Promise<Line[]> {
  const { text } = await venue.call('GET', `/journal?uid=${uid}&limit=10000`)
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

test.each<[string, string, string, string]>([
  ['unified-main', 'uta', 'USDT', '0.00000001'],
  ['unified-main', 'uta', 'USDT', '0'],
  ['unified-main', 'spot', 'BTC', '123.456'],
  ['classic-main', 'usdt_futures', 'USDT', '5000000'],
  ['1000000004', 'crossed_margin', 'ETH', '7'],
])('balance: %s %s %s %s', async (uid, wallet, coin, amount) => {
  const done = await cheat({ balance: { uid, wallet, coin, amount } })
  expect(done['balance']).toMatchObject({ wallet, coin, balance: amount })
  const again = await cheat({ balance: { uid, wallet, coin, amount } })
  expect(again.sequences).toEqual([])
})

test('position: opened, made larger, turned and closed, each by orders of the account', async () => {
  expect(await positionsOf(take('unified-main', 'long', '1', { leverage: 10, marginMode: 'isolated' }))).toMatchObject([
    { side: 'long', size: '1', leverage: 10, marginMode: 'isolated', markPrice: '60000' },
  ])
  expect(await positionsOf(take('unified-main', 'long', '1.5'))).toMatchObject([{ side: 'long', size: '1.5' }])
  expect(await positionsOf(take('unified-main', 'short', '0.2'))).toMatchObject([{ side: 'short', size: '0.2' }])
  expect(await positionsOf(take('unified-main', 'short', '0'))).toEqual([])
  const kinds = (await journal('unified-main')).map(({ command }) => command.kind)
  expect(kinds.filter((kind) => kind === 'place-order')).toHaveLength(4)
})

test.each(['unified-main', 'hybrid-main', 'classic-main', 'classic-sub'])('position: %s', async (uid) => {
  expect(await positionsOf(take(uid, 'short', '0.3'))).toMatchObject([{ side: 'short', size: '0.3' }])
})

test('position: in hedge mode each side by itself, by v2 and v3', async () => {
  const now = () => Date.UTC(2026, 0, 1)
  const v2 = await venue
    .person('classic-main', now)
    .post('/api/v2/mix/account/set-position-mode', { productType: 'USDT-FUTURES', posMode: 'hedge_mode' })
  expect(v2.code).toBe('00000')
  const v3 = await venue.person('unified-main', now).post('/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' })
  expect(v3.code).toBe('00000')
  for (const uid of ['classic-main', 'unified-main']) {
    await take(uid, 'long', '0.4')
    expect(await positionsOf(take(uid, 'short', '0.3'))).toMatchObject([
      { side: 'long', size: '0.4' },
      { side: 'short', size: '0.3' },
    ])
    expect(await positionsOf(take(uid, 'long', '0'))).toMatchObject([{ side: 'short', size: '0.3' }])
  }
})

test('position: orders of others at a better price are in the way, and another price is not', async () => {
  const peer = venue.person('unified-peer', () => Date.UTC(2026, 0, 1))
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'sell', orderType: 'limit', price: '59900' }
  const placed = await peer.post('/api/v3/trade/place-order', { ...order, qty: '1', timeInForce: 'gtc' })
  expect(placed.code).toBe('00000')
  const { status, envelope } = await venue.call('POST', '/cheats', {
    position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '1' },
  })
  expect([status, envelope?.['error']]).toMatchObject([
    409,
    { code: 'orders-in-the-way', field: 'position.price', message: expect.stringContaining('an ask') },
  ])
  expect(await positionsOf(take('unified-main', 'long', '1', { price: '59899' }))).toMatchObject([{ size: '1' }])
})

test('price: of a coin and of a symbol, past the breaker', async () => {
  expect((await cheat({ price: { coin: 'BTC', price: '61000' } })).sequences).toHaveLength(1)
  const far = await cheat({ price: { symbol: 'BTCUSDT', price: '600000' } })
  expect(far.sequences).toHaveLength(2)
  expect(far['price']).toEqual({ symbol: 'BTCUSDT', indexPrice: '600000', markPrice: '600000' })
})

test.each(['long', 'short'])('liquidate: %s, and nobody else', async (side) => {
  await take('classic-main', side, '1', { leverage: 20, marginMode: 'isolated' })
  await take('unified-main', side, '1')
  const done = await cheat({ liquidate: { uid: 'classic-main', symbol: 'BTCUSDT' } })
  expect(done['liquidate']).toMatchObject({ uid: '1000000005', liquidations: 1 })
  const liquidated = async (uid: string) =>
    (await journal(uid)).flatMap(({ events }) => events).filter((event) => event['kind'] === 'liquidation')
  expect(await liquidated('classic-main')).toHaveLength(1)
  expect((await liquidated('unified-main')).filter((event) => event['uid'] === 1_000_000_001)).toEqual([])
})

test('liquidate: whoever only owes something, by the price of what it owes', async () => {
  const hybrid = venue.person('classic-main', () => Date.UTC(2026, 0, 1))
  const borrowed = await hybrid.post('/api/v2/margin/crossed/account/borrow', { coin: 'ETH', borrowAmount: '10' })
  expect(borrowed.code).toBe('00000')
  await cheat({ balance: { uid: 'classic-main', wallet: 'crossed_margin', coin: 'ETH', amount: '0' } })
  const done = await cheat({ liquidate: { uid: 'classic-main' } })
  expect(done['liquidate']).toMatchObject({ liquidations: 1 })
})

test.each(['0.0123', '-0.0123', '0', '0.9', '-1'])(
  'funding: settles now at %s, and then rules are as before',
  async (rate) => {
    await take('unified-main', 'long', '1')
    const before = await venue.get('/operator/pricing')
    const contracts = await venue.get('/operator/instruments')
    const done = await cheat({ funding: { symbol: 'BTCUSDT', rate } })
    expect(done['funding']).toEqual({ symbol: 'BTCUSDT', rate, positions: 2 })
    expect(await venue.get('/operator/pricing')).toEqual(before)
    expect(await venue.get('/operator/instruments')).toEqual(contracts)
  },
)

test('fees and halt: of a contract, and of the pair of the same name', async () => {
  expect((await cheat({ fees: { symbol: 'BTCUSDT', maker: '-0.0001', taker: '0.001' } }))['fees']).toEqual({
    symbol: 'BTCUSDT',
    category: 'USDT-FUTURES',
    maker: '-0.0001',
    taker: '0.001',
  })
  for (const status of ['cancel_only', 'halted', 'online']) {
    const done = await cheat({ halt: { symbol: 'BTCUSDT', category: 'SPOT', status } })
    expect(done['halt']).toEqual({ symbol: 'BTCUSDT', category: 'SPOT', status })
  }
})

test.each([
  ['long', 'buy'],
  ['short', 'sell'],
])('adl: a %s is deleveraged and told so, and the rules are as before', async (side, told) => {
  await take('unified-main', side, '2', { leverage: 20, marginMode: 'isolated' })
  const watched = await Promise.all(
    [
      { instType: 'USDT-FUTURES', channel: 'adl-noti', instId: 'default' },
      { instType: 'UTA', topic: 'adl-notification' },
    ].map(async (arg: Argument) => {
      const { now } = await venue.get<Shown>('')
      const main = venue.person('unified-main', () => now)
      const socket = await Socket.of(main, arg['topic'] === undefined ? '/v2/ws/private' : '/v3/ws/private')
      await socket.subscribe(arg)
      return { socket, arg }
    }),
  )
  const before = await venue.get('/operator/risk')
  const done = await cheat({ adl: { uid: 'unified-main', symbol: 'BTCUSDT' } })
  expect(done['adl']).toMatchObject({ uid: '1000000001', positions: [] })
  const fills = (await journal('unified-main')).flatMap(({ events }) => events)
  expect(fills.some((event) => event['cause'] === 'adl' && event['uid'] === 1_000_000_001)).toBe(true)
  expect(await venue.get('/operator/risk')).toEqual(before)
  for (const { socket, arg } of watched) {
    const { action, arg: echoed, data } = await socket.push(arg['topic'] ?? arg['channel'] ?? '')
    expect({ action, arg: echoed, rows: data?.length }).toEqual({ action: 'update', arg, rows: 1 })
    const fields = {
      symbol: '= BTCUSDT',
      side: `= ${told}`,
      status: '= triggered',
      price: 'decimal',
      amount: 'decimal',
    }
    looksLike(data?.[0], { ...fields, ts: 'millis' })
    expect(Number(data?.[0]?.['amount']), 'two BTC').toBe(2 * Number(data?.[0]?.['price']))
    socket.close()
  }
})

test.each<[object, number, string, RegExp]>([
  [{}, 400, 'body-wrong', /exactly one of .* not none/],
  [{ halt: { symbol: 'BTCUSDT', status: 'online' }, adl: { uid: 1, symbol: 'X' } }, 400, 'body-wrong', /halt and adl/],
  [{ tea: {} }, 400, 'body-wrong', /tea is not known/],
  [{ balance: { uid: '', wallet: 'w', coin: '?' } }, 400, 'body-wrong', /amount is required.*uid.*wallet.*coin/],
  [{ balance: { uid: 'nobody', wallet: 'uta', coin: 'USDT', amount: '1' } }, 404, 'unknown-account', /nobody/],
  [{ balance: { uid: 5, wallet: 'uta', coin: 'USDT', amount: '1' } }, 404, 'unknown-account', /account 5/],
  [{ balance: { uid: 'unified-main', wallet: 'uta', coin: 'TEA', amount: '1' } }, 404, 'unknown-coin', /TEA/],
  [{ balance: { uid: 'classic-main', wallet: 'uta', coin: 'USDT', amount: '1' } }, 409, 'wallet-unsuitable', /wallet/],
  [{ deposit: { uid: 'unified-main', coin: 'XRP', amount: '0.5' } }, 409, 'deposit-below-minimum', /at least 1/],
  [{ deposit: { uid: 'unified-main', coin: 'XRP', chain: 'TRC20', amount: '5' } }, 409, 'network-unknown', /chain/],
  [{ position: { uid: 'unified-main', symbol: 'TEA', side: 'long', size: '1' } }, 404, 'unknown-instrument', /TEA/],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'up', size: 'x' } },
    400,
    'body-wrong',
    /side .*; .*size /,
  ],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '0.00000001' } },
    400,
    'body-wrong',
    /multiple of/,
  ],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '1', price: '0' } },
    400,
    'body-wrong',
    /above 0/,
  ],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '1', price: '9' } },
    409,
    'price-below-limit',
    /limit/,
  ],
  [
    { position: { uid: 'classic-sub', symbol: 'BTCUSDT', side: 'long', size: '50' } },
    409,
    'insufficient-margin',
    /available is/,
  ],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '1', leverage: 999 } },
    409,
    'leverage-out-of-range',
    /leverage/,
  ],
  [
    { position: { uid: 'unified-main', symbol: 'BTCUSDT', category: 'SPOT', side: 'long', size: '1' } },
    400,
    'body-wrong',
    /no contract/,
  ],
  [{ liquidate: { uid: 'unified-main' } }, 409, 'nothing-to-liquidate', /neither a position nor a debt/],
  [{ liquidate: { uid: 'unified-main', symbol: 'ETHUSDT' } }, 409, 'nothing-to-liquidate', /no position in ETHUSDT/],
  [{ price: { coin: 'BTC', symbol: 'BTCUSDT', price: '1' } }, 400, 'body-wrong', /both/],
  [{ price: { price: '0' } }, 400, 'body-wrong', /price\.price/],
  [{ price: { coin: 'TEA', price: '1' } }, 404, 'unknown-coin', /TEA/],
  [{ price: { symbol: 'BTCUSDT', price: '9999999999' } }, 409, 'price-not-carried', /out-of-range/],
  [{ funding: { symbol: 'BTCUSDT', rate: '1.1' } }, 400, 'body-wrong', /-1 to 1/],
  [{ fees: { symbol: 'BTCUSDT', maker: '1', taker: '0' } }, 400, 'body-wrong', /fees\.maker/],
  [{ halt: { symbol: 'BTCUSDT', status: 'asleep' } }, 400, 'body-wrong', /online, cancel_only, halted/],
  [{ adl: { uid: 'unified-main', symbol: 'BTCUSDT' } }, 409, 'no-position', /no position/],
])('%j is refused and changes nothing', async (body, status, code, sentence) => {
  const before = await venue.get<{ stateHash: string }>('/operator/verify')
  const answer = await venue.call('POST', '/cheats', body)
  const error = answer.envelope?.['error'] as { readonly message: string }
  expect([answer.status, error]).toMatchObject([status, { code }])
  expect(error.message).toMatch(sentence)
  expect(await venue.get('/operator/verify')).toEqual(before)
})

test('deposit: over a network, there after its blocks and not before', async () => {
  const done = await cheat({ deposit: { uid: 'unified-main', coin: 'XRP', chain: 'xrp', amount: '25' } })
  const { arrivesAt, ...sent } = done['deposit'] as { readonly arrivesAt: number }
  expect(sent).toMatchObject({ orderId: expect.stringMatching(/^\d+$/), coin: 'XRP', chain: 'XRP', amount: '25' })
  const uid = String((sent as Record<string, unknown>)['uid'])
  const arrived = async () =>
    (await journal(uid)).some(({ events }) => events.some(({ kind }) => kind === 'chain-transfer'))
  await venue.post('/clock', { to: arrivesAt - 1 })
  expect(await arrived()).toBe(false)
  await venue.post('/clock', { to: arrivesAt })
  expect(await arrived()).toBe(true)
})
