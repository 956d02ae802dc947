/**
 * What somebody sends to the faults of a laboratory by mistake or on purpose: one clear error, and nothing stalls.
 *
 * Stall    how long the event loop of the venue's process stood still, as it measures itself
 * Source   lab.md §5 (hostile)
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'

let opened: OpenedHere
let venue: LabVenue

beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
})
afterAll(() => opened.close())

const exploding = ['^(a+)+$', '^(a|a)*$', `^(${Array(45).fill('a').join('|')})*$`, '^(.*)*x$']
const place = (clientOid: string) => {
  const terms = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
  return venue
    .person('unified-main', () => Date.UTC(2026, 0, 1))
    .post('/api/v3/trade/place-order', { ...terms, side: 'buy', price: '59000', clientOid })
}

test('a thousand rules with patterns that would explode, one more, and an order past them', async () => {
  for (let count = 1; count <= 1_000; count++) {
    await venue.post('/faults', { fault: 'lost-ack', on: { clientOid: exploding[count % exploding.length] } })
  }
  expect((await venue.call('POST', '/faults', { fault: 'lost-ack' })).envelope).toMatchObject({
    error: { code: 'rules-max' },
  })
  const clientOid = `${'a'.repeat(49)}!`
  await place(`${clientOid.slice(1)}`)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  expect((await place(clientOid)).code).toBeDefined()
  delay.disable()
  // Twice what is wanted on a quiet machine: the tests of others run besides.
  expect(delay.max / 1e6).toBeLessThan(100)
  expect(await venue.get('/firings')).toEqual([])
  expect((await venue.call('DELETE', '/faults')).envelope).toMatchObject({ data: { removed: 1_000 } })
})

test('patterns that are large together are refused, and the rules that there are stay', async () => {
  const rule = { fault: 'lost-ack', on: { clientOid: '((a{1,30}){1,4})$' } }
  const rules = Array.from({ length: 200 }, () => rule)
  const { status, envelope } = await venue.call('POST', '/faults', { rules })
  expect([status, envelope!['error']]).toEqual([
    409,
    {
      code: 'rules-max',
      message: 'on.clientOid: the patterns of all rules have 24200 places, and 16384 at most',
      field: 'on.clientOid',
    },
  ])
  expect(await venue.get('/faults')).toEqual([])
})

test.each<[what: string, body: unknown, status: number, code: string]>([
  ['a body of 10 MB', { fault: 'x'.repeat(10_000_000) }, 413, 'request-wrong'],
  ['a list', [1], 400, 'body-wrong'],
  ['a text', 'lost-ack', 400, 'body-wrong'],
  ['null for the fault', { fault: null }, 400, 'body-wrong'],
  ['a fault of 900 kB', { fault: 'x'.repeat(900_000) }, 400, 'body-wrong'],
  [
    'nested lists',
    { fault: 'lost-ack', on: JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) },
    400,
    'body-wrong',
  ],
  ['names of the prototype', { fault: '__proto__' }, 400, 'rule-matches-nothing'],
  ['a group of the prototype', { fault: 'lost-ack', on: { endpoint: 'constructor' } }, 400, 'rule-matches-nothing'],
  ['a role of the prototype', { fault: 'lost-ack', on: { role: 'constructor' } }, 400, 'rule-matches-nothing'],
  ['a code of the prototype', { fault: 'partial-batch', with: { fail: [0], code: 'toString' } }, 400, 'body-wrong'],
])('%s is refused in one sentence', async (_what, body, status, code) => {
  const answer = await venue.call('POST', '/faults', body)
  expect([answer.status, (answer.envelope!['error'] as { code: string }).code]).toEqual([status, code])
  expect(await venue.get('/faults')).toEqual([])
})
