/** What the command says and how it ends. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { randomCommands, newDirectory, run } from './directories.ts'

const bin = fileURLToPath(new URL('../../bin/tidemark-verify.js', import.meta.url))
const verified = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' })

test('0 for a sound directory, 1 with the places of faults, 2 for what cannot be verified', async () => {
  const directory = await newDirectory()
  await run(directory, randomCommands(1, 200), { segmentBytesMax: 3_000 })
  const sound = verified(directory)
  expect([sound.status, sound.stderr]).toEqual([0, ''])
  expect(sound.stdout).toMatch(/^checked: \d+ segments, \d+ records, .*\nnot checked: candles.*\nsound\n$/)
  expect(JSON.parse(verified(directory, '--json').stdout)).toMatchObject({ sound: true, faultCount: 0, faults: [] })

  rmSync(join(directory, 'journal', '00000000000000000001.journal'))
  const damaged = verified(directory)
  expect(damaged.status).toBe(1)
  expect(damaged.stdout).toMatch(
    /^fault: journal: the journal begins with \d+, and the older of two snapshots stands at 0$/m,
  )
  expect(damaged.stdout).toMatch(/\n\d+ faults?\n$/)
  const { faults } = JSON.parse(verified('--json', directory).stdout)
  expect(faults[0]).toMatchObject({ file: 'journal' })

  for (const args of [[], [directory, 'more'], ['--help'], [join(directory, 'missing')]]) {
    expect(verified(...args).status, args.join(' ')).toBe(2)
  }
})
