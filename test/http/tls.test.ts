/**
 * The listener with a certificate, over real sockets: everything that holds without TLS holds with it, and nobody who
 * dawdles, breaks off or talks nonsense in a handshake keeps anybody else waiting.
 */
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import Type from 'typebox'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import * as field from '../../src/api/parsing/fields.ts'
import { Tls } from '../../src/http/http.ts'
import { type Edge, openEdge } from '../api/edge.ts'
import { makeCertificate } from '../support/certificate.ts'

const read = '/api/v3/market/sample'
/** Only node:http takes it. */
const other = 'te: trailers\r\n'
const [first, second] = [makeCertificate(), makeCertificate()]
const shortMs = 150

let edge: Edge
let tls: Tls
let port: number
let sockets: Socket[]
/** Holds answers back. */
let hold: Promise<void>

beforeEach(() => {
  sockets = []
  hold = Promise.resolve()
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await edge.api.close()
})

async function open(handshakeMs?: number, connectionsMax = 1_000): Promise<void> {
  const shared = {
    summary: 'A sample',
    source: 'test',
    access: 'public',
    limit: { perSecond: 100, per: 'ip' },
  } as const
  tls = new Tls(first, handshakeMs)
  edge = await openEdge({
    tls,
    connectionsMax,
    endpoints: [
      defineEndpoint({
        ...shared,
        method: 'GET',
        path: read,
        request: Type.Object({ limit: field.limit(100, 100) }),
        response: Type.Unknown(),
        handle: async ({ ip }, { limit }) => {
          await hold
          return { limit, ip }
        },
      }),
      defineEndpoint({
        ...shared,
        method: 'POST',
        path: read,
        request: Type.Object({ text: Type.String() }),
        response: Type.Unknown(),
        handle: async (_context, { text }) => ({ text, long: 'é'.repeat(500_000) }),
      }),
    ],
    upgrades: (path) => path === '/socket',
  })
  port = Number(new URL(edge.url).port)
}

async function client(options: ConnectionOptions = {}): Promise<TLSSocket & { heard: string }> {
  const socket = connect({ port, host: '127.0.0.1', ca: [first.cert, second.cert], ...options })
  sockets.push(socket)
  const hearing = Object.assign(socket, { heard: '' })
  socket.on('data', (chunk) => (hearing.heard += chunk.toString()))
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return hearing
}

/** One that speaks as it is; `allowHalfOpen`: it never leaves of its own accord. */
async function stranger(bytes: string | Buffer, allowHalfOpen = false): Promise<Socket & { heard: string }> {
  const socket = connectPlain({ port, host: '127.0.0.1', allowHalfOpen })
  sockets.push(socket)
  const hearing = Object.assign(socket, { heard: '' })
  socket.on('data', (chunk) => (hearing.heard += chunk.toString()))
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return hearing
}

const get = (limit: number, more = '') => `GET ${read}?limit=${limit} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
const answers = (heard: string) => [...heard.matchAll(/"limit":"?(\d+)/g)].map(([, limit]) => Number(limit))

function post(text: string): string {
  const body = JSON.stringify({ text })
  const lines = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`
  return `POST ${read} HTTP/1.1\r\nhost: x\r\n${lines}\r\n\r\n${body}`
}

const connections = () =>
  new Promise<number>((resolve) => edge.api.app.server.getConnections((_error, count) => resolve(count)))
/** Also where it ends with a reset, as may be while bytes are on their way. */
const closedBy = (socket: Socket) =>
  socket.closed ? Promise.resolve() : new Promise<void>((resolve) => socket.once('close', () => resolve()))

test('the address says that it is https', async () => {
  await open()
  expect(edge.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
})

test.each([
  ['plain ones', [get(1), get(2), get(3)], [1, 2, 3]],
  ['those for node:http', [get(1, other), get(2, other)], [1, 2]],
  ['one after the other way', [get(1), get(2, other), get(3)], [1, 2, 3]],
  ['sent before the last answer', [get(1) + get(2) + get(3)], [1, 2, 3]],
  ['in pieces', [get(1).slice(0, 20), get(1).slice(20)], [1]],
])('requests are answered on one connection, the address too: %s', async (_what, pieces, limits) => {
  await open()
  const socket = await client()
  for (const [index, piece] of pieces.entries()) {
    socket.write(piece)
    const due = limits.filter((limit) => limit <= index + 1 - (pieces.length - limits.length))
    if (pieces.length > 1) await vi.waitFor(() => expect(answers(socket.heard)).toEqual(due))
  }
  await vi.waitFor(() => expect(answers(socket.heard)).toEqual(limits))
  expect(socket.heard).toContain('"ip":"127.0.0.1"')
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)('bodies and long answers with %s', async (version) => {
  await open()
  const socket = await client({ minVersion: version, maxVersion: version })
  expect(socket.getProtocol()).toBe(version)
  for (const round of [1, 2]) {
    socket.write(post(`round ${round}`))
    await vi.waitFor(() => expect(socket.heard.match(/"text":"round \d".*?é"}/gs)).toHaveLength(round))
  }
  expect(socket.heard).toContain('round 1')
  expect(socket.heard).toContain('round 2')
})

test('nothing older than TLS 1.2, and no other protocol than HTTP/1.1', async () => {
  await open()
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  await expect(client(old)).rejects.toThrow(/protocol version|unsupported protocol/)
  await expect(client({ ALPNProtocols: ['h2'] })).rejects.toThrow(/no application protocol/)
  expect((await client({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe('http/1.1')
})

test('WebSocket on the same port', async () => {
  await open()
  const streams = new WebSocketServer({ noServer: true })
  edge.api.app.server.on('upgrade', (request, socket, head) => {
    streams.handleUpgrade(request, socket, head, (opened) => opened.on('message', (said) => opened.send(said)))
  })
  const socket = new WebSocket(`${edge.url.replace(/^http/, 'ws')}/socket`, { ca: first.cert })
  await once(socket, 'open')
  socket.send('hello')
  expect(String((await once(socket, 'message'))[0])).toBe('hello')
  socket.terminate()
})

test('who closes their side behind a request gets the answer', async () => {
  await open()
  for (const more of ['', other]) {
    const socket = await client({ allowHalfOpen: true } as ConnectionOptions)
    socket.end(get(7, more))
    await closedBy(socket)
    expect(answers(socket.heard)).toEqual([7])
  }
})

test('broken HTTP is answered by name behind a handshake too', async () => {
  await open()
  const socket = await client()
  socket.write('NONSENSE\r\n\r\n')
  await closedBy(socket)
  expect(socket.heard).toMatch(/^HTTP\/1.1 400 .*"40409"/s)
})

test('a stopping venue answers what was accepted, and waits for nobody who is at a handshake', async () => {
  await open()
  const { promise, resolve } = Promise.withResolvers<void>()
  hold = promise
  const accepted = await client()
  accepted.write(get(1))
  const silent = await stranger('')
  const half = await stranger(Buffer.from([0x16, 3, 1, 2, 0]))
  await new Promise((done) => setTimeout(done, 50))
  const closed = edge.api.close()
  resolve()
  await closed
  await Promise.all([silent, half, accepted].map(closedBy))
  expect(answers(accepted.heard)).toEqual([1])
})

test.each([
  ['GET', get(1)],
  ['POST', post('x')],
  ['OPTIONS', 'OPTIONS * HTTP/1.1\r\n\r\n'],
])('HTTP as it is, is told that the address begins with https: %s', async (_method, bytes) => {
  await open()
  const socket = await stranger(bytes)
  await vi.waitFor(() => expect(socket.heard).toContain('the URL should begin with https'))
  expect(socket.heard).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*connection: close\r\n/s)
  socket.end()
  await closedBy(socket)
})

test.each([
  ['zeros', Buffer.alloc(100)],
  ['a byte', Buffer.from([0xff])],
  ['a record of nonsense', Buffer.concat([Buffer.from([0x16, 3, 1, 0, 50]), Buffer.alloc(50, 7)])],
  ['a record of data', Buffer.from([0x17, 3, 3, 0, 1, 0])],
])('what is neither is closed without a word of HTTP: %s', async (_what, bytes) => {
  await open()
  const socket = await stranger(bytes)
  socket.end()
  await closedBy(socket)
  expect(socket.heard).not.toContain('HTTP')
})

test('a handshake has its time, at whatever pace its bytes come, and so has silence', async () => {
  await open(shortMs)
  const begun = performance.now()
  const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])
  const slow = await stranger(hello)
  const drip = setInterval(() => slow.writable && slow.write(Buffer.from([0])), 20)
  const others = [await stranger(''), await stranger(hello)]
  await stranger('GET / HTTP/1.1\r\n\r\n', true)
  await Promise.all([slow, ...others].map(closedBy))
  clearInterval(drip)
  await vi.waitFor(async () => expect(await connections()).toBe(0))
  expect(performance.now() - begun).toBeGreaterThanOrEqual(shortMs - 5)
})

test('a handshake is over within its time or not, a connection goes on behind it', async () => {
  await open(shortMs)
  const socket = await client()
  await new Promise((done) => setTimeout(done, 2 * shortMs))
  socket.write(get(4))
  await vi.waitFor(() => expect(answers(socket.heard)).toEqual([4]))
})

test('handshakes under way count as connections', async () => {
  await open(10_000, 3)
  const dawdlers = [await stranger(''), await stranger(Buffer.from([0x16])), await stranger(Buffer.from([0x16, 3]))]
  const refused = await stranger('')
  await closedBy(refused)
  for (const socket of dawdlers) socket.destroy()
  await vi.waitFor(async () => expect((await client()).authorized).toBe(true))
})

test('a new certificate is for those who come, those who are there go on', async () => {
  await open()
  const before = await client({ ca: first.cert })
  tls.renew(second)
  const after = await client({ ca: second.cert, session: before.getSession() })
  expect(after.isSessionReused()).toBe(false)
  for (const socket of [before, after]) {
    socket.write(get(5))
    await vi.waitFor(() => expect(answers(socket.heard)).toEqual([5]))
  }
  expect(() => tls.renew({ cert: first.cert, key: second.key })).toThrow(/key values mismatch/)
  expect((await client({ ca: second.cert })).authorized).toBe(true)
})
