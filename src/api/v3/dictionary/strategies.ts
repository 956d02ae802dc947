/**
 * Trigger orders as v3 writes them: strategy orders.
 *
 * Pairs     a take-profit and a stop-loss that were set together are one strategy order under the first one's number
 *           while both wait; ended, each has its record, and `triggerType` tells which it was
 * Trailing  ones say their rate as it was sent, and where they would be triggered now; `triggerPrice` activates them
 * Whole     one of the whole position has no `qty`
 * Source    wire/v3-endpoints.md §6
 */
import type { Static } from 'typebox'
import type { Instrument } from '../../../engine/catalog/catalog.ts'
import type { TrailingRecord, TriggerRecord } from '../../../engine/protocol/event.ts'
import type { TpslTerms, TriggerStatus } from '../../../engine/vocabulary.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { formatAmount, formatLots, formatTicks } from '../../figures.ts'
import { distanceText, rateText } from '../../trailing.ts'
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
  if (trigger.trailing !== undefined) return trailingRecord(trigger, trigger.trailing, instrument)
  const plan = trigger.trigger === 'plan'
  const takeProfit = plan ? trigger.takeProfit : asAttachedTpsl(both.find(isTakeProfit))
  const stopLoss = plan ? trigger.stopLoss : asAttachedTpsl(both.find((tpsl) => !isTakeProfit(tpsl)))
  const tp = tpslFields(takeProfit, instrument)
  const sl = tpslFields(stopLoss, instrument)
  const own = plan
    ? tpslFields({ trigger: trigger.price, execute: trigger.execute, by: trigger.by }, instrument)
    : noTpsl
  return {
    ...strategyBase(trigger, instrument),
    type: plan ? 'trigger' : 'tpsl',
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
    updatedTime: String(Math.max(...both.map((tpsl) => tpsl.updatedAt))),
  }
}

/** What every strategy order says of itself. */
function strategyBase(trigger: TriggerRecord, instrument: Instrument) {
  return {
    orderId: String(trigger.orderId),
    clientOid: trigger.clientOid,
    category: trigger.category,
    symbol: instrument.symbol,
    qty: quantityText(trigger, instrument),
    side: trigger.bookSide,
    posSide: trigger.intent === 'spot' ? '' : trigger.positionSide,
    status: statusWords[trigger.status],
    createdTime: String(trigger.createdAt),
    updatedTime: String(trigger.updatedAt),
  }
}

function trailingRecord(
  trigger: TriggerRecord,
  { rate, activation, best, takeProfitRate, stopLossRate }: TrailingRecord,
  instrument: Instrument,
): Static<typeof records.StrategyOrder> {
  const plan = trigger.trigger === 'trailing-plan'
  return {
    ...strategyBase(trigger, instrument),
    type: plan ? 'trigger' : 'tpsl',
    triggerType: '',
    tpTriggerBy: takeProfitRate === 0 ? '' : 'market',
    slTriggerBy: stopLossRate === 0 ? '' : 'market',
    takeProfit: distanceText(takeProfitRate),
    stopLoss: distanceText(stopLossRate),
    tpOrderType: takeProfitRate === 0 ? '' : 'market',
    slOrderType: stopLossRate === 0 ? '' : 'market',
    tpLimitPrice: '',
    slLimitPrice: '',
    triggerBy: trigger.by === 'mark' ? 'mark' : 'market',
    triggerPrice: activation === 0 ? '' : formatTicks(activation, instrument),
    triggerOrderType: 'market',
    triggerOrderPrice: '',
    ...(plan ? { callbackRatio: rateText(rate) } : { rangeRate: rateText(rate) }),
    currentTriggerPrice: best === 0 ? '' : formatTicks(trigger.price, instrument),
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
