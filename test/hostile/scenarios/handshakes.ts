/**
 * Handshakes that are broken, slow or half, against a venue with a certificate, while somebody trades on it over TLS.
 *
 * Handshakes  each begins with what a client of Node really says, and goes wrong in one of the ways below
 * Trader      places and cancels orders, each over the connection that is open or over a new one; each has to be answered
 * Afterwards  no connection is left but the trader's, and the books balance
 */
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Tls } from '../../../src/http/http.ts'
import { Random } from '../../simulation/random.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { House } from '../house.ts'
import type { Scenario } from './scenario.ts'

const attackers = 200
const handshakeMs = 400
/** How long a connection may outlive its handshake's time: two spans of it, and what a busy machine adds. */
const goneWithinMs = 10_000
const target = '/api/v3/trade/place-order'
const certificates = [makeCertificate({ name: 'First' }), makeCertificate({ name: 'Second' })]
const ca = certificates.map(({ cert }) => cert)

const ways = [
  'silent',
  'cut off',
  'byte by byte',
  'changed',
  'garbage',
  'garbage in a record',
  'reset',
  'twice',
  'without TLS',
  'an old version',
  'nothing behind it',
  'garbage behind it',
] as const

export const handshakes: Scenario = {
  name: 'handshakes',
  holds: 'whatever others do in their handshakes, an order over TLS is answered, and none of them stays',
  async round({ seed }) {
    const random = new Random(seed)
    const tls = new Tls(certificates[0], handshakeMs)
    const house = await House.open({ tls })
    const url = new URL(await house.api.listen({ host: '127.0.0.1', port: 0 }))
    const port = Number(url.port)
    const hello = await clientHello()
    const sockets = new Set<Socket>()
    const timers: NodeJS.Timeout[] = []
    const counts: Record<string, number> = Object.fromEntries(ways.map((way) => [way, 0]))
    const keep = (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
      socket.resume()
      return socket
    }
    const attack = (way: (typeof ways)[number]) => {
      counts[way] += 1
      if (way === 'an old version' || way === 'nothing behind it' || way === 'garbage behind it') {
        const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
        const options = way === 'an old version' ? old : {}
        const secure = connectSecurely({ port, host: '127.0.0.1', ca, ...options })
        keep(secure)
        if (way !== 'an old version') secure.once('secureConnect', () => secure.destroySoon())
        if (way === 'garbage behind it') secure.write(bytesOf(random, 500))
        return
      }
      // Never leaves of its own accord.
      const socket = keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }))
      const part = hello.subarray(0, 1 + random.below(hello.length - 1))
      if (way === 'cut off') socket.write(part)
      if (way === 'twice') socket.write(Buffer.concat([hello, hello]))
      if (way === 'garbage') socket.write(bytesOf(random, 1 + random.below(2_000)))
      if (way === 'without TLS') socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n')
      if (way === 'reset') socket.write(part, () => socket.resetAndDestroy())
      if (way === 'garbage in a record') {
        const length = random.below(16_384)
        const head = Buffer.from([0x16, 3, random.below(5), length >> 8, length & 0xff])
        socket.write(Buffer.concat([head, bytesOf(random, length)]))
      }
      if (way === 'changed') {
        const changed = Buffer.from(hello)
        for (let flips = 1 + random.below(4); flips > 0; flips--)
          changed[random.below(hello.length)] ^= 1 << random.below(8)
        socket.write(changed)
      }
      if (way === 'byte by byte') {
        let at = 0
        timers.push(setInterval(() => socket.writable && socket.write(hello.subarray(at, (at += 1))), 15))
      }
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
    try {
      let orders = 0
      let renewals = 0
      const key = house.demoKey('unified-main')
      for (let done = 0; done < attackers; ) {
        for (let burst = 1 + random.below(30); burst > 0 && done < attackers; burst--, done++) {
          attack(ways[random.below(ways.length)])
        }
        if (random.below(4) === 0) tls.renew(certificates[(renewals += 1) % 2])
        const body = JSON.stringify({
          category: 'USDT-FUTURES',
          symbol: 'BTCUSDT',
          side: 'buy',
          orderType: 'limit',
          price: String(40_000 + random.below(10_000)),
          qty: '0.01',
        })
        const { headers } = house.signed(key, 'POST', target, body)
        const asked = {
          agent: random.below(2) === 0 ? agent : (false as const),
          ca,
          headers: headers as Record<string, string>,
        }
        const code = await answered(new URL(target, url), asked, body)
        if (code !== '00000') throw new Error(`an order over TLS is answered ${code}, seed ${seed}`)
        orders += 1
      }
      agent.destroy()
      const left = await leftAfter(house, goneWithinMs)
      if (left > 0) throw new Error(`${left} connections stay behind their handshakes, seed ${seed}`)
      if (house.trouble.length > 0) throw new Error(`the venue met trouble, seed ${seed}: ${String(house.trouble[0])}`)
      if (!(await house.runtime.verify()).balanced) throw new Error(`the books do not balance, seed ${seed}`)
      return { handshakes: attackers, ...counts, orders, 'new certificates': renewals }
    } finally {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      await house.close()
    }
  },
}

/** What a client of Node says first. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connectSecurely({ port: (server.address() as { port: number }).port, host: '127.0.0.1' })
  client.on('error', () => {})
  const [socket] = await accepted
  const [hello] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  server.close()
  return hello
}

function bytesOf(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

function answered(url: URL, options: object, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, method: 'POST' }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('end', () => resolve((JSON.parse(text) as { code: string }).code))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Connections that are still there, at the latest after so long. */
async function leftAfter({ api }: House, msMax: number): Promise<number> {
  const untilMs = performance.now() + msMax
  for (;;) {
    const left = await new Promise<number>((resolve) => {
      api.app.server.getConnections((_error, count) => resolve(count))
    })
    if (left === 0 || performance.now() > untilMs) return left
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
