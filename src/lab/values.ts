/**
 * The fields of the laboratory's calls: what each may hold, and what it becomes.
 *
 * Source  lab.md §4.2
 */
import { field } from '../operator/operator.ts'
import { readDuration, readTime } from './times.ts'

export const duration = field('a duration such as 250ms, 8h or 90d, or a whole number of milliseconds', readDuration)
export const time = field('a time: Unix milliseconds, or ISO 8601 with a zone', readTime)

export const yes = field('true', (value) => (value === true ? true : undefined))
export const bool = field('true or false', (value) => (typeof value === 'boolean' ? value : undefined))

/** How fast a clock goes. */
export const speed = field('a number from 0 to 1000000', (value) =>
  typeof value === 'number' && value >= 0 && value <= 1_000_000 ? value : undefined,
)

/** What a person calls a thing. It is part of a path, where `.` and `..` are no names. */
export const name = field('1 to 64 letters, digits, spaces and . _ -, and not . or ..', (value) =>
  typeof value === 'string' && /^(?!\.\.?$)[A-Za-z0-9._ -]{1,64}$/.test(value) ? value : undefined,
)
