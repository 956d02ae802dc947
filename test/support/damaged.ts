/** Processes of a venue whose state a test can damage: test/cluster/damaging.ts. */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

const damaging = fileURLToPath(new URL('../cluster/damaging.ts', import.meta.url))

/** What is started within can be damaged. */
export async function damageable<Started>(starting: () => Promise<Started>): Promise<Started> {
  vi.stubEnv('NODE_OPTIONS', `--import ${damaging}`)
  try {
    return await starting()
  } finally {
    vi.unstubAllEnvs()
  }
}

export function damage(child: ChildProcess): void {
  child.kill('SIGUSR2')
}

/** The exit code. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit')
  return child.exitCode
}
