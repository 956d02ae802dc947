/**
 * Placing orders through v3: one, or a batch of up to 20.
 *
 * Quantity   a spot or margin market buy spends `qty` of the quote coin; an inverse `qty` is whole USD contracts
 * Ignored    `price` and the time in force of market orders · `posSide` but in hedge mode of futures and `reduceOnly` but in
 *            their one-way mode: they have no effect, but a word outside their set is refused
 * Batch      a malformed batch (no array, empty, over 20, entries of several categories or of none) fails as a whole and
 *            nothing is placed; otherwise every entry answers in its place, failed ones with `code` and `msg`
 * Null       `orderId` is null when earlier reduce-only orders had to go; of a failed entry it is empty
 * Source     interface.md E2; design.md §4.8-§4.12, §4.28, §4.30; wire/v3-endpoints.md §2
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { PlaceOrder } from '../../engine/protocol/command.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { OrderQuantity, MarginMode, PositionSide } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { type ApiError, entryError, missingParameter, refusalError, wrongParameter } from '../errors/errors.ts'
import { formatOrderId } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import { parsePrice, parseQuantity, parseQuoteAmount } from '../parsing/orders.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import { submitEach } from './batch.ts'
import { namedInstrument } from './market.ts'
import * as records from './records.ts'
import { tpslOf } from './tpsl.ts'

const access = { permission: 'uta_trade', level: 'write' } as const

/** What counts in one position mode of futures alone. */
export const modeFields = {
  posSide: Type.Optional(field.oneOf(['long', 'short'], { description: 'Required in hedge mode; futures only' })),
  reduceOnly: field.oneOfOr(['yes', 'no'], 'no', { description: 'One-way mode' }),
}

/** Those words as the account's mode reads them (interface E2, design §4.28). */
export function modeWords(
  { holdMode }: AccountView,
  { kind, category }: Instrument,
  words: { readonly posSide?: PositionSide; readonly reduceOnly: 'yes' | 'no' },
) {
  if (kind === 'spot') return { positionSide: undefined, reduceOnly: false, isHedged: false }
  const isHedged = holdMode[category] === 'hedge_mode'
  return { positionSide: words.posSide, reduceOnly: words.reduceOnly === 'yes', isHedged }
}

const orderFields = {
  category: field.category(),
  symbol: field.symbol(),
  qty: field.decimal({
    description: 'Market buy on SPOT and MARGIN: quote coin; COIN-FUTURES: USD contracts; else base coin',
  }),
  price: Type.Optional(field.decimal({ description: 'Required for limit orders' })),
  side: field.oneOf(['buy', 'sell']),
  orderType: field.oneOf(['limit', 'market']),
  timeInForce: field.oneOfOr(['gtc', 'ioc', 'fok', 'post_only'], 'gtc'),
  clientOid: Type.Optional(field.clientOidV3()),
  stpMode: Type.Optional(field.oneOf(['none', 'cancel_taker', 'cancel_maker', 'cancel_both'])),
  ...modeFields,
  marginMode: Type.Optional(field.oneOf(['crossed', 'isolated'], { description: "Absent: the symbol's setting" })),
}
const notInBatch = { description: 'Not offered in a batch: an order that names it is refused' }
const BatchOrder = Type.Object({
  ...orderFields,
  takeProfit: Type.Optional(field.decimal(notInBatch)),
  stopLoss: Type.Optional(field.decimal(notInBatch)),
})
type BatchOrder = Static<typeof BatchOrder>
type PlainOrder = Omit<BatchOrder, 'takeProfit' | 'stopLoss'>

const SingleOrder = Type.Object({
  ...orderFields,
  takeProfit: Type.Optional(field.decimal({ description: 'Trigger price' })),
  stopLoss: Type.Optional(field.decimal({ description: 'Trigger price' })),
  tpTriggerBy: field.oneOfOr(['market', 'mark'], 'market'),
  slTriggerBy: field.oneOfOr(['market', 'mark'], 'market'),
  tpOrderType: field.oneOfOr(['market', 'limit'], 'market'),
  slOrderType: field.oneOfOr(['market', 'limit'], 'market'),
  tpLimitPrice: Type.Optional(field.decimal()),
  slLimitPrice: Type.Optional(field.decimal()),
  ...receiveWindowFields,
})
type SingleOrder = Static<typeof SingleOrder>

/** The command of an order that says no more than one of a batch can; the rest is left at its default. */
function placeOrderCommand({ account, catalog, channelCode }: PrivateContext, order: PlainOrder): PlaceOrder {
  const { category } = order
  const instrument: Instrument = namedInstrument(catalog, category, order.symbol)
  const { positionSide, reduceOnly } = modeWords(account, instrument, order)
  if (order.orderType === 'limit' && order.price === undefined) throw missingParameter('price')
  return {
    kind: 'place-order',
    uid: account.uid,
    interface: 'v3',
    category,
    instrument: instrument.id,
    side: order.side,
    orderType: order.orderType,
    price: order.orderType === 'limit' && order.price !== undefined ? parsePrice(order.price, instrument) : 0,
    quantity: orderQuantity(order, instrument),
    timeInForce: order.timeInForce,
    positionSide,
    tradeSide: undefined,
    reduceOnly,
    marginMode: marginModeNamed(order.marginMode, instrument),
    marginCoin: undefined,
    stpMode: order.stpMode,
    clientOid: order.clientOid ?? '',
    takeProfit: undefined,
    stopLoss: undefined,
    // MARGIN orders borrow automatically (interface E2 rule 3), and what comes into a unified wallet repays.
    loanType: category === 'MARGIN' ? 'autoLoanAndRepay' : 'normal',
    channelCode,
  }
}

/** Spot and margin orders have none. */
export function marginModeNamed(
  word: 'crossed' | 'isolated' | undefined,
  { kind }: Instrument,
): MarginMode | undefined {
  if (kind === 'spot' || word === undefined) return undefined
  return word === 'crossed' ? 'cross' : word
}

function orderQuantity({ qty, side, orderType }: PlainOrder, instrument: Instrument): OrderQuantity {
  return instrument.kind === 'spot' && side === 'buy' && orderType === 'market'
    ? { unit: 'quote', amount: parseQuoteAmount(qty, instrument, 'qty') }
    : { unit: 'lots', lots: parseQuantity(qty, instrument, 'qty') }
}

function singleOrderCommand(context: PrivateContext, order: SingleOrder): PlaceOrder {
  const command = placeOrderCommand(context, order)
  const instrument = context.catalog.instrument(command.instrument)
  const placing: PlaceOrder = {
    ...command,
    takeProfit: tpslOf(instrument, {
      names: ['takeProfit', 'tpLimitPrice'],
      trigger: order.takeProfit,
      limitPrice: order.tpLimitPrice,
      orderType: order.tpOrderType,
      by: order.tpTriggerBy,
    }),
    stopLoss: tpslOf(instrument, {
      names: ['stopLoss', 'slLimitPrice'],
      trigger: order.stopLoss,
      limitPrice: order.slLimitPrice,
      orderType: order.slOrderType,
      by: order.slTriggerBy,
    }),
  }
  const { isHedged } = modeWords(context.account, instrument, order)
  checkAttachedTpsl(context, { ...placing, opens: opened(placing, isHedged) }, ['takeProfit', 'stopLoss'])
  return placing
}

/** The position that an order opens, what a spot order receives counted as one; undefined: it only reduces. */
function opened({ side, positionSide, reduceOnly }: PlaceOrder, isHedged: boolean): PositionSide | undefined {
  const opens = side === 'buy' ? 'long' : 'short'
  const isReducing = isHedged ? positionSide !== opens : reduceOnly
  return isReducing ? undefined : opens
}

/** Leaving a stop-loss out without a word would be worse than refusing the order (interface E2 rule 7). */
function batchOrderCommand(context: PrivateContext, order: BatchOrder): PlaceOrder {
  const named = (['takeProfit', 'stopLoss'] as const).find((name) => order[name] !== undefined)
  if (named !== undefined) throw wrongParameter('v3', named, 'is not offered in a batch')
  return placeOrderCommand(context, order)
}

/** What the reply to a placed order says on the wire; throws its refusal. */
function acknowledgement(
  reply: Reply,
  command: PlaceOrder,
  { catalog }: PrivateContext,
): Static<typeof records.Placed> {
  if (reply.kind === 'placed') {
    return { orderId: reply.orderId === 0 ? null : formatOrderId(reply.orderId), clientOid: reply.clientOid }
  }
  if (reply.kind !== 'refused') throw new Error(`a place-order was answered with ${reply.kind}`)
  throw refusalError(reply.refusal, 'v3', { catalog, instrument: catalog.instrument(command.instrument) })
}

const placeOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/place-order',
  summary: 'Place an order',
  source: 'wire/v3-endpoints §2',
  access,
  limit: { perSecond: 10, per: 'uid', copyTraderPerSecond: 1 },
  request: SingleOrder,
  response: records.Placed,
  handle: async (context, input) => {
    const command = singleOrderCommand(context, input)
    return acknowledgement(await context.core.submit(command), command, context)
  },
})

const placeBatch = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/place-batch',
  summary: 'Place up to 20 orders of one category',
  source: 'interface E2; design §4.8',
  access,
  limit: { perSecond: 5, per: 'uid', copyTraderPerSecond: 1 },
  request: field.batch(BatchOrder, 20, { code: '40306' }),
  response: Type.Array(records.BatchEntry),
  handle: (context, attempts) => {
    checkOneCategory(attempts)
    return submitEach(context.core, attempts, {
      command: (order) => batchOrderCommand(context, order),
      answer: (reply, command): Static<typeof records.BatchEntry> => acknowledgement(reply, command, context),
      failed: (error, attempt) => failedEntry(error, sentIds(attempt).clientOid, context),
    })
  },
})

/** Entries of several categories, or an entry that names none, make the batch malformed as a whole. */
function checkOneCategory(attempts: readonly field.Attempt<BatchOrder>[]): void {
  const sent = new Set(attempts.map((attempt) => (attempt.ok ? attempt.value.category : categoryOf(attempt))))
  if (sent.size > 1) throw wrongParameter('v3', 'category', 'should be the same in all orders of a batch')
}

function categoryOf({ raw }: Extract<field.Attempt<BatchOrder>, { ok: false }>): string {
  const sent = Object.hasOwn(raw, 'category') ? raw['category'] : undefined
  if (sent === undefined || sent === null || sent === '') throw missingParameter('category')
  const known =
    typeof sent === 'string' ? field.categories.find((category) => category === sent.toUpperCase()) : undefined
  if (known === undefined) throw wrongParameter('v3', 'category', `should be one of ${field.categories.join(', ')}`)
  return known
}

/** The ids of a batch entry as they were sent. */
export function sentIds(attempt: field.Attempt<{ readonly orderId?: number; readonly clientOid?: string }>) {
  if (!attempt.ok) return { orderId: attempt.orderId, clientOid: attempt.clientOid }
  const { orderId, clientOid } = attempt.value
  return { orderId: orderId === undefined ? '' : String(orderId), clientOid: clientOid ?? '' }
}

/** A batch entry that failed; its message in the caller's language. */
export function failedEntry(error: ApiError, clientOid: string, context: PrivateContext) {
  return { orderId: '', clientOid, ...entryError(error, context) }
}

export const placingEndpoints: readonly Endpoint[] = [placeOrder, placeBatch]
