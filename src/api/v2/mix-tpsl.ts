/**
 * Take-profits and stop-losses of futures positions, set and changed through v2.
 *
 * Kinds     `profit_plan` and `loss_plan` close a size of a position, `pos_profit` and `pos_loss` all of it, whatever it then is
 *           · `moving_plan` trails (mix-trailing.ts)
 * Position  `holdSide` is `long` or `short`, or in one-way mode `buy` or `sell` of the position's direction
 * Not here  listing and canceling them (mix-plan-lists.ts)
 * Source    wire/client-endpoints.md §4 and its ccxt flows in §2
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { TriggerLeg } from '../../engine/protocol/command.ts'
import type { PositionSide } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, wrongParameter } from '../errors/errors.ts'
import { clientOidV2, coin, decimal, id, oneOf, oneOfOr } from '../parsing/fields.ts'
import { parseExecutePrice, parseTriggerPrice } from '../parsing/orders.ts'
import { refuseFilled } from '../trailing.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed } from './lookups.ts'
import { isTrailing, modifyTrailing, placeMovingPlan } from './mix-trailing.ts'
import {
  contractFields,
  modifyTrigger,
  perSecond,
  source,
  tpslKinds,
  tpslNamed,
  trade,
  triggerNamed,
  triggerType,
} from './mix-triggers.ts'
import { mixQuantity, stpModes } from './placing.ts'
import * as records from './records.ts'
import { accepted, numbered } from './replies.ts'

const tpslTypes = ['profit_plan', 'loss_plan', 'moving_plan', 'pos_profit', 'pos_loss'] as const
const holdSide = oneOf(['long', 'short', 'buy', 'sell'], { description: 'buy is long, sell is short' })

function positionNamed(side: Static<typeof holdSide>): PositionSide {
  return side === 'long' || side === 'buy' ? 'long' : 'short'
}

const placeTpslOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/place-tpsl-order',
  summary: 'Sets a take-profit or stop-loss of a position',
  source,
  access: trade,
  limit: perSecond,
  request: Type.Object({
    ...contractFields,
    marginCoin: coin(),
    planType: oneOf(tpslTypes),
    triggerPrice: Type.Optional(decimal({ description: 'required but for moving_plan, which it activates' })),
    rangeRate: Type.Optional(decimal({ description: 'moving_plan: per cent, 0.01 to 10' })),
    triggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
    executePrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
    holdSide,
    size: Type.Optional(decimal({ description: 'required but for pos_profit and pos_loss' })),
    clientOid: Type.Optional(clientOidV2()),
    stpMode: Type.Optional(oneOf(stpModes)),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const whole = input.planType === 'pos_profit' || input.planType === 'pos_loss'
    if (!whole && input.size === undefined) throw missingParameter('size')
    if (input.planType === 'moving_plan' && input.size !== undefined) {
      const { size, clientOid = '', stpMode } = input
      const position = { positionSide: positionNamed(input.holdSide), clientOid, stpMode }
      return placeMovingPlan(context, contract, { ...input, size }, position)
    }
    refuseFilled('v2', input, ['rangeRate'], 'but for moving_plan')
    if (input.triggerPrice === undefined) throw missingParameter('triggerPrice')
    const leg: TriggerLeg = {
      trigger: parseTriggerPrice(input.triggerPrice, contract, 'triggerPrice'),
      execute: parseExecutePrice(input.executePrice, contract, 'executePrice'),
      by: dictionary.triggerTypes[input.triggerType],
      quantity: whole || input.size === undefined ? undefined : mixQuantity(input.size, contract),
      clientOid: input.clientOid ?? '',
    }
    const profit = input.planType === 'pos_profit' || input.planType === 'profit_plan'
    const [order] = await setPositionTpsl(context, contract, input, profit ? { takeProfit: leg } : { stopLoss: leg })
    return numbered(order)
  },
})

/** Sets take-profit, stop-loss or both; answers their acknowledgements, take-profit first. */
async function setPositionTpsl(
  context: PrivateContext,
  contract: FuturesInstrument,
  input: { readonly holdSide: Static<typeof holdSide>; readonly stpMode?: (typeof stpModes)[number] },
  legs: { readonly takeProfit?: TriggerLeg; readonly stopLoss?: TriggerLeg },
) {
  const reply = await context.core.submit({
    kind: 'place-position-triggers',
    uid: context.account.uid,
    interface: 'v2',
    instrument: contract.id,
    marginCoin: contract.settle,
    positionSide: positionNamed(input.holdSide),
    takeProfit: legs.takeProfit,
    stopLoss: legs.stopLoss,
    stpMode: input.stpMode,
    channelCode: context.channelCode,
  })
  return accepted(reply, 'triggers-placed', 'futures', { catalog: context.catalog, instrument: contract }).orders
}

const placePosTpsl = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/place-pos-tpsl',
  summary: 'Sets take-profit and stop-loss of a position at once',
  source,
  access: trade,
  limit: perSecond,
  request: Type.Object({
    ...contractFields,
    marginCoin: coin(),
    holdSide,
    stopSurplusTriggerPrice: Type.Optional(decimal()),
    stopSurplusSize: Type.Optional(decimal({ description: 'absent: the whole position' })),
    stopSurplusTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
    stopSurplusExecutePrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
    stopSurplusClientOid: Type.Optional(clientOidV2()),
    stopLossTriggerPrice: Type.Optional(decimal()),
    stopLossSize: Type.Optional(decimal({ description: 'absent: the whole position' })),
    stopLossTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
    stopLossExecutePrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
    stopLossClientOid: Type.Optional(clientOidV2()),
    stpMode: Type.Optional(oneOf(stpModes)),
  }),
  response: records.PositionTpsl,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const leg = (name: 'stopSurplus' | 'stopLoss'): TriggerLeg | undefined => {
      const tpsl = tpslNamed(contract, name, input)
      const size = input[`${name}Size`]
      const clientOid = input[`${name}ClientOid`] ?? ''
      return tpsl && { ...tpsl, quantity: size === undefined ? undefined : mixQuantity(size, contract), clientOid }
    }
    const [takeProfit, stopLoss] = [leg('stopSurplus'), leg('stopLoss')]
    if (takeProfit === undefined && stopLoss === undefined) {
      throw new ApiError('40913', ['stopSurplusTriggerPrice, stopLossTriggerPrice'])
    }
    const orders = await setPositionTpsl(context, contract, input, {
      ...(takeProfit && { takeProfit }),
      ...(stopLoss && { stopLoss }),
    })
    const clientOids = {
      stopSurplusClientOid: takeProfit ? (orders[0]?.clientOid ?? '') : '',
      stopLossClientOid: stopLoss ? (orders.at(-1)?.clientOid ?? '') : '',
    }
    return orders.map(({ orderId }) => ({ orderId: String(orderId), ...clientOids }))
  },
})

const modifyTpslOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/modify-tpsl-order',
  summary: 'Changes a take-profit or stop-loss of a position',
  source,
  access: trade,
  limit: perSecond,
  request: Type.Object({
    ...contractFields,
    marginCoin: coin(),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
    triggerPrice: Type.Optional(decimal({ description: 'required but for moving_plan' })),
    rangeRate: Type.Optional(decimal({ description: 'of a moving_plan' })),
    triggerType: Type.Optional(triggerType),
    executePrice: Type.Optional(decimal({ description: '0: at market; absent: as it is' })),
    size: Type.Optional(decimal({ description: 'ignored for the whole position' })),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const { contract, trigger } = triggerNamed(context, input, tpslKinds)
    checkMarginCoin(context, contract, input.marginCoin)
    const { triggerPrice, triggerType: type, executePrice, size } = input
    if (isTrailing(trigger)) {
      if (executePrice !== undefined && Number(executePrice) !== 0) {
        throw wrongParameter('v2', 'executePrice', 'should be empty for moving_plan')
      }
      return modifyTrailing(context, contract, trigger, {
        rate: ['rangeRate', input.rangeRate],
        trigger: ['triggerPrice', triggerPrice],
        type,
        size: trigger.trigger === 'position-trailing-stop' ? undefined : size,
      })
    }
    refuseFilled('v2', input, ['rangeRate'], 'but for moving_plan')
    if (triggerPrice === undefined) throw missingParameter('triggerPrice')
    const whole = trigger.trigger === 'position-take-profit' || trigger.trigger === 'position-stop-loss'
    return modifyTrigger(context, contract, trigger, {
      trigger: parseTriggerPrice(triggerPrice, contract, 'triggerPrice'),
      by: type === undefined ? trigger.by : dictionary.triggerTypes[type],
      execute: executePrice === undefined ? trigger.execute : parseExecutePrice(executePrice, contract, 'executePrice'),
      size: whole ? undefined : size,
      takeProfit: undefined,
      stopLoss: undefined,
    })
  },
})

export const mixTpslEndpoints: readonly Endpoint[] = [placeTpslOrder, modifyTpslOrder, placePosTpsl]
