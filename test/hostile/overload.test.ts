/**
 * Five times what the journal can take: the excess is refused at once and for good, cancels and reads are served, and what
 * was acknowledged is there, and nothing else.
 *
 * Slow      each sync of the journal waits until the test lets it go, so that nothing here depends on the machine's speed
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FaultyDisk } from '../runtime/faulty-disk.ts'
import type { Answer } from '../support/http.ts'
import { House } from './house.ts'

const waitingMax = 100
const disk = new FaultyDisk()
let house: House

beforeAll(async () => {
  house = await House.open({ disk, waitingMax })
})

afterAll(async () => {
  disk.beforeSync = async () => {}
  await house?.close()
})

function order(clientOid: string): string {
  const limit = { qty: '0.001', price: '50000', side: 'buy', orderType: 'limit' }
  return JSON.stringify({ category: 'USDT-FUTURES', symbol: 'BTCUSDT', ...limit, clientOid })
}

const place = '/api/v3/trade/place-order'

test('the excess is refused at once, cancels and reads are served, nothing acknowledged is lost', async () => {
  const key = house.demoKey('unified-main')
  const post = (path: string, body: string) => house.send(house.signed(key, 'POST', path, body))
  const standing = (await post(place, order('standing'))).fields['orderId']

  const release = disk.holdSyncs()
  const { syncs } = house.runtime.stats().journal
  const first = post(place, order('first'))
  await vi.waitFor(() => expect(house.runtime.stats().journal.syncs).toBe(syncs + 1))
  const answered: Answer[] = []
  const offered = Array.from({ length: 5 * waitingMax }, async (_, index) => {
    const answer = await post(place, order(`o${index}`))
    answered.push(answer)
    return answer
  })
  // All that will be refused is refused while the disk stands still.
  await vi.waitFor(() => expect(answered).toHaveLength(5 * waitingMax - 0.9 * waitingMax))
  for (const { status, code, data } of answered)
    expect({ status, code, data }).toEqual({ status: 503, code: '40015', data: null })

  const canceled = post('/api/v3/trade/cancel-order', JSON.stringify({ orderId: standing }))
  const canceledToo = post('/api/v3/trade/cancel-symbol-order', JSON.stringify({ category: 'USDT-FUTURES' }))
  const read = await house.send(house.signed(key, 'GET', '/api/v3/trade/unfilled-orders?category=USDT-FUTURES'))
  expect(read.list('list').map((row) => row['orderId'])).toEqual([standing])
  expect((await house.send(house.signed(key, 'GET', '/api/v3/account/assets'))).status).toBe(200)
  expect(
    (await house.send({ method: 'GET', target: '/api/v2/public/time', headers: {}, body: undefined })).status,
  ).toBe(200)

  release()
  expect((await first).code).toBe('00000')
  expect((await canceled).code).toBe('00000')
  expect((await canceledToo).code).toBe('00000')
  const answers = await Promise.all(offered)
  const taken = answers.filter(({ code }) => code === '00000')
  expect(taken).toHaveLength(0.9 * waitingMax)

  const history = await house.send(
    house.signed(key, 'GET', '/api/v3/trade/history-orders?category=USDT-FUTURES&limit=100'),
  )
  const kept = new Set(history.list('list').map((row) => row['orderId']))
  expect(kept).toEqual(
    new Set([standing, (await first).fields['orderId'], ...taken.map((answer) => answer.fields['orderId'])]),
  )
  expect(house.runtime.stats().overloaded).toBe(5 * waitingMax - 0.9 * waitingMax)
  expect(house.trouble, 'too much to do is counted, not logged each time').toEqual([])
  expect((await post(place, order('after'))).code).toBe('00000')
})

test('a journal that is slow all the time: what is acknowledged is what is there', async () => {
  const key = house.demoKey('unified-peer')
  disk.beforeSync = () => new Promise((resolve) => setTimeout(resolve, 2))
  const bodies = Array.from({ length: 300 }, (_, index) => order(`s${index}`))
  const answers = await Promise.all(bodies.map((body) => house.send(house.signed(key, 'POST', place, body))))
  disk.beforeSync = async () => {}
  const codes = new Set(answers.map(({ status, code }) => `${status} ${code}`))
  expect(
    [...codes].every((code) => ['200 00000', '503 40015'].includes(code)),
    [...codes].join(),
  ).toBe(true)
  for (const [index, { code }] of answers.entries()) {
    const found = await house.send(house.signed(key, 'GET', `/api/v3/trade/order-info?clientOid=s${index}`))
    expect(found.code === '00000', `order ${index} answered ${code}`).toBe(code === '00000')
  }
})

test('the journal alone gives the same state', async () => {
  expect(await house.replaysAlike()).toBe(true)
})
