/**
 * `npm run replay-hash -- [--journal DIR] [--seeds N] [--commands N] [--as NEW=OLD,..] [--trace FILE] [--show N]`: what the engine makes
 * of commands, as hashes (test/replay/replay-hash.ts). A change that should change nothing is proved by the same lines before and after it.
 *
 * Parts     the random traders of the tests, `--commands` after each of `--seeds` seeds; the risk vectors; with `--journal` also
 *           that journal of a stopped venue, which `npm run demo-journal` makes
 * Prints    for each part its commands and events with their kinds, and SHA-256 of what was heard, of saved bytes and of answers;
 *           how long it took on stderr
 * As        names of fields that were renamed are hashed as they were before
 * Trace     a line for each command into a file: `cmp` of two of them names the first that differs, `--show` prints that one
 *           command of the journal with its reply and its events
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type Figures,
  plainText,
  replayJournal,
  replayTraders,
  replayVectors,
  type Watching,
} from '../test/replay/replay-hash.ts'

const { values } = parseArgs({
  options: {
    journal: { type: 'string' },
    seeds: { type: 'string', default: '8' },
    commands: { type: 'string', default: '2500' },
    as: { type: 'string', default: '' },
    trace: { type: 'string' },
    show: { type: 'string' },
  },
})
const counts = { seeds: Number(values.seeds), commands: Number(values.commands) }
const shown = values.show === undefined ? undefined : Number(values.show)
const whole = [counts.seeds, counts.commands, shown ?? 1]
if (
  !whole.every((one) => Number.isSafeInteger(one) && one >= 0) ||
  (shown !== undefined && values.journal === undefined)
) {
  console.error(
    'usage: npm run replay-hash -- [--journal DIR] [--seeds N] [--commands N] [--as NEW=OLD,..] [--trace FILE] [--show N]',
  )
  process.exit(2)
}

const lines: string[] = []
const file = values.trace === undefined ? undefined : openSync(values.trace, 'w')
const words = values.as === '' ? [] : values.as.split(',').map((one) => one.split('=') as [string, string])
const watching: Watching = {
  words: new Map(words),
  onTrace:
    file === undefined
      ? undefined
      : (line) => {
          if (lines.push(line) === 10_000) writeLines(file)
        },
  onHeard:
    shown === undefined
      ? undefined
      : (sequence, { command, at, reply, events }) => {
          if (sequence === shown) console.log([at, command, reply, ...events].map((one) => plainText(one)).join('\n'))
        },
}

if (shown === undefined) {
  await part('traders', () => replayTraders(counts, watching))
  await part('vectors', () => replayVectors(watching))
}
if (values.journal !== undefined) {
  const directory = values.journal
  await part('journal', () => replayJournal(directory, watching))
}
if (file !== undefined) {
  writeLines(file)
  closeSync(file)
}

function writeLines(to: number): void {
  writeSync(to, lines.map((line) => `${line}\n`).join(''))
  lines.length = 0
}

async function part(name: string, play: () => Figures | Promise<Figures>): Promise<void> {
  const beganMs = performance.now()
  const { commands, refused, events, heard, saved, answers, commandKinds, eventKinds } = await play()
  console.log(`${name}: ${commands} commands, ${refused} refused, ${events} events`)
  console.log(`  heard    ${heard}\n  saved    ${saved}\n  answers  ${answers}`)
  console.log(`  commands ${kindsText(commandKinds)}\n  events   ${kindsText(eventKinds)}`)
  console.error(`${name} took ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
}

function kindsText(kinds: ReadonlyMap<string, number>): string {
  const sorted = [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([kind, count]) => `${kind} ${count}`).join(', ')
}
