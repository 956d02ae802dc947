/** Fixed pages: made once, packed for whoever takes it, and not sent again to whoever has them (RFC 9110, 8.8.3 and 12.5.3). */
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { fixedPage, type Outgoing, type Page } from '../../src/http/http.ts'

const bytes = Buffer.from('/* so much */\n'.repeat(1_000))
let page: Page
let etag: string

beforeAll(async () => {
  page = fixedPage({
    path: '/a.js',
    contentType: 'text/javascript',
    bytes,
    packed: gzipSync(bytes),
    headers: { 'x-more': '1' },
  })
  etag = ask({}).headers['etag']
})

const ask = (headers: Record<string, string>) => page.answer({ method: 'GET', target: '/a.js', headers }) as Outgoing

test('as it is, with its headers and its tag', () => {
  const { httpStatus, headers, body } = ask({})
  expect(httpStatus).toBe(200)
  expect(headers).toEqual({
    'content-type': 'text/javascript',
    'x-more': '1',
    etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    vary: 'accept-encoding',
  })
  expect(body).toBe(bytes)
})

test('every reader gets the same buffer', () => {
  expect(ask({ 'accept-encoding': 'gzip' }).body).toBe(ask({ 'accept-encoding': 'br, gzip' }).body)
})

test.each([
  // Accept-Encoding          packed
  ['gzip', true],
  ['br, gzip, deflate', true],
  ['GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['br', false],
  ['xgzip', false],
  ['', false],
])('Accept-Encoding "%s": packed %s', (accepted, isPacked) => {
  const { headers, body } = ask({ 'accept-encoding': accepted })
  expect(headers['content-encoding']).toBe(isPacked ? 'gzip' : undefined)
  expect((isPacked ? gunzipSync(body) : body).toString()).toBe(bytes.toString())
})

test.each([
  ['the tag', () => etag, 304],
  ['the tag, taken for a strong one', () => etag.slice(2), 304],
  ['a list with it', () => `"other", ${etag}`, 304],
  ['anything', () => '*', 304],
  ['another', () => '"other"', 200],
  ['a part of it', () => etag.slice(0, -3), 200],
])('If-None-Match with %s: %#', (_what, tag, status) => {
  const answer = ask({ 'if-none-match': tag() })
  expect(answer.httpStatus).toBe(status)
  if (status === 304) expect(answer).toMatchObject({ body: '', headers: { etag } })
})

test('what was not packed is sent as it is', async () => {
  const small = fixedPage({ path: '/', contentType: 'text/html', bytes: Buffer.from('<p>') })
  const { headers } = await small.answer({ method: 'GET', target: '/', headers: { 'accept-encoding': 'gzip' } })
  expect(headers['content-encoding']).toBeUndefined()
})
