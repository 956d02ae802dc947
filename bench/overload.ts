/**
 * Five times what the venue can take: how much of its throughput it keeps, how it refuses the rest, and whether cancels and
 * reads are served meanwhile. `npm run overload -- [--seconds N] [--times N] [--connections N]`
 *
 * Venue      from the command line, durable, without rate limits and simulator, pinned to core 0; the flood to core 1
 * Capacity   orders a second over 64 connections that wait for their answers
 * Flood      so many times that, by the clock, over many connections; orders that end at once, so that nothing piles up
 * Beside it  a trader with a connection of its own, in turns: place, read, cancel
 * Holds      four fifths of the capacity, memory that does not grow, every cancel and read answered; else it exits with 1
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Person } from '../test/support/person.ts'
import { startVenue } from '../test/support/venue.ts'
import type { Flood, FloodMeasured } from './http/flood.ts'
import { quantile } from './measure.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    times: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1024' },
  },
})
const seconds = Number(values.seconds)
const path = '/api/v2/mix/order/place-order'
const peopleCount = 64

await using cleanUp = new AsyncDisposableStack()
const venue = await startVenue({ durability: 'sync', rateLimits: false, simulator: false })
cleanUp.defer(() => venue.remove())
const { pid, url } = JSON.parse(readFileSync(join(venue.directory, 'server.json'), 'utf8')) as {
  pid: number
  url: string
}
const generator = fork(fileURLToPath(new URL('http/flood.ts', import.meta.url)))
cleanUp.defer(() => generator.disconnect())
pin(pid, '0')
pin(generator.pid, '1')

const people: Person[] = []
while (people.length < peopleCount) {
  people.push(await venue.person(`person ${people.length}`, { funds: { uta: { USDT: '1000000' } } }))
}
const trader = await venue.person('trader', { funds: { uta: { USDT: '1000000' } } })

const flooding = {
  port: Number(new URL(url).port),
  path,
  keys: people.map(({ key }) => key),
  bodies: people.map(orderOf),
}
await play({ ...flooding, connections: 64, rate: 0, seconds: 5 })
const alone = await play({ ...flooding, connections: 64, rate: 0, seconds: 10 })
const capacity = alone.taken / alone.seconds
const capacityCpu = alone.taken / alone.cpuS
say(`capacity ${round(capacity)} orders a second, p50 ${ms(alone.takenP50Ms)}, p99 ${ms(alone.takenP99Ms)}`)

const memory: number[] = []
const watch = setInterval(() => memory.push(residentMb(pid)), 500)
const trading = trade()
const flood = await play({
  ...flooding,
  connections: Number(values.connections),
  rate: capacity * Number(values.times),
  seconds,
})
trading.stop()
const traded = await trading.done
clearInterval(watch)
const goodput = flood.taken / flood.seconds
const quarter = (from: number) =>
  quantile(memory.slice(from * (memory.length / 4), (from + 1) * (memory.length / 4)), 0.5)

say(
  `offered ${round(flood.offered / flood.seconds)} a second over ${values.connections} connections for ${round(flood.seconds)} s`,
)
say(
  `taken ${round(goodput)} a second (${round((100 * goodput) / capacity)} % of capacity), p50 ${ms(flood.takenP50Ms)}, p99 ${ms(flood.takenP99Ms)}`,
)
say(
  `by processor time: ${round(flood.taken / flood.cpuS)} orders a second of ${round(capacityCpu)} (${round((100 * flood.taken) / flood.cpuS / capacityCpu)} %), which it had for ${round((100 * flood.cpuS) / flood.seconds)} % of the time`,
)
say(
  `refused ${round(flood.refused / flood.seconds)} a second ${JSON.stringify(flood.codes)}, p50 ${ms(flood.refusedP50Ms)}, p99 ${ms(flood.refusedP99Ms)}; connections lost ${flood.broken}`,
)
for (const [what, times] of Object.entries(traded.ms)) {
  say(`beside it: ${what} ${times.length} served, p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}`)
}
say(`beside it: ${JSON.stringify(traded.failed)} refused`)
say(`memory ${round(quarter(1))} MB in the second quarter, ${round(quarter(3))} MB in the last`)
const after = await play({ ...flooding, connections: 64, rate: 0, seconds: 5 })
say(`afterwards ${round(after.taken / after.seconds)} orders a second, ${round(residentMb(pid))} MB`)
const { balanced } = await venue.operator<{ balanced: boolean }>('verify')

const faults = [
  goodput < 0.8 * capacity && 'less than four fifths of the capacity',
  quarter(3) > 1.15 * quarter(1) && 'memory grows',
  traded.failed.cancel > 0 && 'a cancel was refused',
  traded.failed.read > 0 && 'a read was refused',
  flood.broken > 0 && 'connections were lost',
  !balanced && 'the books do not balance',
].filter((one) => one !== false)
say(faults.length === 0 ? 'held' : `did not hold: ${faults.join(', ')}`)
process.exitCode = faults.length === 0 ? 0 : 1

function orderOf(_person: Person, index: number): string {
  const order = {
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    marginMode: 'crossed',
    marginCoin: 'USDT',
    size: '0.001',
  }
  return JSON.stringify({ ...order, price: String(50_000 + index), side: 'buy', orderType: 'limit', force: 'ioc' })
}

/** With the processor time that the venue used meanwhile. */
async function play(asked: Flood): Promise<FloodMeasured & { readonly cpuS: number }> {
  const answered = once(generator, 'message') as Promise<[FloodMeasured]>
  const before = cpuSeconds(pid)
  generator.send(asked)
  const [measured] = await answered
  return { ...measured, cpuS: cpuSeconds(pid) - before }
}

/** Places, reads and cancels in turns until it is stopped. */
function trade() {
  const times: Record<'place' | 'read' | 'cancel', number[]> = { place: [], read: [], cancel: [] }
  const failed = { place: 0, read: 0, cancel: 0 }
  let stopped = false
  const timed = async (what: 'place' | 'read' | 'cancel', act: () => ReturnType<Person['get']>) => {
    const startMs = performance.now()
    const answer = await act()
    if (answer.code === '00000') times[what].push(performance.now() - startMs)
    else failed[what] += 1
    return answer
  }
  const turns = async () => {
    const named = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const order = {
      ...named,
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '0.001',
      price: '40000',
      side: 'buy',
      orderType: 'limit',
    }
    while (!stopped) {
      const placed = await timed('place', () => trader.post(path, order))
      await timed('read', () => trader.get('/api/v2/mix/order/orders-pending', named))
      if (placed.code !== '00000') continue
      const { orderId } = placed.fields
      await timed('cancel', () => trader.post('/api/v2/mix/order/cancel-order', { ...named, orderId }))
    }
    return { ms: times, failed }
  }
  return { done: turns(), stop: () => (stopped = true) }
}

/** Of all threads of a process since it began. */
function cpuSeconds(of: number): number {
  const fields = readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function residentMb(of: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of}/status`, 'utf8')) ?? []
  return Number(kb) / 1_024
}

/** All threads of a process onto one core, where that can be done. */
function pin(of: number | undefined, core: string): void {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(of)], { stdio: 'ignore' })
  } catch {
    say('not pinned')
  }
}

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

/** Of nothing: a dash. */
function ms(value: number | undefined): string {
  return value === undefined ? '-' : `${value.toFixed(1)} ms`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
