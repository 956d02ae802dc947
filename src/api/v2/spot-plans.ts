/**
 * Spot trigger orders of v2: orders that are sent once a price is reached, and the take-profits and stop-losses that
 * orders were placed with.
 *
 * Size      `planType` says what it counts: `amount` base coin, `total` the quote coin that a market buy spends
 * History   cut to 90 days: clients ask from 90 days before their own clock
 * Lists     `nextFlag` tells whether there are older ones, `idLessThan` takes the next request there
 * Source    wire/client-endpoints.md §4; wire/client-needs.md; wire/rate-limits-and-filters.md §4
 */
import Type from 'typebox'
import type { SpotInstrument } from '../../engine/catalog/catalog.ts'
import type { OrderQuantity, Side } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, wrongParameter } from '../errors/errors.ts'
import { clientOidV2, decimal, id, limit, oneOf, oneOfOr, symbol, timestamp } from '../parsing/fields.ts'
import { parseQuantity, parseQuoteAmount, parseTriggerPrice } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { historyWindowCut, pairNamed, recordedWallets } from './lookups.ts'
import { endId, findOrder, ownReference } from './orders.ts'
import { sides, stpModes } from './placing.ts'
import { findTrigger, waitingTriggers } from './plans.ts'
import * as records from './records.ts'
import { accepted, numbered } from './replies.ts'

const trade = { permission: 'spot_trade', level: 'write' } as const
const read = { permission: 'spot_trade', level: 'read' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const
const source = 'wire/client-endpoints §4'

const orderType = oneOf(['limit', 'market'])

const placePlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/place-plan-order',
  summary: 'Places a spot order that is sent once a price is reached',
  source,
  access: trade,
  limit: perSecond(20),
  request: Type.Object({
    symbol: symbol(),
    side: oneOf(sides),
    triggerPrice: decimal(),
    orderType,
    executePrice: Type.Optional(decimal({ description: 'required for limit orders' })),
    planType: oneOfOr(['amount', 'total'], 'amount'),
    size: decimal(),
    triggerType: oneOf(['fill_price', 'mark_price']),
    clientOid: Type.Optional(clientOidV2()),
    stpMode: Type.Optional(oneOf(stpModes)),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    const order = { side: input.side, market: input.orderType === 'market', total: input.planType === 'total' }
    if (order.total !== (order.market && order.side === 'buy')) {
      throw wrongParameter('v2', 'planType', 'should be total for market buys and amount for the others')
    }
    const reply = await context.core.submit({
      kind: 'place-trigger',
      uid: context.account.uid,
      interface: 'v2',
      category: 'SPOT',
      instrument: pair.id,
      trigger: parseTriggerPrice(input.triggerPrice, pair, 'triggerPrice'),
      by: dictionary.triggerTypes[input.triggerType],
      execute: order.market ? 0 : limitPrice(input.executePrice, pair),
      side: input.side,
      quantity: quantityNamed(input.size, pair, order),
      positionSide: undefined,
      tradeSide: undefined,
      reduceOnly: false,
      marginMode: undefined,
      marginCoin: undefined,
      stpMode: input.stpMode,
      clientOid: input.clientOid ?? '',
      takeProfit: undefined,
      stopLoss: undefined,
      channelCode: context.channelCode,
    })
    const placed = accepted(reply, 'placed', 'spot', { catalog: context.catalog, instrument: pair })
    return { orderId: String(placed.orderId), clientOid: placed.clientOid }
  },
})

function limitPrice(text: string | undefined, pair: SpotInstrument) {
  if (text === undefined) throw missingParameter('executePrice')
  return parseTriggerPrice(text, pair, 'executePrice')
}

function quantityNamed(
  size: string,
  pair: SpotInstrument,
  { side, market }: { readonly side: Side; readonly market: boolean },
): OrderQuantity {
  return market && side === 'buy'
    ? { unit: 'quote', amount: parseQuoteAmount(size, pair, 'size') }
    : { unit: 'lots', lots: parseQuantity(size, pair, 'size') }
}

/** A `symbol` beside the name has to be the order's (design §4.43). */
const orderName = {
  orderId: Type.Optional(id()),
  clientOid: Type.Optional(clientOidV2()),
  symbol: Type.Optional(symbol()),
}

const modifyPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/modify-plan-order',
  summary: 'Changes a spot trigger order that waits',
  source,
  access: trade,
  limit: perSecond(20),
  request: Type.Object({
    ...orderName,
    triggerPrice: decimal(),
    orderType,
    executePrice: Type.Optional(decimal({ description: 'required for limit orders' })),
    size: decimal(),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const waiting = findTrigger(context, input)
    const named = pairOf(context, input.symbol)
    if (waiting === undefined || waiting.category !== 'SPOT') throw new ApiError('43025')
    const pair = context.catalog.instrument(waiting.instrument) as SpotInstrument
    if (named !== undefined && named !== pair) throw new ApiError('43025')
    const market = input.orderType === 'market'
    // Take-profit and stop-loss of a sell count what they spend, at a limit too.
    const isSellTpsl = waiting.trigger !== 'plan' && waiting.quoteAmount > 0n
    const reply = await context.core.submit({
      kind: 'modify-trigger',
      uid: context.account.uid,
      order: { orderId: waiting.orderId, clientOid: '' },
      kinds: [waiting.trigger],
      trigger: parseTriggerPrice(input.triggerPrice, pair, 'triggerPrice'),
      by: waiting.by,
      execute: market ? 0 : limitPrice(input.executePrice, pair),
      quantity: isSellTpsl
        ? { unit: 'quote', amount: parseQuoteAmount(input.size, pair, 'size') }
        : quantityNamed(input.size, pair, { side: waiting.side, market }),
      takeProfit: waiting.takeProfit,
      stopLoss: waiting.stopLoss,
    })
    return numbered(accepted(reply, 'modified', 'spot', { catalog: context.catalog, instrument: pair }))
  },
})

const cancelPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/cancel-plan-order',
  summary: 'Cancels a spot trigger order',
  source,
  access: trade,
  limit: perSecond(20),
  urgent: true,
  request: Type.Object(orderName),
  response: records.PlanCanceled,
  async handle(context, input) {
    const reply = await context.core.submit({
      kind: 'cancel-trigger',
      uid: context.account.uid,
      order: ownReference(context, 'spot', input),
      kinds: [],
      category: 'SPOT',
      instrument: pairOf(context, input.symbol)?.id,
    })
    accepted(reply, 'canceled', 'spot')
    return { result: 'success' }
  },
})

const batchCancelPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/batch-cancel-plan-order',
  summary: 'Cancels all spot trigger orders, or those of some pairs',
  source,
  access: trade,
  limit: perSecond(5),
  urgent: true,
  request: Type.Object({ symbolList: Type.Optional(Type.Array(symbol(), { maxItems: 50 })) }),
  response: records.BatchCanceled,
  async handle(context, { symbolList = [] }) {
    const pairs = [...new Set(symbolList)].map((name) => pairNamed(context, 'SPOT', name.toUpperCase()).id)
    const { uid } = context.account
    const command = (instrument: number | undefined) =>
      ({ kind: 'cancel-triggers', uid, interface: 'v2', category: 'SPOT', instrument, kinds: [] }) as const
    const replies = await context.core.submitAll(pairs.length === 0 ? [command(undefined)] : pairs.map(command))
    const canceled = replies.flatMap((reply) => accepted(reply, 'canceled', 'spot').orders)
    return { successList: canceled.map(numbered), failureList: [] }
  },
})

const listFields = {
  symbol: Type.Optional(symbol()),
  idLessThan: Type.Optional(id()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  limit: limit(100, 100),
}

function pairOf(context: PrivateContext, name: string | undefined): SpotInstrument | undefined {
  return name === undefined ? undefined : pairNamed(context, 'SPOT', name)
}

const currentPlanOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/current-plan-order',
  summary: 'Spot trigger orders that wait',
  source,
  access: read,
  limit: perSecond(20),
  request: Type.Object({ ...listFields, limit: limit(20, 100) }),
  response: records.SpotPlans,
  handle(context, input) {
    const instrument = pairOf(context, input.symbol)?.id
    const waiting = waitingTriggers(context, 'SPOT', instrument, input)
    const page = waiting.slice(0, input.limit)
    return {
      nextFlag: waiting.length > page.length,
      idLessThan: endId(page.at(-1)?.orderId),
      orderList: page.map((trigger) => dictionary.spotPlan(context.catalog.catalog, trigger)),
    }
  },
})

const historyPlanOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/history-plan-order',
  summary: 'Spot trigger orders of the last 90 days that fired, failed or were canceled',
  source,
  access: read,
  limit: perSecond(20),
  request: Type.Object(listFields),
  response: records.SpotPlans,
  async handle(context, input) {
    const { rows, next } = await context.history.triggers({
      uid: context.account.uid,
      categories: ['SPOT'],
      wallets: recordedWallets(context.account, 'SPOT'),
      instrument: pairOf(context, input.symbol)?.id,
      ...historyWindowCut(context.now, input),
      beforeOrderId: input.idLessThan,
      limit: input.limit,
    })
    return {
      nextFlag: next !== undefined,
      idLessThan: endId(rows.at(-1)?.orderId),
      orderList: rows.map((trigger) => dictionary.spotPlan(context.catalog.catalog, trigger)),
    }
  },
})

const planSubOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/plan-sub-order',
  summary: 'The order that a spot trigger order has become, as a list of one',
  source: 'fidelity §2',
  access: read,
  limit: perSecond(20),
  request: Type.Object({ planOrderId: id() }),
  response: Type.Array(records.PlanSubOrder),
  async handle(context, { planOrderId: orderId }) {
    const { rows } = await context.history.triggers({
      uid: context.account.uid,
      categories: ['SPOT'],
      wallets: recordedWallets(context.account, 'SPOT'),
      orderId,
      statuses: ['executed'],
      ...historyWindowCut(context.now, {}),
      limit: 1,
    })
    const found = rows[0] && (await findOrder(context, { orderId: rows[0].executedOrderId }))
    return found === undefined ? [] : [dictionary.spotPlanSubOrder(context.catalog.catalog, found)]
  },
})

export const spotPlanEndpoints: readonly Endpoint[] = [
  placePlanOrder,
  modifyPlanOrder,
  cancelPlanOrder,
  batchCancelPlanOrder,
  currentPlanOrder,
  historyPlanOrder,
  planSubOrder,
]
