/**
 * Windows of one second, from a caller's first call (design §4.19, §4.38), and longer ones (wire/rate-limits-and-filters.md §3).
 */
import Type from 'typebox'
import { expect, test } from 'vitest'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import { RateLimits } from '../../src/api/rate-limits.ts'

function endpointAt(perSecond: number, path: `/api/v3/${string}` = '/api/v3/trade/fills') {
  return defineEndpoint({
    method: 'GET',
    path,
    summary: '',
    source: '',
    access: 'public',
    limit: { perSecond, per: 'ip', copyTraderPerSecond: 1 },
    request: Type.Object({}),
    response: Type.Null(),
    handle: () => null,
  })
}

function limitsAt(clock: { now: number }, options: Partial<ConstructorParameters<typeof RateLimits>[0]> = {}) {
  return new RateLimits({ enabled: true, clock: () => clock.now, ...options })
}

test('the last call of the window passes, one more does not, and the next window is new', () => {
  const clock = { now: 12_345 }
  const limits = limitsAt(clock)
  const endpoint = endpointAt(3)
  const remaining = () => limits.count(endpoint, 7, false)
  expect([remaining(), remaining(), remaining()].map((allowance) => allowance.remaining)).toEqual([2, 1, 0])
  expect(remaining()).toEqual({ allowed: false, remaining: 0 })
  clock.now += 999
  expect(remaining().allowed).toBe(false)
  clock.now += 1
  expect(remaining()).toEqual({ allowed: true, remaining: 2 })
})

test('a window that began late in a generation still lasts a second', () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock)
  const endpoint = endpointAt(1)
  limits.count(endpoint, 'somebody else', false)
  clock.now = 900
  expect(limits.count(endpoint, 7, false).allowed).toBe(true)
  clock.now = 1100
  limits.count(endpoint, 'somebody else', false)
  expect(limits.count(endpoint, 7, false).allowed).toBe(false)
  clock.now = 1900
  expect(limits.count(endpoint, 7, false).allowed).toBe(true)
})

test('less than one call per second is one in a longer window', () => {
  const clock = { now: 500 }
  const limits = limitsAt(clock)
  const endpoint = endpointAt(0.1)
  const called = (after: number) => {
    clock.now += after
    return limits.count(endpoint, 7, false)
  }
  expect([called(0), called(1), called(9998), called(1), called(9999)]).toEqual([
    { allowed: true, remaining: 0 },
    { allowed: false, remaining: 0 },
    { allowed: false, remaining: 0 },
    { allowed: true, remaining: 0 },
    { allowed: false, remaining: 0 },
  ])
})

test('callers and endpoints count apart', () => {
  const limits = limitsAt({ now: 0 })
  const [first, other] = [endpointAt(1), endpointAt(1, '/api/v3/trade/other')]
  expect(limits.count(first, 7, false).allowed).toBe(true)
  expect(limits.count(first, 8, false).allowed).toBe(true)
  expect(limits.count(first, '7', false).allowed).toBe(true)
  expect(limits.count(other, 7, false).allowed).toBe(true)
  expect(limits.count(first, 7, false).allowed).toBe(false)
})

test('copy traders have their own limit, and configuration replaces the table’s', () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock, { perSecond: { 'GET /api/v3/trade/fills': 2 } })
  const endpoint = endpointAt(10)
  expect([1, 2, 3].map(() => limits.count(endpoint, 7, false).allowed)).toEqual([true, true, false])
  expect([1, 2].map(() => limits.count(endpoint, 8, true).allowed)).toEqual([true, false])
  const closed = limitsAt(clock, { perSecond: { 'GET /api/v3/trade/fills': 0 } })
  expect(closed.count(endpoint, 7, false)).toEqual({ allowed: false, remaining: 0 })
})

test('forged calls and whole addresses', () => {
  const limits = limitsAt({ now: 0 }, { perAddressPerMinute: 2 })
  expect(Array.from({ length: 101 }, () => limits.countForged('203.0.113.9')).indexOf(false)).toBe(100)
  expect([1, 2, 3].map(() => limits.countAddress('203.0.113.9'))).toEqual([true, true, false])
})

test('off is off', () => {
  const limits = limitsAt({ now: 0 }, { enabled: false, perAddressPerMinute: 1 })
  const endpoint = endpointAt(1)
  for (let i = 0; i < 500; i++) {
    expect(limits.count(endpoint, 7, false).allowed).toBe(true)
    expect(limits.countForged('203.0.113.9') && limits.countAddress('203.0.113.9')).toBe(true)
  }
})

test('saved windows come back, in the same limits and in others, whatever was counted meanwhile', () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock, { perAddressPerMinute: 2 })
  const [fills, rare] = [endpointAt(2), endpointAt(0.1, '/api/v3/trade/rare')]
  const called = (one: RateLimits) => ({
    fills: one.count(fills, 7, false),
    rare: one.count(rare, 7, false),
    forged: one.countForged('203.0.113.9'),
    address: one.countAddress('203.0.113.9'),
  })
  called(limits)
  clock.now = 1_200
  limits.count(fills, 8, false)
  const saved = limits.save()
  const copy = structuredClone(saved)
  const once = called(limits)
  expect(once).toEqual({
    fills: { allowed: true, remaining: 1 },
    rare: { allowed: false, remaining: 0 },
    forged: true,
    address: true,
  })
  clock.now = 90_000
  for (let call = 0; call < 5; call++) called(limits)
  expect(saved).toEqual(copy)

  const others = limitsAt(clock, { perAddressPerMinute: 2 })
  for (const one of [limits, others, limits]) {
    clock.now = 1_200
    one.restore(saved)
    expect(called(one)).toEqual(once)
    expect(called(one)).toMatchObject({ fills: { allowed: true, remaining: 0 }, address: false })
  }
  expect(saved).toEqual(copy)
})

test('a clock that goes back begins new windows', () => {
  const clock = { now: 8 * 3_600_000 }
  const limits = limitsAt(clock)
  const endpoint = endpointAt(1)
  limits.count(endpoint, 7, false)
  expect(limits.count(endpoint, 7, false).allowed).toBe(false)
  clock.now = 0
  expect([1, 2].map(() => limits.count(endpoint, 7, false).allowed)).toEqual([true, false])
  clock.now = 1_000
  expect(limits.count(endpoint, 7, false).allowed).toBe(true)
})
