/** What a gateway counts of its link: how submissions ended, and which were sent once more. */
import { expect, test } from 'vitest'
import { LinkCounts } from '../../src/replication/replication.ts'
import { remoteCore } from './remote.ts'

const command = { kind: 'run-timers' } as const

test('each submission ends in one way, and one that never stood is sent once more', async () => {
  const counts = new LinkCounts()
  const { remote, connect, waitUntil } = remoteCore(7, { counts, replyTimeoutMs: 1_000 })

  const early = remote.submitAll([command])
  waitUntil(100)
  await expect(early).rejects.toThrow('no core leads')
  expect(counts.outcomes).toEqual({ answered: 0, 'not-sequenced': 1, overloaded: 0, unknown: 0 })

  const first = connect()
  const refused = remote.submitAll([command])
  remote.take(first.link, { kind: 'refused', counter: 1, overloaded: true, reason: 'too many wait' })
  await expect(refused).rejects.toThrow('too many wait')
  const lost = remote.submitAll([command])
  expect(counts.resubmitted).toBe(0)
  // The link broke, and the next one knows nothing of it.
  remote.disconnected(first.link)
  const second = connect()
  expect([second.counters().length, counts.resubmitted]).toEqual([1, 1])
  waitUntil(2_000)
  await expect(lost).rejects.toThrow('timed-out')
  expect(counts.outcomes).toEqual({ answered: 0, 'not-sequenced': 1, overloaded: 1, unknown: 1 })

  const fresh = remote.fresh()
  await Promise.resolve()
  waitUntil(2_040)
  remote.take(second.link, { kind: 'fresh', number: 1, sequence: 7 })
  await fresh
  expect([counts.barriers.total, counts.barriers.sumMs]).toEqual([1, 40])
  expect(remote.behind).toBe(0)
  remote.take(second.link, { kind: 'applied', sequence: 9 })
  expect(remote.behind).toBe(2)
})
