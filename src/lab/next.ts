/**
 * `next`: where the clock stops at what comes next of its kind.
 *
 * funding, delivery, interest   behind the command that settled, delivered or charged it
 * candle:1m                     at the next beginning of such a candle
 * timer                         at the engine's next timer
 * Source                        lab.md §4.3
 */
import { intervalNamed, intervalsAfter, intervalStart } from '../market/market.ts'
import type { Condition } from './conditions.ts'
import { LabRefusal } from './refusals.ts'
import { instrumentOf } from './things.ts'
import type { LabVenue } from './venue.ts'

export function nextEnd(
  venue: LabVenue,
  named: string,
  symbol: string | undefined,
): { readonly condition: Condition } | { readonly at: number } {
  const { runtime } = venue.parts
  const now = runtime.now()
  if (symbol !== undefined) {
    if (named !== 'funding' && named !== 'delivery') {
      const message = 'symbol: goes with funding and delivery only'
      throw new LabRefusal(400, 'body-wrong', message, { field: 'symbol' })
    }
    instrumentOf(venue, symbol, 'symbol')
  }
  const candle = /^candle:(.+)$/.exec(named)
  if (candle !== null) {
    const interval = intervalNamed(candle[1])
    if (interval === undefined) throw wrong(`there is no candle of ${candle[1]}`)
    return { at: intervalsAfter(interval, intervalStart(interval, now), 1) }
  }
  switch (named) {
    case 'timer': {
      const at = runtime.nextTimerAt
      if (at === undefined)
        throw new LabRefusal(409, 'until-not-reached', 'next: no timer is set', { field: 'next', now })
      return { at: Math.max(at, now) }
    }
    case 'funding':
      return { condition: { funding: { symbol, times: 1 } } }
    case 'interest':
    case 'delivery':
      return { condition: { fired: { kind: named, symbol } } }
    default:
      throw wrong('it is one of funding, interest, delivery, timer and candle:INTERVAL such as candle:1m')
  }
}

function wrong(rule: string): LabRefusal {
  return new LabRefusal(400, 'body-wrong', `next: ${rule}`, { field: 'next' })
}
