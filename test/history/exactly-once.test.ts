/**
 * Whatever happens to the process, the events of a command are in the history once: the journal is replayed into it
 * from anywhere.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type History, openHistory } from '../../src/history/history.ts'
import { alice, fillNumber, fundingRate, noon } from './samples.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-history-'))
  file = join(directory, 'history.sqlite')
})
afterEach(() => rm(directory, { recursive: true }))

/** Command n made two fills and settled a funding rate, which has no number of its own that SQL could refuse twice. */
function recordCommands(history: History, from: number, through: number): void {
  for (let n = from; n <= through; n++) {
    history.record(n, noon + n, [fillNumber(2 * n), fillNumber(2 * n + 1), { ...fundingRate, at: noon + n }])
  }
}

async function countsOf(history: History): Promise<readonly number[]> {
  const { rows } = await history.fills({ uid: alice, limit: 1_000 })
  const rates = await history.fundingRates({ instrument: 3, offset: 0, limit: 1_000 })
  return [rows.length, new Set(rows.map((row) => row.execId)).size, rates.length]
}

const once = (commands: number) => [2 * commands, 2 * commands, commands]

test('a sequence that was recorded is dropped the next time', async () => {
  const history = await openHistory(':memory:')
  recordCommands(history, 1, 10)
  recordCommands(history, 5, 12)
  expect(await countsOf(history)).toEqual(once(12))
  await history.close()
})

test('closing and opening in the middle keeps the place', async () => {
  const first = await openHistory(file)
  expect(first.appliedSequence).toBe(0)
  recordCommands(first, 1, 10)
  await first.close()
  const second = await openHistory(file)
  expect(second.appliedSequence).toBe(10)
  recordCommands(second, 1, 15)
  expect(await countsOf(second)).toEqual(once(15))
  await second.close()
})

test('commands without events move the sequence', async () => {
  const first = await openHistory(file)
  first.record(7, noon, [])
  expect(await first.flushDurably()).toBe(7)
  await first.abandon()
  const second = await openHistory(file)
  expect(second.appliedSequence).toBe(7)
  await second.close()
})

test('what was recorded is committed soon, unasked', async () => {
  const history = await openHistory(file)
  recordCommands(history, 1, 10)
  await expect.poll(() => history.health().committedSequence, { timeout: 5_000 }).toBe(10)
  await history.close()
})

test('what was flushed durably is there after a crash, with the sequence that was answered', async () => {
  const first = await openHistory(file)
  recordCommands(first, 1, 10)
  expect(await first.flushDurably()).toBe(10)
  expect(first.health()).toMatchObject({ committedSequence: 10, pendingEvents: 0, state: 'working' })
  recordCommands(first, 11, 12)
  expect(first.pendingEvents).toBe(6)
  await first.abandon()
  const second = await openHistory(file)
  expect(second.appliedSequence).toBe(10)
  expect(await countsOf(second)).toEqual(once(10))
  await second.close()
})

test('crashes between batches, then the journal again: every event once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          commands: fc.integer({ min: 1, max: 40 }),
          flush: fc.boolean(),
          crash: fc.boolean(),
          /** How far before the applied sequence the replay begins. */
          again: fc.nat({ max: 50 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      async (lives) => {
        const path = join(directory, `${Math.random()}.sqlite`)
        let last = 0
        for (const { commands, flush, crash, again } of lives) {
          const history = await openHistory(path)
          expect(history.appliedSequence).toBeLessThanOrEqual(last)
          last += commands
          recordCommands(history, Math.max(1, history.appliedSequence - again), last)
          if (flush) await history.flush()
          await (crash ? history.abandon() : history.close())
        }
        const history = await openHistory(path)
        recordCommands(history, 1, last)
        expect(await countsOf(history)).toEqual(once(last))
        await history.close()
      },
    ),
    { numRuns: 2 },
  )
})

test('a history that ended answers nothing and says why', async () => {
  const history = await openHistory(file)
  // What was asked before is answered or refused, whichever comes first: it does not wait for ever.
  await Promise.allSettled([history.fills({ uid: alice, limit: 1 }), history.abandon()])
  await expect(history.fills({ uid: alice, limit: 1 })).rejects.toThrow('closed')
  history.record(1, noon, [fillNumber(1)])
  expect(history.health()).toMatchObject({ state: 'closed', droppedEvents: 1, pendingEvents: 0 })
})
