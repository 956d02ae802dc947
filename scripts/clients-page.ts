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
import type {} from '../test/clients/support/calls.ts'
import { cell, inOrder, reportedTests, root } from './test-report.ts'

type Row = NonNullable<TaskMeta['call']> & { readonly passed: boolean }

const start = '<!-- results: written by npm run clients:page -->'
const end = '<!-- end of results -->'

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
  const working = all.filter((row) => row.passed && row.outcome === 'works').length
  const absent = all.filter((row) => row.passed && row.outcome === 'not offered').length
  const clients = [...new Set(all.map(({ client, mode }) => `${client}, ${mode}`))].sort(inOrder)
  return [
    `${working} of ${all.length} calls work, ${absent} are of things that the venue does not offer.`,
    '',
    ...clients.flatMap((name) => section(name, all)),
  ].join('\n')
}

function section(name: string, all: readonly Row[]): string[] {
  const lines = all
    .filter(({ client, mode }) => `${client}, ${mode}` === name)
    .map(({ method, passed, outcome, note = '' }) => {
      return `| ${cell(method)} | ${passed ? outcome : '**fails**'} | ${cell(note)} |`
    })
  return [`### ${name}`, '', '| Method | Result | Note |', '|---|---|---|', ...lines, '']
}
