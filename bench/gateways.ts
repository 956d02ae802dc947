/**
 * One core with 1, 2 and 4 gateways against the venue in one process: `npm run bench -- gateways [--quick]`.
 *
 * Load      64 connections from this process, one signed request in flight on each: orders (each placed, then canceled; both
 *           count), private reads (an order), public reads (a book), for five seconds each
 * Figures   requests per second, and the processor time of a request in the core and in all gateways together. Where there are
 *           fewer cores than processes the rates say nothing of what more cores would give: the times do. `boundPerSecond`: what
 *           the busiest process would do with a core of its own, when gateways share the work evenly
 * Options   --quick: one second each, without four gateways
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Connection, type Exchange } from '../test/support/http.ts'
import { type Key, Person } from '../test/support/person.ts'
import { cpuSeconds } from './http/server.ts'
import { report, rounded } from './measure.ts'

const quick = process.argv.includes('--quick')
const seconds = quick ? 1 : 5
const connections = 64
const cli = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url))

/** Does one thing after the other until it is told to stop; answers how many requests that were. */
type Work = (person: Person, lane: number, isOver: () => boolean) => Promise<number>

const orders: Work = async (person, lane, isOver) => {
  let done = 0
  for (let count = 0; !isOver(); count++) {
    const clientOid = `${process.pid}-${lane}-${Date.now()}-${count}`
    const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.002', price: '1000' }
    const placed = await person.post('/api/v3/trade/place-order', { ...order, clientOid })
    if (placed.code !== '00000') throw new Error(placed.text)
    const { orderId } = placed.fields
    await person.post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })
    done += 2
  }
  return done
}

const reads =
  (target: string): Work =>
  async (person, _lane, isOver) => {
    let done = 0
    for (; !isOver(); done++) await person.get(target)
    return done
  }

const works: Readonly<Record<string, Work>> = {
  orders,
  'private reads': reads('/api/v3/account/settings'),
  'public reads': reads('/api/v3/market/orderbook?category=USDT-FUTURES&symbol=BTCUSDT&limit=50'),
}

for (const gateways of quick ? [0, 1, 2] : [0, 1, 2, 4]) await measure(gateways)

async function measure(gateways: number): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'tidemark-gateways-'))
  const flags = [
    '--port',
    '0',
    '--operator-port',
    '0',
    '--simulator',
    'off',
    '--no-rate-limits',
    '--log-level',
    'error',
  ]
  const venue = spawn(
    process.execPath,
    [cli, 'start', '--json', '--data', data, '--gateways', String(gateways), ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    const [line] = (await once(venue.stdout, 'data')) as [Buffer]
    const { url } = (JSON.parse(line.toString()) as { readonly ready: { readonly url: string } }).ready
    for (const [name, work] of Object.entries(works)) await measureWork(name, work, { gateways, url, data, venue })
  } finally {
    const over = once(venue, 'exit')
    venue.kill('SIGTERM')
    await over
    rmSync(data, { recursive: true, force: true })
  }
}

interface Measured {
  readonly gateways: number
  readonly url: string
  readonly data: string
  readonly venue: ChildProcess
}

async function measureWork(name: string, work: Work, { gateways, url, data, venue }: Measured): Promise<void> {
  const keys = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as (Key & { role: string; uid: string })[]
  const key = keys.find(({ role }) => role === 'unified-main')!
  const people = Array.from({ length: connections }, () => {
    const connection = new Connection(url)
    return new Person(
      { url, now: Date.now, exchange: (asked: Exchange) => connection.exchange(asked) },
      '',
      key.uid,
      key,
    )
  })
  const round = async (ms: number) => {
    const endMs = performance.now() + ms
    const done = await Promise.all(people.map((person, lane) => work(person, lane, () => performance.now() > endMs)))
    return done.reduce((sum, count) => sum + count, 0)
  }
  await round(seconds * 200)
  const { core, doors } = processesOf(venue.pid!, gateways)
  const before = { core: cpuSeconds(core), doors: doors.map(cpuSeconds) }
  const beganMs = performance.now()
  const count = await round(seconds * 1000)
  const tookS = (performance.now() - beganMs) / 1000
  const coreUs = ((cpuSeconds(core) - before.core) * 1e6) / count
  const doorsUs = doors.reduce((sum, pid, place) => sum + (cpuSeconds(pid) - before.doors[place]) * 1e6, 0) / count
  const busiestUs = Math.max(coreUs, gateways === 0 ? 0 : doorsUs / gateways)
  report({
    bench: 'gateways',
    case: `${name}, ${gateways === 0 ? 'one process' : `${gateways} gateways`}`,
    count,
    figures: {
      perSecond: rounded(count / tookS),
      coreUs: rounded(coreUs),
      gatewaysUs: rounded(doorsUs),
      boundPerSecond: rounded(1e6 / busiestUs),
    },
  })
}

function processesOf(pid: number, gateways: number): { readonly core: number; readonly doors: readonly number[] } {
  if (gateways === 0) return { core: pid, doors: [] }
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  const isCore = (child: number) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').includes('core')
  return { core: children.find(isCore)!, doors: children.filter((child) => !isCore(child)) }
}
