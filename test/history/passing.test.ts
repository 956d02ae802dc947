/**
 * Reads pass what others have waiting to be written, and see all that is their own: `History`, "Own writes".
 */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import { alice, bob, fillNumber, fundingRate, noon, tradeNumber, transfer } from './samples.ts'

/** More than are written while a read is answered. */
const crowd = 40_000
/** From here on nobody passes. */
const tooMany = 100_000
/** As far apart as accounts have to be that are told apart by no more than their low bits. */
const samePlace = 2 ** 16

let history: History
let sequence = 0
let number = 0
beforeEach(async () => {
  history = await openHistory(':memory:')
  sequence = 0
  number = 0
})
afterEach(() => history.close())

function record(...events: readonly Event[]): void {
  history.record(++sequence, noon, events)
}

const fillOf = (uid: number) => fillNumber(++number, { uid })

function recordCrowd(events: number, uid = bob): void {
  for (let count = 0; count < events; count += 2) record(fillOf(uid), fillOf(uid))
}

async function fillsOf(uid: number): Promise<number[]> {
  const { rows } = await history.fills({ uid, limit: 1_000 })
  return rows.map(({ execId }) => execId)
}

test('a read is answered while rows of others wait', async () => {
  record(fillOf(alice))
  recordCrowd(crowd)
  expect(await fillsOf(alice)).toEqual([1])
  expect(history.pendingEvents).toBeGreaterThan(0)
})

test('so it is where they come a few at a time', async () => {
  record(fillOf(alice))
  const flushed: Promise<void>[] = []
  for (let batch = 0; batch < 450; batch++) {
    recordCrowd(50)
    flushed.push(history.flush())
  }
  expect(await fillsOf(alice)).toEqual([1])
  expect(history.pendingEvents).toBeGreaterThan(0)
  await Promise.all(flushed)
})

test('what is its own is seen, however much waits before it', async () => {
  recordCrowd(crowd)
  const own = fillOf(alice)
  record(own)
  expect(await fillsOf(alice)).toEqual([own.execId])
  recordCrowd(1_000)
  const next = fillOf(alice)
  record(next, fillOf(bob))
  expect(await fillsOf(alice)).toEqual([next.execId, own.execId])
})

test('both sides of a transfer see it', async () => {
  recordCrowd(crowd, 77)
  record(transfer)
  const asked = { limit: 10 }
  const found = await Promise.all([alice, bob].map((uid) => history.transfers({ ...asked, uid })))
  expect(found.map(({ rows }) => rows)).toEqual([[transfer], [transfer]])
  expect((await history.transfers({ ...asked, uid: 77 })).rows).toEqual([])
})

test('what belongs to nobody waits for everything', async () => {
  recordCrowd(crowd)
  const trade = tradeNumber(1)
  record(trade, fundingRate)
  expect((await history.trades({ instrument: trade.instrument, limit: 10 })).rows).toEqual([trade])
  expect(await history.fundingRates({ instrument: fundingRate.instrument, offset: 0, limit: 10 })).toEqual([
    fundingRate,
  ])
  expect(history.pendingEvents).toBe(0)
})

test('accounts that share a place wait for each other, and see no rows but their own', async () => {
  record(fillOf(alice))
  recordCrowd(5_000, alice + samePlace)
  expect(await fillsOf(alice)).toEqual([1])
  expect(history.pendingEvents).toBe(0)
})

test('behind very many rows a read waits for all of them', async () => {
  record(fillOf(alice))
  recordCrowd(tooMany + 30_000)
  expect(history.pendingEvents).toBeGreaterThan(tooMany)
  expect(await fillsOf(alice)).toEqual([1])
  expect(history.pendingEvents).toBe(0)
})

test('closing answers what was asked before it, the rows that it waits for included', async () => {
  recordCrowd(crowd)
  const own = fillOf(alice)
  record(own)
  const asked = Array.from({ length: 2_000 }, () => fillsOf(alice))
  await history.close()
  expect(new Set((await Promise.all(asked)).flat())).toEqual(new Set([own.execId]))
})

test('whoever records and asks in any order sees a list as it was since he asked', async () => {
  const accounts = [alice, bob, alice + samePlace, 77]
  const step = fc.oneof(
    fc.record({ kind: fc.constant('record' as const), uid: fc.constantFrom(...accounts), events: fc.nat(20) }),
    fc.record({ kind: fc.constant('crowd' as const), uid: fc.constant(78), events: fc.nat(3_000) }),
    fc.record({ kind: fc.constant('ask' as const), uid: fc.constantFrom(...accounts), events: fc.constant(0) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await history.prune(Number.MAX_SAFE_INTEGER)
      const model = new Map(accounts.map((uid) => [uid, [] as number[]]))
      const asked: Promise<void>[] = []
      for (const { kind, uid, events } of steps) {
        if (kind === 'ask') {
          const recorded = model.get(uid) ?? []
          const atLeast = recorded.length
          const check = (found: readonly number[]) => {
            expect(found.length).toBeGreaterThanOrEqual(atLeast)
            expect(found).toEqual(recorded.slice(0, found.length).toReversed())
          }
          asked.push(fillsOf(uid).then(check))
          continue
        }
        for (let count = 0; count < events; count++) {
          const fill = fillOf(uid)
          model.get(uid)?.push(fill.execId)
          record(fill)
        }
      }
      await Promise.all(asked)
    }),
    { numRuns: 60 },
  )
})
