/**
 * How saved state is kept small, and how tables come back from it. That any data comes back is in state.test.ts.
 */
import { expect, test } from 'vitest'
import { decode, encode, Table } from '../../src/engine/state/state.ts'

function bytesOf(value: unknown): Buffer {
  return Buffer.concat(encode(value))
}

test('keys and words are written once', () => {
  const one = { mode: 'unified', kind: 'main', holdMode: { linear: 'one_way_mode' } }
  const many = Array.from({ length: 100 }, () => structuredClone(one))
  expect(decode(bytesOf(many))).toEqual(many)
  expect(bytesOf(many).length).toBeLessThan(100 * 30)
})

test('more words than are remembered, and texts longer than a chunk', () => {
  const words = Array.from({ length: 6_000 }, (_, index) => ({ name: `account ${index}` }))
  expect(decode(bytesOf([words, words]))).toEqual([words, words])
  const long = ['é'.repeat(700_000), 'e'.repeat(1_500_000)]
  expect(decode(bytesOf(long))).toEqual(long)
})

class Boxes extends Table {
  width = new Float64Array(64)
  label: string[] = ['']
}

test('a table grows, frees and uses again, and comes back from its saved columns', () => {
  const boxes = new Boxes()
  const rows = Array.from({ length: 300 }, (_, index) => {
    const row = boxes.allocate()
    boxes.width[row] = index
    boxes.label[row] = `box ${index}`
    return row
  })
  expect(rows).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
  boxes.free(7)
  const saved = bytesOf(boxes.save())

  const again = new Boxes()
  again.load(decode(saved) as Record<string, unknown>)
  expect(bytesOf(again.save()).equals(saved)).toBe(true)
  for (const table of [boxes, again]) {
    expect(table.allocate()).toBe(7)
    expect(table.allocate()).toBe(301)
    table.width[301] = 1
    expect(table.width[300]).toBe(299)
  }
  expect(bytesOf(again.save()).equals(bytesOf(boxes.save()))).toBe(true)
})
