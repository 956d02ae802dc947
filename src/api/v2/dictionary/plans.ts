/**
 * Trigger orders of v2: plans, and the take-profits and stop-losses of positions.
 *
 * Sides     in hedge mode `side` names the position's direction (design §4.11), for its take-profit and stop-loss as for orders
 * Sizes     as sent; of what came attached to an order what it closes, in the decimals of a size; of the whole position none
 * Statuses  `live`, then `executed`, `fail_execute` or `cancelled`, on futures too
 * Source    wire/client-endpoints.md §4
 */
import type { Catalog, Instrument } from '../../../engine/catalog/catalog.ts'
import type { OrderRecord, TrailingRecord, TriggerRecord } from '../../../engine/protocol/event.ts'
import type { TpslTerms } from '../../../engine/vocabulary.ts'
import { distanceText, rateText } from '../../trailing.ts'
import type * as records from '../records.ts'
import * as figures from './figures.ts'
import { mixVolumeText } from './futures.ts'
import { amountText, instrumentOf, priceText, quantityText, settleName } from './figures.ts'
import * as words from './words.ts'

function mixPlanBase(catalog: Catalog, trigger: TriggerRecord) {
  const instrument = instrumentOf(catalog, trigger)
  const { takeProfit, stopLoss, execute, trailing } = trigger
  const executePrice = execute === 0 ? '' : priceText(instrument, execute)
  return {
    planType: words.planTypeWord(trigger.trigger),
    symbol: instrument.symbol,
    size: sizeText(trigger, instrument),
    orderId: String(trigger.orderId),
    clientOid: trigger.clientOid,
    price: executePrice,
    executePrice,
    callbackRatio: trailing === undefined ? '' : rateText(trailing.rate),
    triggerPrice: trailing?.activation === 0 ? '' : priceText(instrument, trailing?.activation ?? trigger.price),
    triggerType: words.triggerTypeWord(trigger.by),
    planStatus: words.planStatus[trigger.status],
    side: sideWord(trigger),
    posSide: trigger.positionSide,
    marginCoin: settleName(catalog, instrument),
    marginMode: words.marginModeWord(trigger.marginMode),
    enterPointSource: 'API',
    tradeSide: words.tradeSideWord(labelled(trigger)),
    posMode: trigger.holdMode,
    orderType: execute === 0 ? 'market' : 'limit',
    cTime: String(trigger.createdAt),
    uTime: String(trigger.updatedAt),
    presetStopSurplusPrice: takeProfit ? priceText(instrument, takeProfit.trigger) : '',
    presetStopLossPrice: stopLoss ? priceText(instrument, stopLoss.trigger) : '',
  }
}

/** The fields of an attached take-profit and stop-loss; `none` where there is none. */
function attachedTexts<None extends '' | null>(catalog: Catalog, trigger: TriggerRecord, none: None) {
  const instrument = instrumentOf(catalog, trigger)
  const { takeProfit, stopLoss, trailing } = trigger
  return {
    stopSurplusTriggerPrice: takeProfit ? priceText(instrument, takeProfit.trigger) : none,
    stopSurplusExecutePrice: executeText(takeProfit, instrument, none),
    stopSurplusTriggerType: takeProfit ? words.triggerTypeWord(takeProfit.by) : none,
    stopLossTriggerPrice: stopLoss ? priceText(instrument, stopLoss.trigger) : none,
    stopLossExecutePrice: executeText(stopLoss, instrument, none),
    stopLossTriggerType: stopLoss ? words.triggerTypeWord(stopLoss.by) : none,
    ...(trailing === undefined ? {} : trailingTexts(trailing, trigger, instrument, none)),
  }
}

/** Beside the terms: where it is triggered now, empty while it waits for its activation price. */
function trailingTexts<None extends '' | null>(
  { best, takeProfitRate, stopLossRate }: TrailingRecord,
  { price }: TriggerRecord,
  at: Instrument,
  none: None,
) {
  return {
    currentTriggerPrice: best === 0 ? '' : priceText(at, price),
    stopSurplusTriggerPrice: takeProfitRate === 0 ? none : distanceText(takeProfitRate),
    stopSurplusTriggerType: takeProfitRate === 0 ? none : 'fill_price',
    stopLossTriggerPrice: stopLossRate === 0 ? none : distanceText(stopLossRate),
    stopLossTriggerType: stopLossRate === 0 ? none : 'fill_price',
  }
}

export function mixOpenPlan(catalog: Catalog, trigger: TriggerRecord): records.MixOpenPlan {
  return {
    ...mixPlanBase(catalog, trigger),
    ...attachedTexts(catalog, trigger, null),
    orderSource: words.orderSourceWord(labelled(trigger)),
  }
}

/** `order`: what came of it, if it was executed. */
export function mixEndedPlan(
  catalog: Catalog,
  trigger: TriggerRecord,
  order: OrderRecord | undefined,
): records.MixEndedPlan {
  const { executedOrderId } = trigger
  return {
    ...mixPlanBase(catalog, trigger),
    ...attachedTexts(catalog, trigger, ''),
    executeOrderId: executedOrderId === 0 ? '' : String(executedOrderId),
    baseVolume: order === undefined ? '' : mixVolumeText(order, instrumentOf(catalog, order)),
    priceAvg: order === undefined ? '' : figures.averagePriceText(order, instrumentOf(catalog, order), ''),
  }
}

export function spotPlan(catalog: Catalog, trigger: TriggerRecord): records.SpotPlan {
  const instrument = instrumentOf(catalog, trigger)
  const { execute } = trigger
  return {
    orderId: String(trigger.orderId),
    clientOid: trigger.clientOid,
    symbol: instrument.symbol,
    triggerPrice: priceText(instrument, trigger.price),
    orderType: execute === 0 ? 'market' : 'limit',
    executePrice: execute === 0 ? '' : priceText(instrument, execute),
    planType: trigger.quoteAmount > 0n ? 'total' : 'amount',
    size: sizeText(trigger, instrument),
    status: words.planStatus[trigger.status],
    side: trigger.side,
    triggerType: words.triggerTypeWord(trigger.by),
    enterPointSource: 'API',
    cTime: String(trigger.createdAt),
    uTime: String(trigger.updatedAt),
  }
}

function sizeText(trigger: TriggerRecord, instrument: Instrument): string {
  if (trigger.quoteAmount > 0n) return amountText(trigger.quoteAmount)
  if (instrument.kind === 'inverse' && trigger.baseAmount > 0n) {
    return amountText(figures.floorToSize(instrument, trigger.baseAmount))
  }
  if (trigger.baseAmount > 0n) return amountText(trigger.baseAmount)
  if (trigger.quantity === 0) return ''
  if (instrument.kind !== 'inverse') return quantityText(instrument, trigger.quantity)
  const at = figures.priceE8(instrument, trigger.execute === 0 ? trigger.price : trigger.execute)
  return amountText(figures.contractsInBase(instrument, trigger.quantity, at))
}

function executeText<None extends '' | null>(tpsl: TpslTerms | undefined, instrument: Instrument, none: None) {
  return tpsl?.execute ? priceText(instrument, tpsl.execute) : none
}

/** Plans as they were sent; take-profit and stop-loss of a position in the words that would close it. */
function sideWord(trigger: TriggerRecord): string {
  if (isPlan(trigger) || trigger.positionSide === 'net') return trigger.side
  return trigger.positionSide === 'long' ? 'buy' : 'sell'
}

function isPlan({ trigger }: TriggerRecord): boolean {
  return trigger === 'plan' || trigger === 'trailing-plan'
}

/** As the order will be that comes of it. */
function labelled(trigger: TriggerRecord): words.Labelled {
  return {
    cause: words.causeOfTrigger[trigger.trigger],
    orderType: trigger.execute === 0 ? 'market' : 'limit',
    holdMode: trigger.holdMode,
    bookSide: trigger.bookSide,
    positionSide: trigger.positionSide,
    effect: trigger.intent,
  }
}
