/**
 * A take-profit or stop-loss as v3 asks for it, with an order or on its own.
 *
 * At market   unless its order type is `limit`, which needs a limit price
 * Price       `market` is the last price
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { TpslTerms, TriggerPrice } from '../../engine/vocabulary.ts'
import { missingParameter } from '../errors/errors.ts'
import { parseExecutePrice, parseTriggerPrice } from '../parsing/orders.ts'

export interface TpslFields {
  readonly names: readonly [trigger: string, limitPrice: string]
  readonly trigger: string | undefined
  readonly limitPrice: string | undefined
  readonly orderType: 'market' | 'limit'
  readonly by: 'market' | 'mark'
}

export const triggerPrices = { market: 'last', mark: 'mark' } as const satisfies Record<string, TriggerPrice>

/** None without a trigger price. */
export function tpslOf(instrument: Instrument, fields: TpslFields): TpslTerms | undefined {
  const { names, trigger, limitPrice, orderType, by } = fields
  if (trigger === undefined) return undefined
  if (orderType === 'limit' && limitPrice === undefined) throw missingParameter(names[1])
  return {
    trigger: parseTriggerPrice(trigger, instrument, names[0]),
    execute:
      orderType === 'limit' && limitPrice !== undefined ? parseTriggerPrice(limitPrice, instrument, names[1]) : 0,
    by: triggerPrices[by],
  }
}

/** What requests that change one say of it. */
export interface TpslInput {
  readonly takeProfit?: string
  readonly tpTriggerBy?: 'market' | 'mark'
  readonly tpOrderType?: 'market' | 'limit'
  readonly tpLimitPrice?: string
  readonly stopLoss?: string
  readonly slTriggerBy?: 'market' | 'mark'
  readonly slOrderType?: 'market' | 'limit'
  readonly slLimitPrice?: string
  readonly triggerPrice?: string
  readonly triggerBy?: 'market' | 'mark'
  readonly triggerOrderType?: 'market' | 'limit'
  readonly triggerOrderPrice?: string
}

/** What the three price fields of a name leave of a trigger price and its order; a trigger price of zero: none. */
export function changedTpsl(
  instrument: Instrument,
  before: TpslTerms | undefined,
  input: TpslInput,
  name: 'tp' | 'sl' | 'trigger',
): TpslTerms | undefined {
  const [trigger, by, orderType, limitPrice] = {
    tp: [input.takeProfit, input.tpTriggerBy, input.tpOrderType, input.tpLimitPrice] as const,
    sl: [input.stopLoss, input.slTriggerBy, input.slOrderType, input.slLimitPrice] as const,
    trigger: [input.triggerPrice, input.triggerBy, input.triggerOrderType, input.triggerOrderPrice] as const,
  }[name]
  const price = trigger === undefined ? before?.trigger : parseExecutePrice(trigger, instrument, 'trigger price')
  if (price === undefined || price === 0) return undefined
  const limit =
    limitPrice === undefined ? (before?.execute ?? 0) : parseExecutePrice(limitPrice, instrument, 'limit price')
  if (orderType === 'limit' && limit === 0)
    throw missingParameter(name === 'trigger' ? 'triggerOrderPrice' : `${name}LimitPrice`)
  return {
    trigger: price,
    execute: orderType === 'market' ? 0 : limit,
    by: by === undefined ? (before?.by ?? 'last') : triggerPrices[by],
  }
}
