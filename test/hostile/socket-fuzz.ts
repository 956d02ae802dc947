/**
 * The fuzz of the sockets: every word of docs/streams.md as an operation, a channel or a topic, logged in and not, with
 * orders made from the request schemas; then all of it made worse, down to the bytes of the frames.
 *
 * Holds      every message of the venue is JSON of a known form, or `pong` · a socket closes only for what the rules
 *            close it for · nothing is reported as trouble · who has not logged in changes nothing
 * Channels   are not named here: a new one stands in the document and is tried
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { endpoints } from '../../src/api/api.ts'
import type { ApiKey } from '../../src/api/keys/keys.ts'
import { Random } from '../../src/simulator/random.ts'
import { Grammar, type Json } from './grammar.ts'
import type { House } from './house.ts'
import { Mutations } from './mutations.ts'

const document = fileURLToPath(new URL('../../docs/streams.md', import.meta.url))

/** The single words that the document of the streams sets in code. */
export function documentedWords(): string[] {
  const words = readFileSync(document, 'utf8').matchAll(/`([A-Za-z0-9-]{2,32})`/g)
  return [...new Set([...words].map(([, word]) => word))]
}

const orders = endpoints.filter((endpoint) => endpoint.method === 'POST' && endpoint.access !== 'public')
const operations = ['subscribe', 'subscribe', 'subscribe', 'unsubscribe', 'trade', 'trade']
const paths = ['/v2/ws/public', '/v2/ws/private', '/v3/ws/public', '/v3/ws/private']
/** Going away, policy, and what the protocol itself closes with: broken UTF-8, broken frames, too large. */
const lawful = new Set([1001, 1002, 1003, 1006, 1007, 1008, 1009])
const members = new Set(['event', 'arg', 'args', 'code', 'msg', 'action', 'data', 'ts', 'id', 'category', 'topic'])

export interface SocketFigures {
  messages: number
  heard: number
  readonly events: Map<string, number>
  closed: number
}

export class SocketFuzz {
  readonly figures: SocketFigures = { messages: 0, heard: 0, events: new Map(), closed: 0 }
  readonly #house: House
  readonly #url: string
  readonly #random: Random
  readonly #grammar: Grammar
  readonly #mutations: Mutations
  readonly #keys: readonly ApiKey[]
  readonly #words = documentedWords()
  #fault: string | undefined

  constructor(house: House, url: string, seed: number) {
    this.#house = house
    this.#url = url
    this.#random = new Random(seed)
    this.#grammar = new Grammar(this.#random.for('grammar'), house.runtime.query({ kind: 'catalog' }), () =>
      house.runtime.now(),
    )
    this.#mutations = new Mutations(this.#random.for('mutations'))
    this.#keys = ['unified-main', 'classic-main', 'hybrid-main'].map((role) => house.demoKey(role))
  }

  /** One conversation of so many messages; throws what did not hold. */
  async talk(messages: number): Promise<void> {
    const path = this.#mutations.pick(paths)
    const key = this.#random.happens(0.6) ? this.#mutations.pick(this.#keys) : undefined
    if (key === undefined) await this.#house.quiet()
    const stateBefore = key === undefined ? this.#house.fingerprint() : ''
    const socket = new WebSocket(this.#url.replace('http', 'ws') + path)
    const closed = once(socket, 'close')
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.on('message', (data) => this.#hear((data as Buffer).toString()))
    if (key !== undefined) socket.send(JSON.stringify({ op: 'login', args: [this.#login(key)] }))
    for (let count = 0; count < messages && socket.readyState === WebSocket.OPEN; count++) {
      this.figures.messages += 1
      this.#say(socket, path, key)
      if (this.#random.happens(0.1)) await new Promise(setImmediate)
    }
    await this.#settle(socket, closed)
    if (this.#fault !== undefined) throw new Error(this.#fault)
    if (this.#house.trouble.length > 0) throw new Error('a socket met trouble', { cause: this.#house.trouble[0] })
    if (key === undefined && this.#house.fingerprint() !== stateBefore) throw new Error('a stranger changed the state')
  }

  /** The whole venue still answers: this socket, or a new one in its place. */
  async #settle(socket: WebSocket, closed: Promise<unknown[]>): Promise<void> {
    if (socket.readyState === WebSocket.OPEN) {
      const answered = new Promise((resolve) => {
        socket.on('message', (data) => (data as Buffer).toString() === 'pong' && resolve(undefined))
      })
      socket.send('ping')
      await Promise.race([answered, closed])
    }
    if (socket.readyState === WebSocket.OPEN) return socket.terminate()
    const [code] = (await closed) as [number]
    this.figures.closed += 1
    if (!lawful.has(code)) this.#fault ??= `a socket closed with ${code}`
  }

  #hear(text: string): void {
    this.figures.heard += 1
    if (text === 'pong') return
    try {
      const message = JSON.parse(text) as Record<string, unknown>
      const event = String(message['event'] ?? message['action'])
      this.figures.events.set(event, (this.figures.events.get(event) ?? 0) + 1)
      const stranger = Object.keys(message).find((name) => !members.has(name))
      if (stranger !== undefined) this.#fault ??= `a message with ${stranger}: ${text.slice(0, 500)}`
      if (!['login', 'subscribe', 'unsubscribe', 'error', 'trade', 'snapshot', 'update'].includes(event)) {
        this.#fault ??= `a message of another kind: ${text.slice(0, 500)}`
      }
      if (/\n\s+at |node_modules|\/src\/|TypeError|RangeError/.test(text))
        this.#fault ??= `insides: ${text.slice(0, 500)}`
    } catch {
      this.#fault ??= `no JSON: ${text.slice(0, 500)}`
    }
  }

  #login({ apiKey, secret, passphrase }: ApiKey): Record<string, string> {
    const timestamp = String(this.#house.runtime.now())
    const sign = createHmac('sha256', secret).update(`${timestamp}GET/user/verify`).digest('base64')
    return { apiKey, passphrase, timestamp, sign }
  }

  #say(socket: WebSocket, path: string, key: ApiKey | undefined): void {
    const message = this.#message(path.startsWith('/v3'), key)
    const kind = this.#random.share()
    if (kind < 0.45) return socket.send(JSON.stringify(message))
    if (kind < 0.9) return socket.send(this.#mutations.body(message).toString('utf8'))
    if (kind < 0.93) return socket.send(this.#mutations.body(message), { binary: true })
    if (kind < 0.96)
      return socket.send(
        this.#mutations.pick(['', 'ping', 'pong', 'PING', '{', '[]', 'null', '"a"', '\u0000', 'ping ']),
      )
    if (kind < 0.98) return socket.ping(Buffer.alloc(Math.floor(this.#random.share() * 125)))
    if (kind < 0.998) return socket.send(JSON.stringify(message))
    socket.send('x'.repeat(70_000))
  }

  #message(isV3: boolean, key: ApiKey | undefined): Json {
    const op = this.#mutations.pick([...operations, ...operations, 'login', this.#mutations.pick(this.#words)])
    if (op === 'login' && key !== undefined && this.#random.happens(0.9)) return { op, args: [this.#login(key)] }
    if (op === 'login') return { op, args: [{ apiKey: 'x', passphrase: 'x', timestamp: '1', sign: 'x' }] }
    const count = this.#random.happens(0.9) ? 1 : 8
    const word = () => this.#mutations.pick(this.#words)
    if (op !== 'trade') return { op, args: Array.from({ length: count }, () => this.#argument(word(), isV3)) }
    const topic = this.#random.happens(0.8)
      ? this.#mutations.pick(this.#words.filter((candidate) => /order|batch/.test(candidate)))
      : word()
    const taken = orders.filter(
      ({ path }) => path.startsWith(isV3 ? '/api/v3/' : '/api/v2/') && path.endsWith(`/${topic}`),
    )
    const order = () => this.#grammar.request(this.#mutations.pick(taken.length > 0 ? taken : orders), key?.uid ?? 0)
    const category = this.#mutations.pick(['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', ''])
    if (isV3) return { op, id: '1', topic, category, args: Array.from({ length: count }, order) }
    const request = () => ({ id: '1', channel: topic, instType: category, instId: 'BTCUSDT', params: order() })
    return { op, args: Array.from({ length: count }, request) }
  }

  #argument(word: string, isV3: boolean): Json {
    const instType = this.#mutations.pick([
      'SPOT',
      'MARGIN',
      'USDT-FUTURES',
      'usdt-futures',
      'COIN-FUTURES',
      'UTA',
      'default',
    ])
    const symbol = this.#mutations.pick(['BTCUSDT', 'ETHUSDT', 'BTCUSD', 'default', 'btcusdt'])
    const coin = this.#mutations.pick(['default', 'USDT', 'BTC'])
    const interval = this.#mutations.pick(['1m', '1H', '1M', 'candle1m', '7m'])
    return isV3 ? { instType, topic: word, symbol, interval } : { instType, channel: word, instId: symbol, coin }
  }
}

/** Bytes in place of frames, on sockets that were opened rightly. The venue closes them, or waits for more. */
export async function rawFrames(url: string, seed: number, count: number): Promise<void> {
  const random = new Random(seed)
  const { port } = new URL(url)
  for (let made = 0; made < count; made++) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    const key = Buffer.alloc(16, made).toString('base64')
    socket.write(
      `GET ${paths[made % 4]} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    )
    await once(socket, 'data')
    const bytes = Buffer.from(
      Array.from({ length: 1 + Math.floor(random.share() * 400) }, () => Math.floor(random.share() * 256)),
    )
    // Half of them begin as a masked frame of text does, so that they get further.
    if (random.happens(0.5)) bytes[0] = random.happens(0.5) ? 0x81 : 0x01
    if (bytes.length > 1 && random.happens(0.5)) bytes[1] = bytes[1] | 0x80
    socket.write(bytes)
    await new Promise(setImmediate)
    if (random.happens(0.5)) socket.resetAndDestroy()
    else socket.destroy()
  }
}
