/**
 * A new spot or margin order in the place of a resting one: one, or up to 50.
 *
 * Margin    orders of cross margin are replaced here too, by keys that may trade them; the loan goes over to the new order
 * Whole     refused, the old order stays as it is: a single request is answered with the refusal, an entry of a batch with
 *           `failure` and why
 * Attached  take-profit and stop-loss of spot orders: what is left out stays as the old order has it, `0` removes it; margin
 *           orders have none here
 * Source    wire/client-endpoints.md §2, §4
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { SpotInstrument } from '../../engine/catalog/catalog.ts'
import type { AttachedTpsl, ReplaceOrder } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { TpslTerms } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl, openedBy } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, type Family, messageOf, missingParameter, refusalError, wrongParameter } from '../errors/errors.ts'
import { checkPermission } from '../keys/authentication.ts'
import { type Attempt, batch, clientOidV2, decimal, oneOfOr, symbol } from '../parsing/fields.ts'
import { parseExecutePrice, parsePrice, parseQuantity } from '../parsing/orders.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import { orderIdText, orderReference, pairNamed } from './lookups.ts'
import { spotTpslFields, spotTpslNames } from './placing.ts'
import * as records from './records.ts'
import { accepted, numbered } from './replies.ts'

const access = { permission: 'spot_trade', level: 'write' } as const
const limit = { perSecond: 5, per: 'uid' } as const
const source = 'wire/client-endpoints §4'

const tpslNames = Object.keys(spotTpslFields) as (keyof typeof spotTpslFields)[]

const replaceFields = {
  symbol: symbol(),
  price: decimal(),
  size: decimal({ description: 'in base coin' }),
  orderId: orderIdText(),
  clientOid: Type.Optional(clientOidV2()),
  newClientOid: Type.Optional(clientOidV2()),
  orderType: oneOfOr(['limit'], 'limit', { description: 'what rests is a limit order' }),
  ...spotTpslFields,
}
const ReplaceEntry = Type.Object(replaceFields)
type ReplaceEntry = Static<typeof ReplaceEntry>

interface Draft {
  readonly command: ReplaceOrder
  readonly family: Family
}

function draft(context: PrivateContext, input: ReplaceEntry): Draft {
  const pair = pairNamed(context, 'SPOT', input.symbol)
  const { uid } = context.account
  const found = context.core.query({ kind: 'order', uid, order: orderReference(input) })
  const unknown = found === undefined || found.instrument !== pair.id
  if (unknown) throw refusalError({ kind: 'order-unknown' }, 'spot')
  const margin = found.category === 'MARGIN'
  if (margin) checkPermission(context, { permission: 'margin_trade', level: 'write' }, 'v2')
  const price = parsePrice(input.price, pair)
  const attachedTpsl = attachedTpslAsked(pair, found, input)
  if (!margin)
    checkAttachedTpsl(
      context,
      { ...(attachedTpsl ?? found), instrument: pair.id, opens: openedBy(found), price },
      spotTpslNames,
    )
  const command: ReplaceOrder = {
    kind: 'replace-order',
    uid,
    interface: 'v2',
    order: { orderId: found.orderId, clientOid: '' },
    categories: ['SPOT', 'MARGIN'],
    instrument: pair.id,
    price,
    quantity: { unit: 'lots', lots: parseQuantity(input.size, pair) },
    attachedTpsl,
    clientOid: input.newClientOid ?? '',
    channelCode: context.channelCode,
  }
  return { command, family: margin ? 'margin' : 'spot' }
}

/** Undefined: as the old order has them. Of each what is left out stays, and a trigger price of 0 removes it. */
function attachedTpslAsked(pair: SpotInstrument, order: OrderRecord, input: ReplaceEntry): AttachedTpsl | undefined {
  const named = tpslNames.find((name) => input[name] !== undefined)
  if (named === undefined) return undefined
  if (order.category === 'MARGIN') throw wrongParameter('v2', named, 'is not offered for margin orders')
  const asked = (before: TpslTerms | undefined, name: 'TakeProfit' | 'StopLoss'): TpslTerms | undefined => {
    const [trigger, execute] = [input[`preset${name}Price`], input[`execute${name}Price`]]
    const price = trigger === undefined ? before?.trigger : parseExecutePrice(trigger, pair, `preset${name}Price`)
    if (price === undefined && execute !== undefined) throw missingParameter(`preset${name}Price`)
    if (price === undefined || price === 0) return undefined
    const at = execute === undefined ? (before?.execute ?? 0) : parseExecutePrice(execute, pair, `execute${name}Price`)
    return { trigger: price, execute: at, by: before?.by ?? 'last' }
  }
  return { takeProfit: asked(order.takeProfit, 'TakeProfit'), stopLoss: asked(order.stopLoss, 'StopLoss') }
}

function replaced({ catalog }: PrivateContext, { command, family }: Draft, reply: Reply) {
  const instrument = catalog.instrument(command.instrument)
  return { ...numbered(accepted(reply, 'placed', family, { catalog, instrument })), success: 'success', msg: null }
}

const cancelReplaceOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/cancel-replace-order',
  summary: 'Places a spot or margin order in the place of a resting one',
  source,
  access,
  limit,
  request: Type.Object({ ...replaceFields, ...receiveWindowFields }),
  response: records.Replaced,
  async handle(context, input) {
    const drafted = draft(context, input)
    return replaced(context, drafted, await context.core.submit(drafted.command))
  },
})

const batchCancelReplaceOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/trade/batch-cancel-replace-order',
  summary: 'Places several spot or margin orders, each in the place of a resting one; every entry answers in its place',
  source,
  access,
  limit,
  request: Type.Object({ orderList: batch(ReplaceEntry, 50) }),
  response: Type.Array(records.Replaced),
  async handle(context, { orderList }) {
    const drafts = orderList.map((attempt) => {
      if (!attempt.ok) return attempt.fault
      return orError(() => draft(context, attempt.value))
    })
    const commands = drafts.flatMap((drafted) => (drafted instanceof ApiError ? [] : drafted.command))
    const replies = commands.length === 0 ? [] : await context.core.submitAll(commands)
    let submitted = 0
    return drafts.map((drafted, index) => {
      const answer =
        drafted instanceof ApiError ? drafted : orError(() => replaced(context, drafted, replies[submitted++]))
      return answer instanceof ApiError ? failed(context, answer, orderList[index]) : answer
    })
  },
})

function failed({ locale }: PrivateContext, error: ApiError, attempt: Attempt<ReplaceEntry> | undefined) {
  const { orderId = '', clientOid = '' } = (attempt?.ok ? attempt.value : attempt) ?? {}
  return { orderId, clientOid, success: 'failure', msg: messageOf(error, locale) }
}

function orError<T>(make: () => T): T | ApiError {
  try {
    return make()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

export const spotReplacingEndpoints: readonly Endpoint[] = [cancelReplaceOrder, batchCancelReplaceOrder]
