/** What a run of all tests ends with (scripts/closing-line.js): counts in one line, and before it whoever passed at a second try. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './support/temporary.ts'

const program = fileURLToPath(new URL('../scripts/closing-line.js', import.meta.url))
const file = join(temporaryDirectory('closing-line'), 'tests.json')

type Row = readonly [status: string, fullName: string, ...failureMessages: string[]]

function closing(rows: readonly Row[], fileStatus = 'passed', exit = 0) {
  const assertionResults = rows.map(([status, fullName, ...failureMessages]) => ({ status, fullName, failureMessages }))
  const count = (wanted: string) => rows.filter(([status]) => status === wanted).length
  const testResults = [{ name: '/somewhere/test/browser/chart.test.ts', status: fileStatus, assertionResults }]
  const report = { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults }
  writeFileSync(file, JSON.stringify(report))
  const { status, stdout } = spawnSync(process.execPath, [program, file, `${exit}`], { encoding: 'utf8' })
  return { status, lines: stdout.trimEnd().split('\n') }
}

test.each<[string, readonly Row[], string, number, string]>([
  [
    'all passed',
    [
      ['passed', 'a'],
      ['skipped', 'b'],
    ],
    'passed',
    0,
    '1 passed, 0 failed',
  ],
  [
    'one failed',
    [
      ['passed', 'a'],
      ['failed', 'b', 'Error: x'],
    ],
    'failed',
    1,
    '1 passed, 1 failed',
  ],
  ['a file that could not be loaded', [], 'failed', 1, '0 passed, 1 failed'],
  ['nothing ran', [], 'passed', 1, '0 passed, 0 failed'],
])('%s', (_what, rows, fileStatus, code, line) => {
  expect(closing(rows, fileStatus)).toEqual({ status: code, lines: [line] })
})

test('an error outside of all tests is a failure, and said', () => {
  const { status, lines } = closing([['passed', 'a']], 'passed', 1)
  expect(status).toBe(1)
  expect(lines[0]).toContain('an error came outside of the tests')
  expect(lines.at(-1)).toBe('1 passed, 1 failed')
})

test('who passed at the second try alone is named, with what the first failed of', () => {
  const { status, lines } = closing([
    ['passed', 'a'],
    ['passed', 'a line is dragged', 'TimeoutError: 30 s\n    at page.ts:1'],
  ])
  expect(status).toBe(0)
  expect(lines).toEqual([
    'PASSED AT THE SECOND TRY, each to be looked at: 1',
    '  browser/chart.test.ts: a line is dragged',
    '    TimeoutError: 30 s',
    '',
    '2 passed, 0 failed',
  ])
})
