/** Times for the eye, all in the zone that was chosen: that of this device, or UTC. */
import { kept } from './kept.ts'

export type Zone = 'local' | 'utc'
export const zone = kept<Zone>('zone', 'local', ['local', 'utc'])

const two = (value: number): string => String(value).padStart(2, '0')

/** With the parts of the chosen zone under their UTC names. */
function inZone(at: number): Date {
  return zone.value === 'utc' ? new Date(at) : new Date(at - new Date(at).getTimezoneOffset() * 60_000)
}

/** `14:03`. */
export function minuteTime(at: number): string {
  return inZone(at).toISOString().slice(11, 16)
}

/** `14:03:07`. */
export function clockTime(at: number): string {
  return inZone(at).toISOString().slice(11, 19)
}

/** `2026-03-01`. */
export function date(at: number): string {
  return inZone(at).toISOString().slice(0, 10)
}

export function dateTime(at: number): string {
  return `${date(at)} ${clockTime(at)}`
}

/** When a day such as `2026-03-01` begins in the chosen zone; undefined: it is none. */
export function dayStart(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const at = Date.parse(zone.value === 'utc' ? `${text}T00:00:00Z` : `${text}T00:00:00`)
  return Number.isNaN(at) ? undefined : at
}

/** What the zone is called: `UTC`, `UTC+2`, `UTC−3:30`. */
export function zoneName(at: number): string {
  const ahead = zone.value === 'utc' ? 0 : -new Date(at).getTimezoneOffset()
  if (ahead === 0) return 'UTC'
  const minutes = Math.abs(ahead) % 60
  return `UTC${ahead > 0 ? '+' : '−'}${Math.floor(Math.abs(ahead) / 60)}${minutes === 0 ? '' : `:${two(minutes)}`}`
}
