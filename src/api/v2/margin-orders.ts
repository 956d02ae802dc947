/**
 * Cross-margin orders of v2, which borrow by themselves: place, cancel, and what may be read of orders and fills.
 *
 * Books     margin orders meet spot orders; these lists show the margin ones alone
 * Lists     of one pair, from a time on. Clients ask from 90 days before their own clock: older times are cut, not
 *           refused
 * Source    interface.md E2 rule 3; wire/client-endpoints.md §4 "Cross margin"; risk-engine.md §17
 */
import Type, { type Static } from 'typebox'
import { type Endpoint, type PrivateContext, defineEndpoint } from '../endpoint.ts'
import { orderNotFound } from '../errors/errors.ts'
import { listText, objectText } from '../json-text.ts'
import { batch, clientOidV2, id, limit, oneOf, symbol, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { historyWindowCut, orderIdText, pairNamed, recordedWallets } from './lookups.ts'
import { openOrders, ownReference } from './orders.ts'
import { marginOrderCommand, marginOrderFields } from './placing.ts'
import * as records from './records.ts'
import { accepted, acknowledgement, cancelEach, numbered, placeEach } from './replies.ts'
import { formOf } from './written.ts'

const trade = { permission: 'margin_trade', level: 'write' } as const
const read = { permission: 'margin_trade', level: 'read' } as const
const tenPerSecond = { perSecond: 10, per: 'uid' } as const
const batchMax = 50

const placeOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/place-order',
  summary: 'Places a cross-margin order',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: tenPerSecond,
  request: Type.Object({ symbol: symbol(), ...marginOrderFields }),
  response: records.Placed,
  async handle(context, order) {
    const pair = pairNamed(context, 'MARGIN', order.symbol)
    const reply = await context.core.submit(marginOrderCommand(context, pair, order))
    return acknowledgement(accepted(reply, 'placed', 'margin', { catalog: context.catalog, instrument: pair }))
  },
})

const batchPlaceOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/batch-place-order',
  summary: 'Places several cross-margin orders of one pair',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: tenPerSecond,
  request: Type.Object({ symbol: symbol(), orderList: batch(Type.Object(marginOrderFields), batchMax) }),
  response: records.BatchPlaced,
  handle(context, input) {
    const pair = pairNamed(context, 'MARGIN', input.symbol)
    return placeEach(context, 'margin', input.orderList, (order) => ({
      command: marginOrderCommand(context, pair, order),
      instrument: pair,
    }))
  },
})

const cancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/cancel-order',
  summary: 'Cancels a cross-margin order',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: tenPerSecond,
  urgent: true,
  request: Type.Object({
    symbol: symbol(),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const pair = pairNamed(context, 'MARGIN', input.symbol)
    const reply = await context.core.submit({
      kind: 'cancel-order',
      uid: context.account.uid,
      order: ownReference(context, 'margin', input),
      category: 'MARGIN',
      instrument: pair.id,
    })
    const [order] = accepted(reply, 'canceled', 'margin', { catalog: context.catalog, instrument: pair }).orders
    if (order === undefined) throw orderNotFound('margin')
    return numbered(order)
  },
})

const CancelEntry = Type.Object({ orderId: orderIdText(), clientOid: Type.Optional(clientOidV2()) })

const batchCancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/batch-cancel-order',
  summary: 'Cancels several cross-margin orders of one pair',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: tenPerSecond,
  urgent: true,
  request: Type.Object({ symbol: symbol(), orderIdList: batch(CancelEntry, batchMax, { code: '40912' }) }),
  response: records.BatchCanceled,
  handle(context, input) {
    const pair = pairNamed(context, 'MARGIN', input.symbol)
    return cancelEach(context, 'margin', input.orderIdList, (entry) => ({
      instrument: pair,
      command: {
        kind: 'cancel-order',
        uid: context.account.uid,
        order: ownReference(context, 'margin', entry),
        category: 'MARGIN',
        instrument: pair.id,
      },
    }))
  },
})

const listFields = {
  symbol: symbol(),
  orderId: Type.Optional(id()),
  idLessThan: Type.Optional(id()),
  startTime: timestamp(),
  endTime: Type.Optional(timestamp()),
  limit: limit(100, 500),
}
const OrdersRequest = Type.Object({ ...listFields, clientOid: Type.Optional(clientOidV2()) })
const FillsRequest = Type.Object(listFields)

/** Newest and oldest number of a page. */
function bounds(numbers: readonly number[]): { maxId: string; minId: string } {
  return { maxId: String(numbers[0] ?? ''), minId: String(numbers.at(-1) ?? '') }
}

const openOrdersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/open-orders',
  summary: 'Open cross-margin orders',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: OrdersRequest,
  response: records.MarginOpenOrders,
  handle(context, input) {
    const page = openOrders(context, 'MARGIN', pairNamed(context, 'MARGIN', input.symbol).id, input)
    const orderList = page.map((order) => dictionary.marginOrder(context.catalog.catalog, order))
    return {
      orderList,
      resultList: orderList,
      ...bounds(page.map((order) => order.orderId)),
    }
  },
})

/** What both history lists ask for. */
function historyAsk(context: PrivateContext, input: Static<typeof FillsRequest>) {
  return {
    uid: context.account.uid,
    categories: ['MARGIN'],
    wallets: recordedWallets(context.account, 'MARGIN'),
    instrument: pairNamed(context, 'MARGIN', input.symbol).id,
    orderId: input.orderId,
    ...historyWindowCut(context.now, input),
    limit: input.limit,
  } as const
}

const orderForm = formOf(dictionary.marginOrder)
const fillForm = formOf(dictionary.marginFill)

const historyOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/history-orders',
  summary: 'Ended cross-margin orders of the last 90 days',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({
    ...OrdersRequest.properties,
    enterPointSource: Type.Optional(oneOf(dictionary.enterPointSources)),
  }),
  response: records.MarginOrders,
  async handle(context, input) {
    const clientOid = input.orderId === undefined ? input.clientOid : undefined
    const causes = input.enterPointSource === undefined ? undefined : dictionary.causesEntered(input.enterPointSource)
    const ask = { ...historyAsk(context, input), clientOid, causes, beforeOrderId: input.idLessThan }
    const { ids, texts } = await context.history.written('orders', ask, orderForm, context.catalog.catalog)
    return objectText({ orderList: listText<records.MarginOrder>(texts), ...bounds(ids) })
  },
})

const fills = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/fills',
  summary: 'Own cross-margin fills of the last 90 days',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: FillsRequest,
  response: records.MarginFills,
  async handle(context, input) {
    const query = { ...historyAsk(context, input), beforeExecId: input.idLessThan }
    const { ids, texts } = await context.history.written('fills', query, fillForm, context.catalog.catalog)
    return objectText({ fills: listText<records.MarginFill>(texts), ...bounds(ids) })
  },
})

export const marginOrderEndpoints: readonly Endpoint[] = [
  placeOrder,
  batchPlaceOrder,
  cancelOrder,
  batchCancelOrder,
  openOrdersEndpoint,
  historyOrders,
  fills,
]
