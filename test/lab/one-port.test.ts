/**
 * `tidemark dev --one-port`: every venue behind one port, with REST, sockets and laboratory below `/v/ID`.
 *
 * Source  lab.md §4.2
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { sign } from '../support/person.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import type { LabVenue, Shown } from './laboratory.ts'

let here: OpenedHere
let main: LabVenue
beforeAll(async () => {
  here = await openHere({ onePort: 'true' })
  main = here.venue
})
afterAll(() => here.close())

interface Reached extends Shown {
  readonly ws: { readonly v3: { readonly public: string; readonly private: string } }
}

/** Below a prefix: a request of the interface, signed without it. */
async function call(venue: Reached, method: 'GET' | 'POST', path: string, sent?: object) {
  const { apiKey, secret, passphrase } = venue.keys['unified-main']
  const body = sent === undefined ? '' : JSON.stringify(sent)
  const timestamp = String(venue.now)
  const answer = await fetch(`${venue.url}${path}`, {
    method,
    headers: {
      'ACCESS-KEY': apiKey,
      'ACCESS-SIGN': sign(secret, timestamp, method, path, body),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': passphrase,
      'content-type': 'application/json',
    },
    ...(sent !== undefined && { body }),
  })
  return (await answer.json()) as { code: string; data: { list: object[] | null } }
}

const limit = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', timeInForce: 'gtc' }
const open = '/api/v3/trade/unfilled-orders?category=USDT-FUTURES'

test('a fork has an address below the port, for requests that are signed without the prefix', async () => {
  const shown = await main.get<Reached>('')
  expect(shown.url).toBe(main.url)
  const fork = await main.post<Reached>('/fork')
  expect(fork.url).toBe(`${main.url}/v/${fork.venue}`)
  expect(fork.ws.v3.public).toBe(`${main.url.replace('http', 'ws')}/v/${fork.venue}/v3/ws/public`)
  const order = { ...limit, price: '59000', qty: '0.1' }
  expect(await call(fork, 'POST', '/api/v3/trade/place-order', order)).toMatchObject({ code: '00000' })
  expect((await call(fork, 'GET', open)).data.list).toHaveLength(1)
  expect((await call(shown, 'GET', open)).data.list ?? []).toHaveLength(0)
  // `/v/main` is the first one, too, and each has its laboratory.
  expect((await call({ ...shown, url: `${main.url}/v/main` }, 'GET', open)).code).toBe('00000')
  expect(await (await fetch(`${fork.url}/_lab`)).json()).toMatchObject({
    ok: true,
    data: { venue: fork.venue, url: fork.url },
  })
  await main.call('DELETE', `/venues/${fork.venue}`)
})

test('sockets pass, both ways and to their end', async () => {
  const fork = await main.post<Reached>('/fork')
  const socket = new WebSocket(fork.ws.v3.public)
  await new Promise((resolve) => socket.once('open', resolve))
  const heard = new Promise<string>((resolve) => socket.once('message', (text: Buffer) => resolve(text.toString())))
  socket.send('{"op":"subscribe","args":[{"instType":"usdt-futures","topic":"ticker","symbol":"BTCUSDT"}]}')
  expect(await heard).toContain('subscribe')
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await fetch(`${fork.url}/_lab/reset`, { method: 'POST' })
  expect(await closed).toBe(1012)
  await main.call('DELETE', `/venues/${fork.venue}`)
})

test('a venue that is not there', async () => {
  const answer = await fetch(`${main.url}/v/v99/api/v2/public/time`)
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { ok: false, error: { code: 'unknown-venue', field: 'venue' } },
  ])
  const socket = new WebSocket(`${main.url.replace('http', 'ws')}/v/v99/v3/ws/public`)
  const said = await new Promise<string>((resolve) => socket.once('error', ({ message }) => resolve(message)))
  expect(said).toContain('404')
})

test.each(['/', '/health', '/api/v2/public/time', '/nowhere', '/v/', '/v/main', '/v/main/health'])(
  '%s is of the first venue',
  async (path) => {
    const own = await fetch(`${main.url}${path}`, { method: 'HEAD' })
    expect(own.headers.get('x-tidemark-lab')).toBe('1')
  },
)
