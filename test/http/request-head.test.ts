/**
 * Heads of requests, read by us beside node:http: what we read, node:http reads alike; what it refuses, we do not read. It is
 * the plain twin of the reader.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readHead } from '../../src/http/request-head.ts'

const server = createServer({ requireHostHeader: false, keepAliveTimeout: 1 }, (request, response) => {
  const body: Buffer[] = []
  request.on('data', (chunk: Buffer) => body.push(chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(body).toString('latin1') }))
  })
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => void server.close())

interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What node:http makes of these bytes; undefined: it refuses them, or waits for more. */
async function heardByNode(bytes: Buffer): Promise<Heard | undefined> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.end(bytes)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('utf8')))
  await once(socket, 'close')
  const answers = text.split(/(?=^HTTP\/1\.1 )/m)
  const [head, body] = (answers[0] ?? '').split('\r\n\r\n')
  return answers.length === 1 && head?.startsWith('HTTP/1.1 200 ') ? (JSON.parse(body) as Heard) : undefined
}

const path = '/api/v3/trade/place-order'
const lines = [
  'Host: 127.0.0.1:8080',
  'Content-Type: application/json',
  'Content-Length: 2',
  'ACCESS-KEY: tm_1',
  'access-sign: a/b+c=',
  'Access-Timestamp:1700000000000',
  'ACCESS-PASSPHRASE:  two words \t',
  'locale: zh-CN',
  'X-Forwarded-For: 10.0.0.1, 10.0.0.2',
  'X-CHANNEL-API-CODE: abc',
  'x-request-id: mine-1',
  'Connection: Keep-Alive',
  'Accept: */*',
]

function requestOf(parts: {
  readonly line?: string
  readonly lines?: readonly string[]
  readonly body?: string
  readonly end?: string
}): Buffer {
  const { line = `POST ${path}?a=1 HTTP/1.1`, lines: some = lines, body = '{}', end = '\r\n' } = parts
  return Buffer.from([line, ...some, '', body].join(end), 'latin1')
}

async function expectAlike(bytes: Buffer, what: string): Promise<void> {
  const read = readHead(bytes)
  if (read === undefined || read.headBytes + read.bodyBytes !== bytes.length) return
  const heard = await heardByNode(bytes)
  const body = bytes.toString('latin1', read.headBytes)
  expect(heard, what).toMatchObject({ method: read.method, url: read.target, body })
  for (const [name, value] of Object.entries(read.headers)) expect(heard?.headers[name], `${what}: ${name}`).toBe(value)
}

test('every header that is read, however it is spelled', async () => {
  const bytes = requestOf({})
  expect(readHead(bytes)).toEqual({
    method: 'POST',
    target: `${path}?a=1`,
    headers: {
      'access-key': 'tm_1',
      'access-sign': 'a/b+c=',
      'access-timestamp': '1700000000000',
      'access-passphrase': 'two words',
      'content-type': 'application/json',
      'content-length': '2',
      connection: 'Keep-Alive',
      locale: 'zh-CN',
      'x-forwarded-for': '10.0.0.1, 10.0.0.2',
      'x-channel-api-code': 'abc',
      'x-request-id': 'mine-1',
    },
    headBytes: bytes.length - 2,
    bodyBytes: 2,
  })
  await expectAlike(bytes, 'all')
})

test.each([
  // what                       parts
  ['no header', { line: `GET ${path} HTTP/1.1`, lines: [], body: '' }],
  ['a header that nobody knows, twice', { lines: [...lines, 'Cookie: a', 'Cookie: b'] }],
  ['an empty value', { lines: [...lines, 'empty:'] }],
  ['a GET with a body', { line: `GET ${path} HTTP/1.1` }],
])('is read: %s', async (what, parts) => {
  const bytes = requestOf(parts)
  expect(readHead(bytes)).toBeDefined()
  await expectAlike(bytes, what)
})

test.each([
  // what                                   parts
  ['another method', { line: `PUT ${path} HTTP/1.1` }],
  ['a method in lower case', { line: `post ${path} HTTP/1.1` }],
  ['HTTP/1.0', { line: `POST ${path} HTTP/1.0` }],
  ['HTTP/2.0', { line: `POST ${path} HTTP/2.0` }],
  ['no version', { line: `POST ${path}` }],
  ['two blanks', { line: `POST  ${path} HTTP/1.1` }],
  ['a blank in the target', { line: `POST ${path} a HTTP/1.1` }],
  ['a target beyond ASCII', { line: `POST ${path}?a=\u00e9 HTTP/1.1` }],
  ['a fragment', { line: `POST ${path}#a HTTP/1.1` }],
  ['lines that end with LF', { end: '\n' }],
  ['a line that ends with LF', { lines: ['a: b\nc: d', ...lines] }],
  ['a carriage return in a value', { lines: ['a: b\rc', ...lines] }],
  ['a control character', { lines: ['a: b\u0001', ...lines] }],
  ['a zero', { lines: ['a: b\u0000', ...lines] }],
  ['a value beyond ASCII', { lines: ['a: \u00e9', ...lines] }],
  ['a blank before the colon', { lines: ['a : b', ...lines] }],
  ['a folded line', { lines: ['a: b', ' c', ...lines] }],
  ['no colon', { lines: ['a', ...lines] }],
  ['no name', { lines: [': b', ...lines] }],
  ['a name with a blank', { lines: ['a b: c', ...lines] }],
  ['two lengths', { lines: [...lines, 'content-length: 2'] }],
  ['two keys', { lines: [...lines, 'access-key: tm_2'] }],
  ['chunks', { lines: ['Transfer-Encoding: chunked'] }],
  ['chunks and a length', { lines: [...lines, 'transfer-encoding: chunked'] }],
  ['an expectation', { lines: [...lines, 'Expect: 100-continue'] }],
  ['an upgrade', { lines: [...lines, 'Upgrade: websocket'] }],
  ['an end', { lines: ['Connection: close', 'Content-Length: 2'] }],
  ['an upgrade of the connection', { lines: ['Connection: keep-alive, Upgrade', 'Content-Length: 2'] }],
  ['a length with a sign', { lines: ['Content-Length: +2'] }],
  ['a length with a point', { lines: ['Content-Length: 2.0'] }],
  ['a length in hexadecimal', { lines: ['Content-Length: 0x2'] }],
  ['two lengths in one', { lines: ['Content-Length: 2, 2'] }],
  ['an empty length', { lines: ['Content-Length:'] }],
  ['a length of many digits', { lines: ['Content-Length: 00000002'] }],
  ['more lines than anybody needs', { lines: Array.from({ length: 101 }, (_, index) => `h${index}: 1`) }],
  ['a head of more than 8 KiB', { lines: [...lines, `x: ${'a'.repeat(8_192)}`] }],
  ['a target of more than 8 KiB', { line: `POST ${path}?${'a'.repeat(8_192)} HTTP/1.1` }],
  ['a blank line first', { line: `\r\nPOST ${path} HTTP/1.1` }],
])('is left to node:http: %s', (_what, parts) => {
  expect(readHead(requestOf(parts))).toBeUndefined()
})

test('a head that is not whole is not read', () => {
  const bytes = requestOf({ body: '' })
  for (let end = 0; end < bytes.length; end++) expect(readHead(bytes.subarray(0, end)), String(end)).toBeUndefined()
  expect(readHead(bytes)).toBeDefined()
})

const pieces = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  '\u0000',
  '\u007f',
  '\u0080',
  '\u00ff',
  'A',
  '%',
  '#',
  '"',
  ',',
  '0',
  '-',
  '{}',
  '?',
]
const words = ['Content-Length: 3', 'Connection: close', 'TE: trailers', 'host:', 'POST / HTTP/1.1', 'HTTP/1.1']
const change = fc.record({
  at: fc.nat(1_000),
  drop: fc.nat(2),
  put: fc.constantFrom('', ...pieces, ...words),
})

test('what is read of requests that were changed, node:http reads alike', async () => {
  let read = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      let text = requestOf({}).toString('latin1')
      for (const { at, drop, put } of changes) {
        const from = at % text.length
        text = text.slice(0, from) + put + text.slice(from + drop)
      }
      const bytes = Buffer.from(text, 'latin1')
      if (readHead(bytes) !== undefined) read += 1
      await expectAlike(bytes, JSON.stringify(text))
    }),
    { numRuns: 5_000 },
  )
  expect(read).toBeGreaterThan(100)
})
