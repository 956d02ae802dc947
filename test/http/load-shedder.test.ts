/**
 * Too much for the processor: what a turn of the event loop takes, and how the rest is refused (reliability.md L3).
 */
import { createHmac } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { isNewWork } from '../../src/api/endpoint.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { LoadShedder } from '../../src/http/load-shedder.ts'
import { alice, coreOf, type Edge, keyOf, openEdge } from '../api/edge.ts'

/** A clock, and turns, that the test moves. */
function loop() {
  const found = { ms: 0, endTurn: () => {} }
  const afterTurn = (over: () => void) => {
    found.endTurn = over
  }
  return { found, loadShedder: new LoadShedder({ clock: () => found.ms, afterTurn }) }
}

/** Calls of one turn, each taking so long: T taken, r refused. */
function turn({ found, loadShedder }: ReturnType<typeof loop>, calls: number, takenMs: number, refusedMs: number) {
  let told = ''
  for (let call = 0; call < calls; call++) {
    const taken = loadShedder.takes()
    found.ms += taken ? takenMs : refusedMs
    told += taken ? 'T' : 'r'
  }
  found.endTurn()
  return { told, taken: told.split('T').length - 1, refused: told.split('r').length - 1 }
}

/** One that has been behind for so long that it refuses: turns of 300 calls, 60 ms each. */
function behind() {
  const seen = loop()
  for (let round = 0; round < 6; round++) expect(turn(seen, 300, 0.2, 0).refused, `after ${round * 60} ms`).toBe(0)
  return seen
}

test('few calls are taken, however long each of them takes', () => {
  const seen = loop()
  for (let round = 0; round < 20; round++) expect(turn(seen, 256, 1_000, 0).told).toBe('T'.repeat(256))
})

test('many calls are taken as long as they are quick', () => {
  const seen = loop()
  // 500 × 0.05 ms: the last begins before the 25 ms are over.
  for (let round = 0; round < 20; round++) expect(turn(seen, 500, 0.05, 0).told).toBe('T'.repeat(500))
})

test('a burst is taken whole', () => {
  expect(turn(loop(), 10_000, 1, 0).told).toBe('T'.repeat(10_000))
})

test('when turns have been too long for a quarter of a second, what comes after 256 calls and 25 ms is refused', () => {
  const seen = behind()
  expect(turn(seen, 300, 0.2, 0).told).toBe('T'.repeat(256) + 'r'.repeat(44))
  expect(turn(seen, 100, 0.1, 0).told, 'each turn begins anew').toBe('T'.repeat(100))
  expect(turn(seen, 300, 0.2, 0).told, 'and one that was short is no end of it').toBe('T'.repeat(256) + 'r'.repeat(44))
})

test('after a quarter of a second without a turn that was too long nothing is refused any more', () => {
  const seen = behind()
  for (let round = 0; round < 26; round++) turn(seen, 10, 1, 0)
  expect(turn(seen, 300, 0.2, 0).told).toBe('T'.repeat(300))
})

test('refusing takes no more than a third of the time that taking takes', () => {
  const seen = behind()
  const total = { taken: 25, refused: 0 }
  for (let round = 0; round < 50; round++) {
    const { taken, refused } = turn(seen, 2_000, 0.1, 0.05)
    total.taken += taken * 0.1
    total.refused += refused * 0.05
  }
  // With what was saved up before.
  expect(total.refused).toBeLessThanOrEqual(total.taken / 3 + 25)
  expect(total.refused, 'and it is used').toBeGreaterThan(0.99 * (total.taken / 3))
})

test('no more is saved up than for 25 ms of refusing', () => {
  const seen = behind()
  // 256 taken earn what cannot be added any more; 25 ms are spent by refusals of 0.5 ms.
  expect(turn(seen, 256 + 51, 1, 0.5).told).toBe(`${'T'.repeat(256)}${'r'.repeat(50)}T`)
})

test('what only cancels is always served, and nothing else that changes something', () => {
  const always = endpoints
    .filter((endpoint) => endpoint.method === 'POST' && !isNewWork(endpoint))
    .map(({ path }) => path)
  const cancels = endpoints.filter(({ path }) => /\/(batch-)?cancel-(?!replace)/.test(path)).map(({ path }) => path)
  expect(always).toHaveLength(17)
  expect(new Set(always)).toEqual(new Set(cancels))
  expect(endpoints.filter((endpoint) => endpoint.method === 'GET' && isNewWork(endpoint))).toEqual([])
})

let edge: Edge | undefined

afterEach(async () => {
  await edge?.api.close()
})

async function openBusy() {
  const told: Command['kind'][] = []
  const answered: string[] = []
  const submit = (command: Command) => {
    told.push(command.kind)
    return Promise.resolve({ kind: 'canceled', orders: [], triggers: [] } as never)
  }
  const loadShedder = new LoadShedder({ clock: () => 0, afterTurn: () => {} })
  loadShedder.takes = () => false
  edge = await openEdge({
    core: coreOf({ submit }),
    loadShedder,
    onAnswered: ({ httpStatus, code, endpoint }) => answered.push(`${httpStatus} ${code} ${endpoint?.path}`),
  })
  return { told, answered, ...edge }
}

const place = '/api/v3/trade/place-order'
const cancelAll = '/api/v3/trade/cancel-symbol-order'
const order = JSON.stringify({ category: 'SPOT', symbol: 'BTCUSDT', qty: '1', side: 'buy', orderType: 'market' })

test('new work is refused as a definite failure before its body, key and signature are looked at', async () => {
  const { told, answered, signed, plain } = await openBusy()
  for (const refused of [
    await signed('POST', place, order),
    await signed('POST', `${place}?a=b`, order),
    await plain('POST', place, { body: 'no JSON', headers: { 'access-key': 'nobody' } }),
  ]) {
    expect(refused.status).toBe(503)
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(refused.envelope).toMatchObject({ code: '40015', data: null })
    expect(refused.envelope.msg).toMatch(/^System is abnormal/)
  }
  const chinese = await plain('POST', place, { body: order, headers: { locale: 'zh-CN' } })
  expect(chinese.envelope).toMatchObject({ code: '40015', msg: expect.stringMatching(/[一-鿿]/) })
  expect(told).toEqual([])
  expect(answered).toEqual(Array(4).fill(`503 40015 ${place}`))
})

test('cancels, reads and what there is no endpoint for are answered meanwhile', async () => {
  const { told, signed, plain } = await openBusy()
  const canceled = await signed('POST', cancelAll, JSON.stringify({ category: 'SPOT' }))
  expect(canceled.envelope.code).toBe('00000')
  expect(told).toEqual(['cancel-orders'])
  expect((await signed('GET', '/api/v3/trade/unfilled-orders')).envelope.code).toBe('00000')
  expect((await plain('POST', '/api/v3/nowhere', { body: '{}' })).envelope.code).toBe('40404')
  expect((await plain('GET', place)).envelope.code).toBe('40404')
})

test('the connection of who was refused serves on, its body unread or half sent', async () => {
  const { raw } = await openBusy()
  const body = 'x'.repeat(100_000)
  const head = (path: string, length: number, more = '') =>
    `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
  const timestamp = String(Date.now())
  const key = keyOf()
  const cancel = JSON.stringify({ category: 'SPOT' })
  const sign = createHmac('sha256', key.secret).update(`${timestamp}POST${cancelAll}${cancel}`).digest('base64')
  const headers = [
    `ACCESS-KEY: ${key.apiKey}`,
    `ACCESS-SIGN: ${sign}`,
    `ACCESS-TIMESTAMP: ${timestamp}`,
    `ACCESS-PASSPHRASE: ${key.passphrase}`,
    'Connection: close',
  ]
  const received = await raw(
    head(place, body.length) + body + head(cancelAll, cancel.length, `${headers.join('\r\n')}\r\n`) + cancel,
  )
  expect(received.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200'])
})

test('an order over the socket is refused alike, a cancel is served', async () => {
  const { told, api } = await openBusy()
  const caller = { key: keyOf({ uid: alice.uid }), ip: '127.0.0.1' }
  await expect(api.call(place, caller, JSON.parse(order))).rejects.toMatchObject({ code: '40015', httpStatus: 503 })
  expect(told).toEqual([])
  await api.call(cancelAll, caller, { category: 'SPOT' })
  expect(told).toEqual(['cancel-orders'])
})
