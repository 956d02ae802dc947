/** What `/_lab/traffic` tells of clients: what they asked, what they were told, and nothing before somebody asks for it. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { TrafficLine } from '../../src/lab/traffic.ts'
import type { Person } from '../support/person.ts'
import { openHere, type OpenedHere } from './in-process.ts'

let here: OpenedHere
let person: Person
const start = Date.UTC(2026, 0, 1)

beforeAll(async () => {
  here = await openHere({})
  person = here.venue.person('unified-main', () => start)
})
afterAll(() => here.close())

async function lines(after = 0): Promise<readonly TrafficLine[]> {
  const { text } = await here.venue.call('GET', `/traffic?after=${after}`)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TrafficLine)
}

const settings = '/api/v3/account/settings'

test('nothing is noted before somebody watches, and nothing is left afterwards', async () => {
  await person.get(settings)
  expect(await lines()).toEqual([])
  await here.venue.post('/traffic', { watch: true })
  await person.get(settings)
  expect(await lines()).toHaveLength(1)
  await here.venue.post('/traffic', { watch: false })
  expect(await lines()).toEqual([])
})

test('a request is a line: who asked what, and what the answer was', async () => {
  await here.venue.post('/traffic', { watch: true })
  const last = (await lines()).at(-1)?.number ?? 0
  await person.get(settings)
  await person.post('/api/v3/trade/cancel-order', { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId: '1' })
  const [read, refused, ...others] = await lines(last)
  expect(others).toEqual([])
  expect(read).toMatchObject({
    at: start,
    kind: 'request',
    endpoint: `GET ${settings}`,
    target: settings,
    key: 'dev-unified-main',
    answeredAt: start,
    status: 200,
    code: '00000',
  })
  expect(refused).toMatchObject({
    endpoint: 'POST /api/v3/trade/cancel-order',
    code: expect.not.stringMatching('00000'),
  })
  expect(refused.text).toContain('"orderId":"1"')
})

test('a socket is a row of lines, and its login gives away nothing', async () => {
  await here.venue.post('/traffic', { watch: true })
  const last = (await lines()).at(-1)?.number ?? 0
  const socket = new WebSocket(`${here.venue.url.replace('http', 'ws')}/v3/ws/private`)
  await once(socket, 'open')
  const login = { apiKey: 'dev-unified-main', passphrase: 'tidemark', timestamp: '1', sign: 'wrong' }
  socket.send(JSON.stringify({ op: 'login', args: [login] }))
  await once(socket, 'message')
  const closed = once(socket, 'close')
  socket.close()
  await closed
  await expect.poll(async () => (await lines(last)).map(({ kind }) => kind)).toContain('closed')
  const told = await lines(last)
  expect(told.map(({ kind }) => kind)).toEqual(['handshake', 'opened', 'in', 'out', 'closed'])
  expect(told[0].target).toBe('/v3/ws/private')
  expect(told[2].text).toContain('"apiKey":"dev-unified-main"')
  expect(told[2].text).not.toMatch(/tidemark|wrong/)
})
