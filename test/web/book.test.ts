/** Books out of their streams: merging, chain and checksum (docs/streams.md), and what is drawn of them. */
import { crc32 as theirs } from 'node:zlib'
import { expect, test } from 'vitest'
import { cumulated, gather } from '../../web/trading/depth.ts'
import { Book, type Level } from '../../web/venue/book.ts'
import { crc32 } from '../../web/venue/crc32.ts'

const asks: Level[] = [
  ['101', '1'],
  ['102', '2'],
  ['104.5', '3'],
]
const bids: Level[] = [
  ['100', '4'],
  ['99.5', '5'],
]

function snapshot(): Book {
  const book = new Book()
  expect(book.apply({ action: 'snapshot', bids, asks, seq: 7 })).toBe(true)
  return book
}

test('levels are put in, changed and taken away in their places', () => {
  const book = snapshot()
  const changed: Level[] = [
    ['103', '9'],
    ['101', '0'],
    ['104.5', '8'],
    ['100.5', '1'],
  ]
  expect(
    book.apply({
      action: 'update',
      bids: [
        ['99', '1'],
        ['100', '0'],
      ],
      asks: changed,
      seq: 8,
    }),
  ).toBe(true)
  expect(book.asks).toEqual([
    ['100.5', '1'],
    ['102', '2'],
    ['103', '9'],
    ['104.5', '8'],
  ])
  expect(book.bids).toEqual([
    ['99.5', '5'],
    ['99', '1'],
  ])
})

test.each([
  // version   sequence of the update     follows
  ['v2', { seq: 8 }, true],
  ['v2', { seq: 9 }, false],
  ['v3', { seq: 12, previous: 7 }, true],
  ['v3', { seq: 8, previous: 6 }, false],
])('%s: an update %o after 7 follows: %s', (_version, numbers, follows) => {
  const book = snapshot()
  expect(book.apply({ action: 'update', bids: [], asks: [], ...numbers })).toBe(follows)
})

test('a broken book stays broken until a snapshot, and is shown as it was', () => {
  const book = snapshot()
  expect(book.apply({ action: 'update', bids: [['98', '1']], asks: [], seq: 10 })).toBe(false)
  expect(book.apply({ action: 'update', bids: [['98', '1']], asks: [], seq: 11 })).toBe(false)
  expect(book.bids).toEqual(bids)
  expect(book.apply({ action: 'snapshot', bids, asks, seq: 11 })).toBe(true)
})

test('the checksum is that of the best levels, as a signed number', () => {
  const text = '100:4:101:1:99.5:5:102:2:104.5:3'
  expect(crc32(text)).toBe(theirs(text) | 0)
  const book = new Book()
  const right = { action: 'snapshot', bids, asks, seq: 1, checksum: theirs(text) | 0 } as const
  expect(book.apply(right)).toBe(true)
  expect(book.apply({ ...right, checksum: right.checksum + 1 })).toBe(false)
})

test('only 25 levels of a side count', () => {
  const many = Array.from({ length: 30 }, (_, index): Level => [String(200 + index), '1'])
  const text = many
    .slice(0, 25)
    .map(([price, size]) => `${price}:${size}`)
    .join(':')
  const book = new Book()
  expect(book.apply({ action: 'snapshot', bids: [], asks: many, seq: 1, checksum: theirs(text) | 0 })).toBe(true)
})

test('gathered bids go down and asks up, so that nothing looks better than it is', () => {
  const common = { precision: 1, by: 10, rows: 10 }
  expect(gather(bids, { ...common, side: 'bid' })).toEqual([
    { price: 1000, size: 4, total: 4 },
    { price: 990, size: 5, total: 9 },
  ])
  expect(gather(asks, { ...common, side: 'ask' })).toEqual([
    { price: 1010, size: 1, total: 1 },
    { price: 1020, size: 2, total: 3 },
    { price: 1050, size: 3, total: 6 },
  ])
  expect(gather(asks, { ...common, side: 'ask', rows: 2 })).toHaveLength(2)
})

test('depth adds up from the best level outwards', () => {
  expect(cumulated(asks).map(({ total }) => total)).toEqual([1, 3, 6])
})
