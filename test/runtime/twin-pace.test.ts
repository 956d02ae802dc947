/** How fast a twin follows the journal (src/runtime/twin-pace.ts). */
import { describe, expect, test } from 'vitest'
import { TwinPace, paceMin, restMs, workMs } from '../../src/runtime/twin-pace.ts'

/** Follows a venue that took `commands` a second for `seconds`, with `perMs` applied in a millisecond; rests are exact. */
function follow(commands: number, seconds: number, perMs: number) {
  const pace = new TwinPace()
  let nowMs = 1_000_000
  let worked = 0
  for (let applied = 0; applied < commands * seconds; applied += perMs / 4) {
    nowMs += 1 / 4
    worked += 1 / 4
    if (!pace.isRestDue(5_000_000 + (applied / commands) * 1_000, nowMs)) continue
    nowMs += restMs
    pace.goOn(nowMs)
  }
  return { tookMs: nowMs - 1_000_000, worked }
}

describe('a twin', () => {
  test('that is far ahead of the venue rests for two milliseconds after each one of work', () => {
    const { tookMs, worked } = follow(6_000, 60, 100)
    expect(tookMs / worked).toBeCloseTo((workMs + restMs) / workMs, 1)
  })

  test('rests less where it would not be twice as fast as the venue was', () => {
    // Without rest it is four times as fast, with all rests 4 / 3.
    const { tookMs, worked } = follow(25_000, 60, 100)
    expect(worked).toBe(15_000)
    expect(tookMs).toBeLessThanOrEqual(60_000 / paceMin)
    expect(tookMs).toBeGreaterThan(0.99 * (60_000 / paceMin))
  })

  test('that is no faster than the venue was does not rest', () => {
    const { tookMs, worked } = follow(100_000, 60, 100)
    expect(tookMs).toBe(worked)
  })

  test('of a venue whose clock stood still does not rest', () => {
    const pace = new TwinPace()
    const dues = Array.from({ length: 100 }, (_, ms) => pace.isRestDue(7, ms))
    expect(dues).not.toContain(true)
  })

  test('rests again once the venue was idle', () => {
    const pace = new TwinPace()
    expect(pace.isRestDue(0, 0)).toBe(false)
    expect(pace.isRestDue(1_000, 1_000)).toBe(false)
    expect(pace.isRestDue(61_000, 1_001)).toBe(true)
  })
})
