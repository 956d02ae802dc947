/**
 * `npm run replication [-- SEEDS [FIRST]]`: lives of cores and gateways that share a log, each with everything going wrong
 * (test/replication/life.ts). 100,000 seeds, or as many as ten minutes take; one line for each that fails, and how to repeat it.
 */
import { live } from '../test/replication/life.ts'

const minutesMax = 10
const seeds = Number(process.argv[2] ?? 100_000)
const first = Number(process.argv[3] ?? 1)
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
