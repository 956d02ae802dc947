/** Each reason for which health says degraded: when it comes, in which words, and that it goes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HistoryHealth } from '../../src/history/history.ts'
import { Degradations } from '../../src/operator/degradations.ts'
import { HistoryLag } from '../../src/operator/history-lag.ts'
import { healthOf, isHealthy } from '../../src/operator/health.ts'
import { IndexHalts } from '../../src/operator/index-halts.ts'
import { silentLog } from '../../src/runtime/ports.ts'
import { units } from '../engine/support/figures.ts'
import { coinId } from '../engine/support/exchange.ts'
import { recordingLog } from '../runtime/venue.ts'
import { day, LeapingMachine } from '../simulation/leaping-machine.ts'

const written: HistoryHealth = {
  state: 'working',
  fault: undefined,
  recordedSequence: 10,
  committedSequence: 10,
  pendingEvents: 0,
  droppedEvents: 0,
  keptBytes: 0,
}

let machine: LeapingMachine
let history: HistoryHealth
let filesLeft: number | undefined
let failing: { times: number; since: number; error: Error } | undefined
const log = recordingLog()

beforeEach(async () => {
  machine = new LeapingMachine()
  await machine.open()
  history = written
  filesLeft = 1000
  failing = undefined
  log.warn.mockClear()
})

afterEach(() => machine.stop())

function look(): readonly (readonly [string, string])[] {
  const { runtime } = machine
  const degradations = new Degradations({
    runtime: {
      clock: runtime.clock,
      canAnswer: true,
      health: () => runtime.health(),
      stats: () => ({ ...runtime.stats(), snapshotsFailing: failing }),
    },
    indexHalts: new IndexHalts(runtime, silentLog),
    history: { health: () => history },
    filesLeft: () => filesLeft,
    log,
  })
  degradations.stop()
  return degradations.read()
}

test('nothing to say', () => {
  expect(look()).toEqual([])
  filesLeft = undefined
  expect(look()).toEqual([])
})

describe('the clock', () => {
  test.each([
    [day, "the system clock is 1 d 0 h ahead of the venue's time"],
    [-day, "the system clock is 1 d 0 h behind the venue's time"],
  ])('leapt by %d ms', (ms, where) => {
    machine.leap(ms)
    expect(look()).toEqual([['clock-leap', `${where}: it is not followed until the operator accepts or refuses it`]])
    machine.runtime.clock.refuse()
    expect(look()).toEqual([
      ['clock-leap', `${where}: this leap was refused: set the clock right before the machine starts again`],
    ])
    machine.leap(-ms)
    expect(look()).toEqual([])
  })

  test('was set back: stamps are ahead', () => {
    machine.leap(-day)
    machine.runtime.clock.accept()
    expect(look()).toEqual([
      [
        'stamps-ahead',
        'stamps are ahead of the clock by 1 d 0 h: they stand, and nothing falls due, until it has caught up',
      ],
    ])
    machine.sleep(day)
    expect(look()).toEqual([])
  })
})

test('the index of a coin is in doubt', async () => {
  await machine.must({ kind: 'set-index-prices', prices: [[coinId('SOL'), units('900')]] })
  expect(look()).toEqual([['index-in-doubt', 'index jumped and is not confirmed: SPOT SOLUSDT, USDT-FUTURES SOLUSDT']])
  await machine.must({ kind: 'set-index-prices', prices: [[coinId('SOL'), units('100')]] })
  expect(look()).toEqual([])
})

describe('history', () => {
  test.each([
    [100_000, false],
    [100_001, true],
  ])('%d events behind', (pendingEvents, isBehind) => {
    history = { ...written, committedSequence: 7, pendingEvents }
    const found = look()
    if (!isBehind) return expect(found).toEqual([])
    expect(found).toEqual([
      ['history-behind', 'history is behind by 3 commands and 100001 events, 0 s: reads of it wait'],
    ])
  })

  test('that has failed is no longer only behind', () => {
    history = { ...written, state: 'failed', pendingEvents: 1_000_000 }
    expect(look()).toEqual([])
  })

  test('lags since what was recorded at a look is not committed', () => {
    let now = 0
    const lag = new HistoryLag({ health: () => history }, () => now)
    const rows = [
      // at      recorded  committed  lag
      [0, 10, 10, 0],
      [1000, 20, 10, 0],
      [2000, 30, 19, 1000],
      [12_000, 40, 19, 11_000],
      [13_000, 40, 20, 0],
      [14_000, 50, 39, 1000],
      [15_000, 50, 50, 0],
    ] as const
    for (const [at, recordedSequence, committedSequence, ms] of rows) {
      now = at
      history = { ...written, recordedSequence, committedSequence }
      lag.look()
      expect([at, lag.ms]).toEqual([at, ms])
    }
  })
})

test.each([
  [
    Object.assign(new Error("ENOSPC: no space left on device, write '/home/somebody/snapshots/7'"), { code: 'ENOSPC' }),
    'ENOSPC: no space left on device',
  ],
  [new Error('the twin failed: /home/somebody/journal/1: is damaged\nat'), 'the twin failed: (a file): is damaged'],
  [new Error('history stands at 7, before the snapshot of 9'), 'history stands at 7, before the snapshot of 9'],
])('snapshots fail: %s', (error, text) => {
  failing = { times: 2, since: 1_767_225_600_000, error }
  expect(look()).toEqual([
    [
      'snapshots-failing',
      `snapshots fail and the journal grows: 2 have failed since 2026-01-01T00:00:00.000Z, the last with ${text}`,
    ],
  ])
})

test.each([
  [64, undefined],
  [63, 'nearly no files left: 63 can still be opened'],
  [1, 'nearly no files left: 1 can still be opened'],
  [0, 'no files left'],
  [-1, 'no files left'],
])('%d files are left', (left, text) => {
  filesLeft = left
  expect(look()).toEqual(text === undefined ? [] : [['files-short', text]])
  expect(log.warn.mock.calls).toEqual(text === undefined ? [] : [[{ degraded: 'files-short' }, text]])
})

test.each([
  [{ healthy: true, state: 'running', reason: undefined }, written, [], 'ok', [], true],
  [{ healthy: true, state: 'running', reason: undefined }, written, ['look'], 'degraded', ['look'], true],
  [{ healthy: true, state: 'rebuilding', reason: undefined }, written, ['look'], 'degraded', ['look'], true],
  [
    { healthy: false, state: 'stopping', reason: undefined },
    written,
    ['look'],
    'stopping',
    ['the venue is stopping', 'look'],
    false,
  ],
  [{ healthy: false, state: 'failed', reason: 'lost' }, written, ['look'], 'failed', ['lost', 'look'], false],
  [
    { healthy: true, state: 'running', reason: undefined },
    { ...written, state: 'failed', fault: 'full' },
    ['look'],
    'failed',
    ['full', 'look'],
    false,
  ],
] as const)('%j, history %j, %j: %s', (runtime, ofHistory, degradations, status, reasons, healthy) => {
  const health = healthOf({ ...runtime, note: undefined }, ofHistory, degradations)
  expect(health).toEqual({ status, reasons })
  expect(isHealthy(health)).toBe(healthy)
})
