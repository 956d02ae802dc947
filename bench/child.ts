/**
 * A Node beside this one that ends when this one does, however that ends: by an error, Ctrl-C, a closed pipe or SIGKILL
 * (scripts/follow-parent.js).
 */
import { type ChildProcess, spawn } from 'node:child_process'

const followParent = new URL('../scripts/follow-parent.js', import.meta.url).href

export interface ChildOptions {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Its standard output is piped, its errors are shown. */
export function spawnChild(args: readonly string[], { cwd, environment }: ChildOptions = {}): ChildProcess {
  return spawn(process.execPath, ['--import', followParent, ...args], {
    cwd,
    env: { ...process.env, ...environment, TIDEMARK_LAUNCHER: String(process.pid) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
}
