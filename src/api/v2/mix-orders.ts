/**
 * Futures orders of v2: place, cancel, and everything that may be read of orders and fills.
 *
 * Answers   an order's number is absent when earlier reduce-only orders had to go (E3 rule 2); by `clientOid` it is found
 * Reads     live orders come from the engine, ended ones and fills from the history, which has them before a read begins
 * Pages     newest first; `idLessThan` takes the `endId` of the page before
 * Source    interface.md E3, E13; wire/client-endpoints.md §4; design.md §4.5, §4.9-§4.12, §4.17, §4.32, §4.33
 */
import Type, { type Static } from 'typebox'
import type { ProductLine } from '../../engine/catalog/catalog.ts'
import { type Endpoint, type PrivateContext, defineEndpoint } from '../endpoint.ts'
import { missingParameter, orderNotFound } from '../errors/errors.ts'
import { listText, objectText } from '../json-text.ts'
import { batch, clientOidV2, coin, id, limit, oneOf, productType, symbol, timestamp } from '../parsing/fields.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import * as dictionary from './dictionary.ts'
import {
  boundWindow,
  checkMarginCoin,
  contractNamed,
  contractsMeant,
  historyWindow,
  orderIdText,
  recordedWallets,
} from './lookups.ts'
import { endId, findOrder, openOrders, ownReference } from './orders.ts'
import { mixMarginFields, mixOrderCommand, mixOrderFields } from './placing.ts'
import * as records from './records.ts'
import { accepted, acknowledgement, cancelEach, numbered, placeEach } from './replies.ts'
import { formOf } from './written.ts'

const trade = { permission: 'contract_trade', level: 'write' } as const
const read = { permission: 'contract_trade', level: 'read' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

const contractFields = { productType: productType(), symbol: symbol() }
const placingFields = { ...contractFields, ...mixMarginFields, marginCoin: coin() }
const batchOrdersMax = 50
const batchCancelsMax = 50

const placeOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/place-order',
  summary: 'Places a futures order',
  source: 'interface E3',
  access: trade,
  limit: { ...perSecond(10), copyTraderPerSecond: 1 },
  request: Type.Object({ ...placingFields, ...mixOrderFields, ...receiveWindowFields }),
  response: records.Placed,
  async handle(context, order) {
    const contract = contractNamed(context, order.productType, order.symbol)
    const reply = await context.core.submit(mixOrderCommand(context, contract, order, order))
    const subject = { catalog: context.catalog, instrument: contract }
    return acknowledgement(accepted(reply, 'placed', 'futures', subject))
  },
})

const batchPlaceOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/batch-place-order',
  summary: 'Places several futures orders of one contract',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: { ...perSecond(5), copyTraderPerSecond: 1 },
  request: Type.Object({ ...placingFields, orderList: batch(Type.Object(mixOrderFields), batchOrdersMax) }),
  response: records.BatchPlaced,
  handle(context, { orderList, ...common }) {
    const contract = contractNamed(context, common.productType, common.symbol)
    return placeEach(context, 'futures', orderList, (order) => ({
      command: mixOrderCommand(context, contract, common, order),
      instrument: contract,
    }))
  },
})

const cancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/cancel-order',
  summary: 'Cancels a futures order',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(10),
  urgent: true,
  request: Type.Object({
    ...contractFields,
    marginCoin: Type.Optional(coin()),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    if (input.marginCoin !== undefined) checkMarginCoin(context, contract, input.marginCoin)
    const reply = await context.core.submit({
      kind: 'cancel-order',
      uid: context.account.uid,
      order: ownReference(context, 'futures', input),
      category: contract.category,
      instrument: contract.id,
    })
    const [order] = accepted(reply, 'canceled', 'futures', { catalog: context.catalog, instrument: contract }).orders
    if (order === undefined) throw orderNotFound('futures')
    return numbered(order)
  },
})

const CancelEntry = Type.Object({ orderId: orderIdText(), clientOid: Type.Optional(clientOidV2()) })

const batchCancelOrders = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/batch-cancel-orders',
  summary: 'Cancels several futures orders, or all of a contract or product line',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(10),
  urgent: true,
  request: Type.Object({
    productType: productType(),
    symbol: Type.Optional(symbol()),
    marginCoin: Type.Optional(coin()),
    orderIdList: Type.Optional(batch(CancelEntry, batchCancelsMax, { code: '40912' })),
  }),
  response: records.BatchCanceled,
  async handle(context, { productType: line, symbol: name, marginCoin, orderIdList }) {
    if (orderIdList === undefined) return cancelAll(context, line, { symbol: name, marginCoin })
    if (name === undefined) throw missingParameter('symbol')
    const contract = contractNamed(context, line, name)
    if (marginCoin !== undefined) checkMarginCoin(context, contract, marginCoin)
    return cancelEach(context, 'futures', orderIdList, (entry) => ({
      instrument: contract,
      command: {
        kind: 'cancel-order',
        uid: context.account.uid,
        order: ownReference(context, 'futures', entry),
        category: line,
        instrument: contract.id,
      },
    }))
  },
})

const cancelAllOrders = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/cancel-all-orders',
  summary: 'Cancels all futures orders of a product line, or of the contracts that are settled in a coin',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(10),
  urgent: true,
  request: Type.Object({ productType: productType(), marginCoin: Type.Optional(coin()), ...receiveWindowFields }),
  response: records.BatchCanceled,
  handle: (context, { productType: line, marginCoin }) => cancelAll(context, line, { marginCoin }),
})

async function cancelAll(
  context: PrivateContext,
  line: ProductLine,
  meant: { readonly symbol?: string | undefined; readonly marginCoin?: string | undefined },
) {
  const { uid } = context.account
  const replies = await context.core.submitAll(
    contractsMeant(context, line, meant).map((instrument) => {
      return { kind: 'cancel-orders', uid, interface: 'v2', category: line, instrument } as const
    }),
  )
  const orders = replies.flatMap((reply) => accepted(reply, 'canceled', 'futures').orders)
  return { successList: orders.map(numbered), failureList: [] }
}

const orderDetail = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/detail',
  summary: 'One futures order, live or ended',
  source: 'wire/client-endpoints §4; design §4.5',
  access: read,
  limit: perSecond(10),
  request: Type.Object({
    ...contractFields,
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
  }),
  response: records.MixOrderDetail,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const found = await findOrder(context, input)
    if (found === undefined || found.instrument !== contract.id) throw orderNotFound('futures')
    return dictionary.mixOrderDetail(context.catalog.catalog, found)
  },
})

const listFields = {
  productType: productType(),
  symbol: Type.Optional(symbol()),
  orderId: Type.Optional(id()),
  idLessThan: Type.Optional(id()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  limit: limit(100, 100),
}

const ordersPending = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/orders-pending',
  summary: 'Open futures orders',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(10),
  request: Type.Object({
    ...listFields,
    clientOid: Type.Optional(clientOidV2()),
    status: Type.Optional(oneOf(['live', 'partially_filled'])),
  }),
  response: records.MixOpenOrders,
  handle(context, input) {
    const contract = input.symbol === undefined ? undefined : contractNamed(context, input.productType, input.symbol)
    const page = openOrders(context, input.productType, contract?.id, input)
    if (page.length === 0) return { entrustedList: null, endId: null }
    return {
      entrustedList: page.map((order) => dictionary.mixOpenOrder(context.catalog.catalog, order)),
      endId: endId(page.at(-1)?.orderId),
    }
  },
})

const ordersHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/orders-history',
  summary: 'Ended futures orders of the last 90 days',
  source: 'interface E13',
  access: read,
  limit: perSecond(10),
  request: Type.Object({
    ...listFields,
    clientOid: Type.Optional(clientOidV2()),
    orderSource: Type.Optional(oneOf(dictionary.orderSourceFilters)),
  }),
  response: records.MixHistoryOrders,
  async handle(context, input) {
    const contract = input.symbol === undefined ? undefined : contractNamed(context, input.productType, input.symbol)
    const window = boundWindow(context, input)
    const made = input.orderSource === undefined ? {} : dictionary.orderSourceMade(input.orderSource)
    if (made === undefined) return { entrustedList: [], endId: '' }
    const query = {
      uid: context.account.uid,
      categories: [input.productType],
      wallets: recordedWallets(context.account, input.productType),
      instrument: contract?.id,
      orderId: input.orderId,
      clientOid: input.orderId === undefined ? input.clientOid : undefined,
      ...made,
      ...window,
      beforeOrderId: input.idLessThan,
      limit: input.limit,
    }
    const page = await context.history.written('orders', query, orderForm, context.catalog.catalog)
    return objectText({ entrustedList: listText<records.MixHistoryOrder>(page.texts), endId: endId(page.last) })
  },
})

const orderForm = formOf(dictionary.mixHistoryOrder)
const fillForm = formOf(dictionary.mixFill)

const FillsRequest = Type.Object(listFields)

async function listFills(context: PrivateContext, input: Static<typeof FillsRequest>) {
  const contract = input.symbol === undefined ? undefined : contractNamed(context, input.productType, input.symbol)
  const query = {
    uid: context.account.uid,
    categories: [input.productType],
    wallets: recordedWallets(context.account, input.productType),
    instrument: contract?.id,
    orderId: input.orderId,
    ...historyWindow(context.now, input),
    beforeExecId: input.idLessThan,
    limit: input.limit,
  }
  const page = await context.history.written('fills', query, fillForm, context.catalog.catalog)
  return objectText({ fillList: listText<records.MixFill>(page.texts), endId: endId(page.last) })
}

const fillsEndpoint = (path: '/api/v2/mix/order/fills' | '/api/v2/mix/order/fill-history') =>
  defineEndpoint({
    method: 'GET',
    path,
    summary: 'Own futures fills of the last 90 days',
    source: 'wire/client-endpoints §4',
    access: read,
    limit: perSecond(10),
    request: FillsRequest,
    response: records.MixFills,
    handle: listFills,
  })

export const mixOrderEndpoints: readonly Endpoint[] = [
  placeOrder,
  batchPlaceOrder,
  cancelOrder,
  batchCancelOrders,
  cancelAllOrders,
  orderDetail,
  ordersPending,
  ordersHistory,
  fillsEndpoint('/api/v2/mix/order/fills'),
  fillsEndpoint('/api/v2/mix/order/fill-history'),
]
