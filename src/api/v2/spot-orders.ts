/**
 * Spot trading of v2: place, cancel, and what may be read of orders and fills.
 *
 * Books     spot and margin share one book; here are the spot orders, margin-orders.ts has the others
 * Triggers  `tpslType` `tpsl` places, cancels and lists orders that wait for a price; spot-plans.ts has them too
 * E7        every entry of a batch cancel answers, as success or as failure (design §4.13). What the mode ignores, and the
 *           `clientOid` beside an `orderId`, may say anything
 * Unknown   `orderInfo` of an order that is not there is an empty list; cancelling one is refused (43001)
 * Source    interface.md E7; wire/client-endpoints.md §4, §5
 */
import Type, { type Static } from 'typebox'
import { type Endpoint, type PrivateContext, defineEndpoint } from '../endpoint.ts'
import { missingParameter, orderNotFound } from '../errors/errors.ts'
import { listText } from '../json-text.ts'
import {
  batch,
  clientOidV2,
  counted,
  id,
  ignorable,
  limit,
  type Miswritten,
  oneOfOr,
  symbol,
  timestamp,
} from '../parsing/fields.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import * as dictionary from './dictionary.ts'
import { historyWindow, orderIdText, pairNamed, recordedWallets } from './lookups.ts'
import { findOrder, openOrders, ownReference } from './orders.ts'
import { spotOrderCommand, spotOrderFields } from './placing.ts'
import { waitingTriggers } from './plans.ts'
import * as records from './records.ts'
import { accepted, acknowledgement, cancelEach, numbered, placeEach } from './replies.ts'
import { formOf } from './written.ts'

const trade = { permission: 'spot_trade', level: 'write' } as const
const read = { permission: 'spot_trade', level: 'read' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

const batchOrdersMax = 50
const batchCancelsMax = 50

const placeOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/place-order',
  summary: 'Places a spot order',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(10),
  request: Type.Object({ symbol: symbol(), ...spotOrderFields, ...receiveWindowFields }),
  response: records.Placed,
  async handle(context, order) {
    const pair = pairNamed(context, 'SPOT', order.symbol)
    const reply = await context.core.submit(spotOrderCommand(context, pair, order))
    return acknowledgement(accepted(reply, 'placed', 'spot', { catalog: context.catalog, instrument: pair }))
  },
})

/** `single`: the outer symbol counts and those of the entries are ignored; `multiple`: the other way round. */
const batchMode = oneOfOr(['single', 'multiple'], 'single')

/** The symbol of a batch or of an entry, which the other mode ignores. */
const modeSymbol = Type.Optional(ignorable(symbol()))

/** How an entry of a batch finds its pair. */
function pairFinder(context: PrivateContext, mode: 'single' | 'multiple', outer: string | Miswritten | undefined) {
  const named = (sent: string | Miswritten | undefined) => {
    const name = counted(sent)
    if (name === undefined) throw missingParameter('symbol')
    return pairNamed(context, 'SPOT', name)
  }
  if (mode === 'single') {
    const pair = named(outer)
    return () => pair
  }
  return (entry: { readonly symbol?: string | Miswritten }) => named(entry.symbol)
}

const batchOrders = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/batch-orders',
  summary: 'Places several spot orders',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(5),
  request: Type.Object({
    symbol: modeSymbol,
    batchMode,
    orderList: batch(Type.Object({ symbol: modeSymbol, ...spotOrderFields }), batchOrdersMax),
  }),
  response: records.BatchPlaced,
  handle(context, input) {
    const pairOf = pairFinder(context, input.batchMode, input.symbol)
    return placeEach(context, 'spot', input.orderList, (order) => {
      const pair = pairOf(order)
      return { command: spotOrderCommand(context, pair, order), instrument: pair }
    })
  },
})

const tpslType = oneOfOr(['normal', 'tpsl'], 'normal', { description: 'tpsl: trigger orders' })

const cancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/cancel-order',
  summary: 'Cancels a spot order',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(10),
  urgent: true,
  request: Type.Object({
    symbol: symbol(),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
    tpslType,
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    const named = {
      uid: context.account.uid,
      order: ownReference(context, 'spot', input),
      category: 'SPOT',
      instrument: pair.id,
    } as const
    const reply = await context.core.submit(
      input.tpslType === 'tpsl' ? { kind: 'cancel-trigger', kinds: [], ...named } : { kind: 'cancel-order', ...named },
    )
    const [order] = accepted(reply, 'canceled', 'spot', { catalog: context.catalog, instrument: pair }).orders
    if (order === undefined) throw orderNotFound('spot')
    return numbered(order)
  },
})

const CancelEntry = Type.Object({
  symbol: modeSymbol,
  orderId: orderIdText(),
  clientOid: Type.Optional(ignorable(clientOidV2())),
})

/** The order that an entry names: beside an order number the client order id is not read (design §4.13). */
function entryReference(context: PrivateContext, { orderId, clientOid }: Static<typeof CancelEntry>) {
  return ownReference(context, 'spot', orderId === undefined ? { clientOid: counted(clientOid) ?? '' } : { orderId })
}

const batchCancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/batch-cancel-order',
  summary: 'Cancels several spot orders',
  source: 'interface E7',
  access: trade,
  limit: perSecond(5),
  urgent: true,
  request: Type.Object({
    symbol: modeSymbol,
    batchMode,
    orderList: batch(CancelEntry, batchCancelsMax, { code: '40912' }),
  }),
  response: records.BatchCanceled,
  handle(context, input) {
    const pairOf = pairFinder(context, input.batchMode, input.symbol)
    return cancelEach(context, 'spot', input.orderList, (entry) => {
      const pair = pairOf(entry)
      return {
        instrument: pair,
        command: {
          kind: 'cancel-order',
          uid: context.account.uid,
          order: entryReference(context, entry),
          category: 'SPOT',
          instrument: pair.id,
        },
      }
    })
  },
})

const cancelSymbolOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/cancel-symbol-order',
  summary: 'Cancels all spot orders of a pair',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: perSecond(5),
  urgent: true,
  request: Type.Object({ symbol: symbol() }),
  response: records.CanceledSymbol,
  async handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    const reply = await context.core.submit({
      kind: 'cancel-orders',
      uid: context.account.uid,
      interface: 'v2',
      category: 'SPOT',
      instrument: pair.id,
    })
    accepted(reply, 'canceled', 'spot', { catalog: context.catalog, instrument: pair })
    return { symbol: pair.symbol }
  },
})

const orderInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/orderInfo',
  summary: 'One spot or margin order, live or ended: a list of one, or an empty one',
  source: 'wire/client-endpoints §4; design §4.5',
  access: read,
  limit: perSecond(20),
  request: Type.Object({
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
    ...receiveWindowFields,
  }),
  response: Type.Array(records.SpotOrder),
  async handle(context, input) {
    const found = await findOrder(context, input)
    if (found === undefined || (found.category !== 'SPOT' && found.category !== 'MARGIN')) return []
    return [dictionary.spotOrder(context.catalog.catalog, found)]
  },
})

const listFields = {
  symbol: Type.Optional(symbol()),
  orderId: Type.Optional(id()),
  idLessThan: Type.Optional(id()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  limit: limit(100, 100),
}
const ListRequest = Type.Object(listFields)

const unfilledOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/unfilled-orders',
  summary: 'Open spot orders',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(20),
  request: Type.Object({ ...listFields, tpslType, ...receiveWindowFields }),
  response: Type.Array(records.SpotOpenOrder),
  handle(context, input) {
    const pair = input.symbol === undefined ? undefined : pairNamed(context, 'SPOT', input.symbol)
    const { catalog } = context.catalog
    if (input.tpslType === 'tpsl') {
      const waiting = waitingTriggers(context, 'SPOT', pair?.id, input)
      return waiting.slice(0, input.limit).map((trigger) => dictionary.spotWaitingOrder(catalog, trigger))
    }
    const page = openOrders(context, 'SPOT', pair?.id, input)
    return page.map((order) => dictionary.spotOpenOrder(catalog, order))
  },
})

/** What both history lists ask for. */
function historyAsk(context: PrivateContext, input: Static<typeof ListRequest>) {
  const pair = input.symbol === undefined ? undefined : pairNamed(context, 'SPOT', input.symbol)
  return {
    uid: context.account.uid,
    categories: ['SPOT'],
    wallets: recordedWallets(context.account, 'SPOT'),
    instrument: pair?.id,
    orderId: input.orderId,
    ...historyWindow(context.now, input),
    limit: input.limit,
  } as const
}

const orderForm = formOf(dictionary.spotOrder)
const fillForm = formOf(dictionary.spotFill)

const historyOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/history-orders',
  summary: 'Ended spot orders of the last 90 days',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(20),
  request: Type.Object({
    ...listFields,
    tpslType: oneOfOr(['normal'], 'normal', { description: 'ended trigger orders are in history-plan-order' }),
    ...receiveWindowFields,
  }),
  response: Type.Array(records.SpotOrder),
  async handle(context, input) {
    const ask = { ...historyAsk(context, input), beforeOrderId: input.idLessThan }
    const { texts } = await context.history.written('orders', ask, orderForm, context.catalog.catalog)
    return listText<records.SpotOrder>(texts)
  },
})

const fills = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/trade/fills',
  summary: 'Own spot fills of the last 90 days',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(10),
  request: ListRequest,
  response: Type.Array(records.SpotFill),
  async handle(context, input) {
    const ask = { ...historyAsk(context, input), beforeExecId: input.idLessThan }
    const { texts } = await context.history.written('fills', ask, fillForm, context.catalog.catalog)
    return listText<records.SpotFill>(texts)
  },
})

export const spotOrderEndpoints: readonly Endpoint[] = [
  placeOrder,
  batchOrders,
  cancelOrder,
  batchCancelOrder,
  cancelSymbolOrder,
  orderInfo,
  unfilledOrders,
  historyOrders,
  fills,
]
