/**
 * Runs benches, each in a fresh process: `npm run bench` all of them, `npm run bench -- book http` those two.
 *
 * Output   one JSON line per measured case on standard output, stamped with commit and machine (not on a terminal, unless
 *          --json is given), and at the end a table for people on standard error; the same lines are added to
 *          artifacts/bench.jsonl
 * Options  what else begins with `--` goes on to the benches, values after a sign of equality: `--minutes=10`
 * Exits    1 when a bench failed; the others have run all the same
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openProgress } from '../src/cli/progress.ts'
import type { Figure } from './measure.ts'
import { machineAndCommit } from './stamp.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const benches = [
  'money',
  'book',
  'engine',
  'growth',
  'risk',
  'trailing',
  'journal',
  'recovery',
  'history',
  'signature',
  'http',
  'websocket',
  'pauses',
  'terminal',
  'strangers',
  'tape',
]

const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('--') && word !== '--json')
const printed = words.includes('--json') || !process.stdout.isTTY
const named = words.filter((word) => !word.startsWith('--'))
const unknown = named.filter((name) => !benches.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(', ')}; there are ${benches.join(', ')}\n`)
  process.exit(2)
}

const stamp = machineAndCommit()
const seen: Figure[] = []
const asked = named.length > 0 ? named : benches
const progress = openProgress('measuring')
for (const [done, name] of asked.entries()) {
  progress.at(done / asked.length, name)
  const code = await run(name)
  if (code !== 0) {
    process.stderr.write(`bench ${name} failed with code ${code}\n`)
    process.exitCode = 1
  }
}
progress.end()
process.stderr.write(table(seen))

async function run(name: string): Promise<number> {
  const child = spawn(process.execPath, [join(checkout, 'bench', `${name}.ts`), ...options], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  for await (const line of createInterface({ input: child.stdout })) {
    const figure = JSON.parse(line) as Figure
    seen.push(figure)
    keep({ ...figure, ...stamp, at: new Date().toISOString(), load: loadavg()[0] })
  }
  return (await exited)[0] ?? 1
}

function keep(figure: object): void {
  const line = `${JSON.stringify(figure)}\n`
  if (printed) process.stdout.write(line)
  const directory = join(checkout, 'artifacts')
  mkdirSync(directory, { recursive: true })
  appendFileSync(join(directory, 'bench.jsonl'), line)
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    `${figure.bench}: ${figure.case}`,
    Object.entries(figure.figures)
      .map(([name, value]) => `${name} ${value.toLocaleString('en-US', { maximumFractionDigits: 3 })}`)
      .join('  '),
  ])
  const width = Math.max(0, ...rows.map(([label]) => label?.length ?? 0))
  return `\n${rows.map(([label = '', text = '']) => `${label.padEnd(width)}  ${text}\n`).join('')}`
}
