/**
 * Clients that hold on to sockets: slow, silent, broken off, piled up. Afterwards the venue answers, has let go of every
 * socket, and the second round of the same costs no more memory than the first.
 *
 * Real       a venue from the command line, sockets on loopback
 * Seeded     by the index of each connection; nothing here depends on how fast the machine is
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Person, sign } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

let venue: Venue
let alice: Person
let pid: number
let port: number

beforeAll(async () => {
  venue = await startVenue({
    environment: {
      TIDEMARK_CONNECTIONS_PER_ADDRESS_MAX: '5000',
      TIDEMARK_STREAM_CONNECTIONS_PER_ADDRESS_MAX: '1000',
    },
  })
  alice = await venue.person('Alice', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  const server = JSON.parse(readFileSync(join(venue.directory, 'server.json'), 'utf8')) as { pid: number }
  pid = server.pid
  port = Number(new URL(venue.url).port)
})

afterAll(async () => {
  await venue?.remove()
})

async function open(): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

function many<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

/** Everything that comes until the other side closes. */
async function answerOf(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  await once(socket, 'close')
  return received
}

const order = JSON.stringify({
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  qty: '0.01',
  price: '50000',
  side: 'buy',
  orderType: 'limit',
})

/** A signed order as it stands on the wire. */
function signedOrder(extra = ''): string {
  const timestamp = String(Date.now())
  const { apiKey, secret, passphrase } = alice.key
  const path = '/api/v3/trade/place-order'
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    `content-length: ${order.length}`,
    `access-key: ${apiKey}`,
    `access-sign: ${sign(secret, timestamp, 'POST', path, order)}`,
    `access-timestamp: ${timestamp}`,
    `access-passphrase: ${passphrase}`,
  ]
  return `${head.join('\r\n')}\r\n${extra}\r\n${order}`
}

async function openOrders(): Promise<number> {
  const answer = await alice.get('/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES', limit: 100 })
  return answer.list('list').length
}

async function cancelAll(): Promise<void> {
  await alice.post('/api/v3/trade/cancel-symbol-order', { category: 'USDT-FUTURES' })
}

const isAnswering = async () => expect((await venue.get('/api/v2/public/time')).status).toBe(200)

/** What clients do; each leaves nothing behind. */
const attacks: readonly (readonly [string, () => Promise<void>])[] = [
  [
    '300 that send a header and then nothing',
    async () => {
      const sockets = await many(300, open)
      for (const [index, socket] of sockets.entries())
        socket.write(`GET /api/v2/public/time HTTP/1.1\r\nhost: x\r\nx-slow: ${'a'.repeat(index)}`)
      await isAnswering()
      for (const socket of sockets) socket.destroy()
    },
  ],
  [
    '100 that send a signed order byte by byte, and never the last one',
    async () => {
      const sockets = await many(100, open)
      const bytes = signedOrder()
      for (let at = 0; at < bytes.length - 1; at += 40) {
        for (const socket of sockets) socket.write(bytes.slice(at, Math.min(at + 40, bytes.length - 1)))
        await new Promise(setImmediate)
      }
      await isAnswering()
      for (const socket of sockets) socket.destroy()
      expect(await openOrders()).toBe(0)
    },
  ],
  [
    'one that sends a signed order byte by byte to the end',
    async () => {
      const socket = await open()
      const answered = once(socket, 'data') as Promise<[Buffer]>
      for (const byte of signedOrder()) {
        socket.write(byte)
        await new Promise(setImmediate)
      }
      expect(String((await answered)[0])).toContain('"code":"00000"')
      socket.destroy()
      await cancelAll()
    },
  ],
  [
    '2,000 that say nothing',
    async () => {
      const sockets = await many(2_000, open)
      await isAnswering()
      for (const socket of sockets) socket.destroy()
    },
  ],
  [
    '200 that reset before the body, 200 in it, 200 behind it',
    async () => {
      await many(600, async (index) => {
        const socket = await open()
        const bytes = signedOrder()
        const head = bytes.indexOf('\r\n\r\n') + 4
        const end = index % 3 === 0 ? head : index % 3 === 1 ? head + 20 : bytes.length
        await new Promise((written) => socket.write(bytes.slice(0, end), written))
        socket.resetAndDestroy()
      })
      // Of those that were whole some were taken; none of the others can be.
      expect(await openOrders()).toBeLessThanOrEqual(200)
      await isAnswering()
      await cancelAll()
    },
  ],
  [
    '100 half open: the end of the stream right behind the request, and in the middle of it',
    async () => {
      const texts = await many(100, async (index) => {
        const socket = await open()
        const bytes = signedOrder()
        const answer = answerOf(socket)
        socket.end(index % 2 === 0 ? bytes : bytes.slice(0, -5))
        return answer
      })
      for (const [index, text] of texts.entries()) {
        if (index % 2 === 0) expect(text).toContain('"code":"00000"')
        else expect(text).not.toContain('"code":"00000"')
      }
      await cancelAll()
    },
  ],
  [
    'one that sends 300 requests without waiting for an answer: they come in order',
    async () => {
      const socket = await open()
      const answer = answerOf(socket)
      const asked = Array.from({ length: 300 }, (_, index) =>
        index % 2 === 0 ? '/api/v2/public/time' : `/nothing/${index}`,
      )
      socket.write(asked.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
      socket.write('GET /api/v2/public/time HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
      expect(statuses).toEqual([...asked.map((path) => (path.startsWith('/nothing') ? '404' : '200')), '200'])
    },
  ],
  [
    'one that sends 400 signed orders without waiting, beyond what an account may have open',
    async () => {
      const codes: string[] = []
      const count = (code: string) => codes.filter((candidate) => candidate === code).length
      // What a busy machine has no time for is refused, and sent again.
      for (let left = 410; left > 0; left = 410 - count('00000') - count('40761')) {
        const socket = await open()
        const answer = answerOf(socket)
        socket.write(Array.from({ length: left - 1 }, () => signedOrder()).join(''))
        socket.write(signedOrder('connection: close\r\n'))
        const answered = [...(await answer).matchAll(/"code":"(\d+)"/g)].map(([, code]) => code)
        expect(answered).toHaveLength(left)
        expect(['00000', '40761', '40015']).toEqual(expect.arrayContaining(answered))
        codes.push(...answered)
      }
      expect(count('00000')).toBe(400)
      expect(count('40761')).toBe(10)
      await cancelAll()
    },
  ],
  [
    'headers that are too large, too many, twice there',
    async () => {
      const cases: readonly (readonly [string, number])[] = [
        [`x: ${'a'.repeat(20_000)}\r\n`, 431],
        [Array.from({ length: 3_000 }, (_, index) => `h${index}: 1\r\n`).join(''), 431],
        ['access-key: other\r\n', 400],
        ['access-sign: other\r\n', 400],
        ['access-timestamp: 1\r\n', 400],
        ['content-length: 3\r\n', 400],
        ['transfer-encoding: chunked\r\n', 400],
        ['x\u0000y: 1\r\n', 400],
        [' folded: 1\r\n', 400],
      ]
      for (const [extra, status] of cases) {
        const socket = await open()
        const answer = answerOf(socket)
        socket.end(signedOrder(extra), 'latin1')
        const text = await answer
        expect(text.slice(0, 12), extra.slice(0, 40)).toBe(`HTTP/1.1 ${status}`)
        expect(text).toMatch(/\{"code":"\d+","msg":"[^"]+","requestTime":\d+,"data":null\}$/)
      }
      expect(await openOrders()).toBe(0)
    },
  ],
  [
    '200 sockets that watch everything and read nothing, while orders come',
    async () => {
      const sockets = await many(200, async () => {
        const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/v3/ws/public`)
        socket.on('error', () => {})
        await once(socket, 'open')
        const args = ['ticker', 'books', 'books50', 'publicTrade'].map((topic) => ({
          instType: 'usdt-futures',
          topic,
          symbol: 'BTCUSDT',
        }))
        socket.send(JSON.stringify({ op: 'subscribe', args }))
        await once(socket, 'message')
        socket.pause()
        return socket
      })
      for (let count = 0; count < 100; count++) await alice.post('/api/v3/trade/place-order', order)
      await isAnswering()
      for (const socket of sockets) socket.terminate()
      await cancelAll()
    },
  ],
]

const socketsOf = (of: number) => readdirSync(`/proc/${of}/fd`).length
const isLinux = process.platform === 'linux'

describe('each leaves the venue as it was', () => {
  test.each(attacks)('%s', { timeout: 180_000 }, async (_, attack) => {
    await attack()
    await isAnswering()
    const { balanced } = await venue.operator<{ balanced: boolean }>('verify')
    expect(balanced).toBe(true)
  })

  test.runIf(isLinux)('all of it again takes no more memory and no more sockets', { timeout: 300_000 }, async () => {
    const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
    await vi.waitFor(() => expect(socketsOf(pid)).toBeLessThan(150), 60_000)
    const first = { mb: residentMb(), sockets: socketsOf(pid) }
    for (const [, attack] of attacks) await attack()
    await vi.waitFor(() => expect(socketsOf(pid)).toBeLessThanOrEqual(first.sockets + 20), 60_000)
    process.stdout.write(
      `sockets: ${first.mb.toFixed(0)} MB after the first round, ${residentMb().toFixed(0)} MB after the second\n`,
    )
    // Room for what V8 has not given back yet; a leak of one request each would show several times over.
    expect(residentMb()).toBeLessThan(1.3 * first.mb + 30)
  })
})

/** Whether a socket that was opened is kept, or turned away without a word. */
async function isKept(socket: Socket): Promise<boolean> {
  const answered = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
    if (socket.destroyed) resolve(false)
  })
  socket.write('GET /api/v2/public/time HTTP/1.1\r\nhost: x\r\n\r\n')
  return answered
}

describe('more than there is room for', () => {
  const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))

  test('beyond `connectionsMax` a connection is closed, and there is room again when others go', async () => {
    const small = await startVenue({ environment: { TIDEMARK_CONNECTIONS_MAX: '20' } })
    try {
      const to = { port: Number(new URL(small.url).port), host: '127.0.0.1' }
      const sockets = await many(40, async () => {
        const socket = connect(to)
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      })
      const kept = await Promise.all(sockets.map(isKept))
      expect(kept.filter(Boolean).length).toBeGreaterThanOrEqual(19)
      expect(kept.filter(Boolean).length).toBeLessThanOrEqual(20)
      // The operator has a door of its own.
      expect(await small.operator('status')).toMatchObject({ status: 'ok' })
      for (const socket of sockets) socket.destroy()
      await vi.waitFor(async () => expect((await fetch(`${small.url}/api/v2/public/time`)).status).toBe(200), 10_000)
    } finally {
      await small.remove()
    }
  })

  test.runIf(isLinux)(
    'connections never take the files that the venue itself needs',
    { timeout: 120_000 },
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'tidemark-files-'))
      const flags = `start --data ${data} --port 0 --operator-port 0 --connections-per-address-max 1000 --simulator off --durability os --no-rate-limits`
      const child = spawn('bash', ['-c', `ulimit -n 400; exec ${process.execPath} ${cli} ${flags}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      try {
        let out = ''
        child.stdout.on('data', (chunk) => (out += String(chunk)))
        await vi.waitFor(() => expect(out).toContain('ready http://'), 30_000)
        const { url, operatorUrl } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as {
          url: string
          operatorUrl: string
        }
        const sockets = Array.from({ length: 600 }, () =>
          connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}),
        )
        await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
        const authorization = `Bearer ${readFileSync(join(data, 'operator-token'), 'utf8').trim()}`
        const answer = await fetch(`${operatorUrl}/operator/snapshots`, {
          method: 'POST',
          body: '{}',
          headers: { authorization },
        })
        expect(await answer.json()).toMatchObject({ ok: true })
        for (const socket of sockets) socket.destroy()
      } finally {
        child.kill('SIGKILL')
        await once(child, 'exit')
        rmSync(data, { recursive: true, force: true })
      }
    },
  )
})
