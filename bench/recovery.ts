/**
 * Snapshots of a running venue, and the way back: `npm run bench -- recovery [--quick]`.
 *
 * State     100,000 accounts and a million resting orders (20,000 with --quick), through the runtime and its journal
 * Beside    orders at a fixed rate, each timed from when it was due to its reply, so that a standstill counts for every
 *           order that it delays: alone, and while a twin makes a snapshot
 * Recovery  from that snapshot and the commands after it, and from the whole journal
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Engine } from '../src/engine/engine.ts'
import type { Command } from '../src/engine/protocol/command.ts'
import { openRuntime, type Runtime } from '../src/runtime/runtime.ts'
import { atDueTimes } from './due-times.ts'
import { quantile, random, report, rounded } from './measure.ts'
import { TradingFloor } from './trading-floor.ts'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const [accounts, orders, tail] = options.quick ? [1_000, 20_000, 10_000] : [100_000, 1_000_000, 100_000]
const perSecond = 2_000
const seconds = options.quick ? 2 : 10
const engineModule = fileURLToPath(new URL('../src/engine/engine.ts', import.meta.url))

const silent = { info() {}, warn() {}, error() {} }
const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-recovery-'))
const quiet = { dataDirectory, engineClass: Engine, snapshotEvery: 0, snapshotAtStop: false } as const
try {
  await bench()
} finally {
  await rm(dataDirectory, { recursive: true, force: true })
}

async function bench(): Promise<void> {
  const venue = await openRuntime({ ...quiet, engineModule, clock: { kind: 'manual', startAt: Date.UTC(2026, 0, 1) } })
  // A floor makes the commands; the venue, which is as deterministic, gives the same numbers to accounts and orders.
  const commandsBefore: Command[] = []
  const floor = new TradingFloor('spot', { sent: commandsBefore })
  const draw = random(7)
  const uids = floor.openAccounts(accounts)
  await submit(venue, commandsBefore)
  const resting = (count: number) =>
    Array.from({ length: count }, () => floor.limit(floor.drawResting(draw, uids[Math.floor(draw() * uids.length)])))
  for (let placed = 0; placed < orders; placed += 20_000) await submit(venue, resting(20_000))

  const alone = await latencies(venue, resting(perSecond * seconds))
  const startedMs = performance.now()
  const taking = venue.snapshot().then((taken) => ({ ...taken, tookMs: performance.now() - startedMs }))
  const beside = await latencies(venue, resting(perSecond * 60), taking)
  const taken = await taking
  report({
    bench: 'recovery',
    case: `snapshot beside ${perSecond} orders/s, ${orders} resting`,
    count: beside.length,
    figures: {
      aloneP50Ms: rounded(quantile(alone, 0.5)),
      aloneP99Ms: rounded(quantile(alone, 0.99)),
      aloneP999Ms: rounded(quantile(alone, 0.999)),
      besideP50Ms: rounded(quantile(beside, 0.5)),
      besideP99Ms: rounded(quantile(beside, 0.99)),
      besideP999Ms: rounded(quantile(beside, 0.999)),
      besideMaxMs: rounded(quantile(beside, 1)),
      pauseMs: rounded(taken.pauseMs),
      tookMs: rounded(taken.tookMs),
      stateBytes: taken.bytes,
    },
  })

  const missing = Math.max(0, taken.sequence + tail - venue.sequence)
  if (missing > 0) await submit(venue, resting(missing))
  const commands = venue.sequence
  await venue.stop()
  await measureRecovery('snapshot and tail', commands - taken.sequence, commands)
  await rm(join(dataDirectory, 'snapshots'), { recursive: true })
  await measureRecovery('whole journal', commands, commands)
}

async function measureRecovery(name: string, replayed: number, expected: number): Promise<void> {
  let replayMs = Number.NaN
  const log = {
    ...silent,
    info: (facts: { readonly replayMs?: number }) => void (replayMs = facts.replayMs ?? replayMs),
  }
  const startedMs = performance.now()
  const venue = await openRuntime({ ...quiet, clock: { kind: 'manual' }, log })
  const tookMs = performance.now() - startedMs
  if (venue.sequence !== expected) throw new Error(`it stands at ${venue.sequence}, not at ${expected}`)
  await venue.stop()
  report({
    bench: 'recovery',
    case: `${name}, ${orders} resting`,
    count: replayed,
    figures: {
      seconds: rounded(tookMs / 1000),
      withoutReplaySeconds: rounded((tookMs - replayMs) / 1000),
      replayedPerSecond: rounded((replayed / replayMs) * 1000),
    },
  })
}

async function submit(venue: Runtime, commands: readonly Command[]): Promise<void> {
  for (let start = 0; start < commands.length; start += 4_096) {
    for (const reply of await venue.submitAll(commands.slice(start, start + 4_096))) {
      if (reply.kind === 'refused') throw new Error(`refused: ${reply.refusal.kind}`)
    }
  }
}

/** Milliseconds from when each command was due to its reply, until the commands end or `until` is settled. */
function latencies(venue: Runtime, commands: readonly Command[], until?: Promise<unknown>): Promise<Float64Array> {
  let over = false
  void until?.finally(() => (over = true))
  return atDueTimes({ perSecond, count: commands.length, isOver: () => over }, (index) => venue.submit(commands[index]))
}
