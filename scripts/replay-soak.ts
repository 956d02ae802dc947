/**
 * `npm run replay-soak -- [--seeds N] [--from SEED] [--calls N] [--kind NAME]`: sessions of bots with something of the laboratory in their
 * way, each recorded and replayed; twenty seeds of each kind on both clocks unless told otherwise.
 *
 * Fails   1 when a replay differs from its recording: each difference is printed, and all others are still tried
 * Kept    the recordings that differed, in the folder that `--keep DIR` names
 * Source  lab.md §4.8, §5
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { replay } from '../src/lab/recording/replay.ts'
import { repackRecording } from '../src/lab/recording/tide-file.ts'
import { openLabWith } from '../src/processes/laboratory.ts'
import { kinds, recorded } from '../test/lab/recording/kinds.ts'
import { openSession } from '../test/lab/recording/session.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    calls: { type: 'string', default: '20' },
    kind: { type: 'string' },
    keep: { type: 'string' },
  },
})
const [seeds, from, calls] = [values.seeds, values.from, values.calls].map(Number)
const meant = kinds.filter(({ name }) => values.kind === undefined || name === values.kind)
if (![seeds, from, calls].every((number) => Number.isInteger(number) && number > 0) || meant.length === 0) {
  console.error('usage: npm run replay-soak -- [--seeds N] [--from SEED] [--calls N] [--kind NAME] [--keep DIR]')
  console.error(`kinds: ${kinds.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

let differed = 0
let requests = 0
for (const lives of [false, true]) {
  const session = await openSession(lives)
  const clock = lives ? 'running' : 'moved'
  for (const kind of meant) {
    let same = 0
    for (let seed = from; seed < from + seeds; seed += 1) {
      await session.venue.post('/reset')
      await kind.play(session, seed, calls)
      const tide = await recorded(session)
      requests += tide.rows.filter((row) => row.kind === 'request').length
      const { difference } = await replay(tide, openLabWith)
      if (difference === undefined) {
        same += 1
        continue
      }
      differed += 1
      const { where, field, expected, got } = difference
      console.log(`${kind.name}, clock ${clock}, seed ${seed}: ${where}: ${field} was ${expected}, now ${got}`)
      if (values.keep === undefined) continue
      const file = join(values.keep, `${kind.name.replaceAll(' ', '-')}-${clock}-${seed}.tide`)
      writeFileSync(file, await repackRecording(tide))
    }
    console.log(`${kind.name}, clock ${clock}: ${same} of ${seeds} replayed the same`)
  }
  await session.close()
}
console.log(`${requests} requests, ${differed} recordings differed`)
if (differed > 0) process.exitCode = 1
