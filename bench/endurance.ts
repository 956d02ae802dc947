/**
 * A venue under steady load: what its process holds at intervals, and whether that grows.
 * `npm run endurance -- [--minutes N] [--load SHARE | --rate N] [--every SECONDS] [--connections N]`
 *
 * Load     that share of what the venue was seen to take just before, or that many orders a second, by the clock; orders that end
 *          at once, and beside them a trader who places, reads and cancels
 * Lines    one of JSON for each look, and one with the slopes; then a table for people on standard error
 * Slope    least squares over the looks after warm-up, the first third: until then the database fills its cache and the
 *          compiler settles
 * Holds    the median of resident memory in the last third is at most a twentieth above that in the middle one; no more
 *          files or sockets at the end than after warm-up; every cancel and read answered; else it exits with 1
 * Printed  heap and what is outside it: they are in resident memory, and swing by half with the collector
 */
import { parseArgs } from 'node:util'
import { FloodedVenue, type Held } from './http/flooded.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    load: { type: 'string', default: '0.3' },
    rate: { type: 'string' },
    every: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
})
const minutes = Number(values.minutes)
const load = Number(values.load)
const rateAsked = values.rate === undefined ? undefined : Number(values.rate)
const everyMs = Number(values.every) * 1_000
const connections = Number(values.connections)
if (
  !(
    minutes > 0 &&
    load > 0 &&
    (rateAsked ?? 1) > 0 &&
    everyMs > 0 &&
    connections > 0 &&
    minutes * 60_000 >= 10 * everyMs
  )
) {
  process.stderr.write(
    'usage: npm run endurance -- [--minutes N] [--load SHARE | --rate N] [--every SECONDS] [--connections N], for nine looks at least\n',
  )
  process.exit(2)
}

type Look = Held & { readonly atSeconds: number }

await using venue = await FloodedVenue.open()
const alone = await venue.capacity()
const rate = rateAsked ?? (load * alone.taken) / alone.seconds
const trading = await venue.trade()
const looks: Look[] = []
const startMs = performance.now()
const playing = venue.play({ connections, rate, seconds: minutes * 60 })
while (performance.now() - startMs < minutes * 60_000 - 2 * everyMs) {
  await new Promise((resolve) => setTimeout(resolve, everyMs))
  const look = { atSeconds: (performance.now() - startMs) / 1_000, ...(await venue.held()) }
  looks.push(look)
  print({ endurance: 'look', ...look })
}
const played = await playing
const traded = await trading.stop()

const warm = looks.slice(Math.floor(looks.length / 3))
const middle = warm.slice(0, Math.floor(warm.length / 2))
const last = warm.slice(Math.floor(warm.length / 2))
const names = ['rssMb', 'heapUsedMb', 'externalMb', 'files', 'sockets'] as const
const rows = names.map((name) => ({
  name,
  middle: median(middle.map((look) => look[name])),
  last: median(last.map((look) => look[name])),
  perHour: slope(warm.map((look) => [look.atSeconds / 3_600, look[name]])),
}))
print({
  endurance: 'slopes',
  minutes,
  load: rateAsked === undefined ? load : undefined,
  rate,
  ordersPerSecond: played.taken / played.seconds,
  refused: played.refused,
  perHour: Object.fromEntries(rows.map(({ name, perHour }) => [name, perHour])),
})

/** How much more it may be in the last third. */
const growthMax: Partial<Record<string, number>> = { rssMb: 1.05, files: 1, sockets: 1 }
const grown = rows.filter(({ name, middle: before, last: after }) => after > (growthMax[name] ?? Infinity) * before)
const faults = [
  ...grown.map(({ name }) => `${name} grows`),
  traded.failed.cancel > 0 && 'a cancel was refused',
  traded.failed.read > 0 && 'a read was refused',
  played.broken > 0 && 'connections were lost',
  !(await venue.balances()) && 'the books do not balance',
].filter((fault) => fault !== false)
const figure = (value: number) => value.toFixed(1).padStart(12)
process.stderr.write(
  [
    `\n${played.taken} orders in ${minutes} minutes, ${played.refused} refused; p50 ${played.takenP50Ms.toFixed(1)} ms, p99 ${played.takenP99Ms.toFixed(1)} ms`,
    `${''.padEnd(12)}${'middle'.padStart(12)}${'last third'.padStart(12)}${'an hour'.padStart(12)}`,
    ...rows.map((row) => row.name.padEnd(12) + figure(row.middle) + figure(row.last) + figure(row.perHour)),
    faults.length === 0 ? 'held' : `did not hold: ${faults.join(', ')}`,
    '',
  ].join('\n'),
)
process.exitCode = faults.length === 0 ? 0 : 1

/** Of the line with the least squares through points of x and y. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

function print(line: object): void {
  process.stdout.write(
    `${JSON.stringify(line, (_key, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value))}\n`,
  )
}
