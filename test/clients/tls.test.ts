/**
 * The clients over TLS, unmodified: their address begins with https and wss, and they trust the authority that the venue's
 * certificate is of, as they would trust any other.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { WebsocketAPIClient, WebsocketClientV2 } from 'bitget-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { btcPerpetual, taken } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { clientV2, clientV3, dataOf } from './support/bitget-api.ts'
import { ccxtAt, ccxtModes, ccxtWatching } from './support/ccxt.ts'

const directory = temporaryDirectory('clients-tls')
const authority = makeCertificate({ name: 'Authority', names: ['authority.example'] })
const certificate = makeCertificate({ by: authority })
const [ca, tlsCert, tlsKey] = ['ca.pem', 'venue.cert', 'venue.key'].map((name) => join(directory, name))
const trusted = getCACertificates('default')
const symbol = 'BTC/USDT:USDT'
const order = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.1',
} as const

let venue: Venue
let alice: Person
let bob: Person

beforeAll(async () => {
  writeFileSync(ca, authority.cert)
  writeFileSync(tlsCert, certificate.cert + authority.cert)
  writeFileSync(tlsKey, certificate.key)
  setDefaultCACertificates([...trusted, authority.cert])
  venue = await startVenue({ environment: { TIDEMARK_TLS_CERT: tlsCert, TIDEMARK_TLS_KEY: tlsKey } })
  const funds = { uta: { USDT: '1000000' }, usdt_futures: { USDT: '1000000' } }
  alice = await venue.person('Alice', { funds: { uta: funds.uta } })
  bob = await venue.person('Bob', { mode: 'classic', funds: { usdt_futures: funds.usdt_futures } })
})

afterAll(async () => {
  setDefaultCACertificates(trusted)
  await venue?.remove()
})

test('the venue speaks TLS', () => {
  expect(venue.url).toMatch(/^https:/)
})

test.each(ccxtModes)('ccxt, %s: an order is placed, found and canceled, and a ticker watched', async (mode) => {
  const { key } = mode === 'uta' ? alice : bob
  const exchange = ccxtAt(venue, mode, key)
  await exchange.loadMarkets()
  const { id } = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59_000)
  expect(await exchange.fetchOpenOrders(symbol)).toMatchObject([{ id, price: 59_000, amount: 0.1 }])
  await exchange.cancelOrder(String(id), symbol)
  expect(await exchange.fetchOpenOrders(symbol)).toEqual([])
  await exchange.close()

  const address = exchange.urls['api']
  expect(JSON.stringify(address)).toContain(venue.url)
  const watching = await ccxtWatching(venue, { mode, defaultType: 'swap', key })
  const words = { uta: mode === 'uta' }
  const seen = await watching.watchOrderBook(symbol, undefined, words)
  expect(seen).toMatchObject({ symbol })
  await watching.close()
})

describe('bitget-api', () => {
  test('v3: an order is placed, found and canceled', async () => {
    const client = clientV3(venue, alice.key)
    const { orderId } = await dataOf(client.submitNewOrder({ ...order }))
    const { list } = await dataOf(client.getUnfilledOrders({ category: order.category, symbol: order.symbol }))
    expect(list).toMatchObject([{ orderId }])
    await dataOf(client.cancelOrder({ orderId }))
  })

  test('v2: the account is read', async () => {
    const found = await dataOf(clientV2(venue, bob.key).getFuturesAccountAssets({ productType: 'USDT-FUTURES' }))
    expect(found).toMatchObject([{ marginCoin: 'USDT', available: '1000000' }])
  })

  test('sockets: fills are pushed, and orders placed', async () => {
    const quiet = { trace() {}, info() {}, error() {} }
    const wsUrl = (path: string) => venue.url.replace('http', 'ws') + path
    const credentials = ({ key }: Person) => ({ apiKey: key.apiKey, apiSecret: key.secret, apiPass: key.passphrase })
    const watching = new WebsocketClientV2({ ...credentials(bob), wsUrl: wsUrl('/v2/ws/private') }, quiet)
    const account = new Promise((resolve) => watching.on('update', resolve))
    void watching.subscribeTopic('USDT-FUTURES', 'account')
    expect(await account).toMatchObject({ arg: { channel: 'account' } })
    watching.closeAll(true)

    const trading = new WebsocketAPIClient({ ...credentials(alice), wsUrl: wsUrl('/v3/ws/private') }, quiet)
    const answer = await trading.submitNewOrder('usdt-futures', { ...order })
    expect(answer).toMatchObject({ code: '0', args: [{ symbol: 'BTCUSDT', orderId: expect.any(String) as string }] })
    trading.getWSClient().closeAll(true)
  })
})

test('ws: trades are pushed as they happen', async () => {
  const socket = await Socket.open(venue, '/v3/ws/public')
  socket.send({ op: 'subscribe', args: [{ instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' }] })
  await socket.next(({ event }) => event === 'subscribe')
  const carol = await venue.person('Carol', { funds: { uta: { USDT: '1000000' } } })
  await taken(carol, 'sell 0.1 @ 60000', btcPerpetual)
  await taken(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await socket.push('publicTrade')
  socket.close()
})

test('fetch of Node itself', async () => {
  const answer = await fetch(`${venue.url}/api/v3/public/time`)
  expect(await answer.json()).toMatchObject({ code: '00000' })
})

test('the terminal hands its demo accounts to a page of an https address, and to no other', async () => {
  const asked = (origin: string) => venue.get('/terminal/demo-accounts', {}, { host: '127.0.0.1:1', origin })
  expect((await asked('https://127.0.0.1:1')).status).toBe(200)
  expect((await asked('http://127.0.0.1:1')).status).toBe(403)
})

/** What curl says, or undefined where there is none. */
function curl(...args: readonly string[]): Promise<{ code: number; out: string } | undefined> {
  return new Promise((resolve) => {
    const child = spawn('curl', ['-sS', '--max-time', '20', ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    let out = ''
    child.on('error', () => resolve(undefined))
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.on('close', (code) => resolve({ code: code ?? -1, out }))
  })
}

describe('curl', () => {
  test.each([
    // what it is given                                      exit (0 done, 35 no handshake, 60 not trusted)
    ['the authority', ['--cacert', ca], 0],
    ['the venue’s own certificate', ['--cacert', tlsCert], 0],
    ['--insecure', ['--insecure'], 0],
    ['HTTP/1.0', ['--cacert', ca, '--http1.0'], 0],
    ['an offer of HTTP/2', ['--cacert', ca, '--http2'], 0],
    ['nothing to trust', [], 60],
    ['an old protocol', ['--insecure', '--tls-max', '1.1'], 35],
  ])('with %s', async (_what, args, exit) => {
    const said = await curl(...args, `${venue.url}/api/v3/public/time`)
    if (said === undefined) return
    expect(said.code).toBe(exit)
    if (exit === 0) expect(JSON.parse(said.out)).toMatchObject({ code: '00000' })
  })

  test('without TLS it is told what is wrong', async () => {
    const said = await curl(`${venue.url.replace('https', 'http')}/api/v3/public/time`)
    if (said !== undefined) {
      expect(JSON.parse(said.out)).toMatchObject({
        msg: 'Parameter verification failed: the URL should begin with https',
      })
    }
  })
})
