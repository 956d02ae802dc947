/** The database's log is moved into the database while it is small: the journal waits behind whatever is synced at once. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../src/history/history.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { fillNumber, noon } from './samples.ts'

test('the log stays small, however much is written', async () => {
  const file = join(temporaryDirectory('history'), 'history.sqlite')
  const history = await openHistory(file)
  const commits = 40
  for (let commit = 0; commit < commits; commit++) {
    const fills = Array.from({ length: 500 }, (_, index) => fillNumber(500 * commit + index + 1, { uid: index }))
    history.record(commit + 1, noon, fills)
    await history.flush()
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(2 * 1024 * 1024)
  await history.close()
})
