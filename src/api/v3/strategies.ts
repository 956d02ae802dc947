/**
 * Strategy orders of v3: take-profit and stop-loss of a position (`tpsl`), and orders that are sent once a price is
 * reached (`trigger`).
 *
 * Whole     `tpslMode` `full` closes all of the position, whatever it then is; `partial` a `qty` of it
 * Position  `posSide`, else the one that `side` would close, else the only one there is
 * Pair      take-profit and stop-loss of one request are one strategy order: shown, changed and canceled together
 * Trailing  with `callbackRatio` or `rangeRate` (trailing.ts)
 * Lists     waiting ones are a bare array; ended ones come in pages
 * Source    wire/v3-endpoints.md §6; wire/client-endpoints.md §5
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Category, Instrument } from '../../engine/catalog/catalog.ts'
import type { Command, ModifyTrailing, ModifyTrigger, PlaceTrigger, TriggerLeg } from '../../engine/protocol/command.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { OrderQuantity, TpslTerms } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, refusalError, wrongParameter } from '../errors/errors.ts'
import { isOfOtherVersion } from '../own-orders.ts'
import * as field from '../parsing/fields.ts'
import { parseQuantity, parseQuoteAmount, parseTriggerPrice } from '../parsing/orders.ts'
import { timeWindow } from '../parsing/time-window.ts'
import { refuseFilled } from '../trailing.ts'
import * as wire from './dictionary.ts'
import { namedInstrument } from './market.ts'
import { belongingFields, belongs, orderNameFields } from './order-names.ts'
import { before, nextCursor, recordedWallets } from './pages.ts'
import { marginModeNamed, modeFields, modeWords } from './placing.ts'
import * as records from './records.ts'
import { trailingChange, trailingPlanCommand, trailingStopCommand } from './trailing.ts'
import { changedTpsl, tpslOf, triggerPrices } from './tpsl.ts'

const write = { permission: 'uta_trade', level: 'write' } as const
const read = { permission: 'uta_trade', level: 'read' } as const
const source = 'wire/v3-endpoints §6'
const spanDays = 30

const tpslKinds = [
  'take-profit',
  'stop-loss',
  'position-take-profit',
  'position-stop-loss',
  'trailing-stop',
  'position-trailing-stop',
] as const
const kindsOf = { tpsl: tpslKinds, trigger: ['plan', 'trailing-plan'] } as const

const priceFields = {
  tpTriggerBy: Type.Optional(field.oneOf(['market', 'mark'])),
  slTriggerBy: Type.Optional(field.oneOf(['market', 'mark'])),
  takeProfit: Type.Optional(field.decimal({ description: 'Trigger price' })),
  stopLoss: Type.Optional(field.decimal({ description: 'Trigger price' })),
  tpOrderType: Type.Optional(field.oneOf(['market', 'limit'])),
  slOrderType: Type.Optional(field.oneOf(['market', 'limit'])),
  tpLimitPrice: Type.Optional(field.decimal()),
  slLimitPrice: Type.Optional(field.decimal()),
  triggerBy: Type.Optional(field.oneOf(['market', 'mark'])),
  triggerPrice: Type.Optional(field.decimal()),
  triggerOrderType: Type.Optional(field.oneOf(['market', 'limit'])),
  triggerOrderPrice: Type.Optional(field.decimal()),
  callbackRatio: Type.Optional(field.decimal({ description: 'A trailing trigger order: per cent, 0.01 to 10' })),
  rangeRate: Type.Optional(field.decimal({ description: 'A trailing tpsl: per cent, 0.01 to 10' })),
}

const PlaceRequest = Type.Object({
  category: field.category(),
  symbol: field.symbol(),
  clientOid: Type.Optional(field.clientOidV3()),
  type: field.oneOfOr(['tpsl', 'trigger'], 'tpsl'),
  tpslMode: field.oneOfOr(['full', 'partial'], 'full'),
  qty: Type.Optional(field.decimal({ description: 'Required for trigger orders and in partial mode' })),
  side: Type.Optional(field.oneOf(['buy', 'sell'], { description: 'Required for trigger orders' })),
  ...modeFields,
  marginMode: Type.Optional(field.oneOf(['crossed', 'isolated'])),
  ...priceFields,
})
type PlaceRequest = Static<typeof PlaceRequest>
type Prices = Static<ReturnType<typeof Type.Object<typeof priceFields>>>

const placeStrategyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/place-strategy-order',
  summary: 'Sets take-profit and stop-loss of a position, or an order that waits for a price',
  source,
  access: write,
  limit: { perSecond: 10, per: 'uid' },
  request: PlaceRequest,
  response: records.Acknowledgement,
  handle: async (context, input) => {
    const instrument: Instrument = namedInstrument<Category>(context.catalog, input.category, input.symbol)
    const command = commandOf(context, instrument, input)
    const reply = await context.core.submit(command)
    if (reply.kind === 'placed') return acknowledged(reply)
    if (reply.kind === 'triggers-placed' && reply.orders[0] !== undefined) return acknowledged(reply.orders[0])
    throw failure(reply, context, instrument)
  },
})

function commandOf(context: PrivateContext, instrument: Instrument, input: PlaceRequest) {
  const isPlan = input.type === 'trigger'
  refuseFilled('v3', input, [isPlan ? 'rangeRate' : 'callbackRatio'], `of a ${input.type} order`)
  if (isPlan) {
    const place = input.callbackRatio === undefined ? planCommand : trailingPlanCommand
    return place(context, instrument, input)
  }
  return (input.rangeRate === undefined ? tpslCommand : trailingStopCommand)(context, instrument, input)
}

function acknowledged({ orderId, clientOid }: { readonly orderId: number; readonly clientOid: string }) {
  return { orderId: String(orderId), clientOid }
}

function failure(reply: Reply, { catalog }: PrivateContext, instrument: Instrument | undefined): Error {
  if (reply.kind === 'refused') return refusalError(reply.refusal, 'v3', { catalog, instrument })
  return new Error(`a strategy order was answered with ${reply.kind}`)
}

function planCommand(context: PrivateContext, instrument: Instrument, input: PlaceRequest): PlaceTrigger {
  const { account, channelCode } = context
  const { category, side, qty, triggerPrice, triggerOrderType = 'market', triggerOrderPrice, marginMode } = input
  if (side === undefined) throw missingParameter('side')
  if (qty === undefined) throw missingParameter('qty')
  if (triggerPrice === undefined) throw missingParameter('triggerPrice')
  if (triggerOrderType === 'limit' && triggerOrderPrice === undefined) throw missingParameter('triggerOrderPrice')
  const futures = instrument.kind !== 'spot'
  const { positionSide, reduceOnly } = modeWords(account, instrument, input)
  const attachedTpsl = attachedTpslNamed(instrument, input)
  const market = triggerOrderType === 'market'
  const trigger = parseTriggerPrice(triggerPrice, instrument, 'triggerPrice')
  const execute = market ? 0 : parseTriggerPrice(triggerOrderPrice ?? '', instrument, 'triggerOrderPrice')
  if (!futures) {
    const order = {
      instrument: instrument.id,
      opens: side === 'buy' ? 'long' : 'short',
      price: execute || trigger,
    } as const
    checkAttachedTpsl(context, { ...order, ...attachedTpsl }, ['takeProfit', 'stopLoss'])
  }
  return {
    kind: 'place-trigger',
    uid: account.uid,
    interface: 'v3',
    category,
    instrument: instrument.id,
    trigger,
    by: triggerPrices[input.triggerBy ?? 'market'],
    execute,
    side,
    quantity: planQuantity(instrument, qty, { spends: market && side === 'buy' }),
    positionSide,
    tradeSide: undefined,
    reduceOnly,
    marginMode: marginModeNamed(marginMode, instrument),
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: input.clientOid ?? '',
    ...attachedTpsl,
    channelCode,
  }
}

/** A spot or margin market buy spends quote coin. */
function planQuantity(instrument: Instrument, qty: string, { spends }: { readonly spends: boolean }): OrderQuantity {
  return instrument.kind === 'spot' && spends
    ? { unit: 'quote', amount: parseQuoteAmount(qty, instrument, 'qty') }
    : { unit: 'lots', lots: parseQuantity(qty, instrument, 'qty') }
}

function attachedTpslNamed(instrument: Instrument, input: Prices) {
  const takeProfit = tpslOf(instrument, {
    names: ['takeProfit', 'tpLimitPrice'],
    trigger: input.takeProfit,
    limitPrice: input.tpLimitPrice,
    orderType: input.tpOrderType ?? 'market',
    by: input.tpTriggerBy ?? 'market',
  })
  const stopLoss = tpslOf(instrument, {
    names: ['stopLoss', 'slLimitPrice'],
    trigger: input.stopLoss,
    limitPrice: input.slLimitPrice,
    orderType: input.slOrderType ?? 'market',
    by: input.slTriggerBy ?? 'market',
  })
  return { takeProfit, stopLoss }
}

function tpslCommand(
  { account, channelCode }: PrivateContext,
  instrument: Instrument,
  input: PlaceRequest,
): Extract<Command, { kind: 'place-position-triggers' }> {
  if (instrument.kind === 'spot') throw wrongParameter('v3', 'category', 'should be futures for tpsl')
  const { takeProfit, stopLoss } = attachedTpslNamed(instrument, input)
  if (takeProfit === undefined && stopLoss === undefined) throw new ApiError('40913', ['takeProfit, stopLoss'])
  if (input.tpslMode === 'partial' && input.qty === undefined) throw missingParameter('qty')
  const quantity =
    input.tpslMode === 'full' || input.qty === undefined
      ? undefined
      : ({ unit: 'lots', lots: parseQuantity(input.qty, instrument, 'qty') } as const)
  const leg = (tpsl: TpslTerms | undefined, clientOid: string): TriggerLeg | undefined =>
    tpsl && { ...tpsl, quantity, clientOid }
  const { clientOid = '', side } = input
  const closed = side === undefined ? undefined : side === 'sell' ? 'long' : 'short'
  return {
    kind: 'place-position-triggers',
    uid: account.uid,
    interface: 'v3',
    instrument: instrument.id,
    marginCoin: undefined,
    positionSide: modeWords(account, instrument, input).positionSide ?? closed,
    takeProfit: leg(takeProfit, clientOid),
    stopLoss: leg(stopLoss, takeProfit === undefined ? clientOid : ''),
    stpMode: undefined,
    channelCode,
  }
}

const orderName = { ...orderNameFields, ...belongingFields }
const OrderName = Type.Object(orderName)

/** A waiting strategy order: one trigger order, or the two of a pair. */
function strategyNamed({ account, catalog, core }: PrivateContext, named: Static<typeof OrderName>): TriggerRecord[] {
  const { orderId, clientOid } = named
  if (orderId === undefined && clientOid === undefined) throw new ApiError('40924')
  const find = (order: { orderId: number | undefined; clientOid: string }) =>
    core.query({ kind: 'trigger', uid: account.uid, order })
  const trigger = find({ orderId, clientOid: clientOid ?? '' })
  if (trigger === undefined || isOfOtherVersion(account, 'v3', trigger) || !belongs(catalog, trigger, named)) {
    throw new ApiError('43025')
  }
  const partner = trigger.partner === 0 ? undefined : find({ orderId: trigger.partner, clientOid: '' })
  return partner === undefined ? [trigger] : [trigger, partner]
}

const modifyStrategyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/modify-strategy-order',
  summary: 'Changes a strategy order that waits; what is left out stays',
  source,
  access: write,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({ ...orderName, qty: Type.Optional(field.decimal()), ...priceFields }),
  response: records.Acknowledgement,
  handle: async (context, input) => {
    const waiting = strategyNamed(context, input)
    const [first] = waiting
    const instrument = context.catalog.instrument(first.instrument)
    const commands = waiting.flatMap((trigger) => changeOf(context, instrument, trigger, input) ?? [])
    if (commands.length === 0) throw new ApiError('40923')
    for (const reply of await context.core.submitAll(commands)) {
      if (reply.kind !== 'modified') throw failure(reply, context, instrument)
    }
    return acknowledged(first)
  },
})

type ModifyInput = Prices & { readonly qty?: string }

/** The change of one trigger order of a strategy order; undefined: the request does not touch it. */
function changeOf(
  context: PrivateContext,
  instrument: Instrument,
  trigger: TriggerRecord,
  input: ModifyInput,
): ModifyTrigger | ModifyTrailing | undefined {
  const { trailing } = trigger
  if (trailing !== undefined) return trailingChange(context, instrument, { ...trigger, trailing }, input)
  refuseFilled('v3', input, ['callbackRatio', 'rangeRate'], 'but for a trailing order')
  const base = {
    kind: 'modify-trigger',
    uid: context.account.uid,
    order: { orderId: trigger.orderId, clientOid: '' },
    kinds: [trigger.trigger],
    quantity: quantityChange(instrument, trigger, input.qty),
  } as const
  if (trigger.trigger === 'plan') {
    const price = changedTpsl(
      instrument,
      { trigger: trigger.price, execute: trigger.execute, by: trigger.by },
      input,
      'trigger',
    )
    if (price === undefined) throw new ApiError('43011', ['triggerPrice should be greater than 0'])
    const takeProfit = changedTpsl(instrument, trigger.takeProfit, input, 'tp')
    return { ...base, ...price, takeProfit, stopLoss: changedTpsl(instrument, trigger.stopLoss, input, 'sl') }
  }
  const name = wire.isTakeProfit(trigger) ? 'tp' : 'sl'
  const was = { trigger: trigger.price, execute: trigger.execute, by: trigger.by }
  const tpsl = changedTpsl(instrument, was, input, name)
  if (tpsl === undefined) throw new ApiError('43011', ['a trigger price should be greater than 0'])
  const same = tpsl.trigger === trigger.price && tpsl.execute === trigger.execute && tpsl.by === trigger.by
  if (same && base.quantity === undefined) return undefined
  return { ...base, ...tpsl, takeProfit: undefined, stopLoss: undefined }
}

function quantityChange(instrument: Instrument, trigger: TriggerRecord, qty: string | undefined) {
  const whole = trigger.trigger === 'position-take-profit' || trigger.trigger === 'position-stop-loss'
  return qty === undefined || whole ? undefined : planQuantity(instrument, qty, { spends: trigger.quoteAmount > 0n })
}

const cancelStrategyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/cancel-strategy-order',
  summary: 'Cancels a strategy order',
  source,
  access: write,
  limit: { perSecond: 10, per: 'uid' },
  urgent: true,
  request: OrderName,
  response: Type.Null(),
  handle: async (context, input) => {
    const { uid } = context.account
    const commands = strategyNamed(context, input).map(
      ({ orderId }): Command => ({
        kind: 'cancel-trigger',
        uid,
        order: { orderId, clientOid: '' },
        kinds: [],
        category: undefined,
        instrument: undefined,
      }),
    )
    const [reply] = await context.core.submitAll(commands)
    if (reply.kind !== 'canceled') throw failure(reply, context, undefined)
    return null
  },
})

const listFields = {
  category: field.category(),
  type: Type.Optional(field.oneOf(['tpsl', 'trigger'])),
}

const unfilledStrategyOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/unfilled-strategy-orders',
  summary: 'Strategy orders that wait, newest first',
  source,
  access: read,
  limit: { perSecond: 20, per: 'uid' },
  request: Type.Object({ ...listFields, symbol: Type.Optional(field.symbol()) }),
  response: Type.Array(records.StrategyOrder),
  handle: ({ account, catalog, core }, { category, type, symbol }) => {
    const instrument = symbol === undefined ? undefined : namedInstrument<Category>(catalog, category, symbol).id
    const kinds = type === undefined ? [] : kindsOf[type]
    const waiting = core.query({ kind: 'triggers', uid: account.uid, interface: 'v3', category, instrument, kinds })
    const byNumber = new Map(waiting.map((trigger) => [trigger.orderId, trigger]))
    return waiting
      .map((trigger) => ({ trigger, partner: byNumber.get(trigger.partner) }))
      .filter(({ trigger, partner }) => partner === undefined || trigger.orderId < partner.orderId)
      .map(({ trigger, partner }) => wire.strategyRecord(trigger, catalog, partner))
  },
})

const historyStrategyOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/history-strategy-orders',
  summary: 'Strategy orders of the last 90 days that fired, failed or were canceled, newest first',
  source,
  access: read,
  limit: { perSecond: 20, per: 'uid' },
  request: Type.Object({
    ...listFields,
    startTime: Type.Optional(field.timestamp()),
    endTime: Type.Optional(field.timestamp()),
    limit: field.limit(100, 100),
    cursor: Type.Optional(field.cursor()),
  }),
  response: records.pageOf(records.StrategyOrder),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const { category, type, cursor } = input
    const page = await history.triggers({
      uid: account.uid,
      categories: [category],
      wallets: recordedWallets(account),
      kinds: type === undefined ? undefined : kindsOf[type],
      beforeOrderId: before('triggers', cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    })
    return {
      list: page.rows.map((trigger) => wire.strategyRecord(trigger, catalog)),
      cursor: nextCursor(dialect, 'triggers', page),
    }
  },
})

export const strategyEndpoints: readonly Endpoint[] = [
  placeStrategyOrder,
  modifyStrategyOrder,
  cancelStrategyOrder,
  unfilledStrategyOrders,
  historyStrategyOrders,
]
