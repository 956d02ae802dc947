/** A runtime in a temporary directory, stopped and removed when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { openRuntime, type Runtime, type RuntimeLog, type RuntimeOptions } from '../../src/runtime/runtime.ts'
import { SmallEngine } from './small-engine.ts'

export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-runtime-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export async function openVenue(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const dataDirectory = options.dataDirectory ?? (await newDirectory())
  const runtime = await openRuntime({ engineClass: SmallEngine, ...options, dataDirectory })
  onTestFinished(() => runtime.stop().catch(() => {}))
  return runtime
}

export function recordingLog() {
  return { info: vi.fn<RuntimeLog['info']>(), warn: vi.fn<RuntimeLog['warn']>(), error: vi.fn<RuntimeLog['error']>() }
}

/** Small engines answer a balance where the real one answers an account. */
export function balanceOf(runtime: Runtime, uid: number): bigint {
  return runtime.query({ kind: 'account', uid }) as unknown as bigint
}

export function timerRunsOf(runtime: Runtime): number[] {
  return runtime.query({ kind: 'accounts' }) as unknown as number[]
}
