/** `grade.json`: what each field takes, what it does not, and that every wrong one is named. docs/grading.md */
import { describe, expect, test } from 'vitest'
import { chosenHazards, type ConfigurationFaults, hazards, readConfiguration } from '../../src/grade/grade.ts'

const faultsOf = (given: unknown): readonly string[] => {
  try {
    readConfiguration(given)
    return []
  } catch (error) {
    return (error as ConfigurationFaults).faults
  }
}

test('nothing said is a configuration', () => {
  const usual = { symbols: ['BTCUSDT'], recoverWithin: 60_000, warmUp: 2_000, maxPosition: null }
  expect(readConfiguration({})).toMatchObject(usual)
})

test('durations are read as the laboratory reads them', () => {
  const read = readConfiguration({ recoverWithin: '90s', warmUp: '250ms' })
  expect(read).toMatchObject({ recoverWithin: 90_000, warmUp: 250 })
  expect(readConfiguration({ recoverWithin: 5_000 })).toMatchObject({ recoverWithin: 5_000 })
})

test('half of a tolerance leaves the other half', () => {
  expect(readConfiguration({ tolerance: { position: 0.5 } }).tolerance).toEqual({ position: 0.5, price: 0.005 })
})

describe('wrong', () => {
  test.each<readonly [string, unknown]>([
    ['maxPosition', 0],
    ['maxPosition', '1'],
    ['maxOpenOrders', 1.5],
    ['recoverWithin', '60'],
    ['recoverWithin', '999ms'],
    ['recoverWithin', '2h'],
    ['symbols', []],
    ['symbols', ['btcusdt']],
    ['symbols', ['BTCUSDT', 'BTCUSDT']],
    ['category', 'FUTURES'],
    ['tolerance', { position: -1 }],
    ['tolerance', { price: 2 }],
    ['tolerance', { size: 1 }],
    ['warmUp', '11m'],
    ['role', 'unified-peer'],
    ['env', { URL: '{address}' }],
    ['env', { 'A B': 'x' }],
    ['env', { A: 1 }],
  ])('%s: %j', (name, value) => {
    const [fault, ...others] = faultsOf({ [name]: value })
    expect(others).toEqual([])
    expect(fault).toMatch(new RegExp(`^${name} must `))
  })
  test('all of them are named, and what is no field', () => {
    expect(faultsOf({ maxPosition: -1, recoverWithin: 'soon', limit: 3 })).toEqual([
      'maxPosition must be a positive number in base coin, or null',
      'recoverWithin must be a duration such as "60s", from 1s to 1h',
      expect.stringMatching(/^limit is no field; there are maxPosition, /),
    ])
  })
  test.each([null, [], 'x', 1])('%j is no configuration', (given) => {
    expect(faultsOf(given)).toEqual(['must be a JSON object'])
  })
})

describe('hazards by name', () => {
  const ids = (words: string) => {
    const chosen = chosenHazards(words)
    return typeof chosen === 'string' ? `no ${chosen}` : chosen.map(({ id }) => id).join(' ')
  }
  test('there are 43, in order, and each is whole', () => {
    const all = Array.from({ length: 43 }, (_, n) => `H${String(n + 1).padStart(2, '0')}`)
    expect(hazards.map(({ id }) => id)).toEqual(all)
    for (const { rules, act, says, reached } of hazards) {
      expect(rules !== undefined || act !== undefined).toBe(true)
      expect(says.endsWith('.') && !reached.endsWith('.')).toBe(true)
    }
  })
  test.each([
    ['H07', 'H07'],
    ['h42,H41', 'H41 H42'],
    ['H07-H09, H01', 'H01 H07 H08 H09'],
    ['H44', 'no H44'],
    ['H07,late', 'no LATE'],
    ['', 'no '],
  ])('%s', (words, expected) => {
    expect(ids(words)).toBe(expected)
  })
})
