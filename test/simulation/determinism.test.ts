/**
 * The same seed gives the same state everywhere (reliability C1): two processes that differ in time zone, locale, seed of
 * hash tables and size of the heap agree at every thousand commands, through crashes, restarts and poisoned commands.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { inherited } from '../support/inherited.ts'

const run = promisify(execFile)
const life = fileURLToPath(new URL('print-hashes.ts', import.meta.url))

async function hashes(
  seed: number,
  flags: readonly string[],
  environment: Record<string, string>,
  commands = 10_000,
): Promise<string[]> {
  const { stdout } = await run(process.execPath, [...flags, life, String(seed), String(commands)], {
    env: { ...inherited, ...environment },
    maxBuffer: 10_000_000,
  })
  return stdout.trim().split('\n')
}

test('two processes agree at every thousand commands', { timeout: 600_000 }, async () => {
  const seed = 5
  const [first, second] = await Promise.all([
    hashes(seed, ['--hash-seed=1', '--max-semi-space-size=1'], {
      TZ: 'Pacific/Kiritimati',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
    }),
    hashes(seed, ['--hash-seed=987654321', '--max-semi-space-size=64'], {
      TZ: 'America/St_Johns',
      LANG: 'C',
      LC_ALL: 'C',
    }),
  ])
  expect(first.length).toBeGreaterThan(9)
  expect(first).toEqual(second)
})

test('another seed is another life', { timeout: 600_000 }, async () => {
  const [first, second] = await Promise.all([hashes(7, [], {}, 1000), hashes(8, [], {}, 1000)])
  expect(first[0]).not.toBe(second[0])
})
