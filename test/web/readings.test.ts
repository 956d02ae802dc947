/** Rates and percentiles of the operator's desk: differences between two readings of the venue's counters. */
import { describe, expect, test } from 'vitest'
import { percentiles, perSecond, type Reading, readingOf, valueOf } from '../../web/desk/readings.ts'

const bounds = ['0.001', '0.01', '0.1', '+Inf']

/** Cumulative counts of the journal's stage, beside another stage that must not count. */
function reading(at: number, commands: number, counts: readonly number[]): Reading {
  const stage = (name: string, values: readonly number[]) =>
    bounds.map((le, index) => ({ labels: { stage: name, le }, value: values[index] ?? 0 }))
  return readingOf(
    [
      {
        name: 'commands',
        values: [
          { labels: { kind: 'place-order' }, value: commands },
          { labels: { kind: 'deposit' }, value: 1 },
        ],
      },
      { name: 'stage_bucket', values: [...stage('journal', counts), ...stage('engine', [9, 9, 9, 9])] },
    ],
    at,
  )
}

test('a value is the sum of the series with the labels', () => {
  const first = reading(0, 7, [])
  expect(valueOf(first, 'commands')).toBe(8)
  expect(valueOf(first, 'commands', { kind: 'deposit' })).toBe(1)
  expect(valueOf(first, 'absent')).toBeUndefined()
})

test.each([
  // from, to, ms between       per second
  [100, 160, 2_000, 30],
  [100, 100, 2_000, 0],
  [100, 160, 0, 0],
])('commands %d to %d in %d ms are %d per second', (from, to, ms, expected) => {
  expect(perSecond(reading(1_000, from, []), reading(1_000 + ms, to, []), 'commands')).toBe(expected)
})

describe('percentiles count what came between the readings, in straight lines inside a bucket', () => {
  test.each([
    // before             after               share   seconds
    [[0, 0, 0, 0], [10, 10, 10, 10], 0.5, 0.0005],
    [[0, 0, 0, 0], [0, 10, 10, 10], 0.5, 0.0055],
    [[5, 5, 5, 5], [5, 5, 105, 105], 0.99, 0.01 + 0.09 * 0.99],
    [[0, 0, 0, 0], [50, 100, 100, 100], 0.5, 0.001],
    [[0, 0, 0, 0], [0, 0, 0, 4], 0.5, Infinity],
  ])('%j, then %j: %d of them within %d s', (before, after, share, seconds) => {
    const found = percentiles(reading(0, 0, before), reading(1, 0, after), 'stage', { stage: 'journal' }, [share])
    expect(found?.values[0]).toBeCloseTo(seconds, 10)
  })

  test('nothing happened: there are none', () => {
    const same = reading(0, 0, [1, 2, 3, 4])
    expect(percentiles(same, { ...same, at: 1 }, 'stage', { stage: 'journal' }, [0.5])).toBeUndefined()
  })
})
