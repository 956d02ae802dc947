/** The system's clock beside the monotonic one: what is followed, what is a leap, and what ends one. */
import { describe, expect, test } from 'vitest'
import { type LeapSeen, WatchedClock } from '../../src/runtime/watched-clock.ts'

const start = 1_767_225_600_000
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const bound = 2 * minute

/** A machine whose clocks are moved by hand. */
function machine(leapMsMax = bound) {
  let monotonic = 5_000
  let ahead = start
  const told: (LeapSeen | 'back')[] = []
  let kept: number | undefined
  const open = () =>
    new WatchedClock({
      system: () => Math.floor(monotonic + ahead),
      monotonic: () => monotonic,
      leapMsMax,
      keeper: { read: () => kept, write: (offset) => (kept = offset) },
      onLeap: (leap) => told.push(leap),
      onBack: () => told.push('back'),
    })
  return {
    clock: open(),
    told,
    open,
    pass: (ms: number) => (monotonic += ms),
    leap: (ms: number) => (ahead += ms),
    /** Power off and on: the monotonic clock begins anew. */
    boot: () => {
      ahead += monotonic
      monotonic = 0
      kept = undefined
    },
    real: () => Math.floor(monotonic + start),
  }
}

test('time passes as the system says', () => {
  const { clock, pass, told } = machine()
  const first = clock.now()
  for (const ms of [0, 1, 999, hour, 40 * day]) {
    const before = clock.now()
    pass(ms)
    expect(clock.now()).toBe(before + ms)
  }
  expect(clock.now()).toBe(first + 40 * day + hour + second)
  expect([told, clock.leap(), clock.leaps]).toEqual([[], undefined, 0])
})

describe.each([
  ['ahead', 1],
  ['back', -1],
])('a leap %s', (_direction, sign) => {
  test.each([
    [bound, true],
    [bound + 1, false],
    [day, false],
    [365 * day, false],
  ])('of %d ms: followed %s', (ms, isFollowed) => {
    const { clock, pass, leap, told, real } = machine()
    leap(sign * ms)
    expect(clock.now()).toBe(isFollowed ? real() + sign * ms : real())
    pass(10 * minute)
    expect(clock.now()).toBe(isFollowed ? real() + sign * ms : real())
    expect(told).toEqual(isFollowed ? [] : [{ kind: 'undecided', ms: sign * ms }])
    expect(clock.leap()).toEqual(isFollowed ? undefined : { kind: 'undecided', ms: sign * ms })
  })

  test('of a day for three seconds leaves no trace', () => {
    const { clock, pass, leap, told, real } = machine()
    leap(sign * day)
    for (let passed = 0; passed < 3; passed++) {
      expect(clock.now()).toBe(real())
      pass(second)
    }
    leap(-sign * day)
    expect(clock.now()).toBe(real())
    expect(told).toEqual([{ kind: 'undecided', ms: sign * day }, 'back'])
    expect([clock.leap(), clock.leaps]).toEqual([undefined, 1])
  })

  test('is followed once it is accepted, and goes on from there', () => {
    const { clock, pass, leap, real } = machine()
    leap(sign * day)
    expect(clock.accept()).toBe(true)
    expect([clock.now(), clock.leap(), clock.unlessRefused()]).toEqual([
      real() + sign * day,
      undefined,
      real() + sign * day,
    ])
    pass(hour)
    expect(clock.now()).toBe(real() + sign * day)
    // Back to where it was is a leap now.
    leap(-sign * day)
    expect(clock.now()).toBe(real() + sign * day)
    expect(clock.leap()).toEqual({ kind: 'undecided', ms: -sign * day })
  })

  test('that is refused is not followed, and the clock is trusted again when it is back', () => {
    const { clock, pass, leap, told, real } = machine()
    leap(sign * day)
    expect(clock.unlessRefused()).toBe(real() + sign * day)
    expect(clock.refuse()).toBe(true)
    expect(clock.leap()).toEqual({ kind: 'refused', ms: sign * day })
    pass(hour)
    expect([clock.now(), clock.unlessRefused()]).toEqual([real(), real()])
    leap(sign * second)
    expect(clock.leap()).toEqual({ kind: 'refused', ms: sign * (day + second) })
    leap(-sign * (day + second))
    expect([clock.now(), clock.leap(), clock.unlessRefused()]).toEqual([real(), undefined, real()])
    expect(told.at(-1)).toBe('back')
  })

  test('after one that was refused is asked about anew', () => {
    const { clock, leap, told } = machine()
    leap(sign * day)
    clock.refuse()
    leap(sign * hour)
    expect(clock.leap()).toEqual({ kind: 'undecided', ms: sign * (day + hour) })
    expect(told).toHaveLength(2)
  })

  test('in small steps is one too', () => {
    const { clock, pass, leap, real } = machine()
    for (let step = 0; step < 60; step++) {
      leap(sign * minute)
      clock.now()
      pass(second)
    }
    // Two steps fit into the bound, and what is forgotten of them meanwhile lets no third one in.
    expect(Math.abs(clock.now() - real())).toBe(2 * minute)
    expect(clock.leap()?.ms).toBe(sign * 58 * minute)
  })

  test('is not forgotten by a restart while the machine runs', () => {
    const { clock, leap, pass, open, real } = machine()
    leap(sign * day)
    expect(clock.now()).toBe(real())
    pass(minute)
    const next = open()
    expect(next.now()).toBe(real())
    expect(next.leap()).toEqual({ kind: 'undecided', ms: sign * day })
    next.accept()
    expect(open().now()).toBe(real() + sign * day)
  })

  test('before the machine starts is not known', () => {
    const { leap, boot, open, real } = machine()
    boot()
    leap(sign * day)
    const clock = open()
    expect(clock.leap()).toBeUndefined()
    expect(clock.now() - real()).toBe(sign * day + 5_000)
  })
})

test('corrections that are spread out over time are followed for ever', () => {
  const { clock, pass, leap, told } = machine()
  for (let minutes = 0; minutes < 60 * 24 * 30; minutes++) {
    pass(minute)
    leap(minute / 2000)
    clock.now()
  }
  expect(told).toEqual([])
})

test('a step within the bound is forgotten in time, and another one is followed then', () => {
  const { clock, pass, leap, told } = machine()
  for (let step = 0; step < 5; step++) {
    leap(90 * second)
    clock.now()
    pass(25 * hour)
    clock.now()
  }
  expect(told).toEqual([])
})

test('a process that stands still between the two looks has seen no leap', () => {
  let monotonic = 0
  let pauses = 1
  const told: LeapSeen[] = []
  const clock = new WatchedClock({
    system: () => start + monotonic,
    monotonic: () => {
      const before = monotonic
      if (pauses > 0) {
        pauses -= 1
        monotonic += hour
      }
      return before
    },
    leapMsMax: bound,
    onLeap: (leap) => told.push(leap),
  })
  expect(clock.now()).toBe(start + hour)
  pauses = 1
  expect(clock.now()).toBe(start + 2 * hour)
  pauses = 2
  expect(clock.now()).toBe(start + 4 * hour)
  expect(told).toEqual([])
})

test('nothing can be decided while the clocks agree', () => {
  const { clock } = machine()
  expect([clock.accept(), clock.refuse()]).toEqual([false, false])
})

test('another bound', () => {
  const { clock, leap, real } = machine(hour)
  leap(hour)
  expect(clock.now()).toBe(real() + hour)
  leap(2)
  expect(clock.leap()?.ms).toBe(2)
})
