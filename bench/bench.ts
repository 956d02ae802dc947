/**
 * Runs benches, each in a fresh process: `npm run bench` all of them, `npm run bench -- book http` those two.
 *
 * Output   one JSON line per measured case on standard output, stamped with commit and machine (not on a terminal, unless
 *          --json is given), and at the end a table for people on standard error; the same lines are added to
 *          artifacts/bench.jsonl
 * Options  those of each bench (asked.ts); an unknown one is refused. `--compare=REV` runs the build of a revision in turns
 *          with this one, `--rounds=N` times (3), and prints ratios of this one over that, with their spread
 * Ends     whatever ends this process, its benches and their venues end with it (child.ts)
 * Exits    1 when a bench failed; the others have run all the same. 2 when it was asked for what there is not
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openProgress } from '../src/cli/progress.ts'
import { optionsOf, readAsked } from './asked.ts'
import { type Figure, rounded } from './measure.ts'
import { figuresOf, type Ratio, ratiosOf, treeOf, turnOf } from './runs.ts'
import { machineAndCommit } from './stamp.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const asked = readAsked(process.argv.slice(2))
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n`)
  process.exit(2)
}
const { names, options, compare, rounds } = asked
const printed = asked.json || !process.stdout.isTTY
// A reader that is gone: nobody wants the rest.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1))

const stamp = machineAndCommit()
const progress = openProgress('measuring')
const text = compare === undefined ? await measured() : await compared(compare)
progress.end()
process.stderr.write(text)

async function measured(): Promise<string> {
  const seen: Figure[] = []
  for (const [done, name] of names.entries()) {
    progress.at(done / names.length, name)
    await tried(async () => {
      for await (const figure of figuresOf(checkout, name, optionsOf(name, options))) {
        seen.push(figure)
        keep({ ...figure, ...stamp, at: new Date().toISOString(), load: loadavg()[0] })
      }
    })
  }
  return tableText(seen.map((figure) => [`${figure.bench}: ${figure.case}`, figuresText(figure.figures)]))
}

async function compared(revision: string): Promise<string> {
  using other = treeFound(revision)
  // Ways out that no disposal sees.
  process.once('exit', () => other[Symbol.dispose]())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  const rows: [string, string][] = []
  for (const [done, name] of names.entries()) {
    const turns = new Map<string, ReturnType<typeof turnOf>[]>([
      [checkout, []],
      [other.path, []],
    ])
    await tried(async () => {
      for (let round = 0; round < rounds; round++) {
        progress.at((done + round / rounds) / names.length, `${name}, turn ${round + 1}`)
        const order = [checkout, other.path]
        for (const tree of round % 2 === 0 ? order : order.reverse()) {
          const figures: Figure[] = []
          for await (const figure of figuresOf(tree, name, optionsOf(name, options))) figures.push(figure)
          turns.get(tree)?.push(turnOf(figures))
        }
      }
    })
    for (const ratio of ratiosOf(turns.get(checkout) ?? [], turns.get(other.path) ?? [])) {
      keep({ bench: name, compared: revision, ...ratio, ...stamp, at: new Date().toISOString(), load: loadavg()[0] })
      rows.push([`${name}: ${ratio.case}, ${ratio.figure}`, ratioText(ratio)])
    }
  }
  return tableText(rows)
}

function treeFound(revision: string): ReturnType<typeof treeOf> {
  try {
    return treeOf(checkout, revision)
  } catch {
    process.stderr.write(`--compare: no revision of this repository: ${revision}\n`)
    process.exit(2)
  }
}

async function tried(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

function keep(figure: object): void {
  const line = `${JSON.stringify(figure)}\n`
  if (printed) process.stdout.write(line)
  const directory = join(checkout, 'artifacts')
  mkdirSync(directory, { recursive: true })
  appendFileSync(join(directory, 'bench.jsonl'), line)
}

function figuresText(figures: Figure['figures']): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toLocaleString('en-US', { maximumFractionDigits: 3 })}`)
    .join('  ')
}

function ratioText({ middle, least, most, now, other }: Ratio): string {
  const [ratio, low, high] = [middle, least, most].map(rounded)
  return `x ${ratio} (${low} to ${high})  ${rounded(now)} over ${rounded(other)}`
}

function tableText(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return `\n${rows.map(([label, figures]) => `${label.padEnd(width)}  ${figures}\n`).join('')}`
}
