/**
 * `npm run demo-journal -- --out DIR [--commands N] [--seed S]`: the journal of a demo venue, made in minutes for days of its clock
 * (test/replay/demo-journal.ts): trading, loans, funding, liquidations, deliveries. For `npm run replay-hash -- --journal DIR`.
 *
 * Prints   how far it is, now and then
 * Refuses  a directory that has a journal
 */
import { parseArgs } from 'node:util'
import { recordDemoVenue } from '../test/replay/demo-journal.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    commands: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
})
const directory = values.out
const commands = Number(values.commands)
const seed = Number(values.seed)
if (directory === undefined || !(commands >= 1) || !Number.isSafeInteger(commands) || !Number.isSafeInteger(seed)) {
  console.error('usage: npm run demo-journal -- --out DIR [--commands N] [--seed S]')
  process.exit(2)
}

const beganMs = performance.now()
const onSession = (sofar: number, at: number) => {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0)
  console.log(`${sofar} commands up to ${new Date(at).toISOString()}, in ${seconds} s`)
}
await recordDemoVenue({ directory, commands, seed, onSession })
