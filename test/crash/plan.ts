/**
 * What the venue of the crash tests is sent, and what must have come of it: the real engine under the random traders of
 * the engine's simulation, in batches of known stamps, with commands among them that break the engine half-way.
 *
 * Reference  an engine that gets the same without journal and disk: the hash of its state after every command, and every
 *            reply. A command that breaks is passed over
 * History    stands in memory as far as it was flushed, and may stand further when the venue dies
 */
import assert from 'node:assert/strict'
import { Engine } from '../../src/engine/engine.ts'
import { amount } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { Disk } from '../../src/journal/journal.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { hashOf } from '../../src/runtime/state-hash.ts'
import { randomCommands } from '../verifier/directories.ts'

export const dataDirectory = '/data'
const breakingAmount = amount(666n)

/** Throws after all of a certain deposit is done and emitted. What falls due comes from the plan, not by the runtime. */
export class BreakingEngine extends Engine {
  static override load(...given: Parameters<typeof Engine.load>): Engine {
    return Object.setPrototypeOf(Engine.load(...given), BreakingEngine.prototype) as Engine
  }

  override nextTimerAt(): undefined {
    return undefined
  }

  override apply(...[command, sequence, at]: Parameters<Engine['apply']>): Reply {
    const reply = super.apply(command, sequence, at)
    if (command.kind === 'deposit' && command.amount === breakingAmount) throw new Error('it breaks')
    return reply
  }
}

export interface Batch {
  readonly commands: readonly Command[]
  readonly at: number
  /** Its last command. */
  readonly through: number
}

export interface Plan {
  readonly batches: readonly Batch[]
  /** By sequence, from zero. */
  readonly hashes: readonly string[]
  /** By sequence, from one. */
  readonly replies: readonly Reply[]
}

/** `poisonEvery`: after so many commands one that breaks the engine. */
export async function planOf(
  seed: number,
  commands: number,
  sizes: readonly number[],
  poisonEvery: number,
): Promise<Plan> {
  const said = randomCommands(seed, 0)
  const more = randomCommands(seed, commands).slice(said.length)
  const first = said.find(({ command }) => command.kind === 'deposit')!.command
  const poison = { ...first, amount: breakingAmount } as Command
  const all = [...said, ...more].slice(0, commands)
  const timed = all.flatMap((entry, index) =>
    (index + 1) % poisonEvery === 0 ? [entry, { ...entry, command: poison }] : [entry],
  )

  const batches: Batch[] = []
  const engine = new Engine(() => {})
  const hashes = [await hashOf(engine.save())]
  const replies: Reply[] = []
  for (let done = 0; done < timed.length; ) {
    const some = timed.slice(done, done + sizes[batches.length % sizes.length])
    done += some.length
    const { at } = some.at(-1)!
    for (const { command } of some) {
      const sequence = engine.sequence + 1
      if (command === poison) {
        engine.skip(sequence, at)
        replies.push({ kind: 'refused', refusal: { kind: 'poisoned' } })
      } else replies.push(engine.apply(command, sequence, at))
      hashes.push(await hashOf(engine.save()))
    }
    batches.push({ commands: some.map((entry) => entry.command), at, through: done })
  }
  return { batches, hashes, replies }
}

export class HistoryInMemory {
  readonly appliedSequence: number
  readonly pendingEvents = 0
  /** What it was given anew. */
  firstRecorded: number | undefined
  recorded: number
  durable: number

  constructor(appliedSequence = 0) {
    this.appliedSequence = appliedSequence
    this.recorded = appliedSequence
    this.durable = appliedSequence
  }

  record(sequence: number, _at: number, _events: readonly Event[]): void {
    if (sequence <= this.appliedSequence) return
    this.firstRecorded ??= sequence
    assert.equal(sequence, this.recorded + 1, 'history gets every command once, in order')
    this.recorded = sequence
  }

  async flush(): Promise<void> {
    this.durable = this.recorded
  }

  async flushDurably(): Promise<number> {
    this.durable = this.recorded
    return this.durable
  }
}

export interface Opened {
  readonly runtime: Runtime
  readonly history: HistoryInMemory
  /** Submits the next batch; its stamp is the planned one. */
  readonly submit: (batch: Batch) => Promise<readonly Reply[]>
}

export async function openOn(disk: Disk, applied = 0): Promise<Opened> {
  const clock = { now: 0 }
  const history = new HistoryInMemory(applied)
  const runtime = await openRuntime({
    dataDirectory,
    disk,
    engineClass: BreakingEngine,
    history,
    clock: { kind: 'system', now: () => clock.now },
    segmentBytesMax: 4_000,
    snapshotEvery: 0,
    snapshotAtStop: false,
    replyTimeoutMs: 0,
    poisonedPerHourMax: 1_000_000,
  })
  return {
    runtime,
    history,
    submit(batch) {
      clock.now = batch.at
      return runtime.submitAll(batch.commands)
    },
  }
}
