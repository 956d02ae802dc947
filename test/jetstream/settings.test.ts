/** What a NATS server must be, before anything is asked of one. */
import { expect, test } from 'vitest'
import { isVenueName } from '../../src/jetstream/jetstream.ts'

test.each([
  ['tidemark', true],
  ['A-1_b', true],
  ['', false],
  ['two words', false],
  ['a.b', false],
  ['x'.repeat(65), false],
])('a venue may be named %j: %s', (name, isGood) => expect(isVenueName(name)).toBe(isGood))
