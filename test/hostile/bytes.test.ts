/**
 * Bytes that nobody meant, for everything in the venue that reads bytes: each reader answers with a value or with its own
 * kind of error, and with nothing else.
 *
 * Material   random bytes, and right ones made worse (fast-check, seeded by FC_SEED; `npm run fuzz` runs the same readers
 *            behind the interface for as long as one likes)
 * Elsewhere  every flipped bit of a journal and of a snapshot: test/journal/damage.test.ts
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCursor, readCursor } from '../../src/api/parsing/cursor.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { parseBody, parseQuery } from '../../src/api/parsing/input.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import { ConfigurationWrong } from '../../src/operator/config/settings.ts'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { openOperatorListener, type OperatorListener } from '../../src/operator/listener.ts'
import { decodeCommand, encodeCommand } from '../../src/runtime/command-codec.ts'
import { commandKinds } from '../../src/runtime/command-layout.ts'
import { RecordUnreadable, RecordWriter } from '../../src/runtime/record-bytes.ts'
import { Random } from '../../src/simulator/random.ts'
import { StreamError } from '../../src/stream/errors.ts'
import { parseRequest } from '../../src/stream/requests.ts'
import { tries } from '../support/depth.ts'
import { commandOf } from '../runtime/commands.ts'
import { House } from './house.ts'
import { badValues, Mutations } from './mutations.ts'

const seed = Number(process.env['FC_SEED'] ?? 20261121) || 1
const mutations = new Mutations(new Random(seed))

/** What became of reading: the error's kind, or `read`. Any other kind is thrown on. */
function reading(read: () => unknown, ...kinds: readonly (abstract new (...args: never[]) => Error)[]): string {
  try {
    read()
    return 'read'
  } catch (error) {
    for (const kind of kinds) if (error instanceof kind) return kind.name
    throw error
  }
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const json = fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text))
const worse = fc
  .oneof(
    json,
    fc.constantFrom(...badValues).map((text) => Buffer.from(text)),
  )
  .map((message) => mutations.worseBytes(message))
const anything = fc.oneof(bytes, json, worse)

describe('readers of what clients send', () => {
  test('a body is a value or refused', () => {
    fc.assert(
      fc.property(anything, (body) => {
        reading(() => parseBody(body, 'v3'), ApiError)
        reading(() => parseBody(body, 'v2'), ApiError)
      }),
      { numRuns: tries(20_000) },
    )
  })

  test('a query is fields, each of its own name, or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 100 }),
          fc.webQueryParameters(),
          anything.map((message) => message.toString('latin1')),
        ),
        (query) => {
          reading(() => {
            const fields = parseQuery(query, 'v2')
            expect(Object.getPrototypeOf(fields)).toBeNull()
          }, ApiError)
        },
      ),
      { numRuns: tries(20_000) },
    )
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('a message of a socket is a request or refused', () => {
    const message = fc.record({
      op: fc.constantFrom('login', 'subscribe', 'unsubscribe', 'trade', 'x'),
      args: fc.oneof(fc.json(), fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.constantFrom(...badValues)),
    })
    const messages = fc.oneof(
      anything,
      message.map((request) => Buffer.from(JSON.stringify(request))),
      message.map((request) => mutations.worseBytes(Buffer.from(JSON.stringify(request)))),
    )
    fc.assert(
      fc.property(messages, (sent) => void reading(() => parseRequest(sent), StreamError)),
      { numRuns: tries(5_000) },
    )
  })

  test('a cursor is one that the venue made, or refused: no text with a character more, less or changed', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 130 }), (text) => {
        expect(reading(() => readCursor('fills', text, 'v3'), ApiError)).toBe('ApiError')
      }),
      { numRuns: tries(10_000) },
    )
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const id of [0, 1, 1_000_000_000_000_131, Number.MAX_SAFE_INTEGER]) {
      const cursor = makeCursor('fills', id)
      expect(readCursor('fills', cursor, 'v3')).toBe(id)
      for (let at = 0; at < cursor.length; at++) {
        for (const letter of letters) {
          const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1)
          if (changed !== cursor) expect(reading(() => readCursor('fills', changed, 'v3'), ApiError)).toBe('ApiError')
        }
        expect(reading(() => readCursor('fills', cursor.slice(0, at) + cursor.slice(at + 1), 'v3'), ApiError)).toBe(
          'ApiError',
        )
      }
      for (const list of ['orders', 'positions', 'triggers', 'open-orders'] as const) {
        expect(reading(() => readCursor(list, cursor, 'v3'), ApiError)).toBe('ApiError')
      }
    }
  })
})

describe('readers of what the venue keeps', () => {
  test.each(commandKinds)('a record of the kind %s with a byte changed is a command or unreadable', (kind) => {
    const record = commandOf(kind).map((command) => {
      const writer = new RecordWriter()
      encodeCommand(writer, command, 1_750_000_000_000)
      return Buffer.from(writer.slice(0, writer.position))
    })
    fc.assert(
      fc.property(record, fc.nat(), fc.nat(255), (good, place, byte) => {
        const at = place % good.length
        const changed = Buffer.from(good)
        changed[at] = byte
        reading(() => decodeCommand(changed), RecordUnreadable)
        expect(reading(() => decodeCommand(good.subarray(0, at)), RecordUnreadable)).toBe('RecordUnreadable')
      }),
      { numRuns: tries(300) },
    )
  })

  test('random bytes are no record', () => {
    fc.assert(
      fc.property(bytes, (record) => void reading(() => decodeCommand(record), RecordUnreadable)),
      { numRuns: tries(20_000) },
    )
  })

  test('saved state with bytes changed is state or an error, and takes no more memory than it has bytes for', () => {
    const saved = Buffer.concat(
      encode({ a: [1, 2n, 'text', null, true], m: new Map([['k', new Set([1])]]), b: new Float64Array(8) }),
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(saved.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const changed = Buffer.from(saved)
          for (const [at, byte] of changes) changed[at] = byte
          reading(() => decode([changed]), Error)
          reading(() => decode([changed.subarray(0, changes[0][0])]), Error)
        },
      ),
      { numRuns: tries(20_000) },
    )
  })

  test('a snapshot with bytes changed anywhere is damaged, or the same', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-bytes-'))
    try {
      const snapshots = await openSnapshots(directory)
      const content = Buffer.from('state of the venue, '.repeat(500))
      await snapshots.save(7, createHash('sha256').update(content).digest('hex'), [
        content.subarray(0, 4_000),
        content.subarray(4_000),
      ])
      const [entry] = await snapshots.list()
      const good = readFileSync(entry.file)
      for (let round = 0; round < 300; round++) {
        writeFileSync(entry.file, mutations.worseBytes(good))
        const { snapshot } = await (await openSnapshots(directory)).newest()
        if (snapshot === undefined) continue
        const chunks: Uint8Array[] = []
        for await (const chunk of snapshot.chunks()) chunks.push(chunk)
        expect({ sequence: snapshot.sequence, content: Buffer.concat(chunks).toString() }).toEqual({
          sequence: 7,
          content: content.toString(),
        })
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  test('a configuration file is right, or every fault of it is named', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-bytes-'))
    const file = join(directory, 'tidemark.json')
    const names = [
      'host',
      'port',
      'seed',
      'noRateLimits',
      'trustedProxies',
      'endpointLimits',
      'logLevel',
      '__proto__',
      'constructor',
      'x',
    ]
    const content = fc.oneof(
      anything,
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map((body) => Buffer.from(JSON.stringify(body))),
      fc
        .tuple(fc.constantFrom(...names), fc.constantFrom(...badValues))
        .map(([name, value]) => Buffer.from(`{"${name}":${value}}`)),
    )
    try {
      fc.assert(
        fc.property(content, (text) => {
          writeFileSync(file, text)
          reading(() => readConfiguration({ options: { data: directory }, environment: {} }), ConfigurationWrong)
        }),
        { numRuns: tries(1_000) },
      )
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

describe('the operator’s listener', () => {
  const token = 'ab'.repeat(32)
  let house: House
  let listener: OperatorListener

  beforeAll(async () => {
    house = await House.open()
    listener = await openOperatorListener(house.ports, { port: 0, token, log: pino({ level: 'silent' }) })
  })

  afterAll(async () => {
    await listener?.close()
    await house?.close()
  })

  async function ask(method: string, path: string, body?: Buffer, headers: Record<string, string> = {}) {
    const init = body === undefined ? {} : { body: new Uint8Array(body) }
    const answer = await fetch(`${listener.url}${path}`, {
      method,
      ...init,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    const text = await answer.text()
    expect(text, 'no insides').not.toMatch(/\n\s+at |node_modules|\/src\/|TypeError|RangeError/)
    expect(answer.status, `${method} ${path} ${body?.toString('latin1').slice(0, 300)}: ${text}`).toBeLessThan(500)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    return {
      status: answer.status,
      said: JSON.parse(text) as { ok: boolean; error?: { code: string; message: string } },
    }
  }

  /** Names of fields, as the refusals of each call name them. */
  async function fieldsOf(path: string): Promise<string[]> {
    const { said } = await ask('POST', path, Buffer.from('{"nosuchfield":1}'))
    return [...(said.error?.message ?? '').matchAll(/\b([a-z][A-Za-z]*)\b/g)].map(([, name]) => name)
  }

  const calls = operatorCalls.filter(({ method, path }) => method === 'POST' && !/clock|snapshot/.test(path))

  test.each(calls.map(({ path }) => path))('%s refuses what is wrong, and then nothing has changed', async (path) => {
    const names = [...(await fieldsOf(path)), 'uid', 'symbol', 'coin', 'amount', 'prices', '__proto__']
    for (let round = 0; round < 60; round++) {
      const value = Object.fromEntries(
        names.filter((_, index) => (round + index) % 3 !== 0).map((name) => [name, '1001']),
      )
      const { events } = house
      const { status, said } = await ask('POST', path, mutations.body(value))
      expect(said.ok).toBe(status === 200)
      if (status !== 200) expect(house.events).toBe(events)
    }
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'POST'])('%s where there is no such call', async (method) => {
    for (const { path } of operatorCalls) {
      if (operatorCalls.some((call) => call.method === method && call.path === path)) continue
      expect(await ask(method, path)).toMatchObject({
        status: 404,
        said: { ok: false, error: { code: 'call-unknown' } },
      })
    }
  })

  test.each([
    '/%',
    '/operator/%zz',
    '/operator/status%',
    '/operator/explain?uid=%zz',
    '/operator//status',
    `/${'x'.repeat(3_000)}`,
  ])('a path as %.30s', async (path) => {
    const { said } = await ask('GET', path)
    expect(said).toMatchObject({ ok: false, error: { code: expect.any(String), message: expect.any(String) } })
  })

  test.each([
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['x\r\n\r\n', 400],
    ['\u0000\u0001\u0002', 400],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(30_000)}\r\n\r\n`, 431],
    [`GET /${'y'.repeat(30_000)} HTTP/1.1\r\nx: y\r\n\r\n`, 414],
  ])('bytes that are no request: %.20j: %d', async (bytes_, status) => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1', () => socket.write(bytes_))
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => {})
    await once(socket, 'close')
    expect(received).toMatch(/^HTTP\/1.1 \d+ .*\{"ok":false,"error":\{"code":"request-wrong"/s)
    expect(Number(received.slice(9, 12))).toBe(status)
  })

  test('a request without a Host has an answer like any other', async () => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1', () =>
      socket.write('GET /operator/status HTTP/1.1\r\nconnection: close\r\n\r\n'),
    )
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    await once(socket, 'close')
    expect(received).toContain('"token-wrong"')
  })

  test.each(['evil.example', 'evil.example:8081', '127.0.0.1.evil.example'])(
    'a page of %s that leads its name here has no token and learns nothing',
    async (host) => {
      const answer = await fetch(`${listener.url}/operator/status`, { headers: { host, origin: `http://${host}` } })
      expect(answer.status).toBe(401)
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )
})
