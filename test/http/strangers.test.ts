/**
 * Requests under way are bounded on each connection, on both ways in: one is served, the rest is read later. Pages count
 * against the address, and connections of one address are bounded. Real sockets; the way through node:http is asked for by a
 * header that only it takes (`TE: trailers`).
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Type from 'typebox'
import { afterEach, expect, test, vi } from 'vitest'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import { fixedPage, type Page } from '../../src/http/http.ts'
import { type Edge, openEdge } from '../api/edge.ts'

const read = '/api/v3/market/sample'
const ways = [
  ['past node:http', ''],
  ['through it', 'te: trailers\r\n'],
] as const

let edge: Edge | undefined
let sockets: Socket[] = []
/** Requests that were begun, and those whose answer was made. */
let begun = 0
let underWayMost = 0

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await edge?.api.close()
})

async function open(options: Parameters<typeof openEdge>[0] = {}): Promise<void> {
  begun = 0
  underWayMost = 0
  let underWay = 0
  const sample = defineEndpoint({
    summary: 'A sample',
    source: 'test',
    access: 'public',
    limit: { perSecond: 1_000, per: 'ip' },
    method: 'GET',
    path: read,
    request: Type.Object({}),
    response: Type.Unknown(),
    handle: async () => {
      begun += 1
      underWay += 1
      underWayMost = Math.max(underWayMost, underWay)
      await new Promise(setImmediate)
      underWay -= 1
      return { begun }
    },
  })
  edge = await openEdge({ endpoints: [sample], ...options })
}

async function socketTo(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(edge!.url).port), host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`

/** The statuses of all answers on a connection that ends with this. */
async function statusesOf(bytes: string, localAddress?: string): Promise<string[]> {
  const socket = await socketTo(localAddress)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.end(bytes)
  await once(socket, 'close')
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
}

test.each(ways)('of requests that do not wait one is served at a time, %s', async (_way, more) => {
  await open()
  expect(await statusesOf(get(read, more).repeat(500))).toEqual(Array.from({ length: 500 }, () => '200'))
  expect({ begun, underWayMost }).toEqual({ begun: 500, underWayMost: 1 })
})

const large: Page = {
  path: '/large',
  perSecondMax: 1_000_000,
  answer: () => {
    begun += 1
    return { httpStatus: 200, headers: {}, body: largeBytes }
  },
}
const largeBytes = Buffer.alloc(16 * 1024 * 1024)

test.each(ways)('who reads nothing has one large answer under way, %s', async (_way, more) => {
  await open({ pages: [large] })
  const socket = await socketTo()
  socket.pause()
  socket.write(get('/large', more).repeat(1_000))
  await vi.waitFor(() => expect(begun).toBe(1))
  // Others are served meanwhile.
  for (let count = 0; count < 20; count++) expect((await edge!.plain('GET', read)).status).toBe(200)
  expect(begun).toBe(21)
})

test.each(ways)('a large answer arrives whole, and the next request behind it is served, %s', async (_way, more) => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index.toString(36)).join(','))
  await open({ pages: [fixedPage({ path: '/document', contentType: 'text/plain', bytes })] })
  const socket = await socketTo()
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.end(get('/document', more) + get(read, more))
  await once(socket, 'close')
  const [head = '', body = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
  expect(head).toContain(`content-length: ${bytes.length}`)
  expect(body.startsWith(bytes.toString('latin1'))).toBe(true)
  expect(rest.join('')).toContain('"begun":1')
})

test.each(ways)(
  'pages answer alike on both ways, with tag and without body where it is known, %s',
  async (_way, more) => {
    await open({ pages: [fixedPage({ path: '/page', contentType: 'text/plain', bytes: Buffer.from('a page') })] })
    const socket = await socketTo()
    socket.write(get('/page', more))
    const [[first]] = [(await once(socket, 'data')) as [Buffer]]
    expect(first.toString()).toMatch(/content-type: text\/plain\r\n[^]*\r\n\r\na page$/)
    const tag = /etag: (.*)\r\n/.exec(first.toString())?.[1]
    socket.write(get('/page', `${more}if-none-match: ${tag}\r\n`))
    const [[second]] = [(await once(socket, 'data')) as [Buffer]]
    expect(second.toString()).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[^]*\r\n\r\n$/)
    expect(second.toString()).not.toMatch(/content-length|content-type/)
  },
)

const page = (path: string, more: Partial<Page> = {}): Page => ({
  path,
  perSecondMax: 20,
  answer: () => ({ httpStatus: 200, headers: {}, body: '{}' }),
  ...more,
})

test.each([
  // path            bound of one address in a second, and what is answered up to it
  ['/page', 20, '200'],
  ['/health', 100, '200'],
  ['/nothing', 100, '404'],
])('%s counts against the address: %i a second', async (path, bound, status) => {
  const pages = [page('/page'), page('/health', { perSecondMax: 100, isAlwaysThere: true })]
  await open({ pages, rateLimits: { enabled: true, clock: () => 0 } })
  const statuses = await statusesOf(get(path).repeat(bound + 3))
  expect(statuses).toEqual([...Array.from({ length: bound }, () => status), '429', '429', '429'])
  // Somebody else is served.
  expect(await statusesOf(get(path), '127.0.0.9')).toEqual([status])
})

test('all of an address counts, and /health is refused for none of it', async () => {
  const pages = [page('/page'), page('/health', { perSecondMax: 100, isAlwaysThere: true })]
  await open({ pages, rateLimits: { enabled: true, perAddressPerMinute: 3, clock: () => 0 } })
  const bytes = [read, '/page', '/health', read, '/page', '/nothing', '/health'].map((path) => get(path)).join('')
  expect(await statusesOf(bytes)).toEqual(['200', '200', '200', '429', '429', '429', '200'])
})

test('one address has so many connections at a time, and room again when they go', async () => {
  await open({ connectionsPerAddressMax: 3 })
  const isKept = async (socket: Socket) => {
    socket.write(get(read))
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }
  const kept = [await socketTo(), await socketTo(), await socketTo()]
  for (const socket of kept) expect(await isKept(socket)).toBe(true)
  expect(await isKept(await socketTo())).toBe(false)
  expect(await isKept(await socketTo('127.0.0.9'))).toBe(true)
  kept[0]?.destroy()
  await vi.waitFor(async () => expect(await isKept(await socketTo())).toBe(true))
})

test('a trusted proxy has as many connections as it likes', async () => {
  await open({ connectionsPerAddressMax: 1, proxies: ['127.0.0.0/8'] })
  for (let count = 0; count < 5; count++) {
    const socket = await socketTo()
    socket.write(get(read))
    await once(socket, 'data')
  }
})

test('a socket that is asked for before the answers to earlier requests is closed', async () => {
  await open({ upgrades: (path) => path === '/socket' })
  edge!.api.app.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 x\r\n\r\n'))
  const upgrade = 'GET /socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  const socket = await socketTo()
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.write(get(read, 'te: trailers\r\n') + upgrade)
  await once(socket, 'close')
  expect(text).not.toContain('101')
})
