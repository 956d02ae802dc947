/**
 * The edge over a real socket: whatever happens, the answer is the envelope (design §4.4, §4.5, §4.38).
 */
import { createHmac } from 'node:crypto'
import Type from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { type ApiOptions, referencePages } from '../../src/api/api.ts'
import { defineEndpoint, type Endpoint } from '../../src/api/endpoint.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import * as field from '../../src/api/parsing/fields.ts'
import { CommandNotSequenced, type Core, EngineRebuilding, OutcomeUnknown } from '../../src/runtime/core.ts'
import { alice, coreOf, type Edge, keyOf, openEdge } from './edge.ts'

let edge: Edge | undefined

afterEach(async () => {
  await edge?.api.close()
})

const reading = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/sample',
  summary: 'A public read',
  source: 'test',
  access: 'public',
  limit: { perSecond: 3, per: 'ip' },
  request: Type.Object({ limit: field.limit(100, 100) }),
  response: Type.Object({ limit: Type.Integer(), ip: Type.String() }),
  handle: ({ ip }, { limit }) => ({ limit, ip }),
})

function writing(handle: Endpoint['handle']): Endpoint {
  return {
    method: 'POST',
    path: '/api/v3/trade/sample',
    summary: 'A private write',
    source: 'test',
    access: { permission: 'uta_trade', level: 'write' },
    limit: { perSecond: 2, per: 'uid' },
    request: Type.Object({ size: Type.Optional(field.decimal()) }),
    response: Type.Unknown(),
    handle,
  }
}

async function open(handle: Endpoint['handle'] = () => ({}), options: Partial<ApiOptions> = {}): Promise<Edge> {
  edge = await openEdge({ endpoints: [reading, writing(handle)], ...options })
  return edge
}

const read = '/api/v3/market/sample'
const write = '/api/v3/trade/sample'

test('success', async () => {
  const { plain } = await open()
  const { status, headers, envelope } = await plain('GET', `${read}?limit=7`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(envelope).toEqual({
    code: '00000',
    msg: 'success',
    requestTime: expect.any(Number),
    data: { limit: 7, ip: '127.0.0.1' },
  })
})

test.each([
  // what                      method    target                                 status  code
  ['an unknown path', 'GET', '/api/v3/nothing', 404, '40404'],
  ['a path of the first version', 'GET', '/api/spot/v1/market/tickers', 404, '30032'],
  ['a wrong method', 'POST', read, 405, '40404'],
  ['another wrong method', 'DELETE', write, 405, '40404'],
  ['a broken percent sign', 'GET', '/api/v3/%zz', 400, '40017'],
  ['a long request line', 'GET', `${read}?x=${'x'.repeat(9000)}`, 414, '40409'],
  ['a longer request line', 'GET', `${read}?x=${'x'.repeat(50_000)}`, 414, '40409'],
  ['a wrong field', 'GET', `${read}?limit=0`, 400, '400172'],
])('%s', async (_what, method, target, status, code) => {
  const { plain } = await open()
  const answer = await plain(method, target)
  expect({ status: answer.status, code: answer.envelope.code }).toEqual({ status, code })
  expect(answer.envelope).toMatchObject({
    msg: expect.stringMatching(/./),
    requestTime: expect.any(Number),
    data: null,
  })
})

const reference = referencePages().pages
const health = {
  path: '/health',
  perSecondMax: 100,
  answer: () => ({ httpStatus: 200, headers: {}, body: '{"status":"ok"}' }),
}

test.each([
  // method, path                         status  allow
  ['HEAD', '/health', 200, null],
  ['HEAD', '/api/openapi.json', 200, null],
  ['HEAD', '/docs/json', 200, null],
  ['POST', '/health', 405, 'GET, HEAD'],
  ['DELETE', '/api/openapi.json', 405, 'GET, HEAD'],
  ['POST', '/docs/json', 405, 'GET, HEAD'],
  ['HEAD', read, 405, 'GET'],
  ['HEAD', write, 405, 'POST'],
  ['HEAD', '/nothing', 404, null],
])('%s %s, where there is no endpoint or no such method: %d', async (method, path, status, allow) => {
  const { url } = await open(() => ({}), { pages: [...reference, health] })
  const answer = await fetch(url + path, { method })
  expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({ status, allow })
  const body = await answer.text()
  if (method === 'HEAD') expect(body).toBe('')
  else expect(JSON.parse(body)).toMatchObject({ code: '40404', data: null })
  if (method === 'HEAD' && path === '/health') expect(answer.headers.get('content-length')).toBe('15')
})

test('headers that are too large', async () => {
  const { plain } = await open()
  const answer = await plain('GET', read, { headers: { 'x-long': 'x'.repeat(30_000) } })
  expect(answer).toMatchObject({ status: 431, envelope: { data: null } })
})

test.each([
  ['no HTTP at all', 'HELLO\r\n\r\n'],
  ['a version of nobody', 'GET / HTTP/9.9\r\n\r\n'],
  ['two lengths', `POST ${write} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
])('%s', async (_what, bytes) => {
  const { raw } = await open()
  const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(body)).toMatchObject({ code: '40409', data: null })
})

test.each([
  // what                      bytes                                                                       status  code
  ['no host', `GET ${read}?limit=7 HTTP/1.1\r\nconnection: close\r\n\r\n`, 200, '00000'],
  ['no host, unknown path', 'GET /api/v3/nothing HTTP/1.1\r\nconnection: close\r\n\r\n', 404, '40404'],
  ['another spelling', `GET ${read.replace('sample', 's%61mple')} HTTP/1.1\r\nconnection: close\r\n\r\n`, 200, '00000'],
  [
    'a body in chunks',
    `POST ${write} HTTP/1.1\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    400,
    '40001',
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, '40404'],
  ['an expectation', `GET ${read} HTTP/1.1\r\nhost: x\r\nexpect: foo\r\n\r\n`, 417, '40409'],
  [
    'an expectation before a body',
    `POST ${write} HTTP/1.1\r\nhost: x\r\nexpect: foo\r\ncontent-length: 2\r\n\r\n{}`,
    417,
    '40409',
  ],
])('%s', async (_what, bytes, status, code) => {
  const { raw } = await open()
  const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im)
  expect(JSON.parse(body)).toMatchObject({ code, requestTime: expect.any(Number) })
})

test('a client that asks to continue is told to, and answered', async () => {
  const { raw } = await open()
  const bytes = `POST ${write} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`
  const answered = await raw(bytes)
  expect(answered).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)
})

test('a client that keeps its connection does not keep a server that closes', async () => {
  const { promise: handled, resolve: handle } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const slow: Endpoint = {
    ...reading,
    handle: async () => {
      reach()
      await handled
    },
  }
  const { raw, api } = await openEdge({ endpoints: [slow] })
  const answered = raw(`GET ${read} HTTP/1.1\r\nconnection: keep-alive\r\n\r\n`)
  await reached
  const closed = api.close()
  await new Promise((done) => setImmediate(done))
  handle()
  expect(await answered).toMatch(/^connection: close$/im)
  await closed
})

test.each([1_100_000, 20_000_000])('a body of %i bytes is too large, and the client learns it', async (bytes) => {
  const { signed } = await open()
  const answer = await signed('POST', write, `"${'x'.repeat(bytes)}"`)
  expect(answer).toMatchObject({ status: 413, envelope: { code: '40017', data: null } })
})

test.each([
  // what                        body     headers                                    status  code
  ['signed JSON', '{"size":1}', {}, 200, '00000'],
  ['a charset', '{}', { 'content-type': 'application/json; charset=utf-8' }, 200, '00000'],
  ['another content type', '{}', { 'content-type': 'text/plain' }, 400, '40007'],
  ['a content type of nobody', '{}', { 'content-type': ';;;' }, 400, '40007'],
  ['another type, wrong signature', '{}', { 'content-type': 'text/plain', 'access-sign': 'x' }, 400, '40007'],
  ['another type, unknown key', '{}', { 'content-type': 'text/plain', 'access-key': 'x' }, 400, '40006'],
  ['broken JSON', '{', {}, 400, '400172'],
  ['broken JSON, wrong signature', '{', { 'access-sign': 'x' }, 400, '40009'],
  ['an array', '[]', {}, 400, '400172'],
])('a POST of %s', async (_what, body, headers, status, code) => {
  const { signed } = await open()
  const answer = await signed('POST', write, body, headers)
  expect({ status: answer.status, code: answer.envelope.code }).toEqual({ status, code })
})

test('the body of a GET is neither signed nor read', async () => {
  const asking: Endpoint = { ...reading, access: { permission: 'uta_trade', level: 'read' } }
  const key = keyOf()
  edge = await openEdge({ endpoints: [asking] }, key)
  const at = String(Date.now())
  const sign = createHmac('sha256', key.secret).update(`${at}GET${read}`).digest('base64')
  const signature = `access-key: ${key.apiKey}\r\naccess-sign: ${sign}\r\naccess-timestamp: ${at}\r\n`
  const head = `GET ${read} HTTP/1.1\r\n${signature}access-passphrase: ${key.passphrase}\r\nconnection: close\r\n`
  expect(await edge.raw(`${head}content-length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a POST without a body is a POST without fields', async () => {
  const { signed } = await open((_context, input) => input)
  expect(await signed('POST', write)).toMatchObject({ status: 200, envelope: { data: {} } })
})

test('a request that comes while the engine is being rebuilt waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const core: Core = { ...coreOf(), rebuilt: promise }
  const { signed } = await open(() => ({}), { core })
  let answered = false
  const answer = signed('POST', write, '{}').finally(() => (answered = true))
  await new Promise((done) => setTimeout(done, 50))
  expect(answered).toBe(false)
  resolve()
  expect(await answer).toMatchObject({ status: 200 })
})

test.each([
  // what is thrown                                     after a command  status  code
  ['a refusal of the edge', new ApiError('43012'), true, 400, '43012'],
  ['a command that never was', new CommandNotSequenced('full'), true, 503, '40015'],
  ['no answer in time', new OutcomeUnknown('timed-out'), true, 500, '40010'],
  ['an engine that is being rebuilt', new EngineRebuilding('a moment'), false, 503, '40015'],
  ['the same, after a command left', new EngineRebuilding('a moment'), true, 500, '45001'],
  ['a lost link', new OutcomeUnknown('link-failed'), true, 500, '40725'],
  ['anything unexpected of the core', new OutcomeUnknown('unexpected'), true, 500, '45001'],
  ['a defect after a command left', new Error('oops'), true, 500, '45001'],
  ['a defect before any command', new Error('oops'), false, 500, '40015'],
])('%s', async (_what, thrown, submits, status, code) => {
  const met: unknown[] = []
  const { signed } = await open(
    async ({ core }) => {
      if (submits) await core.submit({ kind: 'run-timers' })
      throw thrown
    },
    { onTrouble: (trouble) => met.push(trouble) },
  )
  const answer = await signed('POST', write, '{}')
  expect({ status: answer.status, code: answer.envelope.code }).toEqual({ status, code })
  expect(JSON.stringify(answer.envelope)).not.toMatch(/oops|edge\.test/)
  expect(met).toEqual(status >= 500 ? [thrown] : [])
})

test('the language of a message', async () => {
  const { plain } = await open()
  const said = async (locale?: string) =>
    (await plain('GET', `${read}?limit=0`, locale === undefined ? {} : { headers: { locale } })).envelope.msg
  expect(await said('zh-CN')).toMatch(/\p{Script=Han}/u)
  expect(await said('zh-CN')).toContain('limit')
  expect(await said()).toBe(await said('en-US'))
})

test('limits: the header counts down, and over the limit is 429', async () => {
  const { plain } = await open(undefined, { rateLimits: { enabled: true } })
  const answers = [
    await plain('GET', read),
    await plain('GET', read),
    await plain('GET', read),
    await plain('GET', read),
  ]
  expect(answers.map(({ headers }) => headers.get('x-mbx-used-remain-limit'))).toEqual(['2', '1', '0', '0'])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(answers[3]?.envelope).toMatchObject({ code: '429', msg: 'Too Many Requests', data: null })
})

test('limits: refused calls of the account count, forged ones in its name do not', async () => {
  const { signed } = await open(undefined, { rateLimits: { enabled: true } })
  for (let i = 0; i < 5; i++) {
    expect(await signed('POST', write, '{}', { 'access-sign': 'forged' })).toMatchObject({
      envelope: { code: '40009' },
    })
  }
  expect(await signed('POST', write, '{"size":"x"}')).toMatchObject({ status: 400 })
  expect(await signed('POST', write, '{}')).toMatchObject({ status: 200 })
  expect(await signed('POST', write, '{}')).toMatchObject({ status: 429 })
})

test('limits: an account without the permission counts too', async () => {
  const options = { endpoints: [writing(() => ({}))], rateLimits: { enabled: true } }
  edge = await openEdge(options, keyOf({ permissions: ['read'] }))
  const codes = []
  for (let i = 0; i < 3; i++) codes.push((await edge.signed('POST', write, '{}')).envelope.code)
  expect(codes).toEqual(['40014', '40014', '429'])
})

test.each([
  // proxies            X-Forwarded-For                     client
  [[], '198.51.100.7', '127.0.0.1'],
  [['127.0.0.1'], undefined, '127.0.0.1'],
  [['127.0.0.1'], '198.51.100.7', '198.51.100.7'],
  [['127.0.0.0/8', '10.0.0.0/8'], '203.0.113.1, 198.51.100.7, 10.0.0.1', '198.51.100.7'],
  [['127.0.0.1'], 'unknown', '127.0.0.1'],
])('behind proxies %j, forwarded for %s', async (proxies, forwarded, client) => {
  const { plain } = await open(undefined, { proxies })
  const answer = await plain('GET', read, forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } })
  expect(answer.envelope.data).toMatchObject({ ip: client })
})

test('an account that is gone', async () => {
  const query = (({ kind }: { readonly kind: string }) =>
    kind === 'catalog' ? { version: 0, coins: [], instruments: [] } : undefined) as Core['query']
  edge = await openEdge({ endpoints: [writing(() => ({}))], core: coreOf({ query }) })
  expect(await edge.signed('POST', write, '{}')).toMatchObject({ status: 400, envelope: { code: '40013' } })
})

test('a classic account has no business on v3', async () => {
  const core = coreOf({}, { ...alice, mode: 'classic' })
  edge = await openEdge({ endpoints: [writing(() => ({}))], core })
  expect(await edge.signed('POST', write, '{}')).toMatchObject({ status: 400, envelope: { code: '40084' } })
})

test('the document lists what is served', async () => {
  const { url } = await open(undefined, { pages: referencePages([reading, writing(() => ({}))]).pages })
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: Record<string, object> }
  expect(Object.keys(document.paths)).toEqual([read, write])
  expect(document.paths[read]).toMatchObject({
    get: { parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 100 } }] },
  })
})
