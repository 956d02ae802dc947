/** The operator's listener: who may call, and the one form of every answer. */
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OperatorListener, openOperatorListener } from '../../src/operator/listener.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../../src/runtime/runtime.ts'
import { fakeVenue } from './fake-core.ts'

const token = 'ab'.repeat(32)
const venue = fakeVenue()
let listener: OperatorListener

beforeAll(async () => {
  listener = await openOperatorListener(venue.ports, { port: 0, token, log: pino({ level: 'silent' }) })
})

afterAll(() => listener.close())

async function ask(path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  const response = await fetch(`${listener.url}${path}`, { ...init, headers })
  return { status: response.status, answer: await response.json() }
}

test('it is on loopback', () => {
  expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test.each([
  ['none', {}],
  ['another', { authorization: `Bearer ${'cd'.repeat(32)}` }],
  ['without Bearer', { authorization: token }],
  ['too long', { authorization: `Bearer ${token}0` }],
])('the token is required: %s', async (_, headers) => {
  const response = await fetch(`${listener.url}/operator/verify`, { headers })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ ok: false, error: { code: 'token-wrong' } })
})

test('the name of the scheme is written as one likes', async () => {
  const headers = { authorization: `bearer ${token}` }
  expect((await fetch(`${listener.url}/operator/verify`, { headers })).status).not.toBe(401)
})

test('the desk is served without it, and nothing else', async () => {
  const page = await fetch(listener.url)
  expect([200, 503]).toContain(page.status) // built or not
  expect(await page.text()).not.toContain('"ok"')
  expect((await fetch(`${listener.url}/operator`)).status).toBe(401)
  expect((await fetch(`${listener.url}/operator/nothing`)).status).toBe(401)
  expect((await fetch(`${listener.url}/nothing`)).status).toBe(404)
})

test('a call answers its data', async () => {
  const data = { balanced: true, faults: [], coins: [], stateHash: 'ab', sequence: 7 }
  expect(await ask('/operator/verify')).toEqual({ status: 200, answer: { ok: true, data } })
})

test.each([
  ['GET', '/operator/nothing', undefined, 404, 'call-unknown'],
  ['GET', '/operator/deposits', undefined, 404, 'call-unknown'],
  ['POST', '/operator/accounts', '{', 400, 'body-wrong'],
  ['POST', '/operator/accounts', '', 400, 'body-wrong'],
  ['POST', '/operator/accounts', '{"kind":"main"}', 400, 'body-wrong'],
  ['POST', '/operator/accounts', `"${'x'.repeat(1_100_000)}"`, 413, 'request-wrong'],
  ['POST', '/operator/accounts', `"${'x'.repeat(20_000_000)}"`, 413, 'request-wrong'],
  ['GET', '/operator/explain?uid=77', undefined, 404, 'account-unknown'],
  ['GET', '/operator/explain?uid=x', undefined, 400, 'body-wrong'],
])('%s %s %.20s: %d %s', async (method, path, body, status, code) => {
  const found = await ask(path, { method, ...(body === undefined ? {} : { body }) })
  expect(found).toMatchObject({ status, answer: { ok: false, error: { code } } })
})

test('a body is JSON whatever its content type says', async () => {
  const init = {
    method: 'POST',
    body: '{"uid":1001}',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  expect(await ask('/operator/keys', init)).toMatchObject({ status: 200, answer: { ok: true, data: { uid: '1001' } } })
})

test.each([
  [new CommandNotSequenced('stopping'), 503, 'not-sequenced'],
  [new OutcomeUnknown('timed-out'), 504, 'outcome-unknown'],
  [new Error('secret detail'), 500, 'unexpected'],
])('trouble has its own answer: %s', async (trouble, status, code) => {
  venue.core.submit = () => Promise.reject(trouble)
  const found = await ask('/operator/accounts', { method: 'POST', body: '{"kind":"main","mode":"classic"}' })
  expect(found).toMatchObject({ status, answer: { ok: false, error: { code } } })
  expect(JSON.stringify(found)).not.toContain('secret detail')
})

test('a refusal for want of a venue that takes commands says why', async () => {
  venue.core.submit = () => Promise.reject(new CommandNotSequenced('this core does not lead'))
  const found = await ask('/operator/accounts', { method: 'POST', body: '{"kind":"main","mode":"classic"}' })
  const message = 'the venue takes no commands: this core does not lead; nothing was changed'
  expect(found).toMatchObject({ answer: { error: { message } } })
})

test.each<[string, string, unknown, unknown]>([
  [
    'each field that is wrong',
    'deposits',
    { uid: '1001', wallet: 'moon', coin: 'BTC' },
    [
      { field: 'amount', rule: 'is required' },
      { field: 'wallet', rule: expect.stringContaining('must be one of') },
    ],
  ],
  [
    'what there is not',
    'deposits',
    { uid: '1001', wallet: 'spot', coin: 'LUNA', amount: '1' },
    [{ field: 'coin', rule: 'there is no coin LUNA' }],
  ],
  ['none of a refusal without a field', 'clock/accept', {}, undefined],
])('error.fields: %s', async (_, path, body, fields) => {
  const { answer } = await ask(`/operator/${path}`, { method: 'POST', body: JSON.stringify(body) })
  const found = (answer as { error: { fields?: { field: string }[] } }).error.fields
  expect(found?.toSorted((one, other) => (one.field < other.field ? -1 : 1))).toEqual(fields)
})
