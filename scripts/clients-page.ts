/**
 * Writes the table of docs/clients.md: every method of the published clients that test/clients/ calls, and how it went.
 *
 * Runs     `npm run clients:page`; with the path of a report of vitest (--reporter=json) it only renders that
 * Renders  the same report to the same bytes: no times, no machine, in the order of the clients' own methods
 * Methods  of each client are counted by where they lead (every-method.test.ts), and those that lead to nothing are listed
 * Keeps    the prose around the table, which stands between two marks
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskMeta } from 'vitest'
import { cell, inOrder, reportedTests, root } from './test-report.ts'

type Row = NonNullable<TaskMeta['call']> & { readonly passed: boolean }

const start = '<!-- results: written by npm run clients:page -->'
const end = '<!-- end of results -->'

/** Of instruments; a method ends with one after a comma if it was called with it. */
const kinds = ['spot', 'margin', 'linear', 'USDC', 'inverse']

const page = join(root, 'docs', 'clients.md')
const tests = reportedTests<TaskMeta>('test/clients', process.argv[2])
const rows = tests.flatMap(({ meta, passed }): Row[] => (meta.call === undefined ? [] : [{ ...meta.call, passed }]))
const reaches = tests.flatMap(({ meta }) => (meta.reach === undefined ? [] : [meta.reach]))
const [before, rest] = readFileSync(page, 'utf8').split(start)
const after = rest?.split(end)[1]
if (before === undefined || after === undefined) throw new Error(`${page} has no place for the results`)
writeFileSync(page, [before, start, '\n', resultsOf(rows), everyMethod(reaches), end, after].join(''))
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

type Reach = NonNullable<TaskMeta['reach']>

/** Where all methods of the clients lead, and why some lead to nothing; reasons in the order of the paths. */
function everyMethod(all: readonly Reach[]): string {
  const counts = all.map(({ client, leads }) => {
    const to = (what: Reach['leads'][number]['to']) => leads.filter((one) => one.to === what).length
    return `| ${client} | ${leads.length} | ${to('endpoint')} | ${to('not offered')} | ${to('first version')} | ${to('fault')} |`
  })
  const reasons = new Map<string, Set<string>>()
  for (const { line, to, reason = '' } of all.flatMap(({ leads }) => leads)) {
    if (to !== 'not offered' && to !== 'fault') continue
    const paths = reasons.get(reason) ?? new Set()
    reasons.set(reason, paths.add(line.replace(/^\w+ \/api\//, '')))
  }
  const first = (paths: Set<string>) => [...paths].sort(inOrder)[0] ?? ''
  const lines = [...reasons]
    .sort(([, left], [, right]) => inOrder(first(left), first(right)))
    .map(([reason, paths]) => `| ${cell(reason)} | ${paths.size} | \`${first(paths)}\` |`)
  return [
    '### Every method',
    '',
    'Each method of these clients was called for its path alone. None leads to a path that nobody knows.',
    '',
    '| Client | Methods | Served | Not offered | First version, which ended | Misspelt by the client |',
    '|---|---|---|---|---|---|',
    ...counts,
    '',
    '| Why a path is not served | Paths | One of them |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}
