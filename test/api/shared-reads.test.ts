/** Limits of reads over two gateways that tell one another what passed, on one clock (scale.md §7). */
import Type from 'typebox'
import { expect, test } from 'vitest'
import { defineEndpoint } from '../../src/api/endpoint.ts'
import { RateLimits } from '../../src/api/rate-limits.ts'
import { SharedReads } from '../../src/api/shared-reads.ts'

const limit = 10

const endpointOf = (method: 'GET' | 'POST') =>
  defineEndpoint({
    method,
    path: '/api/v3/trade/fills',
    summary: '',
    source: '',
    access: 'public',
    limit: { perSecond: limit, per: 'ip' },
    request: Type.Object({}),
    response: Type.Null(),
    handle: () => null,
  })
const fills = endpointOf('GET')

class Gateways {
  now = 5_000
  readonly all = [1, 2, 3].map((session) => {
    const reads = new SharedReads(() => this.now)
    return { session, reads, limits: new RateLimits({ enabled: true, clock: () => this.now, reads }) }
  })

  /** How many of so many calls pass at a gateway. */
  passed(place: number, calls: number, caller: number | string = 7, endpoint = fills): number {
    const allowances = Array.from({ length: calls }, () => this.all[place].limits.count(endpoint, caller, false))
    return allowances.filter(({ allowed }) => allowed).length
  }

  /** All tell; answers how many did. */
  tell(): number {
    const told = this.all.flatMap(({ session, reads }) => {
      const counts = reads.changed()
      return counts === undefined ? [] : { session, counts }
    })
    for (const { session, counts } of told) {
      for (const other of this.all) if (other.session !== session) other.reads.heard(session, counts)
    }
    return told.length
  }
}

test('what passed at one is no more there for the others, until its window is over', () => {
  const gateways = new Gateways()
  expect(gateways.passed(0, 6)).toBe(6)
  gateways.now += 100
  expect(gateways.tell()).toBe(1)
  expect(gateways.passed(1, 9)).toBe(4)
  gateways.tell()
  expect([gateways.passed(0, 1), gateways.passed(2, 1)]).toEqual([0, 0])
  // The window of the first is over, that of the second is not.
  gateways.now += 900
  expect(gateways.passed(0, 20)).toBe(6)
})

test('a caller goes beyond the limit by what each lets pass before it hears of the others', () => {
  const gateways = new Gateways()
  let passed = 0
  for (let ms = 0; ms < 1_000; ms += 10) {
    for (const place of [0, 1, 2]) passed += gateways.passed(place, 1)
    gateways.now += 10
    if (ms % 100 === 90) gateways.tell()
  }
  // Ten by each in the first 100 ms: one call every 10 ms.
  expect(passed).toBe(30)
  expect(gateways.passed(0, 1)).toBe(1)
})

test('who is refused everywhere gets something again when the windows are over', () => {
  const gateways = new Gateways()
  const bySecond: number[] = []
  for (let second = 0; second < 5; second++) {
    let passed = 0
    for (let ms = 0; ms < 1_000; ms += 10) {
      for (const place of [0, 1, 2]) passed += gateways.passed(place, 3)
      gateways.now += 10
      if (ms % 100 === 90) gateways.tell()
    }
    bySecond.push(passed)
  }
  for (const passed of bySecond) expect(passed).toBeGreaterThanOrEqual(limit)
  for (const passed of bySecond) expect(passed).toBeLessThanOrEqual(3 * limit)
})

test('nothing is told where nothing passed, and calls that change state are not', () => {
  const gateways = new Gateways()
  expect(gateways.tell()).toBe(0)
  gateways.passed(0, 20)
  gateways.passed(0, 1, '10.0.0.1')
  gateways.passed(1, 3, 7, endpointOf('POST'))
  const counts = gateways.all[0].reads.changed()
  const endpoint = 'GET /api/v3/trade/fills'
  expect(counts).toEqual([
    { endpoint, caller: 7, passed: limit, leftMs: 1_000 },
    { endpoint, caller: '10.0.0.1', passed: 1, leftMs: 1_000 },
  ])
  // Only refusals since.
  gateways.passed(0, 5)
  expect(gateways.tell()).toBe(0)
  gateways.passed(2, 1)
  gateways.now += 1_000
  expect(gateways.tell()).toBe(0)
})

test('who keeps to one gateway, or whose gateway hears nobody, is counted as in one process', () => {
  const gateways = new Gateways()
  for (let second = 0; second < 3; second++) {
    expect(gateways.passed(0, 12)).toBe(limit)
    gateways.tell()
    gateways.now += 1_000
  }
  gateways.passed(1, limit)
  expect(gateways.passed(0, 12)).toBe(limit)
})
