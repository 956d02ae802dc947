/** CSV of histories: RFC 4180, times in UTC, no formulas. */
import { expect, test } from 'vitest'
import { csvOf } from '../../web/numbers/csv.ts'

test('fields of all rows are columns, and what a row lacks is empty', () => {
  expect(
    csvOf([
      { id: '1', fee: '-0.1' },
      { id: '2', coin: 'BTC' },
    ]),
  ).toBe('id,fee,coin\r\n1,-0.1,\r\n2,,BTC\r\n')
})

test.each([
  ['a comma', { note: 'a,b' }, '"a,b"'],
  ['a quotation mark', { note: 'say "no"' }, '"say ""no"""'],
  ['a line break', { note: 'a\nb' }, '"a\nb"'],
  ['what would be a formula', { note: '=1+1' }, "'=1+1"],
  ['a sign before a word', { note: '-cmd' }, "'-cmd"],
  ['a number below zero', { note: '-12.5' }, '-12.5'],
  ['a time', { closedAt: Date.UTC(2026, 2, 1, 8) }, '2026-03-01T08:00:00.000Z'],
  ['nothing', { note: undefined }, ''],
])('%s', (_, row, shown) => {
  expect(csvOf([row]).split('\r\n').slice(1, -1).join('\r\n')).toBe(shown)
})

test('no rows are an empty table', () => {
  expect(csvOf([])).toBe('\r\n')
})
