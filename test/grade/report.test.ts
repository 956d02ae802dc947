/** What is written of a grade: the table, `tidemark-grade/1`, JUnit, and the page. docs/grading.md */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gradingPage, gradingPath } from '../../scripts/grading-table.ts'
import {
  type Grade,
  gradeJson,
  gradeTable,
  hazards,
  readConfiguration,
  summary,
  writeReport,
} from '../../src/grade/grade.ts'
import type { Finding } from '../../src/grade/judge/judge.ts'
import { gradeHtml } from '../../src/grade/report/html.ts'
import { gradeJunit } from '../../src/grade/report/junit.ts'
import { timeline } from '../../src/grade/report/timeline.ts'
import { asked, handshake, lost, placed, uid, written } from './written.ts'

const place = 'POST /api/v3/trade/place-order'
const evidence = written({
  journal: [placed(1_000, 'o1', { fills: 4, lots: 4 }), placed(2_000, 'o5', { lots: 1, fills: 1 })],
  traffic: [
    asked(1_990, place, {
      text: '{"side":"buy","qty":"0.01","price":"99","clientOid":"o5"}',
      answer: '{"code":"00000"}',
    }),
    handshake(2_100),
    asked(2_200, 'GET /api/v3/trade/order-info', { target: '/x?clientOid=o5', answer: '{"orderStatus":"filled"}' }),
    asked(2_300, '', {
      kind: 'out',
      uid,
      text: '{"arg":{"topic":"order"},"data":[{"clientOid":"o5","orderStatus":"filled"}]}',
    }),
  ],
  firings: [{ ...lost(1_992, 'o5', 'filled'), endpoint: place }],
})
const run = {
  evidence,
  isReached: true,
  reason: undefined,
  notes: [{ at: 2_050, text: 'fills <half> of it' }],
  said: [{ at: 2_060, text: 'oh & no', isError: true }],
}
const findings: readonly Finding[] = [{ letter: 'D', sentence: 'buy 0.01 <twice> & again' }]
const one = { seed: 1, findings: [], run, tookMs: 5_000 }
const grade: Grade = {
  command: ['node', 'bot.js'],
  configuration: readConfiguration({}),
  scale: 0.1,
  version: '0.1.0',
  tookMs: 12_345,
  twins: new Map([[1, run]]),
  twinFindings: [],
  graded: [
    { ...one, hazard: hazards[0], result: 'survived' },
    { ...one, hazard: hazards[1], result: 'failed', findings },
    { ...one, hazard: hazards[2], result: 'not reached', run: { ...run, isReached: false } },
  ],
}

test('one sentence says it all', () => {
  expect(summary(grade).sentence).toBe('Survived 1 of 3, 1 failed: H02, 1 not reached: H03')
  expect(summary({ graded: grade.graded.slice(0, 1) }).sentence).toBe('Survived 1 of 1')
})

test('the table has a row for each hazard and a line for each finding', () => {
  expect(gradeTable(grade).split('\n')).toEqual([
    'H01  ack lost, resting                       survived',
    'H02  ack lost, filled                        failed (D)',
    '       D: buy 0.01 <twice> & again',
    'H03  request lost                            not reached',
    '',
    'Survived 1 of 3, 1 failed: H02, 1 not reached: H03',
    '',
  ])
})

test('the story is what the venue did, what the bot was told and what it did', () => {
  expect(timeline(run).map(({ ms, who, text }) => `${ms} ${who}: ${text}`)).toEqual([
    '-10 bot: place-order: buy 0.01 at 99 o5',
    '-8 venue: lost-ack at place-order; in truth: filled',
    '50 venue: fills <half> of it',
    '60 bot: says: oh & no',
    '100 bot: asks for a socket /v3/ws/private',
    '200 bot: asks for order-info o5',
    '205 told: done: filled',
    '300 told: push: order o5 filled',
  ])
})

test('for programs', () => {
  expect(gradeJson(grade)).toMatchObject({
    format: 'tidemark-grade/1',
    command: ['node', 'bot.js'],
    summary: { of: 3, survived: 1, failed: 1, notReached: 1 },
    hazards: [
      { id: 'H01', result: 'survived', letters: [], timeline: [] },
      { id: 'H02', result: 'failed', letters: ['D'], findings, struckAfterMs: 1_000, overAfterMs: 3_000 },
      { id: 'H03', result: 'not reached', struckAfterMs: null },
    ],
  })
})

test('for runners of tests: a failure has its sentences, and what was not reached is skipped', () => {
  const xml = gradeJunit(grade)
  expect(xml).toContain('<testsuites name="tidemark grade" tests="3" failures="1" skipped="1" time="12.345">')
  expect(xml).toContain('<failure message="failed (D)">D: buy 0.01 &lt;twice&gt; &amp; again</failure>')
  expect(xml).toContain('<skipped message="not reached: the request of an order was lost"/>')
  expect(xml.match(/<testcase /g)).toHaveLength(3)
})

test('the page needs nothing else and shows no text of a run as markup', () => {
  const html = gradeHtml(grade)
  expect(html).not.toMatch(/<script|<link|https?:\/\/|<half>|<twice>/)
  expect(html).toContain('fills &lt;half&gt; of it')
  expect(html).toContain('<details id="H02-1" class="failed" open>')
  expect(html).toContain('<details id="H01-1" class="survived">')
  expect(html).toContain('prefers-color-scheme:dark')
})

test('a directory has all three', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-report-'))
  try {
    writeReport(grade, join(directory, 'deep'))
    expect(readdirSync(join(directory, 'deep')).sort()).toEqual(['index.html', 'junit.xml', 'report.json'])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('docs/grading.md has the hazards of today (npm run grading:page)', () => {
  const page = readFileSync(gradingPath, 'utf8')
  expect(gradingPage(page)).toBe(page)
})
