/** What a gateway sends on its link: numbers of submissions, and barriers. */
import { describe, expect, test } from 'vitest'
import { OutcomeUnknown } from '../../src/runtime/core.ts'
import { encodedCommand } from '../../src/runtime/runtime.ts'
import { remoteCore } from './remote.ts'

const command = { kind: 'run-timers' } as const

test('numbers of submissions begin again with another connection, before the wire has no room for them', async () => {
  const useless: string[] = []
  const { remote, connect } = remoteCore(0, { submissionsMax: 2, onUseless: (reason) => void useless.push(reason) })
  const first = connect()
  const settled = remote.submitAll([command])
  remote.take(first.link, { kind: 'refused', counter: 1, overloaded: false, reason: 'no room' })
  await expect(settled).rejects.toThrow('no room')
  const last = remote.submitAll([command])
  expect(useless).toEqual(['numbers of submissions begin again'])
  const next = remote.submitAll([command])
  expect(first.counters()).toEqual([1, 2])
  // What was sent on the first is not there: it never stood.
  const second = connect()
  expect(second.counters()).toEqual([1, 2])
  for (const submission of [last, next]) submission.catch(() => {})
  remote.close()
})

test('what was carried out here alone is not answered once another state takes the place of the own one', async () => {
  const { remote, connect } = remoteCore(5)
  const { link } = connect()
  const answered = remote.submitAll([command])
  const origins = [{ session: 1, counter: 1, records: 1 }]
  remote.take(link, { kind: 'batch', firstSequence: 6, records: [encodedCommand(command, 1)], origins })
  remote.disconnected(link)
  const next = { send: () => {}, end: () => {} }
  remote.connected(next)
  // Command 6 may be passed over in it.
  const state = { sequence: 8, lastAt: 1, chunks: [] }
  remote.take(next, { kind: 'welcome', epoch: 2, end: 8, state })
  remote.take(next, { kind: 'applied', sequence: 8 })
  await expect(answered).rejects.toThrow(OutcomeUnknown)
})

describe('barriers', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  function gateway() {
    const { remote, connect, waitUntil } = remoteCore(5)
    return {
      remote,
      waitUntil,
      connect: () => {
        const { link, barriers } = connect()
        const answer = (sequence: number) => {
          remote.take(link, { kind: 'fresh', number: barriers().at(-1)!, sequence })
        }
        return { link, barriers, answer }
      },
      /** How a caller that comes in a turn of its own fares. */
      fresh: async () => {
        const caller = { state: 'waits' }
        remote.fresh().then(
          () => (caller.state = 'passed'),
          () => (caller.state = 'refused'),
        )
        await turn()
        return caller
      },
    }
  }

  test('one is asked at a time, and who comes meanwhile is in the next', async () => {
    const { connect, fresh } = gateway()
    const { barriers, answer } = connect()
    const first = await fresh()
    const [second, third] = [await fresh(), await fresh()]
    expect(barriers()).toHaveLength(1)
    answer(5)
    await turn()
    expect([first.state, second.state, third.state]).toEqual(['passed', 'waits', 'waits'])
    expect(barriers()).toHaveLength(2)
    answer(5)
    await turn()
    expect([second.state, third.state]).toEqual(['passed', 'passed'])
    expect(barriers()).toHaveLength(2)
  })

  test('one that was answered ahead of the own engine holds nobody up', async () => {
    const { connect, fresh, remote } = gateway()
    const { link, barriers, answer } = connect()
    const ahead = await fresh()
    answer(6)
    const later = await fresh()
    answer(5)
    await turn()
    expect([ahead.state, later.state, barriers().length]).toEqual(['waits', 'passed', 2])
    const record = encodedCommand(command, 1)
    remote.take(link, { kind: 'batch', firstSequence: 6, records: [record], origins: [] })
    await turn()
    expect(ahead.state).toBe('passed')
  })

  test('without an answer each waits for its own time; the next leader is asked once for all', async () => {
    const { connect, fresh, waitUntil, remote } = gateway()
    const { link, barriers } = connect()
    const first = await fresh()
    waitUntil(5)
    const soon = await fresh()
    waitUntil(60)
    const late = await fresh()
    expect(barriers()).toHaveLength(1)
    waitUntil(105)
    await turn()
    expect([first.state, soon.state, late.state]).toEqual(['refused', 'refused', 'waits'])
    remote.disconnected(link)
    const last = await fresh()
    const next = connect()
    expect(next.barriers()).toHaveLength(1)
    next.answer(5)
    await turn()
    expect([late.state, last.state]).toEqual(['passed', 'passed'])
  })
})
