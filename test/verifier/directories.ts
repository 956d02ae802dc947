/**
 * Data directories of real runs: the commands of the random traders (test/engine/support/random-traders.ts) go through
 * the real runtime, journal, snapshots and history, so that there are liquidations, funding, loans, deleveraging and
 * refusals.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { admitRandomTraders, RandomTraders, fillFunds } from '../engine/support/random-traders.ts'
import { Exchange } from '../engine/support/exchange.ts'

export interface Said {
  readonly command: Command
  readonly at: number
}

/** What the random traders of a seed say, in order. */
export function randomCommands(seed: number, commands: number, fund: 'full' | 'empty' = 'full'): Said[] {
  const exchange = new Exchange()
  admitRandomTraders(exchange)
  if (fund === 'full') fillFunds(exchange)
  const randomTraders = new RandomTraders(exchange, seed)
  for (let count = 0; count < commands; count++) exchange.apply(randomTraders.next())
  return exchange.applied.map(({ command, at }) => ({ command, at }))
}

export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-verifier-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export interface RunOptions {
  readonly segmentBytesMax?: number
  /** After so many commands each. */
  readonly snapshotsAfter?: readonly number[]
  /** Commands that share a batch. */
  readonly batch?: number
  /** How it ends; `crash`: without a last snapshot and with history's log not moved. */
  readonly end?: 'stop' | 'crash'
  readonly engineClass?: typeof Engine
  readonly during?: (parts: { readonly runtime: Runtime; readonly history: History }, said: number) => Promise<void>
}

/** Runs commands through a venue in the directory. */
export async function run(directory: string, said: readonly Said[], options: RunOptions = {}): Promise<void> {
  const { segmentBytesMax, snapshotsAfter = [], batch = 7, end = 'stop', engineClass = Engine } = options
  let now = 0
  await mkdir(directory, { recursive: true })
  const history = await openHistory(join(directory, 'history.sqlite'))
  const runtime = await openRuntime({
    dataDirectory: directory,
    engineClass,
    history,
    durability: 'os',
    clock: { kind: 'system', now: () => now },
    snapshotEvery: 0,
    snapshotAtStop: end === 'stop',
    ...(segmentBytesMax === undefined ? {} : { segmentBytesMax }),
  })
  for (let done = 0; done < said.length; ) {
    const some = said.slice(done, done + batch)
    now = some.at(-1)!.at
    await runtime.submitAll(some.map(({ command }) => command))
    done += some.length
    if (snapshotsAfter.some((after) => after > done - some.length && after <= done)) await runtime.snapshot()
    await options.during?.({ runtime, history }, done)
  }
  await history.flush()
  await runtime.stop()
  if (end === 'stop') await history.close()
  else await history.abandon()
}
