/**
 * `npm run bench` as people use it: what is asked for is understood or refused, two builds become ratios, and a run that is
 * broken off leaves nothing behind.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { benches, optionsOf, readAsked } from '../bench/asked.ts'
import { ratiosOf, turnOf } from '../bench/runs.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))

test.each([
  // asked for         names              options               compare    rounds
  [[], Object.keys(benches), [], undefined, 3],
  [['book'], ['book'], [], undefined, 3],
  [['book', 'http', '--quick'], ['book', 'http'], ['--quick'], undefined, 3],
  [['history', '--rows=5', '--quick'], ['history'], ['--rows=5', '--quick'], undefined, 3],
  [['book', '--compare=HEAD~1', '--rounds=5'], ['book'], [], 'HEAD~1', 5],
])('bench %j', (words, names, options, compare, rounds) => {
  expect(readAsked(words)).toEqual({ names, options, compare, rounds, json: false })
})

test.each([
  [['boook'], 'no such bench: boook; there are money, book,'],
  [['--quik'], 'no such option: --quik; money, book,'],
  [['book', '--minutes=3'], 'no such option: --minutes=3; book has --quick, --json, --compare, --rounds'],
  [['book', '-q'], 'no such option: -q'],
  [['book', '--compare'], '--compare: name a revision, as in --compare=HEAD~1'],
  [['book', '--compare=--help'], '--compare: name a revision'],
  [['book', '--rounds=0'], '--rounds: a whole number from 1 to 99'],
])('bench %j is refused', (words, message) => {
  expect(readAsked(words)).toContain(message)
})

test('an option goes to the benches that have it', () => {
  expect(optionsOf('history', ['--quick', '--rows=5', '--minutes=3'])).toEqual(['--quick', '--rows=5'])
  expect(optionsOf('money', ['--quick'])).toEqual([])
})

test('what is asked for wrongly runs nothing', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['bench/bench.ts', '--quik'], { cwd: checkout })
  expect([status, String(stdout)]).toEqual([2, ''])
  expect(String(stderr)).toMatch(/^no such option: --quik; .*\n$/)
})

test('ratios are of turns, with their spread; what one build alone measures has none', () => {
  const turn = (rate: number, more: Record<string, number> = {}) =>
    turnOf([{ bench: 'book', case: 'mix', count: 1, figures: { perSecond: rate, ...more } }])
  expect(ratiosOf([turn(20), turn(30), turn(10, { bytes: 1 })], [turn(10), turn(10), turn(10)])).toEqual([
    { case: 'mix', figure: 'perSecond', middle: 2, least: 1, most: 3, now: 20, other: 10 },
  ])
})

/** A program in a process of its own that says one line. */
async function saying(program: string): Promise<{ readonly process: ChildProcess; readonly line: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { process: child, line }
}

function isRunning(pid: number): boolean {
  try {
    // One that has ended and that nobody has asked about is still listed.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux').each(['SIGKILL', 'SIGTERM'] as const)(
  'a bench ended by %s leaves no venue and no server running',
  { timeout: 60_000 },
  async (signal) => {
    const { process: bench, line } = await saying(`
      import { readFileSync } from 'node:fs'
      import { BareServer } from './bench/http/bare.ts'
      import { startVenue } from './test/support/venue.ts'
      const [venue, bare] = await Promise.all([startVenue(), BareServer.start()])
      const { pid } = JSON.parse(readFileSync(venue.directory + '/server.json', 'utf8'))
      console.log(JSON.stringify({ pids: [pid, bare.pid], directory: venue.directory }))
    `)
    const { pids, directory } = JSON.parse(line) as { readonly pids: number[]; readonly directory: string }
    try {
      expect(pids.map(isRunning)).toEqual([true, true])
      bench.kill(signal)
      await expect.poll(() => pids.map(isRunning), { timeout: 20_000 }).toEqual([false, false])
    } finally {
      if (existsSync(directory)) rmSync(directory, { recursive: true })
    }
  },
)
