/**
 * A second try for rows with a real browser or several processes, where SECOND_TRY asks for it (.ci/run): how such a row goes depends on
 * how the machine shares its time. scripts/closing-line.js names each row that needed it. All other rows have one try.
 */
import { beforeAll, type RunnerTestSuite } from 'vitest'

const several = /\/test\/(browser|clients|cluster|crash|docs|gateway|jetstream|lab|operator|runtime)\//

export function allowSecondTry(): void {
  // oxlint-disable-next-line no-empty-pattern -- vitest reads what a hook wants off its first argument
  beforeAll(({}, file) => {
    if (process.env['SECOND_TRY'] === '1' && several.test(file.file.filepath)) tryTwice(file)
  })
}

function tryTwice(suite: RunnerTestSuite): void {
  for (const task of suite.tasks) {
    if (task.type === 'suite') tryTwice(task)
    else task.retry = 1
  }
}
