/**
 * Runs a folder of tests and reads what each of them said about itself: for the pages that are written from tests.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface ReportedTest<Meta> {
  readonly title: string
  readonly passed: boolean
  readonly meta: Meta
  readonly file: string
}

interface Report<Meta> {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string; readonly meta: Meta }[]
  }[]
}

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The tests of a folder, run now, or as a report of vitest (--reporter=json) has them. */
export function reportedTests<Meta>(folder: string, given: string | undefined): ReportedTest<Meta>[] {
  const file = given ?? join(root, 'artifacts', `${basename(folder)}.json`)
  if (given === undefined) runTests(folder, file)
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report<Meta>
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status, meta }) => ({
      title,
      passed: status === 'passed',
      meta,
      file: basename(name),
    })),
  )
}

function runTests(folder: string, outputFile: string): void {
  mkdirSync(dirname(outputFile), { recursive: true })
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`]
  const { error } = spawnSync(process.execPath, [vitest, 'run', folder, ...reporters], { cwd: root, stdio: 'inherit' })
  if (error) throw error
}

/** Text order in which `§4.9` comes before `§4.12`. */
export function inOrder(left: string, right: string): number {
  return new Intl.Collator('en', { numeric: true }).compare(left, right)
}

/** A text as a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
