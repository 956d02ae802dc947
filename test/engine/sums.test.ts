/**
 * Sums by key are what a table of them would be, whichever key came first and however often they are cleared.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sums } from '../../src/engine/state/sums.ts'

const step = fc.oneof(
  fc.record({ key: fc.nat({ max: 3 }), more: fc.bigInt({ min: -9n, max: 9n }) }),
  fc.constant('clear' as const),
)

test('a plain map and these sums agree after every step', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const sums = new Sums<bigint>(0n)
      const plain = new Map<number, bigint>()
      for (const entry of steps) {
        if (entry === 'clear') {
          sums.clear()
          plain.clear()
        } else {
          sums.set(entry.key, sums.at(entry.key) + entry.more)
          plain.set(entry.key, (plain.get(entry.key) ?? 0n) + entry.more)
        }
        for (let key = 0; key < 5; key++) expect(sums.at(key)).toBe(plain.get(key) ?? 0n)
      }
    }),
  )
})
