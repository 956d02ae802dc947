/**
 * The ways an order comes to a venue: REST and sockets, v2 and v3; and what its sender sees.
 *
 * Seen   the code of the answer; `http NNN` of an answer without one; `lost` when the connection ends without an answer;
 *        `unreadable`; `silent` when nothing has come while the venue was done with it
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { WebSocket } from 'ws'
import type { Key } from '../../support/person.ts'
import { sign } from '../../support/person.ts'
import type { LabVenue } from '../laboratory.ts'

export interface Order {
  readonly clientOid: string
  readonly price?: string
  readonly side?: 'buy' | 'sell'
}

export interface OrderWay {
  readonly name: 'REST v2' | 'REST v3' | 'socket v2' | 'socket v3'
  readonly role: 'classic-main' | 'unified-main'
  /** `isDone` tells when the venue is done with it: what has not come a moment later is not coming. */
  place(order: Order, isDone?: () => Promise<boolean>): Promise<string>
  close(): void
}

const quietMs = 80

export function restWay(venue: LabVenue, version: 'v2' | 'v3', now: () => number): OrderWay {
  const role = version === 'v2' ? 'classic-main' : 'unified-main'
  return {
    name: `REST ${version}`,
    role,
    place: (order, isDone) => {
      const [path, body] = version === 'v2' ? v2Order(order) : v3Order(order)
      return seen(venue.url, path, JSON.stringify(body), keyOf(role), now(), isDone)
    },
    close: () => {},
  }
}

export async function socketWay(venue: LabVenue, version: 'v2' | 'v3', now: () => number): Promise<OrderWay> {
  const role = version === 'v2' ? 'classic-main' : 'unified-main'
  const { apiKey, passphrase, secret } = keyOf(role)
  let socket: WebSocket | undefined
  const open = async () => {
    const opening = new WebSocket(`${venue.url.replace('http', 'ws')}/${version}/ws/private`)
    await new Promise((resolve, reject) => opening.once('open', resolve).once('error', reject))
    const timestamp = String(Math.floor(now() / 1000))
    const proof = sign(secret, timestamp, 'GET', '/user/verify', '')
    const answered = new Promise((resolve) => opening.once('message', resolve))
    opening.send(JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign: proof }] }))
    await answered
    return opening
  }
  return {
    name: `socket ${version}`,
    role,
    async place(order, isDone) {
      if (socket?.readyState !== WebSocket.OPEN) socket = await open()
      const asked = socket
      const answered = new Promise<string>((resolve) => {
        asked.once('message', (data: Buffer) => resolve(codeOf(data.toString())))
        asked.once('close', () => resolve('lost'))
      })
      asked.send(JSON.stringify(version === 'v2' ? v2Message(order) : v3Message(order)))
      const found = await unlessSilent(answered, isDone)
      if (found === 'silent') asked.terminate()
      asked.removeAllListeners()
      return found
    },
    close: () => socket?.terminate(),
  }
}

/** What comes of one request on a connection of its own. */
export function seen(
  base: string,
  path: string,
  body: string,
  key: Key,
  now: number,
  isDone?: () => Promise<boolean>,
): Promise<string> {
  const headers = {
    'ACCESS-KEY': key.apiKey,
    'ACCESS-PASSPHRASE': key.passphrase,
    'ACCESS-TIMESTAMP': String(now),
    'ACCESS-SIGN': sign(key.secret, String(now), 'POST', path, body),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const { hostname, port } = new URL(base)
  const sent = request({ hostname, port, path, method: 'POST', headers, agent: false })
  const answered = new Promise<string>((resolve) => {
    sent.on('error', () => resolve('lost'))
    sent.on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', () => resolve('unreadable'))
      answer.on('end', () => {
        const whole = Buffer.concat(chunks)
        try {
          const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString()
          const code = codeOf(text)
          resolve(code === 'unreadable' && answer.statusCode !== 200 ? `http ${answer.statusCode}` : code)
        } catch {
          resolve('unreadable')
        }
      })
    })
  })
  sent.end(body)
  return unlessSilent(answered, isDone).finally(() => sent.destroy())
}

async function unlessSilent(answered: Promise<string>, isDone: (() => Promise<boolean>) | undefined): Promise<string> {
  if (isDone === undefined) return answered
  let over = false
  void answered.then(() => (over = true))
  while (!over && !(await isDone())) await sleep(5)
  return Promise.race([answered, sleep(quietMs).then(() => 'silent')])
}

function keyOf(role: string): Key {
  return { apiKey: `dev-${role}`, secret: 'tidemark', passphrase: 'tidemark' }
}

function codeOf(text: string): string {
  try {
    const { code } = JSON.parse(text) as { code?: unknown }
    // Over a socket of v2 it is a number.
    if (text.includes('"arg"')) return typeof code !== 'number' ? 'unreadable' : code === 0 ? '00000' : String(code)
    return typeof code !== 'string' ? 'unreadable' : code === '0' ? '00000' : code
  } catch {
    return 'unreadable'
  }
}

const usual = { price: '59000', side: 'buy' } as const

function v2Order(order: Order): [string, object] {
  const { price, side, clientOid } = { ...usual, ...order }
  const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }
  return ['/api/v2/mix/order/place-order', { ...contract, orderType: 'limit', side, price, size: '0.01', clientOid }]
}

function v3Order(order: Order): [string, object] {
  const { price, side, clientOid } = { ...usual, ...order }
  const terms = { symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', side, price, qty: '0.01', clientOid }
  return ['/api/v3/trade/place-order', { category: 'USDT-FUTURES', ...terms }]
}

function v2Message(order: Order): object {
  const { price, side, clientOid } = { ...usual, ...order }
  const params = { orderType: 'limit', side, size: '0.01', price, force: 'gtc', clientOid, marginMode: 'crossed' }
  const what = { instType: 'USDT-FUTURES', instId: 'BTCUSDT', channel: 'place-order' }
  return { op: 'trade', args: [{ id: clientOid, ...what, params: { ...params, marginCoin: 'USDT' } }] }
}

function v3Message(order: Order): object {
  const { clientOid } = order
  const [, { category, ...terms }] = v3Order(order) as [string, { category: string }]
  return { op: 'trade', id: clientOid, category, topic: 'place-order', args: [terms] }
}
