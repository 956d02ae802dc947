/** A gateway's side of the link alone: its engine counts commands, its clock is moved by hand, and a test is the core. */
import { type FrameUp, RemoteCore } from '../../src/replication/replication.ts'

/** `sequence`: where its engine stands. */
export function remoteCore(sequence: number, ports: Partial<ConstructorParameters<typeof RemoteCore>[0]> = {}) {
  let now = 0
  let applied = sequence
  const alarms = new Set<{ readonly at: number; readonly call: () => void }>()
  const remote = new RemoteCore({
    session: 1,
    about: { process: 'gateway', release: '1', rules: { oldest: 1, newest: 1 } },
    onUnfit: () => {},
    onUseless: () => {},
    leaderWaitMs: 100,
    replyTimeoutMs: 0,
    timers: {
      now: () => now,
      after: (ms, call) => {
        const alarm = { at: now + ms, call }
        alarms.add(alarm)
        return () => void alarms.delete(alarm)
      },
    },
    replica: {
      get sequence() {
        return applied
      },
      prefetch: (commands) => commands.length,
      apply: (_command, at) => {
        applied = at
        return { kind: 'done' } as never
      },
      skip: () => {},
      begin: () => {},
      applied: () => {},
    },
    ...ports,
  })
  return {
    remote,
    waitUntil: (moment: number) => {
      now = moment
      for (const alarm of alarms) if (alarm.at <= moment) alarm.call()
    },
    /** A core that leads, and what it was sent. */
    connect: () => {
      const sent: FrameUp[] = []
      const link = { send: (frame: FrameUp) => void sent.push(frame), end: () => {} }
      remote.connected(link)
      remote.take(link, { kind: 'welcome', epoch: 1, end: applied, state: undefined })
      const counters = () => sent.flatMap((frame) => (frame.kind === 'submit' ? [frame.counter] : []))
      const barriers = () => sent.flatMap((frame) => (frame.kind === 'barrier' ? [frame.number] : []))
      return { link, counters, barriers }
    },
  }
}
