/**
 * Writes docs/conformance.jsonl: every rule that test/conformance/ checks, a row a line, with the house's decision where the
 * interface is silent or says two things; and docs/conformance.md, which counts them by part.
 *
 * Runs     `npm run conformance:page`; with the path of a report of vitest (--reporter=json) it only renders that
 * Renders  the same report to the same bytes: no times, no machine, sorted by rule
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cell, inOrder, reportedTests, root } from './test-report.ts'

interface Row {
  readonly rule: string
  readonly decision: string | undefined
  readonly sentence: string
  readonly passed: boolean
  readonly file: string
}

/** Parts of the page, in order; a rule belongs to the first whose pattern its name matches. */
const parts: readonly (readonly [heading: string, rules: RegExp])[] = [
  ['E1 Get fill history', /^E1\b/],
  ['E2 Place batch order', /^E2\b/],
  ['E3 Place order', /^E3\b/],
  ['E4 Get sub-account futures assets', /^E4\b/],
  ['E5 Get single position', /^E5\b/],
  ['E6 Get account settings', /^E6\b/],
  ['E7 Batch cancel spot orders', /^E7\b/],
  ['E8 Get recent public fills', /^E8\b/],
  ['E9 Main-sub account transfer', /^E9\b/],
  ['E10 Get historical funding rates', /^E10\b/],
  ['E11 Cross-margin repay', /^E11\b/],
  ['E12 Change product-line leverage', /^E12\b/],
  ['E13 Get history orders', /^E13\b/],
  ['Authentication', /^Authentication/],
  ['Envelope and errors', /^(Response|Errors)/],
  ['Resources and their fields', /^(Fill|Public fill|Futures|Funding rate|Account settings)/],
  ['Candles and market data', /^(Candle|Mark and index|Market data)/],
  ['Limits', /^(Limits|Order limit|Daily)/],
  ['States', /states/i],
  ['Decisions of the design', /^design/],
  ['Formulas of the risk engine', /^risk-engine/],
  ['Trading', /./],
]

const read = rowsFrom(process.argv[2])
writeFileSync(join(root, 'docs', 'conformance.md'), pageOf(read))
writeFileSync(join(root, 'docs', 'conformance.jsonl'), dataOf(read))
const failing = read.filter((row) => !row.passed).length
console.log(`docs/conformance.md: ${read.length} rows, ${failing} failing`)

function rowsFrom(report: string | undefined): Row[] {
  const tests = reportedTests<{ readonly rule?: string; readonly decision?: string }>('test/conformance', report)
  return tests.map(({ title, passed, meta, file }) => {
    const rule = meta.rule ?? 'Other'
    const sentence = title.startsWith(`${rule}: `) ? title.slice(rule.length + 2) : title
    return { rule, decision: meta.decision, sentence, passed, file }
  })
}

/** Every row with its part, in the order of the parts and of the rules in them. */
function byPart(all: readonly Row[]): readonly (readonly [part: string, rows: readonly Row[]])[] {
  const left = new Set(all)
  return parts.flatMap(([part, pattern]) => {
    const mine = [...left].filter(({ rule }) => pattern.test(rule))
    for (const row of mine) left.delete(row)
    mine.sort((one, other) => inOrder(one.rule, other.rule) || inOrder(one.file, other.file))
    return mine.length === 0 ? [] : [[part, mine] as const]
  })
}

function dataOf(all: readonly Row[]): string {
  const lines = byPart(all).flatMap(([part, rows]) =>
    rows.map(({ rule, sentence: test, passed: passes, decision, file }) =>
      JSON.stringify({ part, rule, test, passes, ...(decision === undefined ? {} : { decision }), file }),
    ),
  )
  return `${lines.join('\n')}\n`
}

function pageOf(all: readonly Row[]): string {
  const passed = (rows: readonly Row[]) => rows.filter((row) => row.passed).length
  const lines = byPart(all).map(([part, rows]) => {
    const rules = new Set(rows.map(({ rule }) => rule)).size
    return `| ${cell(part)} | ${rules} | ${rows.length} | ${passed(rows) === rows.length ? 'all' : `**${passed(rows)}**`} |`
  })
  return [
    '# Conformance',
    '',
    `Every rule and limit of the interface as a test over HTTP against a started venue: ${passed(all)} of ${all.length} rows pass.`,
    'Both this page and the rows are written by `npm run conformance:page`; the tests are in `test/conformance/`.',
    '',
    '| Part | Rules | Rows | Pass |',
    '|---|---|---|---|',
    ...lines,
    '',
    '[conformance.jsonl](conformance.jsonl) has every row: `part`, `rule`, `test`, `passes`, `file`, and `decision` where the interface is',
    'silent or says two things. All that is tested of E3, for instance, with what was decided:',
    '',
    '```sh',
    `grep '"part":"E3' docs/conformance.jsonl`,
    '```',
    '',
  ].join('\n')
}
