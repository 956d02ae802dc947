/**
 * `node scripts/closing-line.js REPORT`: prints `N passed, N failed` from vitest's JSON report, and fails if a test
 * failed or none ran. A test file that could not be loaded has no tests to count: it counts as one failure.
 */
import { existsSync, readFileSync } from 'node:fs'

const file = process.argv[2]
const report =
  file !== undefined && existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, testResults: [] }

let failed = report.numFailedTests
for (const { status, assertionResults } of report.testResults) {
  if (status === 'failed' && !assertionResults.some((/** @type {any} */ test) => test.status === 'failed')) failed += 1
}
console.log(`${report.numPassedTests} passed, ${failed} failed`)
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1)
