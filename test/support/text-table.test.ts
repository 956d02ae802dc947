/** Tables as text: what a row is, and that a line that is wrong is found and not passed over. */
import { expect, test } from 'vitest'
import { listed, textTable } from './text-table.ts'

test('rows have their cells by the names of the columns', () => {
  const rows = textTable(`
    position | incoming      | still resting
    // a comment
    long 10  | sell 4 @ 110; | sell 4 @ 110,
             | sell 3 @ 120  | sell 3 @ 120

    flat     | sell 1        | -
  `)
  expect(rows).toEqual([
    { position: 'long 10', incoming: 'sell 4 @ 110; sell 3 @ 120', stillResting: 'sell 4 @ 110, sell 3 @ 120' },
    { position: 'flat', incoming: 'sell 1', stillResting: '' },
  ])
  expect(rows.map(({ incoming }) => listed(incoming))).toEqual([['sell 4 @ 110', 'sell 3 @ 120'], ['sell 1']])
  expect(rows.map(({ stillResting }) => listed(stillResting).length)).toEqual([1, 0])
})

test('a name that is no head does not compile', () => {
  const [row] = textTable(`
    position | after
    flat     | flat
  `)
  // @ts-expect-error -- there is no such column
  expect(row?.before).toBeUndefined()
})

test.each([
  ['a cell is missing', 'a | b | c\n1 | 2', 'not below its heads: 1 | 2'],
  ['a cell too many', 'a | b\n1 | 2 | 3', 'not below its heads: 1 | 2 | 3'],
  ['a cell that is not below its head', 'a | b\n10 | 2', 'not below its heads: 10 | 2'],
  ['a line without cells', 'a | b\nwords', 'not below its heads: words'],
  ['an empty cell', 'a | b\n1 |  ', 'a cell without a text: 1 |'],
  ['no heads', 'words\n1', 'no heads: words'],
  ['a head twice', 'a | a\n1 | 2', 'heads that are not of one each: a | a'],
  ['a head without a name', 'a |  \n1 | 2', 'heads that are not of one each: a |'],
  ['no rows', 'a | b', 'a table without an end'],
  ['a list without its end', 'a | b\n1;| 2', 'a table without an end: 1;| 2'],
  ['a cell that had ended', 'a | b\n1;| 2\n3 | 4', 'goes on in a cell that had ended: 3 | 4'],
])('%s', (_what, table, fault) => {
  expect(() => textTable(table)).toThrow(fault)
})
