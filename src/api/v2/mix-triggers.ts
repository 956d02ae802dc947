/**
 * What requests about trigger orders on futures of v2 have in common: plans, and take-profits and stop-losses of positions.
 *
 * Changing  what a request leaves out stays as it is
 * Source    wire/client-endpoints.md §4 and its ccxt flows in §2
 */
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { TpslTerms, TriggerKind, TriggerPrice } from '../../engine/vocabulary.ts'
import type { PrivateContext } from '../endpoint.ts'
import { ApiError } from '../errors/errors.ts'
import { oneOf, productType, symbol } from '../parsing/fields.ts'
import { parseExecutePrice, parseTriggerPrice } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { contractNamed } from './lookups.ts'
import { mixQuantity } from './placing.ts'
import { findTrigger } from './plans.ts'
import { accepted, numbered } from './replies.ts'

export const trade = { permission: 'contract_trade', level: 'write' } as const
export const read = { permission: 'contract_trade', level: 'read' } as const
export const perSecond = { perSecond: 10, per: 'uid' } as const
export const source = 'wire/client-endpoints §4'

export const triggerType = oneOf(['fill_price', 'mark_price'])
export const contractFields = { productType: productType(), symbol: symbol() }
export const trailingStopKinds = ['trailing-stop', 'position-trailing-stop'] as const
export const tpslKinds = [
  'take-profit',
  'stop-loss',
  'position-take-profit',
  'position-stop-loss',
  ...trailingStopKinds,
] as const

type TpslWords = Partial<
  Record<
    'stopSurplusTriggerPrice' | 'stopSurplusExecutePrice' | 'stopLossTriggerPrice' | 'stopLossExecutePrice',
    string
  > &
    Record<'stopSurplusTriggerType' | 'stopLossTriggerType', 'fill_price' | 'mark_price'>
>

/** Take-profit (`stopSurplus`) or stop-loss as three fields of a request name it; none without a trigger price. */
export function tpslNamed(
  contract: FuturesInstrument,
  name: 'stopSurplus' | 'stopLoss',
  words: TpslWords,
): TpslTerms | undefined {
  const trigger = words[`${name}TriggerPrice`]
  if (trigger === undefined) return undefined
  return {
    trigger: parseTriggerPrice(trigger, contract, `${name}TriggerPrice`),
    execute: parseExecutePrice(words[`${name}ExecutePrice`], contract, `${name}ExecutePrice`),
    by: dictionary.triggerTypes[words[`${name}TriggerType`] ?? 'fill_price'],
  }
}

/** A waiting trigger order of the product line, or why there is none. */
export function triggerNamed(
  context: PrivateContext,
  input: {
    readonly productType: FuturesInstrument['category']
    readonly symbol?: string
    readonly orderId?: number
    readonly clientOid?: string
  },
  kinds: readonly TriggerKind[],
): { readonly contract: FuturesInstrument; readonly trigger: TriggerRecord } {
  const unknown = kinds.includes('plan') ? '43025' : '43020'
  const trigger = findTrigger(context, input)
  if (trigger === undefined || !kinds.includes(trigger.trigger)) throw new ApiError(unknown)
  const contract = context.catalog.instrument(trigger.instrument)
  const named = input.symbol === undefined ? contract : contractNamed(context, input.productType, input.symbol)
  if (contract.kind === 'spot' || contract.category !== input.productType || contract !== named) {
    throw new ApiError(unknown)
  }
  return { contract, trigger }
}

/** `size` undefined: as it is. */
export async function modifyTrigger(
  context: PrivateContext,
  contract: FuturesInstrument,
  { orderId, trigger: kind }: TriggerRecord,
  to: {
    readonly trigger: TriggerRecord['price']
    readonly by: TriggerPrice
    readonly execute: TriggerRecord['execute']
    readonly size: string | undefined
    readonly takeProfit: TpslTerms | undefined
    readonly stopLoss: TpslTerms | undefined
  },
) {
  const { size, ...values } = to
  const reply = await context.core.submit({
    kind: 'modify-trigger',
    uid: context.account.uid,
    order: { orderId, clientOid: '' },
    kinds: [kind],
    ...values,
    quantity: size === undefined ? undefined : mixQuantity(size, contract),
  })
  return numbered(accepted(reply, 'modified', 'futures', { catalog: context.catalog, instrument: contract }))
}
