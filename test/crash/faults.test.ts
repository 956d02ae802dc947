/**
 * The disk refuses one call of the whole venue, in each way; and what lies on the disk is changed, at every byte.
 *
 * Refused  who is answered is answered rightly; who is refused hears so; nobody waits for ever; a file whose sync failed
 *          is not synced again by the same process. A start on the healthy disk, also after a loss of power, finds all that
 *          was acknowledged and goes on
 * Changed  the start is refused with the name of the file, or the state is the one that was there: never another one
 * All      CRASH_POINTS=all (`npm run crash-points`): every call and every byte; in the test run a sample
 * Source   reliability.md D3, D4, D5
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { JournalDamaged, JournalFailed, SnapshotFailed } from '../../src/journal/journal.ts'
import { CommandNotSequenced, OutcomeUnknown, RecoveryFailed } from '../../src/runtime/runtime.ts'
import { type Call, type FaultKind, SimulatedDisk } from '../journal/simulated-disk.ts'
import { openOn, type Plan, planOf } from './plan.ts'

const all = process.env['CRASH_POINTS'] === 'all'
const faults: readonly FaultKind[] = ['EIO', 'ENOSPC', 'EMFILE', 'short']

let plan: Plan
beforeAll(async () => {
  plan = await planOf(2, 70, [1, 3, 2], 25)
})

interface Worked {
  readonly acknowledged: number
  readonly submitted: number
  readonly historyDurable: number
  readonly refusals: readonly unknown[]
}

/** Tells all of the plan, goes on after refusals, asks in between, takes snapshots, and stops. */
async function work(
  disk: SimulatedDisk,
  answered: (replies: readonly Reply[], through: number) => void,
): Promise<Worked> {
  const refusals: unknown[] = []
  const worked = { acknowledged: 0, submitted: 0, historyDurable: 0, refusals }
  const attempt = async (what: () => Promise<unknown>) =>
    void (await what().catch((error: unknown) => refusals.push(error)))
  let venue: Awaited<ReturnType<typeof openOn>> | undefined
  await attempt(async () => (venue = await openOn(disk)))
  if (venue === undefined) return worked
  const { runtime, history, submit } = venue
  for (const [index, batch] of plan.batches.entries()) {
    // Behind a batch that was refused others come under its numbers, and are refused as well.
    const before = runtime.sequence
    await attempt(async () => {
      worked.submitted = Math.max(worked.submitted, batch.through)
      const replies = await submit(batch)
      assert.equal(before + replies.length, batch.through, 'after a refusal nothing is acknowledged')
      answered(replies, batch.through)
      worked.acknowledged = batch.through
    })
    if (runtime.canAnswer && !isEngineLost(refusals)) expect(runtime.query({ kind: 'accounts' })).toBeDefined()
    if (index % 9 === 8) await attempt(() => runtime.snapshot())
  }
  await attempt(() => runtime.stop())
  return { ...worked, historyDurable: history.durable }
}

const isEngineLost = (refusals: readonly unknown[]) =>
  refusals.some((refusal) => refusal instanceof OutcomeUnknown && refusal.reason === 'unexpected')

const named = [CommandNotSequenced, OutcomeUnknown, JournalFailed, SnapshotFailed, RecoveryFailed]

describe.each(faults)('%s', (fault) => {
  test('at the n-th call', { timeout: all ? 3_600_000 : 120_000 }, async () => {
    const healthy = new SimulatedDisk()
    expect((await work(healthy, () => {})).refusals).toEqual([])
    const calls = [...healthy.calls]
    let tried = 0
    for (let n = 1; n <= calls.length; n++) {
      const common = calls[n - 1] === 'write' || calls[n - 1] === 'sync' || calls[n - 1] === 'read'
      if (!all && n % (common ? 151 : 29) !== faults.indexOf(fault)) continue
      tried += 1
      await failAt(n, fault)
    }
    expect(tried).toBeGreaterThan(5)
    if (all) console.log(`${fault}: ${tried} calls`)
  })
})

async function failAt(n: number, fault: FaultKind): Promise<void> {
  const disk = new SimulatedDisk()
  let failed: Call | undefined
  disk.before = (call, number) => {
    if (number !== n) return undefined
    failed = call
    return fault
  }
  const where = () => `${fault} at call ${n}, ${failed}`
  const { acknowledged, submitted, historyDurable, refusals } = await work(disk, (replies, through) => {
    const planned = plan.replies.slice(through - replies.length, through)
    assert.deepEqual(replies, planned, `${where()}: what is acknowledged is right`)
  })
  for (const refusal of refusals) {
    const isNamed = named.some((kind) => refusal instanceof kind) || /engine has stopped/.test(String(refusal))
    assert(isNamed, `${where()}: ${refusal instanceof Error ? refusal.stack : String(refusal)}`)
  }
  if (fault === 'short') assert.deepEqual(refusals, [], `${where()}: one short call is continued`)
  assert.equal(disk.syncsRetried, 0, `${where()}: no sync is tried again`)

  disk.before = undefined
  for (const found of [disk.afterKill(), disk.afterPowerLoss('lost', () => 0)]) {
    const { runtime, submit } = await openOn(found, historyDurable)
    const { sequence } = runtime
    assert(
      sequence >= acknowledged && sequence <= submitted,
      `${where()}: ${acknowledged} <= ${sequence} <= ${submitted}`,
    )
    assert.equal(await runtime.stateHash(), plan.hashes[sequence], `${where()}: the state after ${sequence}`)
    const next = plan.batches.find((batch) => batch.through > sequence)
    if (next !== undefined) assert.equal((await submit(next)).length, next.through - sequence, where())
    const unfinished = () => found.paths().filter((path) => path.endsWith('.unfinished'))
    if (unfinished().length > 0) {
      await runtime.snapshot()
      assert.deepEqual(unfinished(), [], `${where()}: nothing unfinished stays`)
    }
    await runtime.stop()
  }
}

describe('a changed byte', () => {
  let healthy: SimulatedDisk
  let through: number

  beforeAll(async () => {
    healthy = new SimulatedDisk()
    const { runtime, submit } = await openOn(healthy)
    for (const [index, batch] of plan.batches.entries()) {
      await submit(batch)
      if (index === 12 || index === 24) await runtime.snapshot()
    }
    through = runtime.sequence
    await runtime.stop()
  })

  /** The venue is as it was, or it refuses to start and names the file. */
  async function expectKnown(disk: SimulatedDisk, path: string, where: string): Promise<'refused' | 'harmless'> {
    try {
      const { runtime } = await openOn(disk, through)
      assert.equal(runtime.sequence, through, where)
      assert.equal(await runtime.stateHash(), plan.hashes[through], `${where}: the state`)
      await runtime.stop()
      return 'harmless'
    } catch (error) {
      if (error instanceof JournalDamaged) assert.equal(error.file, path, where)
      else {
        assert(error instanceof RecoveryFailed, `${where}: ${error instanceof Error ? error.stack : String(error)}`)
        assert(
          error.message.includes(path) || /commands [0-9]+ to [0-9]+ were lost|no sound snapshot/.test(error.message),
          error.message,
        )
      }
      return 'refused'
    }
  }

  const changes: Record<string, (bytes: Buffer, at: number) => Buffer> = {
    flipped: (bytes, at) => {
      bytes[at] ^= 1 << (at % 8)
      return bytes
    },
    'cut off there': (bytes, at) => bytes.subarray(0, at),
  }

  test.each(Object.keys(changes))('%s', { timeout: all ? 3_600_000 : 120_000 }, async (change) => {
    const outcomes: Record<string, Record<string, number>> = {}
    for (const path of healthy.paths()) {
      const { length } = healthy.bytesOf(path)
      const step = all ? 1 : Math.max(1, Math.floor(length / 20))
      const kind = path.replace(/\d{20}/, '*')
      for (let at = 0; at < length; at += step) {
        const disk = healthy.copy()
        disk.put(path, changes[change](disk.bytesOf(path), at))
        const outcome = await expectKnown(disk, path, `${path}, byte ${at} ${change}`)
        const counted = (outcomes[kind] ??= {})
        counted[outcome] = (counted[outcome] ?? 0) + 1
      }
    }
    if (all) console.log(change, JSON.stringify(outcomes))
    expect(outcomes['/data/journal/*.journal']?.['harmless'], 'a changed journal never passes').toBeUndefined()
    expect(outcomes['/data/poisoned.json']?.['harmless'], 'nor do changed notes of what broke').toBeUndefined()
    expect(outcomes['/data/snapshots/*.snapshot']?.['refused'], 'an older snapshot takes its place').toBeUndefined()
  })

  test('files of an earlier time put back', async () => {
    const earlier = new SimulatedDisk()
    const { runtime, submit } = await openOn(earlier)
    for (const batch of plan.batches.slice(0, 16)) await submit(batch)
    await runtime.snapshot()
    await runtime.stop()
    for (const path of healthy.paths()) {
      if (!earlier.paths().includes(path)) continue
      const disk = healthy.copy()
      disk.put(path, earlier.bytesOf(path))
      await expectKnown(disk, path, `${path} of an earlier time`)
    }
  })

  test('segments and snapshots that are gone', async () => {
    for (const path of healthy.paths()) {
      const disk = healthy.copy()
      disk.remove(path)
      const outcome = await expectKnown(disk, '/data/journal', `${path} gone`).catch((error: unknown) => {
        // What is missing shows where the next one begins.
        assert(error instanceof assert.AssertionError && /journal/.test(error.message))
        return 'refused'
      })
      if (!path.includes('/journal/')) expect(outcome).toBe('harmless')
    }
  })
})
