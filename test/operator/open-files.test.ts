/** How many connections there is room for, under a limit of open files (docs/operations.md, Configuration). */
import { expect, test } from 'vitest'
import { connectionsAllowed, openFilesLeft } from '../../src/operator/open-files.ts'

function asked(connectionsMax: number, filesMax: number) {
  const said: string[] = []
  const warn = (_fields: unknown, message: string) => void said.push(message)
  return { allowed: connectionsAllowed(connectionsMax, { warn } as never, filesMax), said }
}

test.each([
  // connectionsMax, ulimit -n, allowed
  [10_000, 20_000, 10_000],
  [10_000, 10_200, 10_000],
  [64, 264, 64],
  [20, 264, 20],
])('%i connections under a limit of %i files: %i, and nothing is said', (connectionsMax, filesMax, allowed) => {
  expect(asked(connectionsMax, filesMax)).toEqual({ allowed, said: [] })
})

test.each([
  [10_000, 10_199, 9_999],
  [10_000, 1_024, 824],
  [65, 264, 64],
])(
  '%i connections under a limit of %i files: %i, and a warning says the numbers',
  (connectionsMax, filesMax, allowed) => {
    const found = asked(connectionsMax, filesMax)
    expect(found.allowed).toBe(allowed)
    expect(found.said).toEqual([
      `ulimit -n is ${filesMax}, which leaves room for ${allowed} connections and not for connectionsMax ` +
        `${connectionsMax}; ${connectionsMax + 200} would do`,
    ])
  },
)

test.each([[10_000], [20]])('with room for fewer than 64 connections a venue does not start (%i asked)', (asking) => {
  expect(() => asked(asking, 263)).toThrow(
    'the venue cannot start: ulimit -n is 263, and it needs 264: 200 files of its own and 64 connections',
  )
})

test.runIf(process.platform === 'linux')('how many files are left', () => {
  expect(openFilesLeft()).toBeGreaterThan(0)
})
