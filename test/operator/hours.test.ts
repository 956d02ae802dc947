/** The course of a day, and the tail of the log. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { Course, type Counted, openCourseFile } from '../../src/operator/course.ts'
import { openLog, tailOf } from '../../src/operator/log.ts'
import { LogTail } from '../../src/operator/log-tail.ts'
import { durationBucketsMs } from '../../src/runtime/runtime.ts'
import { temporaryDirectory } from '../support/temporary.ts'

function buckets(counts: Readonly<Record<number, number>>): number[] {
  return [...durationBucketsMs, Infinity].map((_, bucket) => counts[bucket] ?? 0)
}

function at(minute: number, change: Partial<Counted> = {}): Counted {
  const nothing = { orders: 0, answers: buckets({}), lots: [], usdOf: (_: number, lots: number) => lots * 2 }
  return { at: minute * 60_000, ...nothing, ...change }
}

describe('the course', () => {
  let counted: Counted | undefined
  const course = new Course(() => counted)
  const look = (next: Counted | undefined) => {
    counted = next
    course.look()
    return course.shown().points.at(-1)
  }

  test('has a point for what came between two looks, in rates, percentiles and USD', () => {
    look(at(0, { orders: 100, answers: buckets({ 2: 5 }), lots: [10] }))
    expect(course.shown().points).toEqual([])
    // 100 answers of one to two and a half milliseconds, and nothing else.
    expect(look(at(1, { orders: 700, answers: buckets({ 2: 5, 3: 100 }), lots: [15, 3] }))).toEqual({
      at: 60_000,
      ordersPerS: 10,
      p50Ms: 1.75,
      p99Ms: 2.485,
      volumeUsd: 16,
    })
  })

  test('has no latency of a minute without answers, and the last bound of what is beyond', () => {
    const before = { orders: 700, answers: buckets({ 2: 5, 3: 100 }), lots: [15, 3] }
    expect(look(at(2, before))).toMatchObject({ ordersPerS: 0, p50Ms: null, p99Ms: null, volumeUsd: 0 })
    const beyond = { ...before, answers: buckets({ 2: 5, 3: 100, 14: 1 }) }
    expect(look(at(3, beyond))).toMatchObject({ p99Ms: 10_000 })
  })

  test('leaves out a minute in which nothing could be asked', () => {
    const points = course.shown().points.length
    look(undefined)
    look(at(5))
    expect(course.shown().points).toHaveLength(points)
    look(at(6))
    expect(course.shown().points).toHaveLength(points + 1)
  })

  test('has the newest day', () => {
    for (let minute = 7; minute < 1_500; minute++) look(at(minute))
    expect(course.shown().points).toHaveLength(1_440)
    expect(course.shown().points.at(-1)?.at).toBe(1_499 * 60_000)
  })
})

describe('the file of the course', () => {
  const path = join(temporaryDirectory('course'), 'operator-course.jsonl')
  const log = pino({ level: 'silent' })
  /** A process that begins at a minute and looks at each until another. */
  const run = (first: number, last: number) => {
    let minute = first
    const course = new Course(() => at(minute))
    const end = course.keep(openCourseFile(path, log))
    while (minute < last) {
      minute += 1
      course.look()
    }
    end()
    return course.shown().points.map((point) => point.at / 60_000)
  }

  test.each([
    // began, ended   minutes that are shown
    [100, 103, [101, 102, 103]],
    [110, 111, [101, 102, 103, 111]],
    // A day and a minute later the oldest is over; nothing is of a time that has not come.
    [1_541, 1_542, [103, 111, 1_542]],
    [107, 108, [101, 102, 103, 108]],
  ])('from minute %d to %d: %j', (first, last, shown) => {
    expect(run(first, last)).toEqual(shown)
  })

  test('is shown while nothing can be asked', () => {
    const course = new Course(() => undefined)
    const end = course.keep(openCourseFile(path, log))
    expect(course.shown().points).not.toEqual([])
    end()
  })

  test('that is damaged is read without what is no point', () => {
    writeFileSync(path, `${JSON.stringify({ at: 0, ordersPerS: 1 })}\n{"at": 60000, "ord`)
    expect(run(2, 3)).toEqual([0, 3])
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2)
  })
})

describe('the tail of the log', () => {
  test('has the newest thousand lines, newest first, with what they say', () => {
    const tail = new LogTail()
    const time = '2026-03-01T08:00:00.000Z'
    for (let line = 1; line <= 1_002; line++)
      tail.take(JSON.stringify({ level: 30, time, msg: `line ${line}`, uid: 7 }))
    const { lines, next } = tail.page({ limit: 2 })
    expect(lines).toEqual([
      { id: 1_002, at: time, level: 'info', message: 'line 1002', facts: '{"uid":7}' },
      { id: 1_001, at: time, level: 'info', message: 'line 1001', facts: '{"uid":7}' },
    ])
    expect(next).toBe(1_001)
    expect(tail.page({ limit: 2_000 }).lines).toHaveLength(1_000)
    expect(tail.page({ limit: 5, before: 4 }).lines.map(({ id }) => id)).toEqual([3])
  })

  test('is of the log that was opened, from its level on', () => {
    const { log } = openLog('fatal')
    log.warn('not there')
    expect(tailOf(log).page({ limit: 10 }).lines).toEqual([])
    log.fatal({ err: new Error('gone') }, 'the end of a test')
    expect(tailOf(log).page({ limit: 10 }).lines).toMatchObject([{ level: 'fatal', message: 'the end of a test' }])
    expect(tailOf(log).page({ limit: 10, level: 'fatal' }).lines).toHaveLength(1)
  })

  test('of a level is that level and above', () => {
    const tail = new LogTail()
    for (const level of [20, 30, 40, 50]) tail.take(JSON.stringify({ level, time: '', msg: '' }))
    expect(tail.page({ limit: 10, level: 'warn' }).lines.map(({ level }) => level)).toEqual(['error', 'warn'])
  })
})
