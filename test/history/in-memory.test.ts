/**
 * History in memory: it answers as one on a thread does, and goes back to what was saved, in any order.
 */
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type History, openHistory, openHistoryInMemory, type SavedHistory } from '../../src/history/history.ts'
import { tries } from '../support/depth.ts'
import { alice, everyKind, fill, noon, order, trade } from './samples.ts'

const opened: History[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((history) => history.close()))
})

async function inMemory(saved?: SavedHistory): Promise<History> {
  const history = await openHistoryInMemory(saved)
  opened.push(history)
  return history
}

const minuteMs = 60_000

/** What the nth command caused: a fill of alice and a trade a minute later than the one before. */
function nth(n: number): readonly Event[] {
  return [
    { ...fill, execId: fill.execId + n },
    { ...trade, matchId: trade.matchId + n, at: noon + n * minuteMs, price: ticks(1_000 + n) },
  ]
}

/** Everything that the tests look at. */
async function seen(history: History): Promise<unknown> {
  const bounds = Array.from({ length: 40 }, (_, minute) => noon + minute * minuteMs)
  return {
    fills: await history.fills({ uid: alice, limit: 100 }),
    trades: await history.trades({ instrument: trade.instrument, limit: 100 }),
    candles: await history.candles({ instrument: trade.instrument, priceKind: 'market', bounds }),
  }
}

test('it answers what a history on a thread of its own answers', async () => {
  const threaded = await openHistory(':memory:')
  opened.push(threaded)
  const local = await inMemory()
  for (const history of [threaded, local]) {
    history.record(1, noon, everyKind)
    history.record(2, noon, nth(3))
  }
  expect(await seen(local)).toEqual(await seen(threaded))
  expect(await local.order({ uid: alice, orderId: 301 })).toEqual(order)
})

test('what is restored has nothing of what came after, and goes on as if that had never been', async () => {
  const history = await inMemory()
  history.record(1, noon, nth(1))
  const saved = await history.save()
  const before = await seen(history)
  history.record(2, noon, nth(2))
  expect(await seen(history)).not.toEqual(before)
  await history.restore(saved)
  expect(await seen(history)).toEqual(before)
  expect(history.health()).toMatchObject({ recordedSequence: 1, committedSequence: 1, pendingEvents: 0 })

  // The same sequence again, with another content.
  history.record(2, noon, nth(5))
  const twin = await inMemory()
  twin.record(1, noon, nth(1))
  twin.record(2, noon, nth(5))
  expect(await seen(history)).toEqual(await seen(twin))
})

test('a read asked before going back is answered with what was there', async () => {
  const history = await inMemory()
  const saved = await history.save()
  history.record(1, noon, nth(1))
  const asked = history.fills({ uid: alice, limit: 10 })
  await history.restore(saved)
  expect((await asked).rows).toHaveLength(1)
  expect((await history.fills({ uid: alice, limit: 10 })).rows).toHaveLength(0)
})

test('opened from what was saved, it shares nothing with where that came from', async () => {
  const history = await inMemory()
  history.record(1, noon, nth(1))
  const fork = await inMemory(await history.save())
  const before = await seen(fork)
  expect(fork.appliedSequence).toBe(1)
  history.record(2, noon, nth(2))
  expect(await seen(fork)).toEqual(before)
  fork.record(2, noon, nth(7))
  expect(await seen(fork)).not.toEqual(await seen(history))
})

test('however it goes forth and back, it is what a history is that never went back', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('record' as const), n: fc.integer({ min: 0, max: 30 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), which: fc.nat(9) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const history = await openHistoryInMemory()
      const twin = await openHistoryInMemory()
      try {
        let told: number[] = []
        const kept: { saved: SavedHistory; told: number[] }[] = []
        for (const one of steps) {
          if (one.kind === 'record') {
            told = [...told, one.n]
            // Numbers grow with time, whatever is drawn.
            history.record(told.length, noon, nth(100 * told.length + one.n))
          } else if (one.kind === 'save') kept.push({ saved: await history.save(), told })
          else if (kept.length > 0) {
            const back = kept[one.which % kept.length]
            await history.restore(back.saved)
            told = back.told
          }
        }
        told.forEach((n, index) => twin.record(index + 1, noon, nth(100 * (index + 1) + n)))
        expect(await seen(history)).toEqual(await seen(twin))
      } finally {
        await Promise.all([history.close(), twin.close()])
      }
    }),
    { numRuns: tries(20) },
  )
})
