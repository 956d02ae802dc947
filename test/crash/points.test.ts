/**
 * The venue stops after any single call that changes the disk, and what was not synced is lost, kept or torn: the real
 * runtime and engine with rotation, snapshots, poisoned commands and the removal of what is no longer needed.
 *
 * Found    everything acknowledged; nothing of a batch by halves; the very state that a venue without a disk would have
 *          there; history has every command that it lacked; nothing half-written in the way of the next snapshot
 * Goes on  the next batch has the planned outcome, and survives the next loss of power
 * All      `npm run crash-points` (CRASH_POINTS=all, CRASH_COMMANDS=2000); in the test run a sample. CRASH_SEED repeats a run
 * Source   reliability.md D2
 */
import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { type PowerLoss, seeded, SimulatedDisk } from '../journal/simulated-disk.ts'
import { openOn, type Plan, planOf } from './plan.ts'

const all = process.env['CRASH_POINTS'] === 'all'
const seed = Number(process.env['CRASH_SEED'] ?? 1)
const commands = Number(process.env['CRASH_COMMANDS'] ?? (all ? 2_000 : 220))
const everyPoint = all ? 1 : 30
const snapshotEvery = 22

type End = PowerLoss | 'killed'
const ends: readonly End[] = ['lost', 'kept', 'torn', 'sectors', 'killed']

interface Acknowledged {
  through: number
  /** Given to the journal, acknowledged or not. */
  submitted: number
  historyDurable: () => number
  historyRecorded: () => number
}

test(`every point recovers (seed ${seed})`, { timeout: all ? 7_200_000 : 240_000 }, async () => {
  const plan = await planOf(seed, commands, [1, 1, 2, 1, 5], 45)
  const random = seeded(seed)
  const disk = new SimulatedDisk()
  const acknowledged: Acknowledged = { through: 0, submitted: 0, historyDurable: () => 0, historyRecorded: () => 0 }
  const kinds = new Map<string, number>()
  const recovered = { points: 0, ways: 0, beyondAcknowledged: 0 }
  let points = 0
  disk.after = async (call) => {
    points += 1
    kinds.set(call, (kinds.get(call) ?? 0) + 1)
    // What is rare is looked at always.
    if (points % everyPoint !== 0 && (all || call === 'write' || call === 'sync')) return
    recovered.points += 1
    const ways = all ? ends : [ends[points % ends.length], ends[(points + 2) % ends.length]]
    for (const end of ways) {
      const found = end === 'killed' ? disk.afterKill() : disk.afterPowerLoss(end, random)
      const sequence = await check(found, plan, acknowledged, random, `point ${points} (${call}), ${end}`)
      recovered.ways += 1
      if (sequence > acknowledged.through) recovered.beyondAcknowledged += 1
    }
  }

  const venue = await openOn(disk)
  acknowledged.historyDurable = () => venue.history.durable
  acknowledged.historyRecorded = () => venue.history.recorded
  for (const [index, batch] of plan.batches.entries()) {
    acknowledged.submitted = batch.through
    const replies = await venue.submit(batch)
    assert.deepEqual(replies, plan.replies.slice(batch.through - replies.length, batch.through))
    acknowledged.through = batch.through
    if (index % snapshotEvery === snapshotEvery - 1) await venue.runtime.snapshot()
  }
  await venue.runtime.stop()

  console.log(`${points} points ${JSON.stringify(Object.fromEntries(kinds))}, ${JSON.stringify(recovered)}`)
  for (const call of ['create', 'write', 'sync', 'rename', 'unlink', 'syncDirectory']) {
    expect(kinds.get(call), `the run has a ${call}`).toBeGreaterThan(2)
  }
  expect(recovered.points).toBeGreaterThan(80)
  expect(recovered.beyondAcknowledged, 'batches that were durable and not yet acknowledged').toBeGreaterThan(10)
})

/** Answers where the venue stands that starts from what is found. */
async function check(
  found: SimulatedDisk,
  plan: Plan,
  { through, submitted, historyDurable, historyRecorded }: Acknowledged,
  random: () => number,
  where: string,
): Promise<number> {
  // Of what history got and did not sync any part may have survived.
  const kept = historyDurable() + Math.floor(random() * (historyRecorded() - historyDurable() + 1))
  const leftovers = unfinishedOn(found).length > 0
  const { runtime, history, submit } = await openOn(found, kept)
  const { sequence } = runtime
  assert(sequence >= through, `${where}: ${through} was acknowledged, ${sequence} is there`)
  assert(sequence <= submitted, `${where}: ${sequence} is there, only ${submitted} was submitted`)
  const index = plan.batches.findIndex((batch) => batch.through === sequence)
  assert(sequence === 0 || index >= 0, `${where}: ${sequence} is inside a batch`)
  assert.equal(await runtime.stateHash(), plan.hashes[sequence], `${where}: the state after ${sequence}`)
  if (sequence > kept) assert.equal(history.firstRecorded, kept + 1, `${where}: history gets what it lacks`)

  const next = plan.batches[index + 1]
  if (next !== undefined && (all || random() < 0.4)) {
    const replies = await submit(next)
    assert.deepEqual(replies, plan.replies.slice(sequence, next.through), `${where}: replies of the next batch`)
    if (random() < 0.03) await runtime.snapshot()
    const again = found.afterPowerLoss('lost', random)
    await runtime.stop()
    const restarted = await openOn(again, history.durable)
    assert.equal(restarted.runtime.sequence, next.through, `${where}: the next batch is durable`)
    assert.equal(await restarted.runtime.stateHash(), plan.hashes[next.through], `${where}: the state after it`)
    if (leftovers) {
      await restarted.runtime.snapshot()
      assert.deepEqual(unfinishedOn(again), [], `${where}: nothing unfinished stays`)
    }
    await restarted.runtime.stop()
  } else await runtime.stop()
  return sequence
}

function unfinishedOn(disk: SimulatedDisk): string[] {
  return disk.paths().filter((path) => path.endsWith('.unfinished'))
}
