/** How a core stands to its log, in words and figures: behind it, in silence, in doubt of it. */
import { beforeEach, expect, test } from 'vitest'
import { LogWatch, type WatchedLog } from '../../src/cluster/log-watch.ts'

let now = 0
let position = 0
let silentMs = 0
let last: number | undefined
let faults: string[] = []
let asked = 0
const damaged: WatchedLog['damaged'][number][] = []
const log: WatchedLog = {
  bounds: async () => {
    if (last === undefined) throw new Error('it does not answer')
    return { first: 1, last, bytes: last * 100, at: undefined }
  },
  serverFaults: async () => {
    asked += 1
    return faults
  },
  damaged,
}
const watching = (isChecked = true) => {
  const clocks = { heardOfLog: () => {} }
  const core = { position: () => position, silentMs: () => silentMs, wallNow: () => 0, clocks }
  const watch = new LogWatch(log, core, isChecked, () => now)
  watch.stop()
  return watch
}

beforeEach(() => {
  now = position = silentMs = asked = 0
  last = 10
  faults = []
  damaged.length = 0
})

test('a core that follows has nothing to say', async () => {
  position = 10
  const watch = watching()
  await watch.look()
  expect(watch.read()).toEqual([])
  expect([watch.behind, watch.behindMs, watch.bounds]).toEqual([
    0,
    0,
    { first: 1, last: 10, bytes: 1_000, at: undefined },
  ])
})

test('one is behind while it has not reached what was the end at a look', async () => {
  const watch = watching()
  await watch.look()
  now = 10_000
  last = 50
  position = 9
  await watch.look()
  expect([watch.behind, watch.behindMs]).toEqual([41, 10_000])
  expect(watch.read()).toEqual([])
  now = 11_000
  await watch.look()
  expect(watch.read()).toEqual([['core-behind', 'this core is behind the log by 41 messages, 11 s: it cannot lead']])
  position = 10
  await watch.look()
  expect([watch.behindMs, watch.read()]).toEqual([0, []])
})

test('a log that does not answer leaves it behind as it was', async () => {
  const watch = watching()
  await watch.look()
  last = undefined
  now = 12_000
  await watch.look()
  expect(watch.behindMs).toBe(12_000)
})

test('silence of five seconds is told', () => {
  const watch = watching()
  silentMs = 5_000
  expect(watch.read()).toEqual([])
  silentMs = 5_001
  expect(watch.read()).toEqual([
    ['no-leader', 'nothing came to the log for 5 s: no core leads, or the log does not answer'],
  ])
})

test('servers are asked every tenth look, and what they lack or do not do is one doubt', async () => {
  position = 10
  faults = ['sync_interval of the NATS server n1 must be "always"']
  damaged.push({ server: 'n2', from: 4, to: 9 })
  const watch = watching(false)
  for (let look = 0; look < 10; look++) await watch.look()
  expect(asked).toBe(1)
  expect(watch.read()).toEqual([
    [
      'log-in-doubt',
      'the NATS server n2 has lost positions 4..9: take it out, empty its store, let it rejoin; ' +
        'nobody has seen that the NATS servers sync what they acknowledge (--log-sync unchecked); ' +
        'sync_interval of the NATS server n1 must be "always"',
    ],
  ])
  faults = []
  await watch.look()
  expect([asked, watch.serverFaults]).toEqual([2, []])
})
