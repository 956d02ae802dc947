/**
 * The report in a directory: `report.json`, `junit.xml` and `index.html`. The door of the room.
 *
 *   summary.ts   the sentence     table.ts   for a terminal     json.ts · junit.ts   for programs
 *   html.ts      the page, with style.ts, chart.ts, and timeline.ts for the story of a run (words.ts says each thing)
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Grade } from '../graded.ts'
import { gradeHtml } from './html.ts'
import { gradeJson } from './json.ts'
import { gradeJunit } from './junit.ts'

/** Answers the paths of its files. */
export function writeReport(grade: Grade, directory: string): readonly string[] {
  mkdirSync(directory, { recursive: true })
  const files = {
    'index.html': gradeHtml(grade),
    'report.json': `${JSON.stringify(gradeJson(grade), undefined, 2)}\n`,
    'junit.xml': gradeJunit(grade),
  }
  return Object.entries(files).map(([name, content]) => {
    const path = join(directory, name)
    writeFileSync(path, content)
    return path
  })
}
