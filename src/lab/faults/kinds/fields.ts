/**
 * Fields that faults are told: durations, as everywhere in the laboratory, but bounded.
 *
 * Source  lab.md §4.2, §4.5
 */
import { field } from '../../../operator/operator.ts'
import { readDuration } from '../../times.ts'

const dayMs = 86_400_000

/** Venue time that a fault takes or lasts. */
export const span = field('a duration such as 250ms or 8h, up to 90d', (value) => {
  const ms = readDuration(value)
  return ms !== undefined && ms <= 90 * dayMs ? ms : undefined
})

/** Real time, for what goes on with connections. */
const realSpanMsMax = 600_000
export const realSpan = field(`a duration such as 250ms or 30s of real time, up to ${realSpanMsMax} ms`, (value) => {
  const ms = readDuration(value)
  return ms !== undefined && ms <= realSpanMsMax ? ms : undefined
})

export const yesOrNo = field('true or false', (value) => (typeof value === 'boolean' ? value : undefined))

export const calls = ['http', 'socket'] as const
