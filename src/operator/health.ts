/**
 * `GET /health`: whether the venue does all that it is there for, and if not, why. Needs no key.
 *
 * Status   `ok`, `degraded` (200) · `stopping`, `failed` (503)
 * Degraded trading goes on and somebody should look: degradations.ts has the reasons
 * Journal  failed: no command is taken until a restart; reads go on
 * History  failed: trading goes on, history reads do not, and a restart fills in what is missing
 */
import type { HistoryHealth } from '../history/history.ts'
import type { RuntimeHealth } from '../runtime/runtime.ts'

export interface Health {
  readonly status: 'ok' | 'degraded' | 'stopping' | 'failed'
  readonly reasons: readonly string[]
}

/** `degradations`: what somebody should look at although the venue takes commands, a sentence each. */
export function healthOf(runtime: RuntimeHealth, history: HistoryHealth, degradations: readonly string[]): Health {
  const failures: string[] = []
  if (runtime.reason !== undefined) failures.push(runtime.reason)
  if (history.state === 'failed') failures.push(history.fault ?? 'history failed')
  if (failures.length > 0) return { status: 'failed', reasons: [...failures, ...degradations] }
  if (!runtime.healthy) return { status: 'stopping', reasons: ['the venue is stopping', ...degradations] }
  return { status: degradations.length === 0 ? 'ok' : 'degraded', reasons: degradations }
}

/** Whether the venue takes commands. */
export function isHealthy({ status }: Health): boolean {
  return status === 'ok' || status === 'degraded'
}
