/**
 * How saved state is kept small, and how tables come back from it. That any data comes back is in state.test.ts.
 */
import { expect, test } from 'vitest'
import {
  BigInt64Field,
  decode,
  encode,
  Float64Field,
  Int32Field,
  Table,
  Uint16Field,
  Uint8Field,
} from '../../src/engine/storage/storage.ts'

function bytesOf(value: unknown): Buffer {
  return Buffer.concat(encode(value))
}

test('keys and words are written once', () => {
  const account = { mode: 'unified', kind: 'main', holdMode: { linear: 'one_way_mode' } }
  const many = Array.from({ length: 100 }, () => structuredClone(account))
  expect(decode(encode(many))).toEqual(many)
  expect(bytesOf(many).length).toBeLessThan(100 * 30)
})

test('more words than are remembered, and texts longer than a chunk', () => {
  const words = Array.from({ length: 6_000 }, (_, index) => ({ name: `account ${index}` }))
  expect(decode(encode([words, words]))).toEqual([words, words])
  const long = ['é'.repeat(700_000), 'e'.repeat(1_500_000)]
  expect(decode(encode(long))).toEqual(long)
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
  again.load(decode([saved]) as Record<string, unknown>)
  expect(bytesOf(again.save()).equals(saved)).toBe(true)
  for (const table of [boxes, again]) {
    expect(table.allocate()).toBe(7)
    expect(table.allocate()).toBe(301)
    table.width[301] = 1
    expect(table.width[300]).toBe(299)
  }
  expect(bytesOf(again.save()).equals(bytesOf(boxes.save()))).toBe(true)
})

/** The same rows three times: in fields side by side, in columns side by side, and in columns each by itself. */
class Crates extends Table {
  colour = new Uint8Field()
  weight = new Float64Field()
  worth = new BigInt64Field()
  shelf = new Int32Field()
  floor = new Uint16Field()
  label: string[] = ['']

  constructor() {
    super()
    this.layOut()
  }
}
const crateWords = 4
class ViewedCrates extends Table {
  colour = new Uint8Array()
  weight = new Float64Array()
  worth = new BigInt64Array()
  shelf = new Int32Array()
  floor = new Uint16Array()
  label: string[] = ['']

  constructor() {
    super(crateWords * 8)
    this.layOut()
  }
}
class PlainCrates extends Table {
  colour = new Uint8Array(64)
  weight = new Float64Array(64)
  worth = new BigInt64Array(64)
  shelf = new Int32Array(64)
  floor = new Uint16Array(64)
  label: string[] = ['']
}

test('what lies side by side keeps what columns keep, and is saved as they are', () => {
  const crates = new Crates()
  const viewed = new ViewedCrates()
  const plain = new PlainCrates()
  for (let index = 0; index < 2_000; index++) {
    const row = crates.allocate()
    expect([plain.allocate(), viewed.allocate()]).toEqual([row, row])
    crates.colour.set(row, (plain.colour[row] = index % 256))
    crates.weight.set(row, (plain.weight[row] = index / 3))
    crates.worth.set(row, (plain.worth[row] = -(2n ** 62n) + BigInt(index)))
    crates.shelf.set(row, (plain.shelf[row] = -index * 1_000_003))
    crates.floor.set(row, (plain.floor[row] = 65_535 - index))
    viewed.colour[row * crateWords * 8] = plain.colour[row]
    viewed.weight[row * crateWords] = plain.weight[row]
    viewed.worth[row * crateWords] = plain.worth[row]
    viewed.shelf[row * crateWords * 2] = plain.shelf[row]
    viewed.floor[row * crateWords * 4] = plain.floor[row]
    crates.label[row] = viewed.label[row] = plain.label[row] = `crate ${index}`
  }
  const saved = bytesOf(plain.save())
  for (const table of [crates, viewed]) expect(bytesOf(table.save()).equals(saved)).toBe(true)

  const viewedAgain = new ViewedCrates()
  viewedAgain.load(decode([saved]) as Record<string, unknown>)
  expect(bytesOf(viewedAgain.save()).equals(saved)).toBe(true)
  const again = new Crates()
  again.load(decode([saved]) as Record<string, unknown>)
  expect(bytesOf(again.save()).equals(saved)).toBe(true)
  const row = again.allocate()
  const expected = [0, 0n, plain.shelf[row - 1]]
  expect([again.weight.at(row), again.worth.at(row), again.shelf.at(row - 1)]).toEqual(expected)
  viewedAgain.allocate()
  const { weight, worth, shelf } = viewedAgain
  expect([weight[row * crateWords], worth[row * crateWords], shelf[(row - 1) * crateWords * 2]]).toEqual(expected)
})

test('fields come back from columns of wider numbers, and are empty where there was no column', () => {
  const crates = new Crates()
  const columns = {
    rows: 3,
    freed: [],
    label: ['', 'a', 'b'],
    shelf: Float64Array.of(0, 7, -8),
    floor: Int32Array.of(0, 9, 10),
  }
  crates.load(columns)
  expect([1, 2].map((row) => [crates.shelf.at(row), crates.floor.at(row), crates.worth.at(row)])).toEqual([
    [7, 9, 0n],
    [-8, 10, 0n],
  ])
})
