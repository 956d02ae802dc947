/** What may be said on a socket, and what is answered when it is wrong. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { Socket } from '../support/socket.ts'

const scene = stage()
const ticker = { instType: 'SPOT', channel: 'ticker', instId: 'BTCUSDT' }
const tickerV3 = { instType: 'spot', topic: 'ticker', symbol: 'BTCUSDT' }

test.each(['/v2/ws/public', '/v2/ws/private', '/v3/ws/public', '/v3/ws/private'])(
  'ping is answered on %s',
  async (path) => {
    const socket = await Socket.open(scene.venue, path)
    socket.send('ping')
    expect(await socket.next()).toEqual({ text: 'pong' })
    socket.close()
  },
)

test('other paths open no socket, and other protocols are answered as plain requests', async () => {
  await expect(Socket.open(scene.venue, '/v1/ws/public')).rejects.toThrow('404')
  const answer = await scene.venue.get(
    '/api/v2/public/time',
    {},
    { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' },
  )
  expect(answer.code).toBe('00000')
})

test.each([
  // a handshake with                                       status  code
  ['GET /v3/ws/nothing', {}, 404, '40404'],
  ['POST /v3/ws/public', {}, 405, '40404'],
  ['GET /v3/ws/public', { 'sec-websocket-key': 'short' }, 400, '40017'],
  ['GET /v2/ws/private', { 'sec-websocket-version': '7' }, 400, '40017'],
  ['GET /v2/ws/public', { upgrade: 'h2c' }, 400, '40017'],
])('%s with %j opens no socket and is answered in JSON', async (line, changed, status, code) => {
  const right = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const headers = { host: 'x', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...right, ...changed }
  const written = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(new URL(scene.venue.url).port), '127.0.0.1', () => {
    socket.write(`${line} HTTP/1.1\r\n${written.join('')}\r\n`)
  })
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  // Where no socket is opened at all the connection is kept.
  await (status === 404 ? once(socket, 'data') : once(socket, 'end'))
  socket.destroy()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im)
  expect(JSON.parse(body)).toMatchObject({ code, data: null, requestTime: expect.any(Number) })
})

test.each([
  // said                                                      code   in the message
  ['{', 30016, 'JSON'],
  ['[]', 30016, 'object'],
  ['"ping"', 30016, 'object'],
  ['PING', 30016, 'JSON'],
  ['{}', 30003, 'op'],
  ['{"op":"buy"}', 30003, 'op'],
  ['{"op":"subscribe"}', 30016, 'args'],
  ['{"op":"subscribe","args":[]}', 30016, 'args'],
  ['{"op":"subscribe","args":["ticker"]}', 30016, 'args'],
  ['{"op":"subscribe","args":{}}', 30016, 'args'],
  [`{"op":"subscribe","args":[${`${JSON.stringify(ticker)},`.repeat(100)}{}]}`, 30016, '4096'],
])('%s is refused with %i', async (said, code, words) => {
  for (const path of ['/v2/ws/public', '/v3/ws/private']) {
    const socket = await Socket.open(scene.venue, path)
    socket.send(said)
    expect(await socket.next()).toMatchObject({ event: 'error', code, msg: expect.stringContaining(words) })
    socket.send('ping')
    expect(await socket.next()).toEqual({ text: 'pong' })
    socket.close()
  }
})

test.each([
  ['/v2/ws/public', { instType: 'SPOT', channel: 'tickers', instId: 'BTCUSDT' }],
  ['/v2/ws/public', { instType: 'SPOT', channel: 'ticker', instId: 'BTCEUR' }],
  ['/v2/ws/public', { instType: 'MARGIN', channel: 'ticker', instId: 'BTCUSDT' }],
  ['/v2/ws/public', { instType: 'SPOT', channel: 'candle7m', instId: 'BTCUSDT' }],
  ['/v2/ws/public', { instType: 'SPOT', channel: 'books7', instId: 'BTCUSDT' }],
  ['/v2/ws/public', { instType: 'constructor', channel: 'ticker', instId: 'BTCUSDT' }],
  ['/v2/ws/public', { instType: 'SPOT', channel: '__proto__', instId: 'default' }],
  ['/v2/ws/public', { channel: 'ticker' }],
  ['/v2/ws/public', tickerV3],
  ['/v2/ws/private', { instType: 'SPOT', channel: 'orders', instId: 'BTCEUR' }],
  ['/v2/ws/private', { instType: 'SPOT', channel: 'account', coin: 'EUR' }],
  ['/v2/ws/private', { instType: 'SPOT', channel: 'positions', instId: 'default' }],
  ['/v2/ws/private', { instType: 'MARGIN', channel: 'orders-isolated', instId: 'BTCUSDT' }],
  ['/v2/ws/private', { instType: 'SPOT', channel: 'adl-noti', instId: 'default' }],
  ['/v2/ws/private', { instType: 'MARGIN', channel: 'equity' }],
  ['/v3/ws/public', { instType: 'spot', topic: 'rpi-books15', symbol: 'BTCUSDT' }],
  ['/v3/ws/public', ticker],
  ['/v3/ws/public', { instType: 'spot', topic: 'kline', symbol: 'BTCUSDT' }],
  ['/v3/ws/public', { instType: 'UTA', topic: 'orders' }],
])('%s has no %j', async (path, arg) => {
  const socket = await Socket.open(scene.venue, path)
  for (const op of ['subscribe', 'unsubscribe']) {
    socket.send({ op, args: [arg] })
    expect(await socket.next()).toMatchObject({ event: 'error', arg, code: 30001 })
  }
  socket.close()
})

test.each([
  ['/v2/ws/public', { inst_type: 'SPOT', channel: 'ticker', inst_id: 'BTCUSDT' }, ticker],
  ['/v2/ws/public', { inst_type: 'MARGIN', inst_id: 'BTCUSDT', ...ticker }, ticker],
  ['/v3/ws/public', { inst_type: 'spot', topic: 'ticker', symbol: 'BTCUSDT' }, tickerV3],
])('%s takes %j by the names of the protocol', async (path, said, arg) => {
  const socket = await Socket.open(scene.venue, path)
  socket.send({ op: 'subscribe', args: [said] })
  expect(await socket.next()).toEqual({ event: 'subscribe', arg })
  expect(await socket.next()).toMatchObject({ action: 'snapshot', arg })
  socket.send({ op: 'unsubscribe', args: [said] })
  expect(await socket.next(({ event }) => event !== undefined)).toEqual({ event: 'unsubscribe', arg })
  socket.close()
})

test('private channels need a login, then the permission of their field', async () => {
  const orders = { instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' }
  const stranger = await Socket.open(scene.venue, '/v2/ws/private')
  stranger.send({ op: 'subscribe', args: [orders] })
  expect(await stranger.next()).toMatchObject({ event: 'error', arg: orders, code: 30004 })
  stranger.close()

  const alice = await scene.person('Alice', { mode: 'classic', permissions: ['spot_trade'] })
  const socket = await Socket.of(alice, '/v2/ws/private')
  socket.send({ op: 'subscribe', args: [orders] })
  expect(await socket.next()).toMatchObject({ event: 'error', arg: orders, code: 40014 })
  await socket.subscribe({ instType: 'SPOT', channel: 'orders', instId: 'default' })
  socket.close()

  const v3 = await Socket.of(alice, '/v3/ws/private')
  v3.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] })
  expect(await v3.next(), 'a classic account').toMatchObject({ event: 'error', code: 40084 })
  v3.close()
})

test.each([
  // the key's list                          logs in from 127.0.0.1
  [[], true],
  [['127.0.0.1'], true],
  [['::ffff:127.0.0.1'], true],
  [['127.0.0.0/8', '10.0.0.1'], true],
  [['10.0.0.1'], false],
  [['::1'], false],
  [['10.0.0.0/8', '2001:db8::/32'], false],
])('a login with a key for %j: %s', async (ipList, taken) => {
  const bob = await scene.person('Bob', { permissions: ['read'], ipList })
  for (const path of ['/v2/ws/private', '/v3/ws/private'] as const) {
    const socket = await Socket.open(scene.venue, path)
    socket.login(bob.key, scene.venue.now())
    const answer = await socket.next()
    expect(answer).toMatchObject(taken ? { event: 'login', code: 0 } : { event: 'error', code: 30005 })
    if (taken) socket.close()
    else {
      expect(answer.msg).toContain('Invalid IP')
      expect(await socket.closed).toBe(1008)
    }
  }
})

test('either path serves everything, and fields that nobody asked for are ignored', async () => {
  const alice = await scene.person('Alice')
  const socket = await Socket.of(alice, '/v3/ws/public')
  socket.send({ op: 'subscribe', args: [tickerV3, { instType: 'UTA', topic: 'account' }], uta: true, id: 7 })
  expect(await socket.next()).toMatchObject({ event: 'subscribe', arg: tickerV3 })
  await socket.push('ticker')
  expect(await socket.next()).toMatchObject({ event: 'subscribe', arg: { topic: 'account' } })
  await socket.push('account')
  socket.close()
})

test('a channel begins once, ends on request, and begins anew', async () => {
  const books = { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' }
  const socket = await Socket.open(scene.venue, '/v3/ws/public')
  await socket.subscribe(books)
  await socket.push('books')
  await socket.subscribe(books)
  // Clients send an interval along, and expect the argument back as they sent it.
  socket.send({ op: 'unsubscribe', args: [{ ...books, interval: '1m' }], uta: true })
  expect(await socket.next(), 'no second snapshot').toEqual({ event: 'unsubscribe', arg: { ...books, interval: '1m' } })
  socket.send({ op: 'unsubscribe', args: [books] })
  expect(await socket.next(), 'again').toEqual({ event: 'unsubscribe', arg: books })
  await socket.subscribe(books)
  expect(await socket.next()).toMatchObject({ action: 'snapshot', arg: books })
  socket.close()
})

test('what is asked about subscriptions is done in order, also while a first push is read from the history', async () => {
  const candles = { instType: 'SPOT', channel: 'candle1m', instId: 'BTCUSDT' }
  const socket = await Socket.open(scene.venue, '/v2/ws/public')
  socket.send({ op: 'subscribe', args: [candles, ticker] })
  socket.send({ op: 'unsubscribe', args: [ticker] })
  for (const arg of [candles, ticker]) {
    expect(await socket.next()).toEqual({ event: 'subscribe', arg })
    expect(await socket.next()).toMatchObject({ action: 'snapshot', arg })
  }
  expect(await socket.next()).toEqual({ event: 'unsubscribe', arg: ticker })
  socket.close()
})

test.each([
  ['/v2/ws/public', 'candle1h', { instType: 'spot', channel: 'candle1h', instId: 'btcusdt' }],
  ['/v2/ws/public', 'Candle1DUTC', { instType: 'SPOT', channel: 'Candle1DUTC', instId: 'BTCUSDT' }],
  ['/v3/ws/public', 'kline', { instType: 'spot', topic: 'kline', symbol: 'BTCUSDT', interval: '4h' }],
] as const)('%s has candles of %j in any case', async (path, channel, arg) => {
  const socket = await Socket.open(scene.venue, path)
  await socket.subscribe(arg)
  expect(await socket.push(channel)).toMatchObject({ action: 'snapshot', arg })
  socket.close()
})

interface Login {
  readonly apiKey: string
  readonly passphrase: string
  readonly timestamp: string | number
  readonly sign: string
}

const seconds = () => Math.floor(Date.now() / 1000)

test.each<[string, number | 'ok', (login: Login) => Partial<Login>]>([
  // the login                         answered
  ['as clients send it', 'ok', () => ({})],
  ['with its time as a number', 'ok', ({ timestamp }) => ({ timestamp: Number(timestamp) })],
  ['without anything', 30011, () => ({ apiKey: '', passphrase: '', timestamp: '', sign: '' })],
  ['with another key', 30011, () => ({ apiKey: 'tm_nobody' })],
  ['with a time that is none', 30013, () => ({ timestamp: 'now' })],
  ['with a time half a minute ago', 30014, () => ({ timestamp: String(seconds() - 40) })],
  ['with a time that was not signed', 30015, ({ timestamp }) => ({ timestamp: String(Number(timestamp) + 1) })],
  ['with another signature', 30015, () => ({ sign: 'AAAA' })],
  ['with another passphrase', 30012, () => ({ passphrase: 'somebody' })],
])('a login %s: %s', async (_how, answered, change) => {
  const alice = await scene.person('Alice')
  const timestamp = String(seconds())
  const sign = createHmac('sha256', alice.key.secret).update(`${timestamp}GET/user/verify`).digest('base64')
  const login = { apiKey: alice.key.apiKey, passphrase: alice.key.passphrase, timestamp, sign }
  const socket = await Socket.open(scene.venue, '/v2/ws/private')
  socket.send({ op: 'login', args: [{ ...login, ...change(login) }], url: 'ws://here' })
  if (answered === 'ok') {
    expect(await socket.next()).toEqual({ event: 'login', code: 0, msg: '' })
    socket.close()
  } else {
    expect(await socket.next()).toMatchObject({ event: 'error', code: answered })
    expect(await socket.closed).toBe(1008)
  }
})

test('a login in milliseconds, whose signature covers them', async () => {
  const alice = await scene.person('Alice')
  const timestamp = String(Date.now())
  const { apiKey, passphrase, secret } = alice.key
  const sign = createHmac('sha256', secret).update(`${timestamp}GET/user/verify`).digest('base64')
  const socket = await Socket.open(scene.venue, '/v2/ws/private')
  socket.send({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] })
  expect(await socket.next()).toMatchObject({ event: 'login', code: 0 })
  socket.close()
})
