/**
 * `GET /health`: whether the venue does all that it is there for, and if not, why. Needs no key.
 *
 * Status   `ok` (200) · `stopping`, `failed` (503)
 * Journal  failed: no command is taken until a restart; reads go on
 * History  failed: trading goes on, history reads do not, and a restart fills in what is missing
 */
import type { HistoryHealth } from '../history/history.ts'
import type { RuntimeHealth } from '../runtime/runtime.ts'

export interface Health {
  readonly status: 'ok' | 'stopping' | 'failed'
  readonly reasons: readonly string[]
}

export function healthOf(runtime: RuntimeHealth, history: HistoryHealth): Health {
  const reasons: string[] = []
  if (runtime.reason !== undefined) reasons.push(runtime.reason)
  if (history.state === 'failed') reasons.push(history.fault ?? 'history failed')
  if (reasons.length > 0) return { status: 'failed', reasons }
  return runtime.healthy ? { status: 'ok', reasons } : { status: 'stopping', reasons: ['the venue is stopping'] }
}
