/**
 * `GET /health`: whether the venue does all that it is there for, and if not, why. Needs no key.
 *
 * Status   `ok`, `degraded` (200) · `stopping`, `failed` (503)
 * Degraded a command broke the engine since the start: it was refused and changed nothing, trading goes on, and somebody
 *          should read the log. Or the engine is being rebuilt after it, and requests wait
 * Journal  failed: no command is taken until a restart; reads go on
 * History  failed: trading goes on, history reads do not, and a restart fills in what is missing
 */
import type { HistoryHealth } from '../history/history.ts'
import type { RuntimeHealth } from '../runtime/runtime.ts'

export interface Health {
  readonly status: 'ok' | 'degraded' | 'stopping' | 'failed'
  readonly reasons: readonly string[]
}

export function healthOf(runtime: RuntimeHealth, history: HistoryHealth): Health {
  const failures: string[] = []
  if (runtime.reason !== undefined) failures.push(runtime.reason)
  if (history.state === 'failed') failures.push(history.fault ?? 'history failed')
  const notes = runtime.note === undefined ? [] : [runtime.note]
  if (failures.length > 0) return { status: 'failed', reasons: [...failures, ...notes] }
  if (!runtime.healthy) return { status: 'stopping', reasons: ['the venue is stopping', ...notes] }
  if (runtime.state === 'rebuilding') notes.unshift('the engine is being rebuilt')
  return { status: notes.length === 0 ? 'ok' : 'degraded', reasons: notes }
}

/** Whether the venue takes commands. */
export function isHealthy({ status }: Health): boolean {
  return status === 'ok' || status === 'degraded'
}
