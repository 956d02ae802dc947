/**
 * Rules of faults: what is read and refused, which calls they count and strike, the truth that firings tell, and the way back.
 *
 * Source  lab.md §4.4, §4.5
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'

let opened: OpenedHere
let venue: LabVenue
let uid: string

beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
  const { keys } = await venue.get<{ keys: Record<string, { uid: string }> }>('')
  uid = keys['unified-main'].uid
})
afterAll(() => opened.close())
beforeEach(async () => {
  await venue.post('/reset')
})

const start = Date.UTC(2026, 0, 1)
const person = (role = 'unified-main') => venue.person(role, () => start)
const order = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  side: 'buy',
  price: '10000',
  qty: '0.1',
}
const place = (more: object = {}, role?: string) =>
  person(role)
    .post('/api/v3/trade/place-order', { ...order, timeInForce: 'gtc', ...more })
    .then(({ code }) => code)
    .catch((error: unknown) => (error as NodeJS.ErrnoException).code)
const add = (rule: object) => venue.post<{ rule: string }>('/faults', rule)

interface Firing {
  readonly firing: number
  readonly rule: string
  readonly fault: string
  readonly at: number
  readonly outcome: string
  readonly sequence?: number
  readonly endpoint: string
}
const firings = (after = 0) => venue.get<Firing[]>(`/firings?after=${after}`)

const lost = 'ECONNRESET'

test.each<[rule: object, code: string, field: string, sentence: RegExp]>([
  [{}, 'body-wrong', 'fault', /fault is required/],
  [{ fault: 'lost-akc' }, 'rule-matches-nothing', 'fault', /no fault lost-akc; the nearest is lost-ack/],
  [{ fault: 'lost-ack', whenn: {} }, 'body-wrong', 'whenn', /is not known/],
  [{ fault: 'lost-ack', on: { endpoint: 'plaze' } }, 'rule-matches-nothing', 'on.endpoint', /the nearest is place/],
  [
    { fault: 'lost-ack', on: { endpoint: 'POST /api/v3/trade/place-oder' } },
    'rule-matches-nothing',
    'on.endpoint',
    /the nearest is POST \/api\/v3\/trade\/place-order/,
  ],
  [{ fault: 'lost-ack', on: { symbol: 'BTCUSD7' } }, 'rule-matches-nothing', 'on.symbol', /the nearest is BTCUSD/],
  [{ fault: 'lost-ack', on: { role: 'unified-man' } }, 'rule-matches-nothing', 'on.role', /nearest is unified-main/],
  [{ fault: 'lost-ack', on: { key: 'dev-unified-mian' } }, 'rule-matches-nothing', 'on.key', /dev-unified-main/],
  [{ fault: 'lost-ack', on: { uid: 7 } }, 'rule-matches-nothing', 'on.uid', /no account 7/],
  [{ fault: 'lost-ack', on: { uid: 7, role: 'x' } }, 'body-wrong', 'on.uid', /one of key, role and uid/],
  [{ fault: 'lost-ack', on: { side: 'long' } }, 'body-wrong', 'on.side', /one of buy, sell/],
  [{ fault: 'lost-ack', on: { clientOid: '(a+' } }, 'body-wrong', 'on.clientOid', /without its "\)"/],
  [{ fault: 'lost-ack', on: { clientOid: 'a'.repeat(101) } }, 'body-wrong', 'on.clientOid', /1 to 100 characters/],
  [{ fault: 'lost-ack', on: { clientOid: '(a)\\1' } }, 'body-wrong', 'on.clientOid', /does not know \\1/],
  [{ fault: 'lost-ack', on: { endpoint: 'ws:private' } }, 'rule-matches-nothing', 'on.endpoint', /nearest is place/],
  [{ fault: 'lost-ack', when: { nth: 0 } }, 'body-wrong', 'when.nth', /whole number from 1/],
  [{ fault: 'lost-ack', when: { nth: 1, every: 2 } }, 'body-wrong', 'when.every', /nth and every/],
  [{ fault: 'lost-ack', when: { every: '3' } }, 'body-wrong', 'when.every', /a duration such as "1h"/],
  [{ fault: 'lost-ack', when: { chance: 2 } }, 'body-wrong', 'when.chance', /up to 1/],
  [{ fault: 'lost-ack', when: { between: [2, 1] } }, 'body-wrong', 'when.between', /first before the second/],
  [{ fault: 'lost-ack', when: { after: 'tea' } }, 'body-wrong', 'when.after', /"funding"/],
  [{ fault: 'lost-ack', with: { how: 'x', ms: 1 } }, 'body-wrong', 'with.ms', /with.ms is not known; with.how must be/],
  [{ fault: 'lost-ack', times: 0, seed: -1 }, 'body-wrong', 'seed', /seed must .*; times must/],
])('%j is refused', async (rule, code, field, sentence) => {
  const { status, envelope } = await venue.call('POST', '/faults', rule)
  const { message, ...error } = envelope!['error'] as { code: string; field: string; message: string }
  expect([status, error.code]).toEqual([400, code])
  expect(message).toMatch(sentence)
  expect(message).toContain(field)
  expect(await venue.get('/faults')).toEqual([])
})

/** What is struck of five orders, by their places. */
test.each<[when: object, struck: readonly number[]]>([
  [{}, [1]],
  [{ nth: 3 }, [3]],
  [{ nth: [4, 2] }, [2, 4]],
  [{ every: 2 }, [2, 4]],
  [{ first: 3 }, [1, 2, 3]],
  [{ chance: 1 }, [1, 2, 3, 4, 5]],
  [{ between: [start - 1, start] }, []],
  [{ between: [start, start + 1] }, [1]],
  [{ after: 'funding' }, []],
  [{ after: 2 }, []],
])('when %j strikes %j of five', async (when, struck) => {
  await add({ fault: 'lost-ack', when })
  const codes: unknown[] = []
  for (let count = 1; count <= 5; count++) codes.push(await place())
  expect(codes.flatMap((code, at) => (code === lost ? [at + 1] : []))).toEqual(struck)
  expect((await firings()).length).toBe(struck.length)
})

test('`every` as a duration strikes the first order behind each such span of the venue', async () => {
  await add({ fault: 'lost-ack', when: { every: '1m' } })
  const struck: boolean[] = []
  for (const step of ['0', '59s', '1s', '30s', '2m', '0']) {
    await venue.post('/clock', { step })
    const { now } = await venue.get<{ readonly now: number }>('')
    const sent = venue
      .person('unified-main', () => now)
      .post('/api/v3/trade/place-order', { ...order, timeInForce: 'gtc' })
    struck.push(await sent.then(() => false).catch((error: unknown) => (error as NodeJS.ErrnoException).code === lost))
  }
  expect(struck).toEqual([false, false, true, false, true, false])
})

test('what begins by itself comes back each time that it is due, and so it does after a revert', async () => {
  await add({ fault: 'ws-cut', when: { every: '1h' } })
  const { snapshot } = await venue.post<{ readonly snapshot: string }>('/snapshots')
  const at = async () => (await firings()).map((firing) => firing.at - start)
  await venue.post('/clock', { step: '150m' })
  expect(await at()).toEqual([3_600_000, 7_200_000])
  await venue.post('/revert', { snapshot })
  expect(await at()).toEqual([])
  await venue.post('/clock', { step: '61m' })
  expect(await at()).toEqual([3_600_000])
})

test.each<[on: object, isStruck: boolean]>([
  [{}, true],
  [{ endpoint: 'place' }, true],
  [{ endpoint: 'orders' }, true],
  [{ endpoint: 'any' }, true],
  [{ endpoint: 'POST /api/v3/trade/place-order' }, true],
  [{ endpoint: 'POST /api/v2/mix/order/place-order' }, false],
  [{ endpoint: 'cancel' }, false],
  [{ endpoint: 'ws:orders' }, false],
  [{ role: 'unified-main' }, true],
  [{ role: 'classic-main' }, false],
  [{ key: 'dev-unified-main' }, true],
  [{ key: 'dev-unified-peer' }, false],
  [{ symbol: 'btcusdt' }, true],
  [{ symbol: 'ETHUSDT' }, false],
  [{ side: 'buy' }, true],
  [{ side: 'sell' }, false],
  [{ clientOid: '^bot-\\d+$' }, true],
  [{ clientOid: '^bot-\\d$' }, false],
  [{ symbol: 'BTCUSDT', side: 'buy', clientOid: 'bot' }, true],
])('on %j: struck %j', async (on, isStruck) => {
  await add({ fault: 'lost-ack', on })
  expect(await place({ clientOid: 'bot-17' })).toBe(isStruck ? lost : '00000')
})

test('an order is found by its number: cancels have no symbol', async () => {
  const placed = await person().post('/api/v3/trade/place-order', { ...order, timeInForce: 'gtc' })
  await add({ fault: 'lost-ack', on: { endpoint: 'cancel', symbol: 'ETHUSDT' } })
  await add({ fault: 'lost-request', on: { endpoint: 'cancel', symbol: 'BTCUSDT' } })
  const { orderId } = placed.fields
  await expect(person().post('/api/v3/trade/cancel-order', { orderId })).rejects.toThrow('socket hang up')
  expect(await firings()).toMatchObject([{ fault: 'lost-request', outcome: 'not-sequenced' }])
})

test('the first rule that fires wins, and all of them count', async () => {
  await add({ fault: 'lost-ack', id: 'one', when: { nth: 1 } })
  await add({ fault: 'lost-ack', id: 'two', when: { nth: [1, 2] } })
  for (let count = 1; count <= 3; count++) await place()
  expect((await firings()).map(({ rule }) => rule)).toEqual(['one', 'two'])
})

test('chance goes by the client order id, whatever comes between', async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`)
  const strikes = async (inTurn: readonly string[]) => {
    await venue.post('/reset')
    await add({ fault: 'lost-ack', when: { chance: 0.3 }, seed: 5 })
    const struck: string[] = []
    for (const clientOid of inTurn) if ((await place({ clientOid })) === lost) struck.push(clientOid)
    return struck.toSorted()
  }
  const struck = await strikes(ids)
  expect(struck.length).toBeGreaterThan(0)
  expect(struck.length).toBeLessThan(12)
  expect(await strikes(ids.toReversed())).toEqual(struck)
})

test('a firing tells the truth: sequence, account, endpoint, outcome', async () => {
  const { sequence } = await venue.get<{ sequence: number }>('')
  await add({ fault: 'lost-ack', id: 'mine', when: { first: 9 } })
  expect(await place()).toBe(lost)
  expect(await place({ qty: '100000' })).toBe(lost)
  await person('unified-peer')
    .post('/api/v3/trade/place-order', { ...order, side: 'sell', price: '70000', timeInForce: 'gtc' })
    .catch(() => {})
  expect(await place({ price: '70000' })).toBe(lost)
  expect(await firings()).toMatchObject([
    { firing: 1, rule: 'mine', fault: 'lost-ack', at: start, sequence: sequence + 1, uid, outcome: 'placed' },
    { firing: 2, endpoint: 'POST /api/v3/trade/place-order', outcome: 'refused' },
    { firing: 3, outcome: 'placed' },
    { firing: 4, outcome: 'filled' },
  ])
  expect((await firings(3)).map(({ firing }) => firing)).toEqual([4])
})

test('what the venue refuses unread meets no fault of orders', async () => {
  await add({ fault: 'lost-ack' })
  expect(await place({ qty: 'many' })).not.toBe(lost)
  expect(await place()).toBe(lost)
})

test('rules, counts and firings go back; with keepRules they stay', async () => {
  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
  await add({ fault: 'lost-ack', when: { nth: [2, 4] } })
  const counted = await venue.post<{ snapshot: string }>('/snapshots')
  for (const expected of ['00000', lost]) expect(await place()).toBe(expected)
  await venue.post('/revert', { snapshot: counted.snapshot })
  expect(await firings()).toEqual([])
  for (const expected of ['00000', lost, '00000']) expect(await place()).toBe(expected)
  await venue.post('/revert', { snapshot, keepRules: true })
  expect((await firings()).length).toBe(1)
  expect(await place()).toBe(lost)
  await venue.post('/revert', { snapshot })
  expect([await venue.get('/faults'), await firings()]).toEqual([[], []])
})

test('rules are listed, deleted by name and all together', async () => {
  expect(await add({ fault: 'lost-ack', on: { symbol: 'BTCUSDT' } })).toMatchObject({ rule: 'r1' })
  await add({ fault: 'lost-request', id: 'mine' })
  expect((await venue.call('POST', '/faults', { fault: 'lost-ack', id: 'mine' })).envelope).toMatchObject({
    error: { code: 'name-taken', field: 'id' },
  })
  expect(await venue.get('/faults')).toMatchObject([
    { rule: 'r1', fault: 'lost-ack', on: { symbol: 'BTCUSDT' }, matched: 0, fired: 0, times: 1 },
    { rule: 'mine', fault: 'lost-request' },
  ])
  expect((await venue.call('DELETE', '/faults/r1')).envelope).toMatchObject({ data: { rule: 'r1' } })
  expect((await venue.call('DELETE', '/faults/r1')).envelope).toMatchObject({ error: { code: 'unknown-rule' } })
  expect((await venue.call('DELETE', '/faults')).envelope).toMatchObject({ data: { removed: 1 } })
  expect(await place()).toBe('00000')
})

test('one request asks for a fault itself, without a rule', async () => {
  const send = (value: string) =>
    person()
      .post('/api/v3/trade/place-order', { ...order, timeInForce: 'gtc' }, { headers: { 'x-tidemark-fault': value } })
      .then(({ envelope, code }) => code ?? (envelope!['error'] as { message: string }).message)
      .catch((error: unknown) => (error as NodeJS.ErrnoException).code)
  expect(await send('lost-ack')).toBe(lost)
  expect(await send('lost-ack how=rst')).toBe(lost)
  expect(await send('lost-akc')).toMatch(/^x-tidemark-fault: .*the nearest is lost-ack/)
  expect(await send('lost-ack how=slowly')).toMatch(/^x-tidemark-fault: with.how must be/)
  expect(await place()).toBe('00000')
  expect(await firings()).toMatchObject([
    { rule: 'header', outcome: 'placed' },
    { rule: 'header', outcome: 'placed' },
  ])
})

test('endpoints that a rule can name are listed, each with what is in it', async () => {
  const { groups, endpoints } = await venue.get<{
    groups: { name: string; over: string[]; endpoints: string[] }[]
    endpoints: string[]
  }>('/faults/endpoints')
  expect(endpoints).toContain('POST /api/v3/trade/place-order')
  for (const { name, over, endpoints: some } of groups) {
    expect(some.length > 0, name).toBe(!over.includes('message'))
  }
  expect(groups.find(({ name }) => name === 'place')?.endpoints.toSorted()).toEqual([
    'POST /api/v2/margin/crossed/batch-place-order',
    'POST /api/v2/margin/crossed/place-order',
    'POST /api/v2/mix/order/batch-place-order',
    'POST /api/v2/mix/order/place-order',
    'POST /api/v2/spot/trade/batch-orders',
    'POST /api/v2/spot/trade/place-order',
    'POST /api/v3/trade/place-batch',
    'POST /api/v3/trade/place-order',
  ])
})
