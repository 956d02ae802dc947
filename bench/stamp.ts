/** Which code was measured, and on what: beside every figure that is kept. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('..', import.meta.url))

export interface Stamp {
  readonly commit: string
  readonly node: string
  readonly cpu: string
  readonly cpus: number
}

export function machineAndCommit(): Stamp {
  const cpu = cpus()[0]?.model ?? 'unknown'
  return { commit: commit(), node: process.version, cpu, cpus: availableParallelism() }
}

/** Marked when the files differ from it. */
function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, stdio: ['ignore', 'pipe', 'ignore'] })
    const found = git('rev-parse', '--short=12', 'HEAD').toString().trim()
    return git('status', '--porcelain').length > 0 ? `${found}-changed` : found
  } catch {
    return 'none'
  }
}
