/** The report for runners of tests: a suite for each seed, a case for each hazard. What was not reached is skipped. */
import type { Grade } from '../graded.ts'
import { resultText, summary } from './summary.ts'

export function gradeJunit(grade: Grade): string {
  const seeds = [...new Set(grade.graded.map(({ seed }) => seed))]
  const { of, failed, notReached } = summary(grade)
  const suites = seeds.map((seed) => {
    const cases = grade.graded.filter((one) => one.seed === seed)
    const count = (result: string) => cases.filter((one) => one.result === result).length
    const rows = cases.map((one) => {
      const { hazard, findings, run, tookMs, result } = one
      const name = `${hazard.id} ${hazard.name}`
      const head = `<testcase classname="tidemark.grade.${escaped(hazard.group.replaceAll(' ', '-'))}" name="${escaped(name)}" time="${(tookMs / 1_000).toFixed(3)}"`
      if (result === 'survived') return `    ${head}/>`
      const lines = findings.map(({ letter, sentence }) => `${letter}: ${sentence}`).join('\n')
      const inside =
        result === 'failed'
          ? `<failure message="${escaped(resultText(one))}">${escaped(lines)}</failure>`
          : `<skipped message="${escaped(run.reason ?? `not reached: ${hazard.reached}`)}"/>`
      return `    ${head}>${inside}</testcase>`
    })
    const figures = `tests="${cases.length}" failures="${count('failed')}" skipped="${count('not reached')}"`
    return [`  <testsuite name="tidemark grade, seed ${seed}" ${figures}>`, ...rows, '  </testsuite>'].join('\n')
  })
  const figures = `tests="${of}" failures="${failed}" skipped="${notReached}" time="${(grade.tookMs / 1_000).toFixed(3)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tidemark grade" ${figures}>\n${suites.join('\n')}\n</testsuites>\n`
}

/** What XML cannot hold at all goes. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
