/** scale.md §4.6: when a core takes its clock for wrong, by what the other cores and the log's server tell. */
import { expect, test } from 'vitest'
import { ClockWatch } from '../../src/cluster/clock-watch.ts'

const begin = 1_767_225_600_000

/** `b` and `c` are other cores, `log` the log's server: by how much each is ahead. */
function watch(told: Readonly<Record<string, number>>): ClockWatch {
  const clocks = new ClockWatch(
    () => begin,
    () => 0,
  )
  for (const [who, ms] of Object.entries(told)) {
    if (who === 'log') clocks.heardOfLog(begin + ms, { from: begin, to: begin })
    else clocks.heard(who, begin + ms)
  }
  return clocks
}

test.each([
  // what others say, they are ahead by, claims, leads on
  [{}, 0, true, true],
  [{ b: 0, c: 0, log: 0 }, 0, true, true],
  [{ b: 500, c: 500, log: 500 }, 500, true, true],
  [{ b: 501, c: 501, log: 501 }, 501, false, true],
  [{ b: -501, c: -501 }, -501, false, true],
  [{ b: 2_000, c: 2_000, log: 2_000 }, 2_000, false, true],
  [{ b: 2_001, c: 2_001, log: 2_001 }, 2_001, false, false],
  // One of the others is wrong.
  [{ b: 10_000, c: 1, log: 0 }, 1, true, true],
  [{ b: -10_000, c: 1 }, 1, true, true],
  [{ b: 10_000, log: 0 }, 0, true, true],
  [{ b: -10_000, c: -10_000, log: 0 }, -10_000, false, false],
  // Nobody else says who of two is.
  [{ b: 10_000 }, 10_000, false, false],
])('others are ahead: %j', (told, aheadMs, mayClaim, mayLead) => {
  const clocks = watch(told)
  expect([clocks.othersAheadMs, clocks.mayClaim, clocks.mayLead]).toEqual([aheadMs, mayClaim, mayLead])
})

test.each([
  [250, []],
  [251, [['clock-off', 'the clock of this core is 251 ms behind the others']]],
  [-501, [['clock-off', 'the clock of this core is 501 ms ahead of the others: it does not lead']]],
])('ahead by %d ms, health says %j', (ms, said) => {
  expect(watch({ b: ms, c: ms }).read()).toEqual(said)
})

test('what comes late does not count, nor what was heard long ago', () => {
  let now = 0
  const clocks = new ClockWatch(
    () => begin + now,
    () => now,
  )
  clocks.heard('b', begin)
  now = 3_000
  // It was three seconds on its way.
  clocks.heard('b', begin)
  expect(clocks.othersAheadMs).toBe(0)
  now = 5_001
  clocks.heard('b', begin + 2_000)
  expect(clocks.othersAheadMs).toBe(-3_000)
  now = 20_000
  expect(clocks.othersAheadMs).toBe(0)
})

test('an answer of the log is as old as its question at most', () => {
  const clocks = new ClockWatch(
    () => begin,
    () => 0,
  )
  clocks.heardOfLog(begin + 30, { from: begin, to: begin + 100 })
  expect(clocks.othersAheadMs).toBe(0)
})
