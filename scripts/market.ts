/**
 * `npm run market -- [--hours N] [--seeds A,B] [--step-ms N]`: how the simulated market behaves over simulated hours, for each
 * seed: the whole demo venue in one process (test/simulator/whole-venue.ts), its usual parameters, no scenario. A day unless
 * told otherwise, in steps of a second.
 *
 * Prints   a table (docs/market.md has one): prices of the index and of trades by the minute, books, basis, funding, who gains
 * Exits    1 when the books do not hold, or a market had an hour without a trade
 */
import { parseArgs } from 'node:util'
import { observe, type Observed } from '../test/simulator/observed.ts'

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    seeds: { type: 'string', default: '1,2,3' },
    'step-ms': { type: 'string', default: '1000' },
  },
})
const hours = Number(values.hours)
const stepMs = Number(values['step-ms'])
const seeds = values.seeds.split(',').map(Number)
if (!(hours >= 1) || !(stepMs >= 100) || seeds.some((seed) => !Number.isSafeInteger(seed))) {
  console.error('usage: npm run market -- [--hours N] [--seeds A,B] [--step-ms N]')
  process.exit(2)
}

const observed: Observed[] = []
for (const seed of seeds) {
  const beganMs = performance.now()
  const market = await observe({ seed, hours, stepMs })
  observed.push(market)
  const seconds = (performance.now() - beganMs) / 1000
  process.stderr.write(`seed ${seed}: ${market.commands} commands, ${hours} hours in ${seconds.toFixed(0)} s\n`)
}

const rows = Object.keys(observed[0].figures).map((name) => [name, ...observed.map(({ figures }) => figures[name])])
const head = [`${hours} hours`, ...seeds.map((seed) => `seed ${seed}`)]
console.log(`| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`)
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
for (const fault of observed.flatMap(({ faults }) => faults)) {
  console.error(fault)
  process.exitCode = 1
}
