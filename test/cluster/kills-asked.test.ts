/** What `npm run cluster-kills` is asked for; and that it strikes every role in every way. */
import { expect, test } from 'vitest'
import { readAsked } from '../../scripts/cluster-kills/asked.ts'
import { groupOf, groups, strikeNames } from '../../scripts/cluster-kills/strikes.ts'

test('it is asked for nothing, and for all that there is', () => {
  expect(readAsked([])).toEqual({ strikes: 200, minutes: 30, seed: 1, checkEvery: 20, names: strikeNames })
  const words = [
    '--strikes',
    '7',
    '--minutes=2',
    '--seed',
    '3',
    '--check-every',
    '4',
    '--only',
    'NATS leader killed,resigns',
  ]
  const names = ['core leader resigns', 'NATS leader killed']
  expect(readAsked(words)).toEqual({ strikes: 7, minutes: 2, seed: 3, checkEvery: 4, names })
})

test.each([
  [
    ['--strikes', '0'],
    '--strikes "0": must be a whole number from 1 to 100000; npm run cluster-kills -- [--strikes N]',
  ],
  [['--minutes=1.5'], '--minutes "1.5": must be a whole number from 1 to 1440'],
  [['--seed', 'x'], '--seed "x": must be a whole number from 1 to 2147483647'],
  [['--check-every='], '--check-every "": must be a whole number from 1 to 1000'],
  [['--only', 'core,fridge'], '--only "fridge": no strike has that in its name; there are core leader killed, '],
  [['--only', ''], '--only "": no strike has that in its name'],
  [['--kills', '7'], "Unknown option '--kills'"],
  [['200'], "Unexpected argument '200'"],
])('%j is refused', (words, line) => {
  const found = readAsked(words)
  expect(found).toContain(line)
  expect(found).not.toContain('\n')
})

test('each role is killed, ended and stopped', () => {
  const roles = [
    'core leader',
    'core follower',
    'gateway',
    'NATS leader',
    'NATS follower',
    'history process',
    'PostgreSQL',
  ]
  const ways = ['killed', 'ended', 'stopped']
  expect(strikeNames).toEqual(expect.arrayContaining(roles.flatMap((role) => ways.map((way) => `${role} ${way}`))))
  expect(new Set(strikeNames.map(groupOf))).toEqual(new Set(groups))
})
