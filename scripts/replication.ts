/**
 * `npm run replication [-- SEEDS [FIRST]] [--minutes=M]`: lives of cores and gateways that share a log, each with everything going
 * wrong (test/replication/life.ts). 100,000 seeds from 1, or as many as ten minutes take.
 *
 * Tells   one line for each that fails, and how to repeat it; at the end one line of JSON: how many were lived, and what came about
 * Exits   1 when one failed; 2 when it is asked wrongly
 */
import { parseArgs } from 'node:util'
import { live } from '../test/replication/life.ts'

const { seeds, first, minutesMax } = readAsked()
const endMs = performance.now() + minutesMax * 60_000
const sum: Record<string, number> = {}
let seed = first
for (; seed < first + seeds && performance.now() < endMs; seed++) {
  try {
    for (const [name, count] of Object.entries(await live(seed))) sum[name] = (sum[name] ?? 0) + count
  } catch (error) {
    process.exitCode = 1
    console.log(`${(error as Error).message.replaceAll('\n', ' ')}; again: npm run replication -- 1 ${seed}`)
  }
}
console.log(JSON.stringify({ first, seeds: seed - first, ...sum }))

function readAsked() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { minutes: { type: 'string' } } })
    const [count = '100000', begin = '1', ...more] = positionals
    if (more.length > 0) throw new Error(`${more.join(' ')}: nothing stands behind FIRST`)
    return {
      seeds: whole('SEEDS', count),
      first: whole('FIRST', begin),
      minutesMax: whole('--minutes', values.minutes ?? '10'),
    }
  } catch (error) {
    console.error((error as Error).message.split('.')[0])
    process.exit(2)
  }
}

function whole(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${name} "${text}": must be a whole number from 1`)
}
