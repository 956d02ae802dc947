/** What a gateway counts of its link: how submissions ended, and which were sent once more. */
import { expect, test } from 'vitest'
import { type FrameUp, LinkCounts, RemoteCore } from '../../src/replication/replication.ts'

const command = { kind: 'run-timers' } as const

test('each submission ends in one way, and one that never stood is sent once more', async () => {
  let now = 0
  let sequence = 7
  const alarms: { readonly at: number; readonly call: () => void }[] = []
  const counts = new LinkCounts()
  const remote = new RemoteCore({
    session: 1,
    about: { process: 'gateway', release: '1', rules: { oldest: 1, newest: 1 } },
    onUnfit: () => {},
    leaderWaitMs: 100,
    replyTimeoutMs: 1_000,
    onUseless: () => {},
    counts,
    timers: {
      now: () => now,
      after: (ms, call) => {
        const alarm = { at: now + ms, call }
        alarms.push(alarm)
        return () => void alarms.splice(alarms.indexOf(alarm), 1)
      },
    },
    replica: {
      get sequence() {
        return sequence
      },
      prefetch: (commands) => commands.length,
      apply: (_command, applied) => {
        sequence = applied
        return { kind: 'done' } as never
      },
      skip: () => {},
      begin: () => {},
      applied: () => {},
    },
  })
  const waitUntil = (moment: number) => {
    now = moment
    for (const alarm of alarms.filter(({ at }) => at <= moment)) alarm.call()
  }
  const connect = () => {
    const sent: FrameUp[] = []
    const link = { send: (frame: FrameUp) => void sent.push(frame), end: () => {} }
    remote.connected(link)
    remote.take(link, { kind: 'welcome', epoch: 1, end: sequence, state: undefined })
    return { link, submitted: () => sent.filter(({ kind }) => kind === 'submit').length }
  }

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
  expect([second.submitted(), counts.resubmitted]).toEqual([1, 1])
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
