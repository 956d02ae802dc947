/**
 * Two venues that are opened at different times and are sent the same bytes answer the same bytes, heads included, and end in
 * the same state (lab.md §4.1): on the plain way and on node:http's, by the venue's clock and with a seed.
 */
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amount } from '../../src/engine/numbers/numbers.ts'
import { House } from '../hostile/house.ts'
import { Socket } from '../support/socket.ts'

const hourMs = 3_600_000

interface Twin {
  readonly house: House
  readonly url: string
}

const twins: Twin[] = []

async function openTwin(): Promise<Twin> {
  const house = await House.open({ seed: 11 })
  return { house, url: await house.api.listen({ host: '127.0.0.1', port: 0 }) }
}

beforeAll(async () => {
  twins.push(await openTwin())
  // By the system's clock the second would be another: its `Date`, the names of its requests, its windows.
  await new Promise((resolve) => setTimeout(resolve, 1_050))
  twins.push(await openTwin())
})

afterAll(async () => {
  for (const { house } of twins) await house.close()
})

/** Bytes on a socket of their own; what comes back until the other side closes. */
function raw({ url }: Twin, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(bytes))
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}

interface Call {
  readonly method: string
  readonly target: string
  readonly body?: object
  /** Whose key signs it; absent: nobody's. */
  readonly role?: string
  /** One header more sends it to node:http, which takes what is not plain. */
  readonly more?: string
}

function requestOf({ house }: Twin, { method, target, body, role, more = '' }: Call): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [`${method} ${target} HTTP/1.1`, 'host: venue']
  if (body !== undefined) lines.push('content-type: application/json', `content-length: ${text.length}`)
  if (role !== undefined) {
    const key = house.demoKey(role)
    const at = String(house.runtime.now())
    const sign = createHmac('sha256', key.secret).update(at + method + target + text)
    lines.push(`access-key: ${key.apiKey}`, `access-sign: ${sign.digest('base64')}`, `access-timestamp: ${at}`)
    lines.push(`access-passphrase: ${key.passphrase}`)
  }
  if (more !== '') lines.push(more)
  return `${lines.join('\r\n')}\r\n\r\n${more === chunked ? '0\r\n\r\n' : text}`
}

async function answers(call: Call): Promise<string[]> {
  const found = []
  for (const twin of twins) found.push(await raw(twin, requestOf(twin, call)))
  return found
}

const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000', qty: '0.01' }
const uidOf = (role: string) => String(twins[0].house.demoKey(role).uid)
const chunked = 'transfer-encoding: chunked'

const calls = (): Call[] => [
  { method: 'GET', target: '/api/v3/public/time' },
  { method: 'GET', target: '/api/v3/market/tickers?category=SPOT' },
  { method: 'GET', target: '/api/v3/market/proof-of-reserves' },
  { method: 'POST', target: '/api/v3/trade/place-order', body: order, role: 'unified-main' },
  { method: 'GET', target: '/api/v3/trade/unfilled-orders?category=SPOT', role: 'unified-main' },
  {
    method: 'POST',
    target: '/api/v2/spot/wallet/subaccount-transfer',
    body: {
      fromType: 'spot',
      toType: 'spot',
      amount: '1',
      coin: 'USDT',
      fromUserId: uidOf('broker-main'),
      toUserId: uidOf('broker-sub'),
    },
    role: 'broker-main',
  },
  {
    method: 'POST',
    target: '/api/v3/user/create-sub-api',
    body: {
      subUid: uidOf('unified-sub'),
      note: 'bot',
      type: 'read_only',
      passphrase: 'pass12345',
      permissions: ['uta_trade'],
      ips: [],
    },
    role: 'unified-main',
  },
  { method: 'GET', target: '/api/v3/nowhere' },
  { method: 'GET', target: '/api/v3/account/assets' },
  { method: 'PUT', target: '/api/v3/trade/place-order', more: chunked },
  { method: 'GET', target: '/api/v3/public/time', more: 'expect: the moon' },
  { method: 'CONNECT', target: '/api/v3/public/time' },
]

test('the same keys are made', () => {
  const [first, second] = twins.map(({ house }) => [...house.keys.all()])
  expect(second).toEqual(first)
  expect(first.length).toBeGreaterThan(5)
})

test('the same calls have the same answers to the byte, now and eight hours later', async () => {
  for (let round = 0; round < 2; round++) {
    for (const call of calls()) {
      const [first, second] = await answers(call)
      expect(second).toBe(first)
      expect(first).toMatch(/^HTTP\/1\.1 \d{3} /)
    }
    for (const { house } of twins) await house.runtime.advance(8 * hourMs)
  }
  const hashes = await Promise.all(twins.map(({ house }) => house.runtime.stateHash()))
  expect(hashes[1]).toBe(hashes[0])
})

test('the `Date` of answers is the venue’s, on both ways', async () => {
  const now = new Date(twins[0].house.runtime.now()).toUTCString()
  for (const more of ['', chunked]) {
    const [answer] = await answers({ method: 'GET', target: '/api/v3/public/time', more })
    expect(answer).toMatch(new RegExp(`^date: ${now}\r$`, 'im'))
    expect(answer.match(/^date:/gim)).toHaveLength(1)
  }
})

test('rate limits are counted by the venue’s time: they stand as long as it does', async () => {
  const call = { method: 'GET', target: '/api/v3/account/settings', role: 'unified-main' }
  for (const { house } of twins) await house.runtime.advance(1_000)
  const statuses = async () => {
    const found: string[] = []
    for (let n = 0; n < 25; n++) found.push((await answers(call))[0].slice(9, 12))
    return found
  }
  const first = await statuses()
  expect(first).toContain('200')
  expect(first.at(-1)).toBe('429')
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect(await statuses()).not.toContain('200')
  for (const { house } of twins) await house.runtime.advance(1_000)
  expect(await statuses()).toEqual(first)
})

test('what the interface remembers is saved and comes back: limits, names of requests, the last proof', async () => {
  const [{ house }] = twins
  const call = { method: 'GET', target: '/api/v3/market/proof-of-reserves' }
  await house.runtime.advance(1_000)
  const saved = structuredClone(house.api.save())
  const first = await raw(twins[0], requestOf(twins[0], call))
  for (let n = 0; n < 30; n++) await raw(twins[0], requestOf(twins[0], call))
  house.api.restore(saved)
  expect(await raw(twins[0], requestOf(twins[0], call))).toBe(first)
  // Another venue at the same moment goes on with it.
  await twins[1].house.runtime.advance(1_000)
  twins[1].house.api.restore(saved)
  expect(await raw(twins[1], requestOf(twins[1], call))).toBe(first)
})

test('silence is counted by the venue’s time, and sockets end when they are looked at', async () => {
  const [{ house, url }] = twins
  const [silent, pinging] = [await Socket.open({ url }, '/v3/ws/public'), await Socket.open({ url }, '/v3/ws/public')]
  await house.runtime.advance(100_000)
  pinging.send('ping')
  await pinging.next((message) => message['text'] === 'pong')
  await house.runtime.advance(30_000)
  house.stream.check()
  expect(await silent.closed).toBe(1001)
  house.stream.check()
  pinging.send('ping')
  await pinging.next((message) => message['text'] === 'pong')
  pinging.close()
  await pinging.closed
})

test('openings of sockets are saved and come back', async () => {
  const [{ house, url }] = twins
  const saved = house.stream.save()
  const open = async () => {
    const socket = await Socket.open({ url }, '/v3/ws/public')
    socket.close()
    await socket.closed
  }
  await open()
  const after = house.stream.save()
  expect(after.openings.get('127.0.0.1')).toBe((saved.openings.get('127.0.0.1') ?? 0) + 1)
  house.stream.restore(saved)
  expect(house.stream.save()).toEqual(saved)
  await open()
  expect(house.stream.save()).toEqual(after)
})

test('what waits for its pace is pushed at once when asked for', async () => {
  const [{ house, url }] = twins
  const key = house.demoKey('unified-peer')
  const socket = await Socket.open({ url }, '/v3/ws/private')
  socket.login(key, house.runtime.now())
  await socket.next((message) => message.event === 'login')
  await socket.subscribe({ instType: 'UTA', topic: 'account' })
  await socket.push('account')
  const pushes = () =>
    socket.heard.filter(({ action, arg }) => action !== undefined && arg?.['topic'] === 'account').length
  const before = pushes()
  for (let n = 1; n <= 3; n++) {
    await house.runtime.submit({ kind: 'deposit', uid: key.uid, wallet: 'uta', coin: 0, amount: amount(100n) })
    house.stream.pushAll()
    socket.send('ping')
    await socket.next((message) => message['text'] === 'pong')
    expect(pushes()).toBe(before + n)
  }
  socket.close()
  await socket.closed
})
