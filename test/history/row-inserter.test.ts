/** Rows go in as they are, whatever their words are and however many combinations of them there are. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { RowInserter } from '../../src/history/row-inserter.ts'

test('words of more combinations than there are statements for', () => {
  using file = new DatabaseSync(':memory:')
  file.exec('create table trades (sequence integer, command text, lots integer, side text, note text) strict')
  const rows = new RowInserter(file, {
    name: 'trades',
    names: ['sequence', 'command', 'lots', 'side', 'note'],
    kinds: ['number', 'word', 'number', 'word', 'text'],
  })
  const given = Array.from({ length: 1_300 }, (_, n) => {
    return [n, `command ${n % 40}`, n % 3 === 0 ? null : n, `it's "${n % 31}" \\`, `note ' ${n}`]
  })
  for (const cells of given) rows.insert(cells)
  const found = file.prepare('select * from trades order by sequence').all()
  expect(found.map((row) => Object.values(row))).toEqual(given)
})
