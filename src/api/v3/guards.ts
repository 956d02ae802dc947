/**
 * A take-profit or stop-loss as v3 asks for it, with an order or on its own.
 *
 * At market   unless its order type is `limit`, which needs a limit price
 * Price       `market` is the last price
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { Preset, TriggerPrice } from '../../engine/command.ts'
import { missingParameter } from '../errors.ts'
import { parseTriggerPrice } from '../order-parsing.ts'

export interface GuardFields {
  readonly names: readonly [trigger: string, limitPrice: string]
  readonly trigger: string | undefined
  readonly limitPrice: string | undefined
  readonly orderType: 'market' | 'limit'
  readonly by: 'market' | 'mark'
}

export const triggerPrices = { market: 'last', mark: 'mark' } as const satisfies Record<string, TriggerPrice>

/** None without a trigger price. */
export function guard(instrument: Instrument, fields: GuardFields): Preset | undefined {
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
