/**
 * Take-profit and stop-loss that are asked for with an order: on which side of its price they have to lie.
 *
 * Long      the profit lies above the order's price (at market: the mark price) and the loss below it; short: the other
 *           way round
 * Spot      a buy counts as a long, a sell, which buys back, as a short
 * Ignored   orders that only reduce open nothing that they could close
 * Source    interface.md E3; wire/errors.md (Price)
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Ticks } from '../engine/numbers/numbers.ts'
import type { OrderRecord } from '../engine/protocol/event.ts'
import type { PositionSide, TpslTerms } from '../engine/vocabulary.ts'
import type { Context } from './endpoint.ts'
import { ApiError } from './errors/errors.ts'

export interface OrderWithTpsl {
  readonly instrument: InstrumentId
  /** The position that the order opens; undefined: it opens none. */
  readonly opens: PositionSide | undefined
  /** Its price; zero: at market. */
  readonly price: Ticks | 0
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
}

/** The position that an order opens, what it receives counted as one; undefined: it opens none. */
export function openedBy({ intent, bookSide, reduceOnly }: OrderRecord): PositionSide | undefined {
  if (reduceOnly || intent === 'close') return undefined
  return bookSide === 'buy' ? 'long' : 'short'
}

/** `names`: how the request calls take-profit and stop-loss. */
export function checkAttachedTpsl(
  { core }: Context,
  { instrument, opens, price, takeProfit, stopLoss }: OrderWithTpsl,
  names: readonly [takeProfit: string, stopLoss: string],
): void {
  if (opens === undefined || (takeProfit === undefined && stopLoss === undefined)) return
  const entry = price || core.query({ kind: 'prices', instrument }).markPrice
  const [profit, loss] = opens === 'long' ? (['greater', 'less'] as const) : (['less', 'greater'] as const)
  if (takeProfit !== undefined && !lies(takeProfit.trigger, profit, entry)) {
    throw new ApiError('43011', [`${names[0]} should be ${profit} than the order price`])
  }
  if (stopLoss !== undefined && !lies(stopLoss.trigger, loss, entry)) {
    throw new ApiError('43011', [`${names[1]} should be ${loss} than the order price`])
  }
}

function lies(trigger: number, where: 'greater' | 'less', entry: number): boolean {
  return where === 'greater' ? trigger > entry : trigger < entry
}
