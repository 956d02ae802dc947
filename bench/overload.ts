/**
 * Five times what the venue can take: how much of its throughput it keeps, how it refuses the rest, and whether cancels and
 * reads are served meanwhile. `npm run overload -- [--seconds N] [--times N] [--connections N]`
 *
 * Capacity   orders a second over 64 connections that wait for their answers
 * Flood      so many times that, by the clock, over many connections
 * Share      of the capacity by the clock, and by the processor time that the venue had: others use the machine too, and
 *            what they leave changes from one minute to the next
 * Holds      four fifths of the capacity by processor time, memory that does not grow in the second half (a heap has its size
 *            after some two million orders: less than four minutes say little of it), every cancel and read answered; else
 *            it exits with 1
 */
import { parseArgs } from 'node:util'
import { FloodedVenue } from './http/flooded.ts'
import { quantile } from './measure.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '240' },
    times: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1024' },
  },
})
const seconds = Number(values.seconds)
const times = Number(values.times)
const connections = Number(values.connections)
if (!(seconds > 0 && times > 0 && connections > 0)) {
  process.stderr.write('usage: npm run overload -- [--seconds N] [--times N] [--connections N]\n')
  process.exit(2)
}

await using venue = await FloodedVenue.open()
const alone = await venue.capacity()
const capacity = alone.taken / alone.seconds
const capacityByCpu = alone.taken / alone.cpuSeconds
say(`capacity ${round(capacity)} orders a second, p50 ${ms(alone.takenP50Ms)}, p99 ${ms(alone.takenP99Ms)}`)

const memory: number[] = []
const watch = setInterval(() => memory.push(venue.residentMb()), 500)
const trading = await venue.trade()
const flood = await venue.play({ connections, rate: capacity * times, seconds })
const traded = await trading.stop()
clearInterval(watch)
const goodput = flood.taken / flood.seconds
const goodputByCpu = flood.taken / flood.cpuSeconds
const quarter = (from: number) =>
  quantile(memory.slice(from * (memory.length / 4), (from + 1) * (memory.length / 4)), 0.5)

say(`offered ${round(flood.offered / flood.seconds)} a second over ${connections} connections for ${round(seconds)} s`)
say(
  `taken ${round(goodput)} a second (${percent(goodput / capacity)} of capacity), p50 ${ms(flood.takenP50Ms)}, p99 ${ms(flood.takenP99Ms)}`,
)
say(
  `by processor time: ${round(goodputByCpu)} of ${round(capacityByCpu)} orders a second (${percent(goodputByCpu / capacityByCpu)}); it had a processor for ${percent(flood.cpuSeconds / flood.seconds)} of the time`,
)
say(
  `refused ${round(flood.refused / flood.seconds)} a second ${JSON.stringify(flood.codes)}, p50 ${ms(flood.refusedP50Ms)}, p99 ${ms(flood.refusedP99Ms)}; connections lost ${flood.broken}`,
)
for (const [what, took] of Object.entries(traded.ms)) {
  say(`beside it: ${what} ${took.length} served, p50 ${ms(quantile(took, 0.5))}, p99 ${ms(quantile(took, 0.99))}`)
}
say(`beside it: ${JSON.stringify(traded.failed)} refused`)
say(`memory ${round(quarter(1))} MB in the second quarter, ${round(quarter(3))} MB in the last`)
const after = await venue.play({ connections: 64, rate: 0, seconds: 5 })
say(`afterwards ${round(after.taken / after.seconds)} orders a second, ${round(venue.residentMb())} MB`)

const faults = [
  goodputByCpu < 0.8 * capacityByCpu && 'less than four fifths of the capacity',
  quarter(3) > 1.15 * quarter(1) && 'memory grows',
  traded.failed.cancel > 0 && 'a cancel was refused',
  traded.failed.read > 0 && 'a read was refused',
  flood.broken > 0 && 'connections were lost',
  !(await venue.balances()) && 'the books do not balance',
].filter((fault) => fault !== false)
say(faults.length === 0 ? 'held' : `did not hold: ${faults.join(', ')}`)
process.exitCode = faults.length === 0 ? 0 : 1

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

function percent(share: number): string {
  return `${round(100 * share)} %`
}

/** Of nothing: a dash. */
function ms(value: number | undefined): string {
  return value === undefined ? '-' : `${value.toFixed(1)} ms`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
