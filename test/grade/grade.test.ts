/**
 * A careful bot and a naive one, each with three hazards on a real laboratory: one survives them all, the other does not, and the
 * report says by which question.
 *
 * Source  lab.md §4.11; docs/grading.md
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chosenHazards, grade, type Hazard, NeverTraded, readConfiguration } from '../../src/grade/grade.ts'
import { openHere, type OpenedHere } from '../lab/in-process.ts'

const bots = fileURLToPath(new URL('../../examples/bots', import.meta.url))
const configuration = readConfiguration(JSON.parse(readFileSync(join(bots, 'grade.json'), 'utf8')))
let here: OpenedHere
let before: string | undefined

beforeAll(async () => {
  here = await openHere({ deterministic: 'false', venuesMax: '20' })
  before = process.env['TIDEMARK_URL']
  process.env['TIDEMARK_URL'] = here.venue.url
})
afterAll(async () => {
  if (before === undefined) delete process.env['TIDEMARK_URL']
  else process.env['TIDEMARK_URL'] = before
  await here.close()
})

function graded(words: readonly string[], names: string, recordings?: string) {
  const hazards = chosenHazards(names) as readonly Hazard[]
  const pace = { recoverMsMin: 4_000, lookMs: 2_500 }
  return grade({ command: words, hazards, seeds: [1], configuration, scale: 0.01, jobs: 8, pace, recordings })
}

test('the careful bot survives what the naive one does not', { timeout: 90_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-graded-'))
  const [careful, naive] = await Promise.all(
    ['careful.ts', 'naive.ts'].map((name) => graded([process.execPath, join(bots, name)], 'H02,H16,H40', directory)),
  )
  const failed = naive.graded.filter(({ result }) => result === 'failed')
  expect(readdirSync(directory).sort()).toEqual(failed.map(({ hazard }) => `${hazard.id}-1.tide`))
  expect(failed.map(({ recording }) => recording)).toEqual(readdirSync(directory).sort())
  rmSync(directory, { recursive: true })
  expect(careful.graded.map(({ hazard, result, findings }) => [hazard.id, result, findings])).toEqual([
    ['H02', 'survived', []],
    ['H16', 'survived', []],
    ['H40', 'survived', []],
  ])
  expect(careful.twinFindings).toEqual([])
  const letters = naive.graded.flatMap(({ findings }) => findings.map(({ letter }) => letter))
  expect(letters).toContain('D')
})

test('a command that never trades is no bot', { timeout: 90_000 }, async () => {
  const silent = [process.execPath, '-e', 'console.error("no market today")']
  const trading = graded(silent, 'H01')
  await expect(trading).rejects.toThrow(NeverTraded)
  await expect(trading).rejects.toThrow('and ended (code 0); it said: no market today')
})

test('of a bot that breaks the error is told, not what stands behind it', { timeout: 90_000 }, async () => {
  const broken = [process.execPath, '-e', 'throw new TypeError("no address")']
  await expect(graded(broken, 'H01')).rejects.toThrow('and ended (code 1); it said: TypeError: no address')
})
