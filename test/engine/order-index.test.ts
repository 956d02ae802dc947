/**
 * The index of live orders against a Map, over any course of adding and removing.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderIndex } from '../../src/engine/state/order-index.ts'
import { Rows } from './support/links.ts'

const firstId = 1_000_000_000_000_001
const rowsMax = 2_000

test('the index finds what a map finds, and so does one that is filled with what is left', () => {
  // Steps forward by 1 to 300 numbers, or the removal of one of the live orders.
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ remove: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: rowsMax - 1 }), (steps) => {
      const index = new OrderIndex()
      const ids = new Rows()
      const expected = new Map<number, number>()
      const gone: number[] = []
      let id = firstId
      let rows = 1
      for (const entry of steps) {
        if ('add' in entry) {
          id += entry.add
          const row = rows++
          ids.set(row, id)
          index.add(ids, row)
          expected.set(id, row)
        } else if (expected.size > 0) {
          const [chosen, row] = [...expected][Math.floor(entry.remove * expected.size)]
          index.remove(ids, row)
          ids.set(row, 0)
          expected.delete(chosen)
          gone.push(chosen)
        }
      }
      const filled = new OrderIndex()
      filled.fill(ids, rows)
      for (const own of [index, filled]) {
        for (const [chosen, row] of expected) expect(own.find(ids, chosen)).toBe(row)
        for (const chosen of gone) expect(own.find(ids, chosen)).toBe(0)
      }
    }),
    { numRuns: 50 },
  )
})

test('thousands of orders one after another, gone in the order they came', () => {
  const index = new OrderIndex()
  const ids = new Rows()
  for (let row = 1; row <= 10_000; row++) {
    ids.set(row, firstId + row)
    index.add(ids, row)
  }
  for (let row = 1; row <= 10_000; row++) {
    expect(index.find(ids, firstId + row)).toBe(row)
    index.remove(ids, row)
    expect(index.find(ids, firstId + row)).toBe(0)
  }
})
