/**
 * `npm run model -- [--commands N] [--seed S] [--from ROUND] [--shard K/M] [--scene NAME]`: the engine against the reference
 * model for as long as one likes, compared to the unit after every command; a million commands unless told otherwise.
 *
 * Rounds    one life of each scene (test/reference-model/scenes.ts) with the seed S + the number of the round
 * Resumes   `--from ROUND` goes on where a run was stopped; the last line that it printed names the round
 * Shards    `--shard 2/4` takes every fourth round, beginning with the second: four processes share the work
 * Fails     1 when anything differs, with what it was and the command that repeats that one life
 */
import { parseArgs } from 'node:util'
import { scenes } from '../test/reference-model/scenes.ts'
import { Life, type Tally } from '../test/reference-model/run.ts'

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '20261121' },
    from: { type: 'string', default: '1' },
    shard: { type: 'string', default: '1/1' },
    scene: { type: 'string' },
  },
})
const [shard, shards] = values.shard.split('/').map(Number)
const [commands, seed, from] = [values.commands, values.seed, values.from].map(Number)
const meant = scenes.filter(({ name }) => values.scene === undefined || name === values.scene)
const numbers = [commands, seed, from, shard, shards]
if (!numbers.every((number) => Number.isInteger(number) && number > 0) || shard > shards || meant.length === 0) {
  console.error('usage: npm run model -- [--commands N] [--seed S] [--from ROUND] [--shard K/M] [--scene NAME]')
  console.error(`scenes: ${scenes.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const tally: Tally = new Map()
let done = 0
for (let round = from; done < commands; round++) {
  if ((round - shard) % shards !== 0) continue
  for (const scene of meant) {
    if (done >= commands) break
    live(scene, round)
    done += scene.commands
  }
  process.stdout.write(`round ${round}: ${done} commands agree\n`)
}
for (const [what, times] of [...tally].sort(([a], [b]) => (a < b ? -1 : 1))) process.stdout.write(`${times} ${what}\n`)

function live(scene: (typeof scenes)[number], round: number): void {
  try {
    new Life(scene, seed + round, tally).live(scene.commands)
  } catch (error) {
    console.error(error)
    console.error(`again with: npm run model -- --seed ${seed} --from ${round} --scene '${scene.name}' --commands 1`)
    process.exit(1)
  }
}
