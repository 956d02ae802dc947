/**
 * Batches of which some orders fail: what the answer says of each, and what the journal says.
 *
 * Source  lab.md §4.5 (partial-batch)
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Socket } from '../../support/socket.ts'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'

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

const start = Date.UTC(2026, 0, 1)
const ids = ['a', 'b', 'c']
const person = (role: string) => venue.person(role, () => start)

async function placed(): Promise<string[]> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  const lines = text.split('\n').filter((line) => line.includes('"place-order"'))
  return lines.map((line) => (JSON.parse(line) as { command: { clientOid: string } }).command.clientOid)
}

type Entry = readonly [clientOid: string, code: string]

const v3Orders = ids.map((clientOid) => ({
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  timeInForce: 'gtc',
  side: 'buy',
  price: '59000',
  qty: '0.01',
  clientOid,
}))

async function v3(): Promise<Entry[]> {
  const rows = (await person('unified-main').post('/api/v3/trade/place-batch', v3Orders)).list()
  return rows.map(({ clientOid, code = '0' }) => [clientOid, code])
}

async function v2(): Promise<Entry[]> {
  const orderList = ids.map((clientOid) => ({
    side: 'buy',
    orderType: 'limit',
    price: '59000',
    size: '0.01',
    clientOid,
  }))
  const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }
  const answer = await person('classic-main').post('/api/v2/mix/order/batch-place-order', { ...contract, orderList })
  const good = answer.list('successList').map(({ clientOid }): Entry => [clientOid, '0'])
  const bad = answer.list('failureList').map(({ clientOid, errorCode }): Entry => [clientOid, errorCode])
  return [...good, ...bad].toSorted(([one], [other]) => one.localeCompare(other))
}

async function socketV3(): Promise<Entry[]> {
  const socket = await Socket.of(person('unified-main'), '/v3/ws/private')
  socket.send({ op: 'trade', id: '1', category: 'USDT-FUTURES', topic: 'batch-place', args: v3Orders })
  const { args } = await socket.next()
  socket.close()
  return (args as { clientOid: string; code: string }[]).map(({ clientOid, code }) => [clientOid, code])
}

test.each([
  ['REST v3', v3],
  ['REST v2', v2],
  ['socket v3', socketV3],
])('%s: those that fail have the code, the others are done', async (_name, place) => {
  await venue.post('/faults', { fault: 'partial-batch', with: { fail: [0, 2], code: '40762' } })
  expect(await place()).toEqual([
    ['a', '40762'],
    ['b', '0'],
    ['c', '40762'],
  ])
  expect(await placed()).toEqual(['b'])
  expect(await venue.get('/firings')).toMatchObject([{ fault: 'partial-batch', outcome: 'placed' }])
})

test('a batch whose answer is lost besides: nobody is told, and some are there', async () => {
  await venue.post('/faults', { fault: 'partial-batch', with: { fail: [1] } })
  await venue.post('/faults', { fault: 'lost-ack', on: { endpoint: 'batch' } })
  await expect(v3()).rejects.toThrow('socket hang up')
  expect(await placed()).toEqual(['a', 'c'])
})

test('a rule for batches that could meet none is refused', async () => {
  const rule = { fault: 'partial-batch', with: { fail: [0] }, on: { endpoint: 'POST /api/v3/trade/place-order' } }
  const { envelope } = await venue.call('POST', '/faults', rule)
  expect(envelope).toMatchObject({ error: { code: 'rule-matches-nothing', field: 'on.endpoint' } })
})
