/**
 * Writes docs/conformance.md: every rule that test/conformance/ checks, row by row, with the house's decision where the
 * interface is silent or says two things.
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

const rows = rowsFrom(process.argv[2])
writeFileSync(join(root, 'docs', 'conformance.md'), pageOf(rows))
const failing = rows.filter((row) => !row.passed).length
console.log(`docs/conformance.md: ${rows.length} rows, ${failing} failing`)

function rowsFrom(report: string | undefined): Row[] {
  const tests = reportedTests<{ readonly rule?: string; readonly decision?: string }>('test/conformance', report)
  return tests.map(({ title, passed, meta, file }) => {
    const rule = meta.rule ?? 'Other'
    const sentence = title.startsWith(`${rule}: `) ? title.slice(rule.length + 2) : title
    return { rule, decision: meta.decision, sentence, passed, file }
  })
}

function pageOf(all: readonly Row[]): string {
  const left = new Set(all)
  const sections = parts.flatMap(([heading, pattern]) => {
    const mine = [...left].filter(({ rule }) => pattern.test(rule))
    for (const row of mine) left.delete(row)
    return mine.length === 0 ? [] : [section(heading, mine)]
  })
  const passed = all.filter((row) => row.passed).length
  return [
    '# Conformance',
    '',
    `Every rule and limit of the interface as a test over HTTP against a started venue: ${passed} of ${all.length} rows pass.`,
    'This page is written by `npm run conformance:page`; the rows are in `test/conformance/`. A decision says what the house',
    'does where the interface is silent or says two things.',
    '',
    ...sections,
  ].join('\n')
}

function section(heading: string, mine: readonly Row[]): string {
  const sorted = [...mine].sort((left, right) => inOrder(left.rule, right.rule) || inOrder(left.file, right.file))
  const printed = new Set<string>()
  const lines = sorted.map(({ rule, sentence, passed, decision = '' }) => {
    const shown = printed.has(decision) ? '' : decision
    printed.add(decision)
    return `| ${cell(rule)} | ${cell(sentence)} | ${passed ? 'passes' : '**fails**'} | ${cell(shown)} |`
  })
  return [`## ${heading}`, '', '| Rule | Test | Status | Decision |', '|---|---|---|---|', ...lines, ''].join('\n')
}
