/** The table that people read on a terminal: a row for each hazard, and below it what was wrong. */
import type { Grade } from '../graded.ts'
import { resultText, summary } from './summary.ts'

export function gradeTable(grade: Grade): string {
  const seeds = new Set(grade.graded.map(({ seed }) => seed)).size
  const rows = grade.graded.flatMap((graded) => {
    const { hazard, seed, findings, run } = graded
    const name = `${hazard.name}${seeds > 1 ? ` (seed ${seed})` : ''}`
    const sentences = findings.map(({ letter, sentence }) => `       ${letter}: ${sentence}`)
    const reason = run.reason === undefined ? [] : [`       ${run.reason}`]
    return [`${hazard.id}  ${name.padEnd(38)}  ${resultText(graded)}`, ...sentences, ...reason]
  })
  const twin = grade.twinFindings.map(({ letter, sentence }) => `Without a fault: ${letter}: ${sentence}`)
  return `${[...rows, ...twin, '', summary(grade).sentence].join('\n')}\n`
}
