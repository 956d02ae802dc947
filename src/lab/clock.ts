/**
 * The clock's calls: exactly one of freeze, thaw, step, to, next, until and speed.
 *
 * Answers   when history is written and pushes of that time have left
 * Source    lab.md §4.3
 */
import type { StaticDecode } from 'typebox'
import { body, optional, symbol, text } from '../operator/operator.ts'
import { type Condition, conditionField, watchFor } from './conditions.ts'
import type { Fired } from './fired.ts'
import { nextEnd } from './next.ts'
import { LabRefusal } from './refusals.ts'
import { duration, speed, time, yes } from './values.ts'
import type { LabVenue } from './venue.ts'

export const clockBody = body({
  freeze: optional(yes),
  thaw: optional(yes),
  step: optional(duration),
  to: optional(time),
  next: optional(text(20)),
  symbol: optional(symbol),
  speed: optional(speed),
  until: optional(conditionField),
  max: optional(duration),
})

const untilMsMaxDefault = 7 * 86_400_000
const words = ['freeze', 'thaw', 'step', 'to', 'next', 'speed', 'until'] as const

export async function moveClock(sent: StaticDecode<typeof clockBody>, venue: LabVenue) {
  const given = words.filter((named) => sent[named] !== undefined)
  if (given.length !== 1) {
    const message = `exactly one of ${words.join(', ')} is wanted, not ${given.length === 0 ? 'none' : given.join(' and ')}`
    throw new LabRefusal(400, 'body-wrong', message, { field: given[1] ?? 'step' })
  }
  if (sent.symbol !== undefined && sent.next === undefined) onlyWith('symbol', 'next')
  if (sent.max !== undefined && sent.until === undefined && sent.next === undefined) onlyWith('max', 'until and next')
  const max = sent.max ?? untilMsMaxDefault
  if (sent.freeze !== undefined) await venue.freeze()
  else if (sent.thaw !== undefined) venue.thaw()
  else if (sent.speed !== undefined) await venue.speed(sent.speed)
  else if (sent.step !== undefined) return moved(venue, await venue.advance(sent.step))
  else if (sent.to !== undefined) return moved(venue, await advanceTo(venue, sent.to))
  else if (sent.next !== undefined) return advanceUntil(venue, nextEnd(venue, sent.next, sent.symbol), max, 'next')
  else if (sent.until !== undefined) return advanceUntil(venue, { condition: sent.until }, max, 'until')
  return { now: venue.parts.runtime.now(), ...venue.clock, fired: [] }
}

async function advanceTo(venue: LabVenue, at: number) {
  const now = venue.parts.runtime.now()
  if (at < now) {
    const message = `to: ${new Date(at).toISOString()} is before the venue's time; go back with a revert`
    throw new LabRefusal(409, 'clock-backwards', message, { field: 'to', now })
  }
  return venue.advance(at - now)
}

async function advanceUntil(
  venue: LabVenue,
  end: { readonly condition: Condition } | { readonly at: number },
  max: number,
  field: 'until' | 'next',
) {
  if ('at' in end) return moved(venue, await advanceTo(venue, end.at))
  const watch = await watchFor(venue, end.condition, field)
  try {
    const walked = await venue.advance(watch.holds() ? 0 : max, watch)
    if (watch.holds()) return { ...moved(venue, walked), reached: true }
    const message = `${field}: it did not come about within ${max} ms of the venue's time`
    throw new LabRefusal(409, 'until-not-reached', message, { field, now: walked.now })
  } finally {
    watch.end()
  }
}

function moved(venue: LabVenue, { now, fired }: { readonly now: number; readonly fired: readonly Fired[] }) {
  const { instruments } = venue.parts.runtime.query({ kind: 'catalog' })
  const entries = fired.map(({ kind, at, instrument }) => ({
    kind,
    at,
    ...(instrument === undefined ? {} : { symbol: instruments[instrument].symbol }),
  }))
  return { now, fired: entries }
}

function onlyWith(named: string, other: string): never {
  throw new LabRefusal(400, 'body-wrong', `${named}: goes with ${other} only`, { field: named })
}
