/**
 * Held commands: what waits, in which order it is let go, and what becomes of what is dropped. What the client saw and what the
 * journal says are both asserted.
 *
 * Source  lab.md §4.6; docs/lab.md
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AskedByRequest, endpoints, type Inside } from '../../src/api/api.ts'
import { Hold, heldMax } from '../../src/lab/hold/hold.ts'
import type { LabVenue as LabVenueInside } from '../../src/lab/venue.ts'
import { Connection, type Exchange } from '../support/http.ts'
import { Person } from '../support/person.ts'
import { type OpenedHere, openHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'
import { placed, waysIn } from './ways-in.ts'

const start = Date.UTC(2026, 0, 1)
const now = () => start
const [v3] = waysIn
let opened: OpenedHere
let venue: LabVenue
beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
})
afterAll(() => opened.close())
beforeEach(async () => {
  await venue.post('/reset')
})

interface Pending {
  readonly id: string
  readonly uid: string
  readonly endpoint: string
  readonly orders: readonly { readonly clientOid?: string }[]
}

const pending = (atLeast: number) => venue.get<readonly Pending[]>(`/pending?atLeast=${atLeast}`)
const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' }
const place = (clientOid: string, price?: string, side?: string) => v3.place(venue, now, clientOid, price, side)

/** Each sent when the one before is pending, so that they arrive in this order. */
async function arrive(...names: string[]) {
  const answers: ReturnType<typeof place>[] = []
  for (const name of names) {
    answers.push(place(name))
    await pending(answers.length)
  }
  return answers
}

async function refused(method: string, path: string, body?: unknown) {
  const { status, envelope } = await venue.call(method, path, body)
  expect(envelope?.['ok'], path).toBe(false)
  return { status, ...(envelope?.['error'] as { code: string; message: string; field?: string }) }
}

test.each(waysIn)('$name: an order waits after admission, and is carried out when it is released', async (way) => {
  expect(await venue.post('/hold')).toEqual({ holding: true, on: {}, pending: 0 })
  const answer = way.place(venue, now, 'mine')
  const [held] = await pending(1)
  expect(held).toMatchObject({
    id: 'p1',
    at: start,
    uid: venue.person(way.role, now).uid,
    endpoint: expect.stringMatching(way.over === 'ws' ? /^ws \// : /^POST \//),
    orders: [{ symbol: 'BTCUSDT', side: 'buy', clientOid: 'mine' }],
    commands: [{ kind: 'place-order', clientOid: 'mine' }],
    ...(way.over === 'ws' ? { connection: expect.any(Number) } : { requestId: expect.any(String) }),
  })
  expect(await placed(venue)).toEqual([])
  const released = await venue.post<{ released: { sequence: number }[] }>('/release')
  expect(released).toEqual({
    released: [{ id: 'p1', sequence: expect.any(Number), replies: ['placed'] }],
    pending: 0,
  })
  expect(await answer).toMatchObject({ code: '00000', clientOid: 'mine' })
  expect(await placed(venue, released.released[0].sequence - 1)).toEqual(['mine'])
})

test.each<[string, object, readonly string[]]>([
  ['arrival, which is usual', {}, ['a', 'b', 'c', 'd']],
  ['arrival', { order: 'arrival' }, ['a', 'b', 'c', 'd']],
  ['reverse', { order: 'reverse' }, ['d', 'c', 'b', 'a']],
  ['shuffled by a seed', { order: 'shuffle', seed: 7 }, ['a', 'd', 'b', 'c']],
  ['as named, and the rest stays', { order: ['p3', 'p1'] }, ['c', 'a']],
])('they are let go in order: %s', async (_name, asked, wanted) => {
  await venue.post('/hold')
  const answers = await arrive('a', 'b', 'c', 'd')
  const { released } = await venue.post<{ released: { id: string; sequence: number }[] }>('/release', asked)
  expect(await placed(venue)).toEqual(wanted)
  expect(released.map(({ sequence }) => sequence)).toEqual(released.map((_, index) => released[0].sequence + index))
  expect(await pending(0)).toHaveLength(4 - wanted.length)
  await venue.post('/release')
  for (const answer of answers) expect((await answer).code).toBe('00000')
})

describe('a cancel races a fill', () => {
  async function race(first: 'fill' | 'cancel') {
    await place('resting', '60000', 'sell')
    const [maker, taker] = ['unified-main', 'unified-peer'].map((role) => venue.person(role, now))
    await venue.post('/hold')
    const fill = taker.post('/api/v3/trade/place-order', { ...order, price: '60000', clientOid: 'taking' })
    await pending(1)
    const cancel = maker.post('/api/v3/trade/cancel-order', { clientOid: 'resting' })
    await pending(2)
    await venue.post('/release', { order: first === 'fill' ? 'arrival' : 'reverse' })
    const codes = { fill: (await fill).code, cancel: (await cancel).code }
    const { data } = await maker.get('/api/v3/trade/order-info', { clientOid: 'resting' })
    return { ...codes, status: (data as { orderStatus: string }).orderStatus }
  }

  test('the fill comes first: nothing is left to cancel', async () => {
    expect(await race('fill')).toEqual({ fill: '00000', cancel: '43001', status: 'filled' })
  })

  test('the cancel comes first: nothing is left to fill', async () => {
    expect(await race('cancel')).toEqual({ fill: '00000', cancel: '00000', status: 'cancelled' })
  })
})

test.each(waysIn)('$name: a dropped order is answered a code, and never happened', async (way) => {
  await venue.post('/hold')
  const answered = way.place(venue, now, 'mine')
  await pending(1)
  expect(await venue.post('/drop', { id: 'p1', answer: '40010' })).toEqual({ id: 'p1', pending: 0 })
  expect(await answered).toMatchObject({ code: '40010', ...(way.over === 'http' && { status: 500 }) })
  expect(await placed(venue)).toEqual([])
})

test.each([
  ['40725', { code: '40725', status: 500 }],
  ['429', { code: '429', status: 429 }],
  [43012, { code: '43012', status: 400 }],
  [
    { code: '40010', status: 504 },
    { code: '40010', status: 504 },
  ],
  [{ status: 502 }, { code: '', status: 502 }],
])('over HTTP an answer may be %j', async (answer, wanted) => {
  await venue.post('/hold')
  const answered = place('mine')
  await pending(1)
  await venue.post('/drop', { id: 'p1', answer })
  expect(await answered).toMatchObject(wanted)
  expect(await placed(venue)).toEqual([])
})

test('none: the connection ends without a byte', async () => {
  await venue.post('/hold')
  const answered = place('mine')
  answered.catch(() => {})
  await pending(1)
  await venue.post('/drop', { id: 'p1', answer: 'none' })
  await expect(answered).rejects.toThrow('socket hang up')
  expect(await placed(venue)).toEqual([])
})

test('a client that gives up takes nothing back', async () => {
  await venue.post('/hold')
  const connection = new Connection(venue.url)
  const { uid, key } = venue.person('unified-main', now)
  const exchange = (sent: Exchange) => connection.exchange(sent)
  const impatient = new Person({ url: venue.url, now, exchange }, 'impatient', uid, key)
  const answered = impatient.post('/api/v3/trade/place-order', { ...order, price: '50000', clientOid: 'mine' })
  answered.catch(() => {})
  await pending(1)
  connection.close()
  await expect(answered).rejects.toThrow('socket hang up')
  expect(await pending(1)).toHaveLength(1)
  await venue.post('/release')
  expect(await placed(venue)).toEqual(['mine'])
})

test('what the selector does not match is not held, nor what changes nothing', async () => {
  await venue.post('/hold', { on: { clientOid: '^mine', role: 'unified-main' } })
  expect((await place('other')).code).toBe('00000')
  const answer = place('mine-1')
  await pending(1)
  expect((await venue.person('unified-main', now).get('/api/v3/trade/unfilled-orders')).code).toBe('00000')
  expect(await placed(venue)).toEqual(['other'])
  await venue.post('/release')
  expect((await answer).code).toBe('00000')
})

test('holding ends, and what waits goes on waiting', async () => {
  await venue.post('/hold')
  const [first] = await arrive('first')
  const ended = await (await fetch(`${venue.url}/_lab/hold`, { method: 'DELETE' })).json()
  expect(ended).toEqual({ ok: true, data: { holding: false, on: null, pending: 1 } })
  expect((await place('second')).code).toBe('00000')
  expect(await placed(venue)).toEqual(['second'])
  await venue.post('/release')
  expect((await first).code).toBe('00000')
  expect(await placed(venue)).toEqual(['second', 'first'])
})

test.each([
  ['reset', '/reset', {}, false],
  ['reset that keeps rules', '/reset', { keepRules: true }, true],
  ['revert to when it was held', '/revert', { snapshot: 'holding' }, true],
])('%s: what waits is answered 45001 and never lands', async (_name, path, body, isHolding) => {
  await venue.post('/hold')
  await venue.post('/snapshots', { name: 'holding' })
  const answers = await arrive('a', 'b')
  expect(await venue.post(path, body)).toMatchObject({ unknown: 2 })
  for (const answer of answers) expect(await answer).toMatchObject({ code: '45001', status: 500 })
  expect(await venue.get('/hold')).toMatchObject({ holding: isHolding, pending: 0 })
  expect(await venue.post('/release')).toEqual({ released: [], pending: 0 })
  expect(await placed(venue)).toEqual([])
  await venue.call('DELETE', '/snapshots/holding')
})

test('a fork holds what its origin holds, and has nothing of what waits there', async () => {
  await venue.post('/hold', { on: { symbol: 'BTCUSDT' } })
  const [answer] = await arrive('a')
  const fork = await venue.fork()
  expect(await fork.get('/hold')).toEqual({ holding: true, on: { symbol: 'BTCUSDT' }, pending: 0 })
  // Whoever waits does not keep it from stopping.
  const there = v3.place(fork, now, 'there')
  await fork.get('/pending?atLeast=1')
  await venue.call('DELETE', `/venues/${fork.id}`)
  expect(await there).toMatchObject({ code: '40015', status: 503 })
  await venue.post('/release')
  expect((await answer).code).toBe('00000')
})

test.each<[string, string, unknown, number, string, string, RegExp]>([
  ['POST', '/hold', { on: { endpoint: 'plce' } }, 400, 'rule-matches-nothing', 'on.endpoint', /place/],
  ['POST', '/hold', { on: { side: 'up' } }, 400, 'body-wrong', 'on.side', /buy, sell/],
  ['POST', '/hold', { of: {} }, 400, 'body-wrong', 'of', /not known/],
  ['POST', '/release', { order: 'alphabet' }, 400, 'body-wrong', 'order', /arrival, reverse, shuffle/],
  ['POST', '/release', { order: ['p1', 'p1'] }, 400, 'body-wrong', 'order', /each once/],
  ['POST', '/release', { order: ['p9'] }, 404, 'unknown-command', 'order', /no command p9/],
  ['POST', '/release', { order: 'shuffle', seed: -1 }, 400, 'body-wrong', 'seed', /whole number/],
  ['POST', '/drop', { id: 'p9', answer: 'none' }, 404, 'unknown-command', 'id', /no command p9/],
  ['POST', '/drop', { id: 'p1' }, 400, 'body-wrong', 'answer', /required/],
  ['POST', '/drop', { id: 'p1', answer: '99999' }, 400, 'body-wrong', 'answer', /a code of the interface/],
  ['POST', '/drop', { id: 'p1', answer: { status: 42 } }, 400, 'body-wrong', 'answer', /status/],
  ['POST', '/drop', { id: 'p1', answer: {} }, 400, 'body-wrong', 'answer', /at least one/],
  [
    'GET',
    '/pending?atLeast=1&timeout=10',
    undefined,
    409,
    'until-not-reached',
    'atLeast',
    /0 of 1 are there after 10 ms/,
  ],
  ['GET', '/pending?atLeast=1&timeout=11m', undefined, 400, 'body-wrong', 'timeout', /600000/],
])('%s %s %j is refused', async (method, path, body, status, code, field, sentence) => {
  const error = await refused(method, path, body)
  expect(error).toMatchObject({ status, code, field })
  expect(error.message).toMatch(sentence)
})

test('over a socket a dropped order has no status of its own', async () => {
  await venue.post('/hold')
  const answer = waysIn.find(({ name }) => name === 'v3 socket')!.place(venue, now, 'mine')
  await pending(1)
  expect(await refused('POST', '/drop', { id: 'p1', answer: { status: 502 } })).toMatchObject({
    code: 'body-wrong',
    field: 'answer.status',
  })
  await venue.post('/release')
  expect((await answer).code).toBe('00000')
})

test('one more than there is room for is refused as too much', async () => {
  const parts = { keys: { find: () => undefined }, runtime: { now } }
  const hold = new Hold({ parts } as unknown as LabVenueInside)
  hold.hold({})
  const asked = { endpoint: endpoints.find(({ method }) => method === 'POST')!, request: { headers: {} } }
  const answer = { httpStatus: 200, headers: {}, body: '' }
  const send = () =>
    hold.request(asked as unknown as AskedByRequest, {} as Inside, async ({ core }) => {
      await core.submit({ kind: 'run-timers' })
      return answer
    })
  const waiting = Array.from({ length: heldMax }, send)
  await expect(send()).rejects.toThrow('10000 commands are held already')
  expect(hold.size).toBe(heldMax)
  hold.close()
  for (const one of waiting) await expect(one).rejects.toThrow('the venue is stopping')
})
