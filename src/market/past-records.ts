/**
 * The records of a venue with those of its past before them.
 *
 * Kept     a past is served as long as the venue's own first day is; without that there would be a hole between the two
 * Turns    a first look at months makes thousands of hours: after some of them others have their turn, so that no order waits
 * Source   interface.md E10; docs/market.md
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Millis } from '../engine/numbers/numbers.ts'
import { addCandle, type Answer, type Candle, type History, type ReadQuery } from '../history/history.ts'
import type { Past } from './past.ts'

/** What of the history a past comes before. */
export type Records = Pick<History, 'candles' | 'fundingRates'>

/** So long are records served after a moment, those of the past from its end on. */
const servedMs = 90 * 86_400_000
/** A part of a past that is made at once, and after how many hours made others have their turn: less than a millisecond. */
const partMs = 86_400_000
const hoursAtOnce = 24

/** As they are served now. */
export function joinedRecords(history: Records, past: Past, now: Millis): Records {
  return {
    async candles(query) {
      const own = await history.candles(query)
      const span = past.spanOf(query.instrument)
      if (span === undefined) return own
      const isBehind = query.bounds[0] >= span.to
      // Its last price still holds where nothing was traded since.
      if (isBehind) return { ...own, before: own.before ?? past.priceBefore(query, query.bounds[0]) }
      return isServed(span, now) ? joined(await candlesOf(past, query, span), own) : own
    },
    async fundingRates(query) {
      const own = await history.fundingRates(query)
      const span = past.spanOf(query.instrument)
      if (own.length === query.limit || span === undefined || !isServed(span, now)) return own
      // How many there are of its own is known where they end.
      const skipped =
        own.length > 0 || query.offset === 0
          ? 0
          : query.offset - (await history.fundingRates({ ...query, offset: 0, limit: query.offset })).length
      const older = past.fundingRates(query.instrument)
      return [...own, ...older.slice(skipped, skipped + query.limit - own.length)]
    },
  }
}

type Span = Exclude<ReturnType<Past['spanOf']>, undefined>

/** Whether what was in a span is still told. */
export function isServed({ to }: Span, now: Millis): boolean {
  return now - to <= servedMs
}

async function candlesOf(past: Past, query: ReadQuery<'candles'>, span: Span): Promise<Answer<'candles'>> {
  const { bounds } = query
  const fine = refined(bounds, span)
  const candles: Candle[] = []
  let turnAt = past.hoursMade + hoursAtOnce
  for (let [place, owner] = [0, 0]; place + 1 < fine.length; ) {
    let last = place + 1
    while (fine[last + 1] - fine[place] <= partMs) last++
    for (const candle of past.candles({ ...query, bounds: fine.slice(place, last + 1) })) {
      while (bounds[owner + 1] <= candle.start) owner++
      const whole = candles.at(-1)
      if (whole?.start === bounds[owner]) addCandle(whole, candle)
      else candles.push({ ...candle, start: bounds[owner] })
    }
    place = last
    if (past.hoursMade < turnAt) continue
    await nextTurn()
    turnAt = past.hoursMade + hoursAtOnce
  }
  return { before: past.priceBefore(query, bounds[0]), candles }
}

/** Bounds with others between them, so that what lies between two of them is no more than is made at once. */
function refined(bounds: readonly Millis[], { from, to }: Span): readonly Millis[] {
  const fine: Millis[] = []
  for (const [place, start] of bounds.entries()) {
    fine.push(start)
    const end = Math.min(bounds[place + 1] ?? start, to)
    for (let at = Math.max(start, from) + partMs; at < end; at += partMs) fine.push(at)
  }
  return fine
}

function joined(past: Answer<'candles'>, own: Answer<'candles'>): Answer<'candles'> {
  const before = own.before ?? past.before
  const [last, first] = [past.candles.at(-1), own.candles[0]]
  if (last === undefined || last.start !== first?.start) return { before, candles: [...past.candles, ...own.candles] }
  const both = { ...last }
  addCandle(both, first)
  return { before, candles: [...past.candles.slice(0, -1), both, ...own.candles.slice(1)] }
}
