/**
 * One connection, two ways: what is plain goes past node:http, everything else through it, and a client sees no difference.
 * Real sockets; the other way is asked for by a header that only node:http takes (`TE: trailers`).
 */
import type { Socket } from 'node:net'
import Type from 'typebox'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import * as field from '../../src/api/parsing/fields.ts'
import { type Edge, openEdge } from '../api/edge.ts'
import { listeners } from './listeners.ts'

const read = '/api/v3/market/sample'
const other = 'te: trailers\r\n'

let edge: Edge
let sockets: Socket[]
/** Limits and texts of the requests that were served, in order. */
let served: (string | number)[]
/** Holds answers back until it is called. */
let hold: Promise<void>

describe.each(listeners)('over $over', ({ tls, reach, leave }) => {
  beforeEach(async () => {
    sockets = []
    served = []
    hold = Promise.resolve()
    const shared = {
      summary: 'A sample',
      source: 'test',
      access: 'public',
      limit: { perSecond: 100, per: 'ip' },
    } as const
    edge = await openEdge({
      tls,
      endpoints: [
        defineEndpoint({
          ...shared,
          method: 'GET',
          path: read,
          request: Type.Object({ limit: field.limit(100, 100) }),
          response: Type.Unknown(),
          handle: async ({ ip }, { limit }) => {
            served.push(limit)
            await hold
            return { limit, ip }
          },
        }),
        defineEndpoint({
          ...shared,
          method: 'POST',
          path: read,
          request: Type.Object({ text: Type.Optional(Type.String()), size: Type.Optional(Type.Integer()) }),
          response: Type.Unknown(),
          handle: async (_context, { text = '', size = 0 }) => {
            await hold
            return { text, long: 'é'.repeat(size) }
          },
        }),
      ],
      upgrades: (path) => path === '/socket',
    })
    edge.api.app.server.on('upgrade', (_request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello')
    })
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await edge.api.close()
  })

  const get = (limit: number | string, more = '') => `GET ${read}?limit=${limit} HTTP/1.1\r\nhost: x\r\n${more}\r\n`

  function post(body: string, more = ''): string {
    const lines = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}`
    return `POST ${read} HTTP/1.1\r\n${lines}\r\n${body}`
  }

  interface Heard {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: { readonly code: string; readonly msg: string; readonly data: unknown }
  }

  /** A client that speaks bytes and hears answers. */
  async function client() {
    const socket = await reach(Number(new URL(edge.url).port))
    sockets.push(socket)
    let bytes = Buffer.alloc(0)
    let isOver = false
    let wake = () => {}
    // Put together when there are as many as are waited for: long answers come in thousands of pieces.
    let pieces: Buffer[] = []
    let [length, wanted] = [0, 0]
    socket.on('data', (chunk: Buffer) => {
      pieces.push(chunk)
      length += chunk.length
      if (length >= wanted) wake()
    })
    for (const end of ['end', 'close']) {
      socket.on(end, () => {
        isOver = true
        wake()
      })
    }
    const more = () => new Promise<void>((resolve) => (wake = resolve))
    return {
      socket,
      say: (text: string) => void socket.write(text),
      hear: async (): Promise<Heard> => {
        for (wanted = 0; ; ) {
          bytes = Buffer.concat([bytes, ...pieces])
          pieces = []
          const headEnd = bytes.indexOf('\r\n\r\n')
          if (headEnd >= 0) {
            const [line = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
            const headers = Object.fromEntries(
              lines.map((header) => [
                header.slice(0, header.indexOf(':')).toLowerCase(),
                header.slice(header.indexOf(':') + 2),
              ]),
            )
            const end = headEnd + 4 + Number(headers['content-length'] ?? 0)
            if (bytes.length >= end) {
              const body = bytes.toString('utf8', headEnd + 4, end)
              bytes = bytes.subarray(end)
              length = bytes.length
              const json = body === '' ? undefined : JSON.parse(body)
              return { status: Number(line.split(' ')[1]), headers, body: json as Heard['body'] }
            }
            wanted = end
          }
          if (isOver) throw new Error(`over after ${bytes.toString('latin1')}`)
          await more()
        }
      },
      over: async () => {
        while (!isOver) await more()
        return Buffer.concat([bytes, ...pieces]).toString('utf8')
      },
    }
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  /** So many requests are being served. */
  const accepted = (count: number) => vi.waitUntil(() => served.length >= count, { timeout: 20_000, interval: 5 })
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test.each([
    ['a GET', get(7)],
    ['a GET that is refused', get(0)],
    ['a GET in Chinese', get(0, 'locale: zh-CN\r\n')],
    ['a request with a name', get(7, 'x-request-id: mine-1\r\n')],
    ['a POST', post('{"text":"é"}')],
    ['a POST without a body', `POST ${read} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['broken JSON', post('{')],
    ['a body of 100 kB', post(JSON.stringify({ text: 'x'.repeat(100_000) }))],
    ['the largest body', post(JSON.stringify({ text: 'x'.repeat(1_048_576 - 11) }))],
    ['a body that is too large', post(JSON.stringify({ text: 'x'.repeat(1_048_576 - 10) }))],
  ])('both ways answer alike: %s', async (_what, bytes) => {
    const heard: Heard[] = []
    for (const way of [bytes, bytes.replace('host: x\r\n', `host: x\r\n${other}`)]) {
      const { say, hear } = await client()
      say(way)
      heard.push(await hear())
    }
    const [plain, throughNode] = heard.map(({ status, headers, body: { code, msg, data } }) => {
      const { date, 'x-request-id': id = '', 'content-length': length, ...rest } = headers
      expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000)
      return { status, rest, id: id.replace(/-\w+$/, ''), length, code, msg, data }
    })
    expect(plain).toEqual(throughNode)
  })

  test('requests of both ways in turns, each answered in its place', async () => {
    const { say, hear } = await client()
    for (const [index, way] of ['', '', other, '', other, ''].entries()) {
      say(get(index + 1, way))
      expect((await hear()).body.data).toMatchObject({ limit: index + 1 })
      say(post(`{"text":"${index}"}`, way))
      expect((await hear()).body.data).toMatchObject({ text: String(index) })
    }
  })

  test.each([
    ['head and body', [post('{}').length - 2]],
    ['a cut in the body', [post('{}').length - 1]],
    ['a cut in the head', [30]],
    ['a cut between the lines that end it', [post('{}').length - 4]],
    ['three pieces of head and body', [60, post('{}').length - 2]],
    ['head, and a body in two', [post('{}').length - 2, post('{}').length - 1]],
    ['every byte', Array.from({ length: post('{}').length - 1 }, (_, index) => index + 1)],
  ])('a request in pieces: %s', async (_what, cuts) => {
    const { say, hear } = await client()
    for (let twice = 0; twice < 2; twice++) {
      const bytes = post('{}')
      for (const [index, cut] of [0, ...cuts].entries()) {
        say(bytes.slice(cut, cuts[index] ?? bytes.length))
        await pause(cuts.length > 5 ? 0 : 5)
      }
      expect((await hear()).status).toBe(200)
    }
    say(get(9))
    expect((await hear()).body.data).toMatchObject({ limit: 9 })
  })

  test('the second piece of a request may come late', async () => {
    const { say, hear } = await client()
    say(post('{}').slice(0, -2))
    await pause(1_500)
    say('{}')
    expect((await hear()).status).toBe(200)
  })

  test('requests that do not wait for their answers are answered in their order', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const { say, hear } = await client()
    say(get(1))
    await accepted(1)
    say(get(2) + get(3).slice(0, 20))
    await turn()
    say(get(3).slice(20) + post('{"text":"4"}'))
    await pause(20)
    resolve()
    for (const limit of [1, 2, 3]) expect((await hear()).body.data).toMatchObject({ limit })
    expect((await hear()).body.data).toMatchObject({ text: '4' })
    say(get(5))
    expect((await hear()).body.data).toMatchObject({ limit: 5 })
  })

  test.each([
    // what of a second request      answers
    ['all of it', get(2), [200, 200]],
    ['a part of it', get(2).slice(0, 20), [200, 400]],
  ])(
    'who sends %s before the first answer and closes their side is answered in order',
    async (_what, second, statuses) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hold = promise
      const { socket, say, hear, over } = await client()
      say(get(1))
      await accepted(1)
      socket.end(second)
      await pause(50)
      resolve()
      const heard = [await hear(), await hear()]
      expect(heard.map(({ status }) => status)).toEqual(statuses)
      expect(heard[0]?.body.data).toMatchObject({ limit: 1 })
      expect(await over()).toBe('')
    },
  )

  test.each([
    ['past node:http', ''],
    ['through it', other],
  ])('a server that closes ends a connection with the answer to what it had accepted, %s', async (_what, way) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const { say, hear, over } = await client()
    say(get(1, way))
    await accepted(1)
    const closed = edge.api.close()
    await pause(20)
    resolve()
    expect((await hear()).headers['connection']).toBe('close')
    expect(await over()).toBe('')
    await closed
  })

  test('what comes behind the last answer is not served, while others wait for theirs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const { say, hear, over } = await client()
    say(get(1))
    await accepted(1)
    const slow = Promise.withResolvers<void>()
    hold = slow.promise
    const { say: sayElsewhere, hear: hearElsewhere } = await client()
    sayElsewhere(get(99))
    await accepted(2)
    const closed = edge.api.close()
    await pause(20)
    resolve()
    expect((await hear()).headers['connection']).toBe('close')
    say(get(2))
    await pause(50)
    slow.resolve()
    expect((await hearElsewhere()).body.data).toMatchObject({ limit: 99 })
    expect(await over()).toBe('')
    await closed
    expect(served).toEqual([1, 99])
  })

  test('two requests in one piece', async () => {
    const { say, hear } = await client()
    say(post('{"text":"1"}') + get(2))
    expect((await hear()).body.data).toMatchObject({ text: '1' })
    expect((await hear()).body.data).toMatchObject({ limit: 2 })
  })

  test.each([
    // what             when the answer is held back
    ['at once', false],
    ['before it has its answer', true],
  ])('a client that closes its side %s gets its answer, and the connection ends', async (_what, isHeld) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (isHeld) hold = promise
    const { socket, hear, over } = await client()
    socket.end(get(7))
    if (isHeld) await pause(30)
    resolve()
    const { status, body } = await hear()
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { limit: 7 } })
    expect(await over()).toBe('')
  })

  test('a client that closes its side between requests is closed', async () => {
    const { socket, say, hear, over } = await client()
    say(get(7))
    await hear()
    socket.end()
    expect(await over()).toBe('')
  })

  test('a client that closes its side in the middle of a body learns that its request was cut off', async () => {
    const { socket, hear, over } = await client()
    socket.end(post('{}').slice(0, -1))
    const { status, headers, body } = await hear()
    expect({ status, code: body.code, connection: headers['connection'] }).toEqual({
      status: 400,
      code: '40409',
      connection: 'close',
    })
    expect(await over()).toBe('')
  })

  test('who reads slowly, and closes their side in the middle of a body, hears all that was answered', async () => {
    const { socket, say, hear, over } = await client()
    socket.pause()
    say(post('{"size":12000000}'))
    await pause(100)
    socket.end(post('{}').slice(0, -1))
    await pause(2_500)
    socket.resume()
    expect((await hear()).body.data).toMatchObject({ long: 'é'.repeat(12_000_000) })
    expect((await hear()).status).toBe(400)
    expect(await over()).toBe('')
  })

  test('a client that asks for the end of its connection gets it', async () => {
    const { say, hear, over } = await client()
    say(get(7, 'connection: close\r\n'))
    expect((await hear()).headers['connection']).toBe('close')
    expect(await over()).toBe('')
  })

  test('a socket can be asked for on a connection that had requests', async () => {
    const { say, hear, over } = await client()
    say(get(7))
    await hear()
    say('GET /socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    expect((await hear()).status).toBe(101)
    expect(await over()).toBe('hello')
  })

  test('an answer that is read slowly, and the next request behind it', async () => {
    const { socket, say, hear } = await client()
    socket.pause()
    say(post('{"size":12000000}'))
    await pause(100)
    say(get(7))
    await pause(200)
    expect(served).toEqual([])
    socket.resume()
    expect((await hear()).body.data).toMatchObject({ long: 'é'.repeat(12_000_000) })
    expect((await hear()).body.data).toMatchObject({ limit: 7 })
  })

  test('a client that goes away before its answer is not heard of again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const { socket, say } = await client()
    say(get(7))
    await pause(20)
    leave(socket)
    await pause(20)
    resolve()
    await pause(20)
    const { say: sayAgain, hear } = await client()
    sayAgain(get(8))
    expect((await hear()).body.data).toMatchObject({ limit: 8 })
  })
})
