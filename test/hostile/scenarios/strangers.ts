/**
 * People without a key who ask for everything that needs none, faster than it can be answered, and read nothing of it: on
 * every public path and on both ways into the venue, while somebody trades.
 *
 * Venue      a process of its own, with the limits that it has by default; its memory and open files are the system's word
 * Seeded     which paths each connection asks for, on which way, how much, and in what pieces
 * Memory     grows by what is begun at once, never by what was sent
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { endpoints } from '../../../src/api/api.ts'
import { startVenue } from '../../support/venue.ts'
import type { Scenario } from './scenario.ts'

const connections = 48
const bytesMax = 1_000_000
const orders = 8
const memoryMbMax = 100
const filesMax = 500

const pages = [
  '/',
  '/docs',
  '/docs/json',
  '/docs/static/swagger-ui-bundle.js',
  '/api/openapi.json',
  '/health',
  '/metrics',
]
const query = 'category=USDT-FUTURES&productType=USDT-FUTURES&symbol=BTCUSDT&coin=USDT&granularity=1m&interval=1m'
const open = endpoints.filter(({ access, method }) => access === 'public' && method === 'GET')
const paths = [...pages, '/nothing', '/terminal/demo-accounts', ...open.map(({ path }) => `${path}?${query}`)]
const order = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', qty: '0.001', price: '50000' }

export const strangers: Scenario = {
  name: 'strangers',
  holds:
    'while people without a key ask for everything and read nothing, orders are taken, and memory and files are bounded',
  async round({ seed }) {
    const generator = xoroshiro128plus(seed)
    const upTo = (most: number) => uniformInt(generator, 0, most)
    const venue = await startVenue({ rateLimits: true })
    const sockets: Socket[] = []
    try {
      const { pid, url } = JSON.parse(readFileSync(join(venue.directory, 'server.json'), 'utf8')) as Server
      const alice = await venue.person('Alice', { funds: { uta: { USDT: '1000000' } } })
      const before = held(pid)
      const most = { ...before }
      const look = () => {
        const now = held(pid)
        most.memoryMb = Math.max(most.memoryMb, now.memoryMb)
        most.files = Math.max(most.files, now.files)
      }
      let sent = 0
      for (let count = 0; count < connections; count++) {
        const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
        socket.on('error', () => {})
        socket.pause()
        sockets.push(socket)
        await once(socket, 'connect')
        const path = paths[upTo(paths.length - 1)] ?? '/'
        const more = upTo(1) === 0 ? '' : 'te: trailers\r\n'
        const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
        const bytes = request.repeat(Math.ceil(upTo(bytesMax) / request.length) + 1)
        const cut = upTo(bytes.length)
        socket.write(bytes.slice(0, cut))
        socket.write(bytes.slice(cut))
        sent += bytes.length / request.length
      }
      for (let count = 0; count < orders; count++) {
        const answer = await alice.post('/api/v3/trade/place-order', order)
        if (answer.code !== '00000') throw new Error(`an order was refused while strangers asked: ${answer.text}`)
        look()
      }
      if ((await venue.get('/health')).status !== 200) throw new Error('the venue did not say that it is well')
      const grown = { memoryMb: most.memoryMb - before.memoryMb, files: most.files - before.files }
      if (grown.memoryMb > memoryMbMax) throw new Error(`memory grew by ${grown.memoryMb.toFixed(0)} MB`)
      if (grown.files > filesMax) throw new Error(`${grown.files} more files were open`)
      const { balanced } = await venue.operator<{ balanced: boolean }>('verify')
      if (!balanced) throw new Error('the books do not balance')
      return { requests: Math.round(sent), orders }
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : String(cause)}, seed ${seed}`, { cause })
    } finally {
      for (const socket of sockets) socket.destroy()
      await venue.remove()
    }
  },
}

interface Server {
  readonly pid: number
  readonly url: string
}

/** As the system says it; nothing where it does not. */
function held(pid: number): { memoryMb: number; files: number } {
  if (process.platform !== 'linux') return { memoryMb: 0, files: 0 }
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { memoryMb: Number(kb) / 1_024, files: readdirSync(`/proc/${pid}/fd`).length }
}
