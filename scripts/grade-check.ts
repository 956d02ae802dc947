/**
 * Grades the bots of examples/bots and says whether each comes out as it has to: `npm run grade:check [BOT...]`.
 *
 *   careful      survives every hazard
 *   naive        fails at least twelve
 *   broken X     fails, and by the letter X alone
 *   python       fails none
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import {
  chosenHazards,
  grade,
  type Grade,
  NeverTraded,
  readConfiguration,
  summary,
  writeReport,
} from '../src/grade/grade.ts'
import type { Hazard } from '../src/grade/hazards/hazards.ts'
import { root } from './test-report.ts'

const bots = join(root, 'examples', 'bots')
const letters = ['T', 'D', 'O', 'L', 'M', 'A'] as const
const naiveFailsMin = 12
const jobs = Number(process.env['GRADE_JOBS'] ?? availableParallelism() * 4)
const named = process.env['GRADE_HAZARDS'] ?? 'all'
const folder = process.env['GRADE_REPORT']

interface Check {
  readonly name: string
  readonly command: readonly string[]
  /** What is wrong; undefined: nothing. */
  readonly wrong: (graded: Grade) => string | undefined
}

const node = (...words: readonly string[]) => [process.execPath, join(bots, words[0]), ...words.slice(1)]

const checks: readonly Check[] = [
  {
    name: 'careful',
    command: node('careful.ts'),
    wrong: (graded) => {
      const { of, survived } = summary(graded)
      return survived === of ? undefined : `${of - survived} are not survived`
    },
  },
  {
    name: 'naive',
    command: node('naive.ts'),
    wrong: (graded) => {
      const { failed } = summary(graded)
      return named !== 'all' || failed >= naiveFailsMin ? undefined : `only ${failed} fail`
    },
  },
  {
    name: 'python',
    command: ['python3', join(bots, 'careful.py')],
    wrong: (graded) => (summary(graded).failed === 0 ? undefined : 'some fail'),
  },
  ...letters.map((letter): Check => {
    return {
      name: letter,
      command: node('broken.ts', letter),
      wrong: (graded) => {
        const found = new Set(graded.graded.flatMap(({ findings }) => findings.map((finding) => finding.letter)))
        return found.size === 1 && found.has(letter) ? undefined : `it is caught by ${[...found].join(', ') || 'none'}`
      },
    }
  }),
]

const chosen = chosenHazards(named)
if (typeof chosen === 'string') throw new Error(`GRADE_HAZARDS: there is no ${chosen}`)
const configuration = readConfiguration(JSON.parse(readFileSync(join(bots, 'grade.json'), 'utf8')))
const wanted = process.argv.slice(2)
for (const check of checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  // A bot that never trades ends its own check, not those of the others.
  try {
    await examine(check, chosen)
  } catch (error) {
    if (!(error instanceof NeverTraded)) throw error
    console.log(`WRONG: ${check.name}: ${error.message}`)
    process.exitCode = 1
  }
}

async function examine({ name, command, wrong }: Check, hazards: readonly Hazard[]): Promise<void> {
  const graded = await grade({ command, hazards, seeds: [1], configuration, scale: 0.1, jobs })
  if (folder !== undefined) writeReport(graded, join(folder, name))
  const fault = wrong(graded)
  console.log(
    `${fault === undefined ? 'as it has to be' : `WRONG: ${fault}`}: ${name}, ${Math.round(graded.tookMs / 1_000)} s. ${summary(graded).sentence}`,
  )
  for (const { hazard, findings, run } of graded.graded) {
    for (const { letter, sentence } of findings) console.log(`  ${hazard.id} ${letter}: ${sentence}`)
    if (run.reason !== undefined) console.log(`  ${hazard.id}: ${run.reason}`)
  }
  if (fault !== undefined) process.exitCode = 1
}
