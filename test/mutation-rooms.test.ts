/** The rooms of the mutation script name what is there: code that moves away would be left out in silence. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rooms } from '../scripts/mutation/rooms.ts'

const root = join(import.meta.dirname, '..')

test.each(Object.entries(rooms))('%s', (_name, { code, tests, every }) => {
  const missing = [
    ...code.map((part) => join('src', part)),
    ...tests.map((file) => join('test', `${file}.test.ts`)),
  ].filter((path) => !existsSync(join(root, path)))
  expect(missing).toEqual([])
  expect(every).toBeGreaterThan(0)
})
