/**
 * A failed test leaves the recording of its venue, under its name, and says where; one that passes leaves nothing.
 *
 * Source  lab.md §4.8; docs/testing.md
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { Forks } from '../../../clients/typescript/forks.ts'
import type { Venue } from '../../../clients/typescript/index.ts'
import { readRecording } from '../../../src/lab/recording/tide-file.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const forks = new Forks({ deterministic: true, inProcess: true })
const directory = temporaryDirectory('failed')
afterAll(() => forks.stop())
afterEach(() => vi.unstubAllEnvs())

/** What it says on standard error. */
async function failing(name: string | undefined, body: (venue: Venue) => Promise<unknown>): Promise<string> {
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  try {
    const run = forks.run(name, async ({ venue }) => {
      await body(venue)
      throw new Error('it fails')
    })
    await expect(run).rejects.toThrow('it fails')
    return said.mock.calls.map(([text]) => String(text)).join('')
  } finally {
    said.mockRestore()
  }
}

test('under its name, with what it asked for', { timeout: 60_000 }, async () => {
  vi.stubEnv('TIDEMARK_RECORDINGS', directory)
  const said = await failing('survives: a lost/ answer', (venue) => venue.positions('unified-main'))
  const file = join(directory, 'survives-a-lost-answer.tide')
  expect(said).toBe(
    `tidemark: "survives: a lost/ answer" failed; its recording is ${file} (npx tidemark replay ${file})\n`,
  )
  expect((await readRecording(file)).head.requests).toBe(3)
})

test('nothing where none is wanted, where it is to fail, and where it passes', { timeout: 60_000 }, async () => {
  vi.stubEnv('TIDEMARK_RECORDINGS', directory)
  const before = readdirSync(directory)
  await failing(undefined, async () => {})
  await forks.run('passes', ({ venue }) => venue.positions('unified-main'))
  vi.stubEnv('TIDEMARK_RECORDINGS', 'off')
  expect(await failing('fails', async () => {})).toBe('')
  expect(readdirSync(directory)).toEqual(before)
})
