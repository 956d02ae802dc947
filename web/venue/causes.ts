/**
 * Why an order exists that its owner did not send as it is: the venue forced it, a trigger sent it, or it took another's place.
 *
 * v2   `tradeSide` names what was forced, of orders and fills alike; lists name the rest in `orderSource`
 * v3   `execType` names what was forced. It says `reduce` of deleveraging too, which alone of the two is free of fees
 * Source  interface.md E3, E13; docs/risk.md "How a liquidation goes"
 */

/** What the venue does without being asked. */
const forcedCauses = ['liquidation', 'reduce', 'offset', 'adl', 'delivery'] as const
export type ForcedCause = (typeof forcedCauses)[number]

export type Cause = ForcedCause | 'take-profit' | 'stop-loss' | 'trigger' | 'trailing' | 'replace' | 'reverse' | 'move'

export function isForced(cause: Cause | undefined): cause is ForcedCause {
  return forcedCauses.some((forced) => forced === cause)
}

const byTradeSide: readonly (readonly [start: string, cause: Cause])[] = [
  ['burst_', 'liquidation'],
  ['reduce_', 'reduce'],
  ['offset_', 'offset'],
  ['delivery_', 'delivery'],
  ['dte_sys_adl_', 'adl'],
]

const byOrderSource: readonly (readonly [start: string, cause: Cause])[] = [
  ['reduce_offset', 'offset'],
  ['liquidation', 'liquidation'],
  ['market_risk', 'adl'],
  ['delivery_', 'delivery'],
  ['profit_', 'take-profit'],
  ['pos_profit_', 'take-profit'],
  ['loss_', 'stop-loss'],
  ['pos_loss_', 'stop-loss'],
  ['plan_', 'trigger'],
  ['tracking_', 'trailing'],
  ['move_market', 'trailing'],
  ['move_limit', 'move'],
  ['modify_order_', 'replace'],
  ['reverse', 'reverse'],
]

/** Of an order or a fill of v2; undefined: its owner sent it, as far as that is said. */
export function causeOfClassic(tradeSide = '', orderSource = ''): Cause | undefined {
  const named = (words: typeof byTradeSide, text: string) => words.find(([start]) => text.startsWith(start))?.[1]
  if (orderSource === 'reduce_offset') return 'offset'
  return named(byTradeSide, tradeSide) ?? named(byOrderSource, orderSource)
}

/** Of an order of v3; `fee`: what it has paid. */
export function causeOfUnified(execType = '', filled: string, fee: string): Cause | undefined {
  if (execType === 'reduce') return Number(filled) > 0 && Number(fee) === 0 ? 'adl' : 'reduce'
  return forcedCauses.find((forced) => forced === execType)
}
