/**
 * Plans of v2: orders on futures that are sent once a price is reached, placed and changed.
 *
 * Changing  what a request leaves out stays as it is; a trigger price of zero takes an attached take-profit or stop-loss away
 * Not here  take-profits and stop-losses of positions (mix-tpsl.ts), listing and canceling (mix-plan-lists.ts)
 * Source    wire/client-endpoints.md §4 and its ccxt flows in §2
 */
import Type from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { TpslTerms } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { missingParameter, wrongParameter } from '../errors/errors.ts'
import { clientOidV2, coin, decimal, id, oneOf, oneOfOr, productType, symbol } from '../parsing/fields.ts'
import { parseExecutePrice, parseTriggerPrice } from '../parsing/orders.ts'
import { refuseFilled } from '../trailing.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed } from './lookups.ts'
import { isTrailing, modifyTrailing, placeTrackPlan } from './mix-trailing.ts'
import {
  contractFields,
  modifyTrigger,
  perSecond,
  source,
  tpslNamed,
  trade,
  triggerNamed,
  triggerType,
} from './mix-triggers.ts'
import { longOrShort, mixMarginFields, mixQuantity, mixSide, modeFields, modeWords, stpModes } from './placing.ts'
import * as records from './records.ts'
import { accepted } from './replies.ts'

const PlanRequest = Type.Object({
  ...contractFields,
  ...mixMarginFields,
  marginCoin: coin(),
  planType: oneOf(['normal_plan', 'track_plan']),
  size: decimal({ description: 'in base coin' }),
  side: mixSide(),
  orderType: oneOf(['limit', 'market']),
  price: Type.Optional(decimal({ description: 'required for limit orders' })),
  executePrice: Type.Optional(decimal({ description: 'read when price is absent' })),
  callbackRatio: Type.Optional(decimal({ description: 'track_plan: per cent, 0.01 to 10' })),
  triggerPrice: Type.Optional(decimal({ description: 'required but for track_plan, which it activates' })),
  triggerType,
  ...modeFields,
  clientOid: Type.Optional(clientOidV2()),
  stpMode: Type.Optional(oneOf(stpModes)),
  stopSurplusTriggerPrice: Type.Optional(decimal({ description: 'track_plan: per cent' })),
  stopSurplusExecutePrice: Type.Optional(decimal()),
  stopSurplusTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
  stopLossTriggerPrice: Type.Optional(decimal({ description: 'track_plan: per cent' })),
  stopLossExecutePrice: Type.Optional(decimal()),
  stopLossTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
})

const placePlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/place-plan-order',
  summary: 'Places an order that is sent once a price is reached',
  source,
  access: trade,
  limit: perSecond,
  request: PlanRequest,
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const { tradeSide, reduceOnly, isOpening } = modeWords(context.account, contract, input)
    const words = { side: input.side, tradeSide, reduceOnly, stpMode: input.stpMode, clientOid: input.clientOid ?? '' }
    const order = { ...words, marginMode: dictionary.marginModes[input.marginMode] }
    if (input.planType === 'track_plan') return placeTrackPlan(context, contract, input, order)
    refuseFilled('v2', input, ['callbackRatio'], 'but for track_plan')
    if (input.triggerPrice === undefined) throw missingParameter('triggerPrice')
    const trigger = parseTriggerPrice(input.triggerPrice, contract, 'triggerPrice')
    const price = input.price ?? input.executePrice
    if (input.orderType === 'limit' && price === undefined) throw missingParameter('price')
    const execute = input.orderType === 'limit' ? parseTriggerPrice(price ?? '', contract, 'price') : 0
    const takeProfit = tpslNamed(contract, 'stopSurplus', input)
    const stopLoss = tpslNamed(contract, 'stopLoss', input)
    const opens = isOpening ? longOrShort(input.side) : undefined
    const attached = { instrument: contract.id, opens, price: execute === 0 ? trigger : execute, takeProfit, stopLoss }
    checkAttachedTpsl(context, attached, ['stopSurplusTriggerPrice', 'stopLossTriggerPrice'])
    const reply = await context.core.submit({
      kind: 'place-trigger',
      uid: context.account.uid,
      interface: 'v2',
      category: contract.category,
      instrument: contract.id,
      trigger,
      by: dictionary.triggerTypes[input.triggerType],
      execute,
      quantity: mixQuantity(input.size, contract),
      positionSide: undefined,
      marginCoin: contract.settle,
      ...order,
      takeProfit,
      stopLoss,
      channelCode: context.channelCode,
    })
    const placed = accepted(reply, 'placed', 'futures', { catalog: context.catalog, instrument: contract })
    return { orderId: String(placed.orderId), clientOid: placed.clientOid }
  },
})

const modifyPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/modify-plan-order',
  summary: 'Changes a plan that waits',
  source,
  access: trade,
  limit: perSecond,
  request: Type.Object({
    productType: productType(),
    symbol: Type.Optional(symbol({ description: "the order's" })),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
    newSize: Type.Optional(decimal()),
    newPrice: Type.Optional(decimal({ description: 'of a limit order' })),
    newCallbackRatio: Type.Optional(decimal({ description: 'of a track_plan' })),
    newTriggerPrice: Type.Optional(decimal()),
    newTriggerType: Type.Optional(triggerType),
    newStopSurplusTriggerPrice: Type.Optional(decimal({ description: '0: none' })),
    newStopSurplusExecutePrice: Type.Optional(decimal()),
    newStopSurplusTriggerType: Type.Optional(triggerType),
    newStopLossTriggerPrice: Type.Optional(decimal({ description: '0: none' })),
    newStopLossExecutePrice: Type.Optional(decimal()),
    newStopLossTriggerType: Type.Optional(triggerType),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const { contract, trigger } = triggerNamed(context, input, ['plan', 'trailing-plan'])
    if (isTrailing(trigger)) {
      refuseFilled('v2', input, ['newPrice', 'newStopSurplusExecutePrice', 'newStopLossExecutePrice'], 'for track_plan')
      for (const name of ['newStopSurplusTriggerType', 'newStopLossTriggerType'] as const) {
        if (input[name] === 'mark_price') throw wrongParameter('v2', name, 'should be fill_price for track_plan')
      }
      return modifyTrailing(context, contract, trigger, {
        rate: ['newCallbackRatio', input.newCallbackRatio],
        trigger: ['newTriggerPrice', input.newTriggerPrice],
        type: input.newTriggerType,
        size: input.newSize,
        takeProfit: ['newStopSurplusTriggerPrice', input.newStopSurplusTriggerPrice],
        stopLoss: ['newStopLossTriggerPrice', input.newStopLossTriggerPrice],
      })
    }
    refuseFilled('v2', input, ['newCallbackRatio'], 'but for track_plan')
    const isLimit = trigger.execute !== 0
    const { newSize, newPrice, newTriggerPrice, newTriggerType } = input
    const price =
      newTriggerPrice === undefined ? trigger.price : parseTriggerPrice(newTriggerPrice, contract, 'newTriggerPrice')
    const execute =
      isLimit && newPrice !== undefined ? parseTriggerPrice(newPrice, contract, 'newPrice') : trigger.execute
    const takeProfit = changed(contract, trigger.takeProfit, {
      name: 'newStopSurplus',
      trigger: input.newStopSurplusTriggerPrice,
      execute: input.newStopSurplusExecutePrice,
      type: input.newStopSurplusTriggerType,
    })
    const stopLoss = changed(contract, trigger.stopLoss, {
      name: 'newStopLoss',
      trigger: input.newStopLossTriggerPrice,
      execute: input.newStopLossExecutePrice,
      type: input.newStopLossTriggerType,
    })
    const opens = trigger.reduceOnly || trigger.intent === 'close' ? undefined : longOrShort(trigger.bookSide)
    const order = { instrument: contract.id, opens, price: execute === 0 ? price : execute, takeProfit, stopLoss }
    checkAttachedTpsl(context, order, ['newStopSurplusTriggerPrice', 'newStopLossTriggerPrice'])
    return modifyTrigger(context, contract, trigger, {
      trigger: price,
      by: newTriggerType === undefined ? trigger.by : dictionary.triggerTypes[newTriggerType],
      execute,
      size: newSize,
      takeProfit,
      stopLoss,
    })
  },
})

interface TpslChange {
  readonly name: string
  readonly trigger: string | undefined
  readonly execute: string | undefined
  readonly type: 'fill_price' | 'mark_price' | undefined
}

/** An attached one as it shall be: what is not named stays, a trigger price of zero takes it away. */
function changed(
  contract: FuturesInstrument,
  before: TpslTerms | undefined,
  change: TpslChange,
): TpslTerms | undefined {
  const { name, trigger, execute, type } = change
  const price = trigger === undefined ? before?.trigger : parseExecutePrice(trigger, contract, `${name}TriggerPrice`)
  if (price === undefined || price === 0) return undefined
  return {
    trigger: price,
    execute:
      execute === undefined ? (before?.execute ?? 0) : parseExecutePrice(execute, contract, `${name}ExecutePrice`),
    by: type === undefined ? (before?.by ?? 'last') : dictionary.triggerTypes[type],
  }
}

export const mixPlanEndpoints: readonly Endpoint[] = [placePlanOrder, modifyPlanOrder]
