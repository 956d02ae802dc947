/**
 * Cancelling orders through v3: one, up to 20, or all of a category or symbol.
 *
 * Named      by `orderId` or `clientOid`; the number wins when both are given. A `category` or `symbol` that is not the order's
 *            names no order (design §4.43)
 * Not yours  an order of somebody else answers like an order that does not exist
 * Source     wire/v3-endpoints.md §2
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Category, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { CancelOrder } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, refusalError, unknownSymbol } from '../errors/errors.ts'
import { formatOrderId } from '../figures.ts'
import { checkOwn } from '../own-orders.ts'
import * as field from '../parsing/fields.ts'
import { submitEach } from './batch.ts'
import { namedInstrument } from './market.ts'
import { belongingFields, belongs, orderNameFields } from './order-names.ts'
import { failedEntry, sentIds } from './placing.ts'
import * as records from './records.ts'

const access = { permission: 'uta_trade', level: 'write' } as const
const source = 'wire/v3-endpoints §2'

interface CancelInput {
  readonly orderId?: number
  readonly clientOid?: string
  readonly category?: Category
  readonly symbol?: string
}

function cancelCommand(context: PrivateContext, input: CancelInput, instrument = instrumentNamed(context, input)) {
  const { orderId, clientOid, category } = input
  if (orderId === undefined && clientOid === undefined) throw new ApiError('40924')
  const order = { orderId, clientOid: clientOid ?? '' }
  checkOwn(context, 'v3', order, 'v3')
  const command: CancelOrder = { kind: 'cancel-order', uid: context.account.uid, order, category, instrument }
  return command
}

function instrumentNamed({ catalog }: PrivateContext, { category, symbol }: CancelInput): InstrumentId | undefined {
  return category === undefined || symbol === undefined ? undefined : namedInstrument(catalog, category, symbol).id
}

/**
 * One command, but of an order that is still on its way in and named with a symbol alone, which several categories may list: then
 * one for each of these, of which at most one finds the order.
 */
function cancelCommands(context: PrivateContext, input: CancelInput): CancelOrder[] {
  const { account, catalog, core } = context
  const { orderId, clientOid = '', category, symbol } = input
  if (category !== undefined || symbol === undefined) return [cancelCommand(context, input)]
  const live = core.query({ kind: 'order', uid: account.uid, order: { orderId, clientOid } })
  if (live !== undefined && belongs(catalog, live, input)) return [cancelCommand(context, input, live.instrument)]
  const listed = catalog.catalog.instruments.filter((instrument) => instrument.symbol === symbol)
  if (listed.length === 0) throw unknownSymbol(symbol)
  return listed.map(({ id }) => cancelCommand(context, input, id))
}

function canceledOrder(reply: Reply): { orderId: string; clientOid: string } {
  if (reply.kind === 'canceled' && reply.orders[0] !== undefined) {
    return { orderId: formatOrderId(reply.orders[0].orderId), clientOid: reply.orders[0].clientOid }
  }
  if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
  throw new Error(`a cancel-order was answered with ${reply.kind}`)
}

const cancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/cancel-order',
  summary: 'Cancel an order',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  urgent: true,
  request: Type.Object({ ...orderNameFields, ...belongingFields }),
  response: records.Acknowledgement,
  handle: async (context, input) => {
    const replies = await context.core.submitAll(cancelCommands(context, input))
    return canceledOrder(replies.find(({ kind }) => kind === 'canceled') ?? replies[0])
  },
})

const cancelBatch = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/cancel-batch',
  summary: 'Cancel up to 20 orders; every entry answers in its place',
  source,
  access,
  limit: { perSecond: 5, per: 'uid' },
  urgent: true,
  request: field.batch(
    Type.Object({ ...orderNameFields, category: field.category(), symbol: Type.Optional(field.symbol()) }),
    20,
    { code: '40306' },
  ),
  response: Type.Array(records.BatchEntry),
  handle: (context, attempts) =>
    submitEach(context.core, attempts, {
      command: (input) => cancelCommand(context, input),
      answer: (reply): Static<typeof records.BatchEntry> => canceledOrder(reply),
      failed: (error, attempt) => {
        const sent = sentIds(attempt)
        return { ...failedEntry(error, sent.clientOid, context), orderId: sent.orderId }
      },
    }),
})

const cancelSymbolOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/cancel-symbol-order',
  summary: 'Cancel all open orders of a category, or of one symbol',
  source,
  access,
  limit: { perSecond: 5, per: 'uid' },
  urgent: true,
  request: Type.Object({ category: field.category(), symbol: Type.Optional(field.symbol()) }),
  response: Type.Object({ list: Type.Array(records.Canceled) }),
  handle: async ({ account, catalog, core }, { category, symbol }) => {
    const instrument = symbol === undefined ? undefined : namedInstrument<Category>(catalog, category, symbol).id
    const reply = await core.submit({ kind: 'cancel-orders', uid: account.uid, interface: 'v3', category, instrument })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    const canceled = reply.kind === 'canceled' ? reply.orders : []
    return {
      list: canceled.map(({ orderId, clientOid }) => ({
        orderId: formatOrderId(orderId),
        clientOid,
        code: '00000',
        msg: 'success',
      })),
    }
  },
})

export const cancelingEndpoints: readonly Endpoint[] = [cancelOrder, cancelBatch, cancelSymbolOrder]
