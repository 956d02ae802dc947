/**
 * `tidemark grade -- COMMAND`: starts a bot once for each hazard and says which it survived.
 *
 * Output   the report to standard output, as a table or as JSON; each run as it ends, and the sentence of the end, to standard error
 * Ends     0 all survived · 1 one failed · 2 asked for wrongly, or the command is no bot · 3 too many were not reached
 * Source   lab.md §4.11; docs/grading.md
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Grade } from '../grade/grade.ts'
import { command, type Given, onCall, recordOf, UsageWrong } from './command.ts'
import { show } from './output.ts'

const seedsMax = 100
const jobsMax = 64
/** Of runs at a time: a bot mostly waits. */
const jobsPerCore = 4
const scaleDefault = 0.1
const exitFailed = 1
const exitNotReached = 3

export function addGrade(program: Command): void {
  const made = command(
    program,
    'grade [command...]',
    'grade what becomes of a bot when things go wrong: `grade -- node bot.js`',
  )
    .option('--hazards <names>', 'H01,H07-H10, or all (default all)')
    .option('--seeds <number>', `of each hazard so many runs (default 1, at most ${seedsMax})`)
    .option('--config <file>', 'what the bot may do: limits, symbols, tolerance (grade.json)')
    .option('--report <directory>', 'index.html, report.json, junit.xml and a recording of each failure')
    .option('--unreached-max <number>', 'so many hazards may have met nothing (default 0)')
    .option('--scale <number>', `how long a second of a hazard lasts: 1 in earnest (default ${scaleDefault})`)
    .option('--jobs <number>', `runs at a time (default ${jobsPerCore} for each core)`)
  onCall(made, run)
}

async function run(words: string[], given: Given): Promise<void> {
  const {
    chosenHazards,
    ConfigurationFaults,
    grade,
    gradeJson,
    gradeTable,
    NeverTraded,
    readConfiguration,
    summary,
    writeReport,
  } = await import('../grade/grade.ts')
  if (words.length === 0) throw new UsageWrong('a command is missing: tidemark grade [options] -- COMMAND')
  const hazards = chosenHazards(given['hazards'] ?? 'all')
  if (typeof hazards === 'string')
    throw new UsageWrong(`--hazards: there is no ${hazards || '""'}; H01 to H43, ranges as H07-H10, or all`)
  const seeds = wholeOf(given, 'seeds', '--seeds', { from: 1, to: seedsMax }) ?? 1
  const unreachedMax = wholeOf(given, 'unreachedMax', '--unreached-max', { from: 0, to: 100_000 }) ?? 0
  const jobs = wholeOf(given, 'jobs', '--jobs', { from: 1, to: jobsMax }) ?? availableParallelism() * jobsPerCore
  const scale = scaleOf(given['scale'])
  const { config } = given
  try {
    const configuration = readConfiguration(config === undefined ? {} : recordOf(config))
    const graded = await grade({
      command: words,
      hazards,
      seeds: Array.from({ length: seeds }, (_, index) => index + 1),
      configuration,
      scale,
      jobs,
      recordings: given['report'] === undefined ? undefined : resolve(given['report']),
      onGraded: (line) => process.stderr.write(`${line}\n`),
    })
    const { report } = given
    if (report !== undefined) writeReport(graded, resolve(report))
    if (given['json'] === undefined) process.stdout.write(gradeTable(graded))
    else show(gradeJson(graded), given)
    const { sentence } = summary(graded)
    process.stderr.write(`${sentence}${report === undefined ? '' : `; ${resolve(report, 'index.html')}`}\n`)
    process.exitCode = exitOf(graded, summary(graded), unreachedMax)
  } catch (error) {
    if (error instanceof ConfigurationFaults) throw new UsageWrong(`${config}: ${error.message}`, { cause: error })
    if (error instanceof NeverTraded) throw new UsageWrong(error.message, { cause: error })
    throw error
  }
}

function exitOf(
  { twinFindings }: Grade,
  { failed, notReached }: { readonly failed: number; readonly notReached: number },
  unreachedMax: number,
): number {
  if (failed > 0 || twinFindings.length > 0) return exitFailed
  return notReached > unreachedMax ? exitNotReached : 0
}

function wholeOf(
  given: Given,
  name: string,
  option: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= from && value <= to))
    throw new UsageWrong(`${option} ${text}: must be a whole number from ${from} to ${to}`)
  return value
}

function scaleOf(text: string | undefined): number {
  if (text === undefined) return scaleDefault
  const value = /^[0-9]{1,4}(?:\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0.01 && value <= 10)) throw new UsageWrong(`--scale ${text}: must be a number from 0.01 to 10`)
  return value
}
