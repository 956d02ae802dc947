/**
 * `node scripts/closing-line.js REPORT [EXIT]`: prints `N passed, N failed` from vitest's JSON report, and fails if a test
 * failed or none ran. A test file that could not be loaded has no tests to count: it counts as one failure. So does an error outside of
 * all tests, which the report does not have: EXIT of the test command tells of it. Rows that passed at their
 * second try alone (test/support/second-try.ts) are named before, each with what it failed of.
 */
import { existsSync, readFileSync } from 'node:fs'

const file = process.argv[2]
const report =
  file !== undefined && existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, testResults: [] }

/** @type {string[]} */
const second = []
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    // What a test that passed has failed of is of its first try.
    if (status !== 'passed' || failureMessages.length === 0) continue
    second.push(`  ${name.split('/test/').at(-1)}: ${fullName}\n    ${failureMessages[0].split('\n')[0]}`)
  }
}
if (second.length > 0)
  console.log(`PASSED AT THE SECOND TRY, each to be looked at: ${second.length}\n${second.join('\n')}\n`)

let failed = report.numFailedTests
for (const { status, assertionResults } of report.testResults) {
  if (status === 'failed' && !assertionResults.some((/** @type {any} */ test) => test.status === 'failed')) failed += 1
}
if (failed === 0 && report.numPassedTests > 0 && Number(process.argv[3] ?? 0) !== 0) {
  console.log(
    'No test failed, and the test command did: an error came outside of the tests. It stands above as "Unhandled".\n',
  )
  failed = 1
}
console.log(`${report.numPassedTests} passed, ${failed} failed`)
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1)
