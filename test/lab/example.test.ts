/**
 * The example project that a reader copies (examples/testing): its 200 tests pass, each on a fork of its own.
 *
 * Source  lab.md §5
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

test('the example of a bot and its tests passes', async () => {
  const kept = Object.entries(process.env).filter(([name]) => !/^(VITEST|TIDEMARK)/.test(name))
  const temporary = temporaryDirectory('example')
  const report = join(temporary, 'report.json')
  await promisify(execFile)(
    process.execPath,
    [join(checkout, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', `--outputFile=${report}`],
    {
      cwd: join(checkout, 'examples/testing'),
      env: { ...Object.fromEntries(kept), TMPDIR: temporary },
      maxBuffer: 2 ** 26,
    },
  )
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
  expect({ numTotalTests, numPassedTests }).toEqual({ numTotalTests: 200, numPassedTests: 200 })
})
