/** The report for programs: `tidemark-grade/1`. */
import type { Grade } from '../graded.ts'
import { lettersOf, summary } from './summary.ts'
import { timeline } from './timeline.ts'

const saidLast = 20

export function gradeJson(grade: Grade): object {
  const { command, configuration, scale, version, tookMs, graded, twinFindings } = grade
  return {
    format: 'tidemark-grade/1',
    version,
    command,
    configuration,
    scale,
    tookMs: Math.round(tookMs),
    summary: summary(grade),
    withoutFault: { findings: twinFindings },
    hazards: graded.map((one) => {
      const { hazard, seed, result, findings, run } = one
      const { warm, struck, over } = run.evidence
      return {
        id: hazard.id,
        name: hazard.name,
        group: hazard.group,
        seed,
        result,
        letters: lettersOf(one),
        findings,
        reason: run.reason ?? null,
        /** Milliseconds from when the bot was warm. */
        struckAfterMs: run.isReached ? struck - warm : null,
        overAfterMs: over - warm,
        recording: one.recording ?? null,
        tookMs: Math.round(one.tookMs),
        timeline: result === 'failed' ? timeline(run) : [],
        said: run.said.slice(-saidLast).map(({ text }) => text),
      }
    }),
  }
}
