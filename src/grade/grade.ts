/**
 * Grading a bot: once for each hazard on a fork of its own, judged by what the venue saw. The door of the room.
 *
 *   config.ts     what the owner says of the bot          environment.ts  what the bot is told
 *   hazards/      what happens to it                      run.ts          one run, with bot.ts, market.ts, scene.ts and witness.ts
 *   evidence.ts   what a run leaves                       judge/          what is wrong with it
 *
 * Speaks    to a laboratory over its control interface alone, through the helper for tests
 * Twin      one for each seed: the run without a fault
 * Source    lab.md §4.11; docs/grading.md
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startVenue, type Venue } from './laboratory.ts'
import type { Configuration } from './config.ts'
import type { Steps } from './evidence.ts'
import type { Grade, Graded, Result } from './graded.ts'
import type { Hazard } from './hazards/hazards.ts'
import { type Finding, judge, type Letter, type Rules } from './judge/judge.ts'
import { resultText } from './report/summary.ts'
import { type Pace, recoverMsOf, type Run, runBot, type RunOptions, usualPace } from './run.ts'

export { ConfigurationFaults, readConfiguration } from './config.ts'
export type { Grade } from './graded.ts'
export { chosenHazards, type Hazard, hazards } from './hazards/hazards.ts'
export { NeverTraded } from './run.ts'
export { gradeJson } from './report/json.ts'
export { writeReport } from './report/report.ts'
export { summary } from './report/summary.ts'
export { gradeTable } from './report/table.ts'

export interface GradeOptions {
  readonly command: readonly string[]
  readonly hazards: readonly Hazard[]
  readonly seeds: readonly number[]
  readonly configuration: Configuration
  /** How long a second of the world is, in seconds of a run. */
  readonly scale: number
  /** How many runs go on at a time. */
  readonly jobs: number
  readonly pace?: Pace
  /** The directory where the recording of each run that failed goes; absent: nowhere. */
  readonly recordings?: string | undefined
  /** A line about each run as it ends. */
  readonly onGraded?: (line: string) => void
}

/** Throws NeverTraded, and LabError when there is no laboratory. */
export async function grade(options: GradeOptions): Promise<Grade> {
  const { command, hazards, seeds, configuration, scale, jobs, pace = usualPace } = options
  const { recordings } = options
  if (recordings !== undefined) mkdirSync(recordings, { recursive: true })
  const startedMs = performance.now()
  const base = await startVenue({ simulator: false })
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-grade-'))
  try {
    const steps = await stepsOf(base, configuration)
    const optionsOf = (seed: number, name: string): RunOptions => {
      return { base, command, configuration, steps, seed, scale, pace, state: join(folder, `${name}-${seed}`) }
    }
    const rules = rulesOf(configuration, scale, pace)
    const twins = new Map(seeds.map((seed) => [seed, Promise.withResolvers<Run>()]))
    // Whoever waits for a twin that does not come ends with it.
    for (const { promise } of twins.values()) promise.catch(() => {})
    const wanted: readonly { readonly seed: number; readonly hazard?: Hazard }[] = [
      ...seeds.map((seed) => ({ seed })),
      ...seeds.flatMap((seed) => hazards.map((hazard) => ({ seed, hazard }))),
    ]
    const graded: Graded[] = []
    await inParallel(wanted, jobs, async ({ seed, hazard }) => {
      const beganMs = performance.now()
      const twin = twins.get(seed)!
      if (hazard === undefined) {
        const run = runBot(optionsOf(seed, 'twin'))
        run.then(twin.resolve, twin.reject)
        return void (await run)
      }
      await runBot(optionsOf(seed, hazard.id), hazard, async (run, venue) => {
        const tookMs = performance.now() - beganMs
        const findings = judge(run.evidence, (await twin.promise).evidence, rules, judgedIn(hazard, run))
        const result = resultOf(run, findings)
        const recording = `${hazard.id}-${seed}.tide`
        const isKept = recordings !== undefined && result === 'failed'
        if (isKept) await venue.saveRecording(join(recordings, recording))
        graded.push({ hazard, seed, result, findings, run, tookMs, ...(isKept && { recording }) })
      })
      const one = graded.find((known) => known.hazard === hazard && known.seed === seed)!
      options.onGraded?.(
        `${graded.length}/${wanted.length - seeds.length} ${hazard.id} ${hazard.name}: ${resultText(one)}`,
      )
    })
    const alone = new Map<number, Run>()
    for (const [seed, { promise }] of twins) alone.set(seed, await promise)
    const twinFindings = [...alone.values()].flatMap(({ evidence }) =>
      judge(evidence, evidence, rules, ['L', 'M', 'A']),
    )
    graded.sort((a, b) => a.seed - b.seed || (a.hazard.id < b.hazard.id ? -1 : 1))
    const tookMs = performance.now() - startedMs
    return { command, configuration, scale, version: base.version, tookMs, graded, twins: alone, twinFindings }
  } finally {
    await base.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function rulesOf(configuration: Configuration, scale: number, pace: Pace): Rules {
  const { maxPosition, maxOpenOrders, tolerance } = configuration
  return {
    maxPosition: maxPosition ?? undefined,
    maxOpenOrders: maxOpenOrders ?? undefined,
    tolerance,
    recoverMs: recoverMsOf(configuration, scale, pace),
  }
}

/** A hazard that was not reached asks only what is to be asked of every run. */
function judgedIn(
  { judged = ['T', 'D', 'O', 'L', 'M', 'A'] }: Hazard,
  { isReached, evidence }: Run,
): readonly Letter[] {
  if (isReached) return judged
  return evidence.exits.length > 0 ? ['L', 'A'] : ['L']
}

function resultOf({ isReached }: Run, findings: readonly Finding[]): Result {
  if (findings.length > 0) return 'failed'
  return isReached ? 'survived' : 'not reached'
}

async function stepsOf(base: Venue, { category, symbols, role }: Configuration): Promise<Record<string, Steps>> {
  const steps: Record<string, Steps> = {}
  for (const symbol of symbols) {
    const target = `/api/v3/market/instruments?category=${category}&symbol=${symbol}`
    const [found] = await base.request<{ readonly priceMultiplier: string; readonly quantityMultiplier: string }[]>(
      role,
      'GET',
      target,
    )
    steps[symbol] = { price: Number(found.priceMultiplier), quantity: Number(found.quantityMultiplier) }
  }
  return steps
}

/** So many at a time, in their order; the first that goes wrong ends it. */
async function inParallel<One>(all: readonly One[], jobs: number, work: (one: One) => Promise<void>): Promise<void> {
  const left = [...all]
  const workers = Array.from({ length: Math.min(jobs, all.length) }, async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  })
  try {
    await Promise.all(workers)
  } finally {
    left.length = 0
    await Promise.allSettled(workers)
  }
}
