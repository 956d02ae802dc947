/**
 * Changing resting orders through v3: one, or up to 20. The order keeps its number and client order id.
 *
 * Quantity     `qty` is the whole of it, what is filled included; what is left out stays
 * Refused      the order stays as it is; with `autoCancel` it is canceled. A request that cannot be read changes nothing
 * Attached     `takeProfit` and `stopLoss`: what is left out of one stays, `0` removes it
 * Belongs      a `category` or `symbol` that is not the order's names no order (design §4.43)
 * Source       wire/v3-endpoints.md §2
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { AmendOrder, AttachedTpsl } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { checkAttachedTpsl, openedBy } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, refusalError } from '../errors/errors.ts'
import { isOfOtherVersion } from '../own-orders.ts'
import * as field from '../parsing/fields.ts'
import { parsePrice, parseQuantity } from '../parsing/orders.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import { submitEach } from './batch.ts'
import { belongingFields, belongs, orderNameFields } from './order-names.ts'
import { failedEntry, sentIds } from './placing.ts'
import * as records from './records.ts'
import { changedTpsl } from './tpsl.ts'

const access = { permission: 'uta_trade', level: 'write' } as const
const source = 'wire/v3-endpoints §2'

const amendFields = {
  ...orderNameFields,
  ...belongingFields,
  qty: Type.Optional(field.decimal({ description: 'All of it, what is filled included' })),
  price: Type.Optional(field.decimal()),
  autoCancel: field.oneOfOr(['yes', 'no'], 'no', { description: 'Cancels the order when the change is refused' }),
  requestId: Type.Optional(field.text(64, { description: 'Repeated in the push of the changed order' })),
}
const BatchAmend = Type.Object(amendFields)
type BatchAmend = Static<typeof BatchAmend>

const tpslFields = {
  tpTriggerBy: Type.Optional(field.oneOf(['market', 'mark'])),
  slTriggerBy: Type.Optional(field.oneOf(['market', 'mark'])),
  takeProfit: Type.Optional(field.decimal({ description: 'Trigger price; 0 removes it' })),
  stopLoss: Type.Optional(field.decimal({ description: 'Trigger price; 0 removes it' })),
  tpOrderType: Type.Optional(field.oneOf(['market', 'limit'])),
  slOrderType: Type.Optional(field.oneOf(['market', 'limit'])),
  tpLimitPrice: Type.Optional(field.decimal()),
  slLimitPrice: Type.Optional(field.decimal()),
}
const tpslNames = Object.keys(tpslFields) as (keyof typeof tpslFields)[]

const SingleAmend = Type.Object({
  ...amendFields,
  ...tpslFields,
  ...receiveWindowFields,
})
type SingleAmend = Static<typeof SingleAmend>

/** The order that is meant, as it stands: its instrument says how its price and quantity are read. */
function orderNamed({ account, catalog, core }: PrivateContext, input: BatchAmend): OrderRecord {
  const { orderId, clientOid } = input
  if (orderId === undefined && clientOid === undefined) throw new ApiError('40924')
  const order = { orderId, clientOid: clientOid ?? '' }
  const found = core.query({ kind: 'order', uid: account.uid, order })
  if (found === undefined || isOfOtherVersion(account, 'v3', found) || !belongs(catalog, found, input)) {
    throw refusalError({ kind: 'order-unknown' }, 'v3')
  }
  return found
}

function amendCommand(context: PrivateContext, order: OrderRecord, input: BatchAmend): AmendOrder {
  const instrument = context.catalog.instrument(order.instrument)
  return {
    kind: 'amend-order',
    uid: context.account.uid,
    order: { orderId: order.orderId, clientOid: '' },
    category: order.category,
    instrument: order.instrument,
    price: input.price === undefined ? undefined : parsePrice(input.price, instrument),
    quantity: input.qty === undefined ? undefined : parseQuantity(input.qty, instrument, 'qty'),
    attachedTpsl: undefined,
    autoCancel: input.autoCancel === 'yes',
    requestId: input.requestId ?? '',
  }
}

function batchCommand(context: PrivateContext, input: BatchAmend): AmendOrder {
  if (input.qty === undefined && input.price === undefined) throw new ApiError('40913', ['qty, price'])
  return amendCommand(context, orderNamed(context, input), input)
}

function singleCommand(context: PrivateContext, input: SingleAmend): AmendOrder {
  const named = tpslNames.filter((name) => input[name] !== undefined)
  if (input.qty === undefined && input.price === undefined && named.length === 0) {
    throw new ApiError('40913', ['qty, price, takeProfit, stopLoss'])
  }
  const order = orderNamed(context, input)
  const instrument = context.catalog.instrument(order.instrument)
  const command = amendCommand(context, order, input)
  const attachedTpsl = named.length === 0 ? undefined : attachedTpslAsked(instrument, order, input)
  const price = command.price ?? order.price
  if (attachedTpsl !== undefined || price !== order.price) {
    const asked = { ...(attachedTpsl ?? order), instrument: order.instrument, opens: openedBy(order), price }
    checkAttachedTpsl(context, asked, ['takeProfit', 'stopLoss'])
  }
  return { ...command, attachedTpsl }
}

function attachedTpslAsked(instrument: Instrument, order: OrderRecord, input: SingleAmend): AttachedTpsl {
  const takeProfit = changedTpsl(instrument, order.takeProfit, input, 'tp')
  const stopLoss = changedTpsl(instrument, order.stopLoss, input, 'sl')
  if (input.takeProfit === undefined && takeProfit === undefined && saysAny(input, 'tp')) {
    throw missingParameter('takeProfit')
  }
  if (input.stopLoss === undefined && stopLoss === undefined && saysAny(input, 'sl')) throw missingParameter('stopLoss')
  return { takeProfit, stopLoss }
}

function saysAny(input: SingleAmend, which: 'tp' | 'sl'): boolean {
  return tpslNames.some((name) => name.startsWith(which) && input[name] !== undefined)
}

function changed(reply: Reply, command: AmendOrder, { catalog }: PrivateContext) {
  if (reply.kind === 'modified') return { orderId: String(reply.orderId), clientOid: reply.clientOid }
  if (reply.kind !== 'refused' && reply.kind !== 'canceled-instead') {
    throw new Error(`an amend-order was answered with ${reply.kind}`)
  }
  const instrument = command.instrument === undefined ? undefined : catalog.instrument(command.instrument)
  throw refusalError(reply.refusal, 'v3', { catalog, instrument })
}

const modifyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/modify-order',
  summary: 'Changes price, quantity or presets of a resting order',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: SingleAmend,
  response: records.Acknowledgement,
  handle: async (context, input) => {
    const command = singleCommand(context, input)
    return changed(await context.core.submit(command), command, context)
  },
})

const batchModifyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/batch-modify-order',
  summary: 'Changes up to 20 resting orders; every entry answers in its place',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: field.batch(BatchAmend, 20, { code: '40306' }),
  response: Type.Array(records.BatchEntry),
  handle: (context, attempts) =>
    submitEach(context.core, attempts, {
      command: (input) => batchCommand(context, input),
      answer: (reply, command): Static<typeof records.BatchEntry> => changed(reply, command, context),
      failed: (error, attempt) => {
        const sent = sentIds(attempt)
        return { ...failedEntry(error, sent.clientOid, context), orderId: sent.orderId }
      },
    }),
})

export const amendingEndpoints: readonly Endpoint[] = [modifyOrder, batchModifyOrder]
