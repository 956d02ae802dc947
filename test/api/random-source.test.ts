/** What the venue makes up itself: as random as the system's, or decided by a seed. */
import { expect, test } from 'vitest'
import { SeededRandom, systemRandom } from '../../src/api/api.ts'
import { uuidFrom } from '../../src/api/random-source.ts'

test.each([
  ['system', () => systemRandom],
  ['seeded', () => new SeededRandom(7)],
])('%s: lengths, forms, and nothing twice', (_name, open) => {
  const random = open()
  for (const length of [0, 1, 16, 32, 33, 100]) expect(random.bytes(length)).toHaveLength(length)
  const uuids = Array.from({ length: 100 }, () => uuidFrom(random))
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(uuids).size).toBe(100)
})

test('the same seed draws the same bytes, another seed others', () => {
  const drawn = (seed: number) => {
    const random = new SeededRandom(seed)
    return [random.bytes(40).toString('hex'), uuidFrom(random), random.below(1_000_000)]
  }
  expect(drawn(1)).toEqual(drawn(1))
  expect(drawn(1)).not.toEqual(drawn(2))
})

test('restored, the same bytes come again, also from another source of the same seed', () => {
  const random = new SeededRandom(3)
  random.bytes(100)
  const saved = random.save()
  const next = random.bytes(50)
  random.bytes(7)
  random.restore(saved)
  expect(random.bytes(50)).toEqual(next)
  const other = new SeededRandom(3)
  other.restore(saved)
  expect(other.bytes(50)).toEqual(next)
})

test('numbers below a bound, each as likely', () => {
  const random = new SeededRandom(1)
  const counts = [0, 0, 0]
  for (let draw = 0; draw < 30_000; draw++) counts[random.below(3)] += 1
  for (const count of counts) expect(count / 10_000).toBeCloseTo(1, 1)
  expect(random.below(1)).toBe(0)
})
