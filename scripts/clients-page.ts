/**
 * Writes the table of docs/clients.md: every method of the published clients that test/clients/ calls, and how it went.
 *
 * Runs     `npm run clients:page`; with the path of a report of vitest (--reporter=json) it only renders that
 * Renders  the same report to the same bytes: no times, no machine, in the order of the clients' own methods
 * Keeps    the prose around the table, which stands between two marks
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskMeta } from 'vitest'
// The shape of what a call says about itself.
import { cell, inOrder, reportedTests, root } from './test-report.ts'

type Row = NonNullable<TaskMeta['call']> & { readonly passed: boolean }

const start = '<!-- results: written by npm run clients:page -->'
const end = '<!-- end of results -->'

/** Of instruments; a method ends with one after a comma if it was called with it. */
const kinds = ['spot', 'margin', 'linear', 'USDC', 'inverse']

const page = join(root, 'docs', 'clients.md')
const rows = reportedTests<TaskMeta>('test/clients', process.argv[2]).flatMap(({ meta, passed }): Row[] =>
  meta.call === undefined ? [] : [{ ...meta.call, passed }],
)
const [before, rest] = readFileSync(page, 'utf8').split(start)
const after = rest?.split(end)[1]
if (before === undefined || after === undefined) throw new Error(`${page} has no place for the results`)
writeFileSync(page, [before, start, '\n', resultsOf(rows), end, after].join(''))
console.log(`docs/clients.md: ${rows.length} methods, ${rows.filter((row) => !row.passed).length} failing`)

function resultsOf(all: readonly Row[]): string {
  const counted = (outcome: Row['outcome']) => all.filter((row) => row.passed && row.outcome === outcome).length
  const clients = [...new Set(all.map(({ client, mode }) => `${client}, ${mode}`))].sort(inOrder)
  return [
    `${counted('works')} of ${all.length} calls work. ${counted('not offered')} are of things that the venue does not ` +
      `offer. ${counted('not by this client')} do not work with the client.`,
    '',
    ...clients.flatMap((name) => section(name, all)),
  ].join('\n')
}

/** A method with its result; one line for all kinds of instruments that it has the same result with. */
interface Line {
  readonly method: string
  readonly kinds: string[]
  readonly result: string
  readonly note: string
}

function section(name: string, all: readonly Row[]): string[] {
  const lines = new Map<string, Line>()
  for (const { client, mode, method, passed, outcome, note = '' } of all) {
    if (`${client}, ${mode}` !== name) continue
    const comma = method.lastIndexOf(', ')
    const kind = kinds.find((candidate) => candidate === method.slice(comma + 2))
    const what = kind === undefined ? method : method.slice(0, comma)
    const result = passed ? outcome : '**fails**'
    const key = JSON.stringify([what, kind === undefined, result, note])
    const line = lines.get(key) ?? { method: what, kinds: [], result, note }
    if (kind !== undefined) line.kinds.push(kind)
    lines.set(key, line)
  }
  const table = [...lines.values()].map(({ method, kinds: found, result, note }) => {
    const sorted = kinds.filter((kind) => found.includes(kind))
    const shown = sorted.length === kinds.length ? 'all' : sorted.join(', ')
    return `| ${cell(method)} | ${shown} | ${result} | ${cell(note)} |`
  })
  return [`### ${name}`, '', '| Method | Instruments | Result | Note |', '|---|---|---|---|', ...table, '']
}
