/**
 * `npm run soak -- --minutes N [--seed S] [--lives L] [--kind full|busy]`: lives of the simulated venue (test/simulation/), one after
 * another, each with a seed of its own, for two minutes unless told otherwise.
 *
 * Prints   seed, commands, crashes, simulated hours and speed, now and then and at the end
 * Exits    1 at the first fault, with the command that repeats it
 */
import { parseArgs } from 'node:util'
import { runLives, type Total } from '../test/simulation/runs.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    lives: { type: 'string' },
    kind: { type: 'string', default: 'full' },
  },
})
const minutes = Number(values.minutes)
const lives = values.lives === undefined ? Number.POSITIVE_INFINITY : Number(values.lives)
const kind = values.kind === 'busy' ? 'busy' : 'full'
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(values.seed)
if (!['full', 'busy'].includes(values.kind) || !(minutes > 0) || !(lives > 0) || !Number.isSafeInteger(seed)) {
  console.error('usage: npm run soak -- [--minutes N] [--seed S] [--lives L] [--kind full|busy]')
  process.exit(2)
}

const startedMs = performance.now()
const elapsedMs = () => performance.now() - startedMs
let last: Total | undefined
let reportedMs = 0

try {
  console.log(`from seed ${seed}`)
  const total = await runLives(seed, {
    kind,
    until: (sofar) => {
      last = sofar
      return sofar.lives >= lives || elapsedMs() >= minutes * 60_000
    },
    onLife: () => {
      if (last === undefined || elapsedMs() - reportedMs < 15_000) return
      reportedMs = elapsedMs()
      console.log(line(last))
    },
  })
  console.log(line(total))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function line(total: Total): string {
  const seconds = elapsedMs() / 1000
  const hours = total.simulatedMs / 3_600_000
  return [
    `seeds ${seed} to ${seed + total.lives - 1}: ${total.commands} commands in ${Math.round(seconds)} s`,
    `(${Math.round(total.commands / seconds)}/s)`,
    `${total.fills} fills, ${total.cuts} power cuts, ${total.restarts} restarts, ${total.diskFaults} disk faults`,
    `${total.poisoned} poisoned, ${total.replayed} replayed, ${total.snapshots} snapshots`,
    `${hours.toFixed(0)} simulated hours, ${Math.round((hours * 3600) / seconds)} times as fast as real time`,
  ].join(', ')
}
