/** What may be replayed, and what is noted of it, where a release applies more rules than its newest (runtime/rules.ts). */
import { expect, test } from 'vitest'
import { assertMayReplay, mayReplay, noteAfter } from '../../src/runtime/rules.ts'

const noted = (rules: number, from = 1) => ({ rules, from, release: '1.0.0' })
const alone = { rules: 4, release: '2.0.0' }
const both = { ...alone, oldest: 3 }

test.each([
  // applies   noted                may replay from 1, from 10
  [alone, undefined, false, false],
  [alone, noted(3), false, false],
  [alone, noted(4), true, true],
  [both, noted(3), true, true],
  [both, noted(4), true, true],
  [both, noted(3, 10), false, true],
  [both, noted(2), false, false],
  [both, noted(5), false, false],
])('%j, noted %j', (current, note, first, tenth) => {
  expect([mayReplay({ current, noted: note }, 1), mayReplay({ current, noted: note }, 10)]).toEqual([first, tenth])
})

test.each([
  // applies   noted            stands   is noted behind command 20
  [alone, undefined, 3, { rules: 4, from: 21, release: '2.0.0' }],
  [alone, noted(3), 3, { rules: 4, from: 21, release: '2.0.0' }],
  [alone, noted(4), 3, noted(4)],
  [both, undefined, 3, { rules: 3, from: 21, release: '2.0.0' }],
  [both, noted(3), 3, noted(3)],
  [both, noted(3), 4, { rules: 4, from: 1, release: '2.0.0' }],
  [both, noted(2), 3, { rules: 3, from: 21, release: '2.0.0' }],
])('%j, noted %j, at rules %d', (current, note, stands, expected) => {
  expect(noteAfter({ current, noted: note }, 20, stands)).toEqual(expected)
})

test('a core says which release it needs', () => {
  expect(() => assertMayReplay({ current: { ...both, rules: 3 }, noted: noted(4) }, 7, 9)).toThrow(
    'the venue stands at rules 4, and this release applies rules 3 only: start release 1.0.0, or another that applies rules 4',
  )
})
