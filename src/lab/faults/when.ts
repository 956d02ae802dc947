/**
 * `when`: which of the calls that match are struck.
 *
 * Gate      `between` (times of the venue) and `after` (a funding, a firing) let a call be counted at all
 * Count     `nth`, `every`, `first` and `chance`, at most one of them; without one each counts
 * Time      `every` as a duration: the first match behind each such span of the venue's time since the rule was added
 * Chance    is drawn from seed, rule and client order id, or without one from how many matched before: neither concurrency nor a
 *           re-run changes it
 * Times     firings, then the rule is spent. Where none are said, as many as `when` asks for: of `nth` each, of `first` so many,
 *           of `every` and `chance` without end, else one
 * Source    lab.md §4.5
 */
import { createHash } from 'node:crypto'
import type { StaticDecode } from 'typebox'
import { body, field, optional, wholeNumber } from '../../operator/operator.ts'
import { LabRefusal } from '../refusals.ts'
import { readDuration, readTime } from '../times.ts'

const countMax = 1_000_000_000
const counting = ['nth', 'every', 'first', 'chance'] as const

/** Once in each so many milliseconds of the venue. */
interface EverySpan {
  readonly ms: number
}

const nth = field<readonly number[]>('a whole number from 1, or a list of up to 100 of them', (value) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isGood = list.length > 0 && list.length <= 100 && list.every(isCount)
  return isGood ? [...new Set(list as number[])].toSorted((one, other) => one - other) : undefined
})

const every = field<number | EverySpan>('a whole number from 1, or a duration such as "1h"', (value) => {
  if (isCount(value)) return value
  const ms = typeof value === 'string' && /[a-z]$/.test(value) ? readDuration(value) : undefined
  return ms !== undefined && ms > 0 ? { ms } : undefined
})

const between = field<readonly [number, number]>('[time, time], the first before the second', (value) => {
  if (!Array.isArray(value) || value.length !== 2) return undefined
  const [from, to] = value.map(readTime)
  return from !== undefined && to !== undefined && from < to ? [from, to] : undefined
})

const after = field<'funding' | number>('"funding", or the number of a firing', (value) => {
  if (value === 'funding') return value
  const number = typeof value === 'string' && /^[0-9]{1,10}$/.test(value) ? Number(value) : value
  return isCount(number) ? number : undefined
})

const chance = field('a number above 0 and up to 1', (value) =>
  typeof value === 'number' && value > 0 && value <= 1 ? value : undefined,
)

export const whenBody = body({
  nth: optional(nth),
  every: optional(every),
  first: optional(wholeNumber(1, countMax)),
  between: optional(between),
  after: optional(after),
  chance: optional(chance),
})

export type When = StaticDecode<typeof whenBody>

/** Throws LabRefusal. */
export function checkWhen(when: When): void {
  const given = counting.filter((name) => when[name] !== undefined)
  if (given.length < 2) return
  const which = `when.${given[1]}`
  const message = `${which}: at most one of ${counting.join(', ')} is wanted, not ${given.join(' and ')}`
  throw new LabRefusal(400, 'body-wrong', message, { field: which })
}

export function isCounted(when: When): boolean {
  return counting.some((name) => when[name] !== undefined) && spanOf(when) === undefined
}

/** Of `every`, milliseconds; undefined: it goes by count. */
export function spanOf({ every: given }: When): number | undefined {
  return typeof given === 'object' ? given.ms : undefined
}

/** Firings of a rule that does not say how many. */
export function timesUsual(when: When): number {
  if (when.nth !== undefined) return when.nth.length
  if (when.first !== undefined) return when.first
  return when.every !== undefined || when.chance !== undefined ? Number.POSITIVE_INFINITY : 1
}

/** Whether the gate is open. */
export function isOpen(
  when: When,
  now: number,
  happened: { readonly funding: boolean; readonly firing: number },
): boolean {
  const { between: window, after: event } = when
  if (window !== undefined && (now < window[0] || now >= window[1])) return false
  if (event === undefined) return true
  return event === 'funding' ? happened.funding : happened.firing >= event
}

export interface Drawn {
  readonly seed: number
  readonly rule: string
  /** Absent: it has none. */
  readonly clientOid: string | undefined
}

/** Whether the count-th match is struck. */
export function isStruck(when: When, count: number, { seed, rule, clientOid }: Drawn): boolean {
  if (when.nth !== undefined) return when.nth.includes(count)
  if (typeof when.every === 'number') return count % when.every === 0
  if (when.first !== undefined) return count <= when.first
  if (when.chance !== undefined) {
    return share(`${seed} ${rule} ${clientOid === undefined ? `#${count}` : `@${clientOid}`}`) < when.chance
  }
  return true
}

/** From 0 up to 1, the same for the same text. */
export function share(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= countMax
}
