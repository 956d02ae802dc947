/**
 * Regular expressions of rules: they find what V8's find, refuse what they cannot match, and no pattern stalls.
 *
 * Source  lab.md §4.5, §5 (hostile)
 */
import { expect, test } from 'vitest'
import { Pattern, patternLengthMax, textLengthMax } from '../../../src/lab/faults/pattern.ts'
import { Random } from '../../../src/simulator/random.ts'

const patterns = [
  'bot',
  '^bot-\\d+$',
  '^(?:bot|man)-[a-f0-9]{4}$',
  'a|b|',
  '^$',
  'a.c',
  'a\\.c',
  '[^a-c]+x',
  '^a{2,3}b?$',
  'a{0}b',
  'a{3}',
  '(a|ab)(c|bcd)(d*)$',
  '^(a*)*b',
  'a{2,}b',
  '(?:a?){5}a{5}$',
  '[\\w-]+@[\\w.]+',
  '[]a]',
  'x[\\d\\s]y',
  '^a|b$',
  'a+?b',
  '\\-\\/',
  '[a-]',
]

test.each(patterns)('%s finds what V8 finds', (source) => {
  const random = new Random(7)
  const letters = 'aaabbcdx0123-_.@ \n]/'
  const [ours, theirs] = [new Pattern(source), new RegExp(source)]
  for (let count = 0; count < 400; count++) {
    const length = Math.floor(random.share() * 12)
    let text = ['bot-17', 'man-ab09', 'aab', ''][count] ?? ''
    while (text.length < length) text += letters[Math.floor(random.share() * letters.length)]
    expect([text, ours.test(text)]).toEqual([text, theirs.test(text)])
  }
})

test.each([
  ['(', 'without its ")"'],
  [')', 'a ")" too many'],
  ['[a', 'without its "]"'],
  ['a**', 'repeats a repetition'],
  ['*a', 'repeats nothing'],
  ['(?=a)', 'no look-around'],
  ['(?<n>a)', 'no look-around and no named groups'],
  ['(a)\\1', 'does not know \\1'],
  ['\\ba', 'does not know \\b'],
  ['a\\', 'ends in the middle of an escape'],
  ['[b-a]', 'a range that is none'],
  ['a{3,2}', 'from 3 to 2'],
  ['a{999}', 'at most 128 places'],
  ['((((){999}){999}){999}){999}', 'at most 128 places'],
  ['a'.repeat(patternLengthMax + 1), 'at most 100 characters'],
])('%s is refused: %s', (source, sentence) => {
  expect(() => new Pattern(source)).toThrow(sentence)
})

test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(?:a*)*b$', `^(${Array(45).fill('a').join('|')})*$`, '(.*)*x'])(
  '%s does not explode',
  (source) => {
    const pattern = new Pattern(source)
    const text = `${'a'.repeat(textLengthMax - 1)}!`
    pattern.test(text)
    const startedMs = performance.now()
    for (let count = 0; count < 100; count++) pattern.test(text)
    // 64 characters at 128 places are 8,192 steps: far below a millisecond each, whatever the machine does besides.
    expect((performance.now() - startedMs) / 100).toBeLessThan(5)
    expect(pattern.test(text)).toBe(false)
  },
)

test('a text that is longer than client order ids are is not matched', () => {
  expect([
    new Pattern('a').test('a'.repeat(textLengthMax)),
    new Pattern('a').test('a'.repeat(textLengthMax + 1)),
  ]).toEqual([true, false])
})
