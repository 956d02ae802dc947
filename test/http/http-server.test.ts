/**
 * The end of the listener, over real sockets: what was accepted is answered, and no client keeps the server from closing
 * (design §6: SIGTERM finishes what was accepted).
 */
import type { Socket } from 'node:net'
import Type from 'typebox'
import { afterEach, describe, expect, test } from 'vitest'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import { type Edge, openEdge } from '../api/edge.ts'
import { listeners } from './listeners.ts'

const path = '/api/v3/market/sample'
const json = 'host: x\r\ncontent-type: application/json'
const soonMs = 1_900

const sockets: Socket[] = []
let edge: Edge | undefined

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await edge?.api.close()
})

describe.each(listeners)('over $over', ({ tls, reach }) => {
  /** An edge whose one endpoint answers when the test says so; `reached` resolves when the request is there. */
  async function open(answer: unknown = 'done') {
    const { promise: reached, resolve: tellReached } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const sample = (method: 'GET' | 'POST') =>
      defineEndpoint({
        method,
        path,
        summary: 'A sample',
        source: 'test',
        access: 'public',
        limit: { perSecond: 100, per: 'ip' },
        request: Type.Object({}),
        response: Type.Unknown(),
        handle: async () => {
          tellReached()
          await released
          return answer
        },
      })
    edge = await openEdge({
      tls,
      endpoints: [sample('GET'), sample('POST')],
      pages: [
        {
          path: '/large',
          perSecondMax: 100,
          answer: () => ({ httpStatus: 200, headers: {}, body: 'x'.repeat(20_000_000) }),
        },
      ],
      upgrades: (asked) => asked === '/socket',
    })
    edge.api.app.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'))
    return { api: edge.api, url: edge.url, reached, release }
  }

  /** A client that says this and no more, and leaves its side open. */
  async function client(url: string, bytes: string) {
    const socket = await reach(Number(new URL(url).port))
    sockets.push(socket)
    socket.write(bytes)
    const heard = { text: '' }
    const ended = new Promise<string>((resolve) => {
      for (const end of ['end', 'close']) socket.once(end, () => resolve(heard.text))
    })
    return {
      socket,
      heard,
      ended,
      listen: () => socket.on('data', (chunk) => (heard.text += chunk.toString('latin1'))),
    }
  }

  async function msOf(work: Promise<unknown>): Promise<number> {
    const beganMs = performance.now()
    await work
    return performance.now() - beganMs
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  test.each([
    // what the client is at         what it has said
    ['nothing', ''],
    ['a part of a request line', 'GET /api'],
    ['a part of a header', `GET ${path} HTTP/1.1\r\nhost: x\r\n`],
    ['a part of a body', `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a"`],
    ['a part of a chunked body', `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a"`],
    ['a body that is too large', `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n{"a"`],
    ['an answer, kept open', 'GET /api/v3/nothing HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a second request', 'GET /api/v3/nothing HTTP/1.1\r\nhost: x\r\n\r\nGET /api/v3/no'],
  ])('a client that is at %s does not keep the server from closing', async (_what, bytes) => {
    const { api, url } = await open()
    const { listen } = await client(url, bytes)
    listen()
    await pause(50)
    expect(await msOf(api.close())).toBeLessThan(soonMs)
  })

  test.each([
    [
      'that does not close a refused WebSocket',
      'GET /socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
    ['that does not close a refused tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['that does not read its answer', 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('a client %s is given two seconds', async (_what, bytes) => {
    const { api, url } = await open()
    const { socket } = await client(url, bytes)
    socket.pause()
    await pause(100)
    expect(await msOf(api.close())).toBeLessThan(2_000 + soonMs)
  })

  test.each([
    ['a GET', `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['a POST with a body', `POST ${path} HTTP/1.1\r\n${json}\r\ncontent-length: 2\r\n\r\n{}`],
    ['a POST in chunks', `POST ${path} HTTP/1.1\r\n${json}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ])('%s that was accepted is answered, while others hold their connections', async (_what, bytes) => {
    const { api, url, reached, release } = await open('x'.repeat(1_000_000))
    for (const held of ['', 'GET /api', `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`]) {
      ;(await client(url, held)).listen()
    }
    const { ended, listen } = await client(url, bytes)
    listen()
    await reached
    const closed = api.close()
    await pause(100)
    release()
    const answer = await ended
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: '00000' })
    expect(await msOf(closed)).toBeLessThan(soonMs)
  })

  test('an answer that is being read is read to its end', async () => {
    const { api, url } = await open()
    const { socket, ended, heard } = await client(url, 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n')
    socket.pause()
    await pause(100)
    const closed = api.close()
    await pause(100)
    socket.on('data', (chunk) => (heard.text += chunk.toString('latin1'))).resume()
    expect((await ended).length).toBeGreaterThan(20_000_000)
    await closed
  })
})
