/**
 * Writes the table of hazards in docs/grading.md anew from src/grade/hazards/: `npm run grading:page`. A test says when that is due.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { gradingPage, gradingPath } from './grading-table.ts'

const before = readFileSync(gradingPath, 'utf8')
const page = gradingPage(before)
if (page !== before) writeFileSync(gradingPath, page)
