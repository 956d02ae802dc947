/**
 * Trigger orders as v3 writes them: strategy orders.
 *
 * Pairs     a take-profit and a stop-loss that were set together are one strategy order under the first one's number
 *           while both wait; ended, each has its record, and `triggerType` tells which it was
 * Whole     one of the whole position has no `qty`
 * Source    wire/v3-endpoints.md §6
 */
import type { Static } from 'typebox'
import type { Instrument } from '../../../engine/catalog/catalog.ts'
import type { TriggerRecord } from '../../../engine/protocol/event.ts'
import type { TpslTerms, TriggerStatus } from '../../../engine/vocabulary.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { formatAmount, formatLots, formatTicks } from '../../figures.ts'
import type * as records from '../records.ts'

const statusWords = {
  live: 'pending',
  executed: 'success',
  failed: 'failed',
  canceled: 'cancelled',
} as const satisfies Record<TriggerStatus, string>

export function isTakeProfit({ trigger }: TriggerRecord): boolean {
  return trigger === 'take-profit' || trigger === 'position-take-profit'
}

/** `partner`: the other one of a pair, which it is shown together with. */
export function strategyRecord(
  trigger: TriggerRecord,
  catalog: CatalogIndex,
  partner?: TriggerRecord,
): Static<typeof records.StrategyOrder> {
  const instrument = catalog.instrument(trigger.instrument)
  const both = partner === undefined ? [trigger] : [trigger, partner]
  const plan = trigger.trigger === 'plan'
  const takeProfit = plan ? trigger.takeProfit : asAttachedTpsl(both.find(isTakeProfit))
  const stopLoss = plan ? trigger.stopLoss : asAttachedTpsl(both.find((tpsl) => !isTakeProfit(tpsl)))
  const tp = tpslFields(takeProfit, instrument)
  const sl = tpslFields(stopLoss, instrument)
  const own = plan
    ? tpslFields({ trigger: trigger.price, execute: trigger.execute, by: trigger.by }, instrument)
    : noTpsl
  return {
    orderId: String(trigger.orderId),
    clientOid: trigger.clientOid,
    category: trigger.category,
    symbol: instrument.symbol,
    type: plan ? 'trigger' : 'tpsl',
    qty: quantityText(trigger, instrument),
    side: trigger.bookSide,
    posSide: trigger.intent === 'spot' ? '' : trigger.positionSide,
    status: statusWords[trigger.status],
    triggerType: plan || partner !== undefined ? '' : isTakeProfit(trigger) ? 'takeProfit' : 'stopLoss',
    tpTriggerBy: tp.by,
    slTriggerBy: sl.by,
    takeProfit: tp.trigger,
    stopLoss: sl.trigger,
    tpOrderType: tp.orderType,
    slOrderType: sl.orderType,
    tpLimitPrice: tp.limitPrice,
    slLimitPrice: sl.limitPrice,
    triggerBy: own.by,
    triggerPrice: own.trigger,
    triggerOrderType: own.orderType,
    triggerOrderPrice: own.limitPrice,
    createdTime: String(trigger.createdAt),
    updatedTime: String(Math.max(...both.map((tpsl) => tpsl.updatedAt))),
  }
}

function asAttachedTpsl(tpsl: TriggerRecord | undefined): TpslTerms | undefined {
  return tpsl && { trigger: tpsl.price, execute: tpsl.execute, by: tpsl.by }
}

const noTpsl = { by: '', trigger: '', orderType: '', limitPrice: '' }

function tpslFields(tpsl: TpslTerms | undefined, instrument: Instrument): typeof noTpsl {
  if (tpsl === undefined) return noTpsl
  const { trigger, execute, by } = tpsl
  return {
    by: by === 'mark' ? 'mark' : 'market',
    trigger: formatTicks(trigger, instrument),
    orderType: execute === 0 ? 'market' : 'limit',
    limitPrice: execute === 0 ? '' : formatTicks(execute, instrument),
  }
}

function quantityText(trigger: TriggerRecord, instrument: Instrument): string {
  if (trigger.quoteAmount > 0n) return formatAmount(trigger.quoteAmount)
  if (trigger.baseAmount > 0n && trigger.quantity === 0) return formatAmount(trigger.baseAmount)
  return trigger.quantity === 0 ? '' : formatLots(trigger.quantity, instrument)
}
