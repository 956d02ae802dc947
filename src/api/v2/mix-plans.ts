/**
 * Trigger orders on futures of v2: plans that become orders, and take-profits and stop-losses of positions.
 *
 * Kinds     `normal_plan` places an order · `profit_plan` and `loss_plan` close a size of a position, `pos_profit` and
 *           `pos_loss` all of it, whatever it then is · `profit_loss` names the four together in lists
 * Not here  trailing orders (`track_plan`, `moving_plan`): none can be placed, their lists are empty
 * Position  `holdSide` is `long` or `short`, or in one-way mode `buy` or `sell` of the position's direction
 * Changing  what a request leaves out stays as it is; a trigger price of zero takes an attached one away
 * Source    wire/client-endpoints.md §4 and its ccxt flows in §2
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { CancelTriggers, TriggerLeg } from '../../engine/protocol/command.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { Preset, TriggerKind, TriggerPrice } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter } from '../errors/errors.ts'
import {
  batch,
  clientOidV2,
  coin,
  decimal,
  id,
  limit,
  oneOf,
  oneOfOr,
  productType,
  symbol,
  timestamp,
} from '../parsing/fields.ts'
import { parseExecutePrice, parseTriggerPrice } from '../parsing/orders.ts'
import { checkTimes } from '../parsing/time-window.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed, historyWindow, orderIdText, recordedWallets } from './lookups.ts'
import { endId, findOrder, ownReference } from './orders.ts'
import { longOrShort, mixMarginFields, mixQuantity, modeFields, modeWords, sides, stpModes } from './placing.ts'
import { findTrigger, passesFilter, type PlanFilter } from './plans.ts'
import * as records from './records.ts'
import { accepted, cancelEach, numbered } from './replies.ts'

const trade = { permission: 'contract_trade', level: 'write' } as const
const read = { permission: 'contract_trade', level: 'read' } as const
const perSecond = { perSecond: 10, per: 'uid' } as const
const source = 'wire/client-endpoints §4'

const triggerType = oneOf(['fill_price', 'mark_price'])
const contractFields = { productType: productType(), symbol: symbol() }
const tpslKinds = ['take-profit', 'stop-loss', 'position-take-profit', 'position-stop-loss'] as const
const tpslTypes = ['profit_plan', 'loss_plan', 'pos_profit', 'pos_loss'] as const
const cancelsMax = 50

/** Which trigger orders a plan type of a list or of a cancel-all names; trailing ones there are none. */
const kindsNamed = {
  normal_plan: ['plan'],
  profit_plan: ['take-profit'],
  loss_plan: ['stop-loss'],
  pos_profit: ['position-take-profit'],
  pos_loss: ['position-stop-loss'],
  profit_loss: tpslKinds,
  track_plan: undefined,
  moving_plan: undefined,
} as const satisfies Record<string, readonly TriggerKind[] | undefined>
const listedTypes = Object.keys(kindsNamed) as (keyof typeof kindsNamed)[]

const PlanRequest = Type.Object({
  ...contractFields,
  ...mixMarginFields,
  marginCoin: coin(),
  planType: oneOf(['normal_plan']),
  size: decimal({ description: 'in base coin' }),
  side: oneOf(sides),
  orderType: oneOf(['limit', 'market']),
  price: Type.Optional(decimal({ description: 'required for limit orders' })),
  executePrice: Type.Optional(decimal({ description: 'read when price is absent' })),
  triggerPrice: decimal(),
  triggerType,
  ...modeFields,
  clientOid: Type.Optional(clientOidV2()),
  stpMode: Type.Optional(oneOf(stpModes)),
  stopSurplusTriggerPrice: Type.Optional(decimal()),
  stopSurplusExecutePrice: Type.Optional(decimal()),
  stopSurplusTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
  stopLossTriggerPrice: Type.Optional(decimal()),
  stopLossExecutePrice: Type.Optional(decimal()),
  stopLossTriggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
})

const placePlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/place-plan-order',
  summary: 'Places an order that is sent once a price is reached',
  source,
  access: trade,
  limit: perSecond,
  request: PlanRequest,
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const trigger = parseTriggerPrice(input.triggerPrice, contract, 'triggerPrice')
    const price = input.price ?? input.executePrice
    if (input.orderType === 'limit' && price === undefined) throw missingParameter('price')
    const execute = input.orderType === 'limit' ? parseTriggerPrice(price ?? '', contract, 'price') : 0
    const takeProfit = tpslNamed(contract, 'stopSurplus', input)
    const stopLoss = tpslNamed(contract, 'stopLoss', input)
    const { tradeSide, reduceOnly, isOpening } = modeWords(context.account, contract, input)
    const opens = isOpening ? longOrShort(input.side) : undefined
    const order = { instrument: contract.id, opens, price: execute === 0 ? trigger : execute, takeProfit, stopLoss }
    checkAttachedTpsl(context, order, ['stopSurplusTriggerPrice', 'stopLossTriggerPrice'])
    const reply = await context.core.submit({
      kind: 'place-trigger',
      uid: context.account.uid,
      interface: 'v2',
      category: contract.category,
      instrument: contract.id,
      trigger,
      by: dictionary.triggerTypes[input.triggerType],
      execute,
      side: input.side,
      quantity: mixQuantity(input.size, contract),
      positionSide: undefined,
      tradeSide,
      reduceOnly,
      marginMode: dictionary.marginModes[input.marginMode],
      marginCoin: contract.settle,
      stpMode: input.stpMode,
      clientOid: input.clientOid ?? '',
      takeProfit,
      stopLoss,
      channelCode: context.channelCode,
    })
    const placed = accepted(reply, 'placed', 'futures', { catalog: context.catalog, instrument: contract })
    return { orderId: String(placed.orderId), clientOid: placed.clientOid }
  },
})

type TpslWords = Partial<
  Record<
    'stopSurplusTriggerPrice' | 'stopSurplusExecutePrice' | 'stopLossTriggerPrice' | 'stopLossExecutePrice',
    string
  > &
    Record<'stopSurplusTriggerType' | 'stopLossTriggerType', 'fill_price' | 'mark_price'>
>

/** Take-profit (`stopSurplus`) or stop-loss as three fields of a request name it; none without a trigger price. */
function tpslNamed(
  contract: FuturesInstrument,
  name: 'stopSurplus' | 'stopLoss',
  words: TpslWords,
): Preset | undefined {
  const trigger = words[`${name}TriggerPrice`]
  if (trigger === undefined) return undefined
  return {
    trigger: parseTriggerPrice(trigger, contract, `${name}TriggerPrice`),
    execute: parseExecutePrice(words[`${name}ExecutePrice`], contract, `${name}ExecutePrice`),
    by: dictionary.triggerTypes[words[`${name}TriggerType`] ?? 'fill_price'],
  }
}

const holdSide = oneOf(['long', 'short', 'buy', 'sell'], { description: 'buy is long, sell is short' })

function positionNamed(side: Static<typeof holdSide>) {
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
    triggerPrice: decimal(),
    triggerType: oneOfOr(['fill_price', 'mark_price'], 'fill_price'),
    executePrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
    holdSide,
    size: Type.Optional(decimal({ description: 'required for profit_plan and loss_plan' })),
    clientOid: Type.Optional(clientOidV2()),
    stpMode: Type.Optional(oneOf(stpModes)),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const whole = input.planType === 'pos_profit' || input.planType === 'pos_loss'
    if (!whole && input.size === undefined) throw missingParameter('size')
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
    return {
      orderId: String(orders[0]?.orderId),
      stopSurplusClientOid: takeProfit ? (orders[0]?.clientOid ?? '') : '',
      stopLossClientOid: stopLoss ? (orders.at(-1)?.clientOid ?? '') : '',
    }
  },
})

const modifyPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/modify-plan-order',
  summary: 'Changes a plan that waits',
  source,
  access: trade,
  limit: perSecond,
  request: Type.Object({
    productType: productType(),
    orderId: Type.Optional(id()),
    clientOid: Type.Optional(clientOidV2()),
    newSize: Type.Optional(decimal()),
    newPrice: Type.Optional(decimal({ description: 'of a limit order' })),
    newTriggerPrice: Type.Optional(decimal()),
    newTriggerType: Type.Optional(triggerType),
    newStopSurplusTriggerPrice: Type.Optional(decimal({ description: '0: none' })),
    newStopSurplusExecutePrice: Type.Optional(decimal()),
    newStopSurplusTriggerType: Type.Optional(triggerType),
    newStopLossTriggerPrice: Type.Optional(decimal({ description: '0: none' })),
    newStopLossExecutePrice: Type.Optional(decimal()),
    newStopLossTriggerType: Type.Optional(triggerType),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const { contract, trigger } = planNamed(context, input, ['plan'])
    const isLimit = trigger.execute !== 0
    const { newSize, newPrice, newTriggerPrice, newTriggerType } = input
    const price =
      newTriggerPrice === undefined ? trigger.price : parseTriggerPrice(newTriggerPrice, contract, 'newTriggerPrice')
    const execute =
      isLimit && newPrice !== undefined ? parseTriggerPrice(newPrice, contract, 'newPrice') : trigger.execute
    const takeProfit = changed(contract, trigger.takeProfit, {
      name: 'newStopSurplus',
      trigger: input.newStopSurplusTriggerPrice,
      execute: input.newStopSurplusExecutePrice,
      type: input.newStopSurplusTriggerType,
    })
    const stopLoss = changed(contract, trigger.stopLoss, {
      name: 'newStopLoss',
      trigger: input.newStopLossTriggerPrice,
      execute: input.newStopLossExecutePrice,
      type: input.newStopLossTriggerType,
    })
    const opens = trigger.reduceOnly || trigger.intent === 'close' ? undefined : longOrShort(trigger.bookSide)
    const order = { instrument: contract.id, opens, price: execute === 0 ? price : execute, takeProfit, stopLoss }
    checkAttachedTpsl(context, order, ['newStopSurplusTriggerPrice', 'newStopLossTriggerPrice'])
    return modify(context, contract, trigger, {
      trigger: price,
      by: newTriggerType === undefined ? trigger.by : dictionary.triggerTypes[newTriggerType],
      execute,
      size: newSize,
      takeProfit,
      stopLoss,
    })
  },
})

interface TpslChange {
  readonly name: string
  readonly trigger: string | undefined
  readonly execute: string | undefined
  readonly type: 'fill_price' | 'mark_price' | undefined
}

/** An attached one as it shall be: what is not named stays, a trigger price of zero takes it away. */
function changed(contract: FuturesInstrument, before: Preset | undefined, change: TpslChange): Preset | undefined {
  const { name, trigger, execute, type } = change
  const price = trigger === undefined ? before?.trigger : parseExecutePrice(trigger, contract, `${name}TriggerPrice`)
  if (price === undefined || price === 0) return undefined
  return {
    trigger: price,
    execute:
      execute === undefined ? (before?.execute ?? 0) : parseExecutePrice(execute, contract, `${name}ExecutePrice`),
    by: type === undefined ? (before?.by ?? 'last') : dictionary.triggerTypes[type],
  }
}

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
    triggerPrice: decimal(),
    triggerType: Type.Optional(triggerType),
    executePrice: Type.Optional(decimal({ description: '0: at market; absent: as it is' })),
    size: Type.Optional(decimal({ description: 'ignored for the whole position' })),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const { contract, trigger } = planNamed(context, input, tpslKinds)
    checkMarginCoin(context, contract, input.marginCoin)
    const { triggerPrice, triggerType: type, executePrice, size } = input
    const whole = trigger.trigger === 'position-take-profit' || trigger.trigger === 'position-stop-loss'
    return modify(context, contract, trigger, {
      trigger: parseTriggerPrice(triggerPrice, contract, 'triggerPrice'),
      by: type === undefined ? trigger.by : dictionary.triggerTypes[type],
      execute: executePrice === undefined ? trigger.execute : parseExecutePrice(executePrice, contract, 'executePrice'),
      size: whole ? undefined : size,
      takeProfit: undefined,
      stopLoss: undefined,
    })
  },
})

/** A waiting trigger order of the product line, or why there is none. */
function planNamed(
  context: PrivateContext,
  input: {
    readonly productType: FuturesInstrument['category']
    readonly symbol?: string
    readonly orderId?: number
    readonly clientOid?: string
  },
  kinds: readonly TriggerKind[],
): { readonly contract: FuturesInstrument; readonly trigger: TriggerRecord } {
  const unknown = kinds.includes('plan') ? '43025' : '43020'
  const trigger = findTrigger(context, input)
  if (trigger === undefined || !kinds.includes(trigger.trigger)) throw new ApiError(unknown)
  const contract = context.catalog.instrument(trigger.instrument)
  const named = input.symbol === undefined ? contract : contractNamed(context, input.productType, input.symbol)
  if (contract.kind === 'spot' || contract.category !== input.productType || contract !== named) {
    throw new ApiError(unknown)
  }
  return { contract, trigger }
}

async function modify(
  context: PrivateContext,
  contract: FuturesInstrument,
  { orderId, trigger: kind }: TriggerRecord,
  to: {
    readonly trigger: TriggerRecord['price']
    readonly by: TriggerPrice
    readonly execute: TriggerRecord['execute']
    readonly size: string | undefined
    readonly takeProfit: Preset | undefined
    readonly stopLoss: Preset | undefined
  },
) {
  const { size, ...values } = to
  const reply = await context.core.submit({
    kind: 'modify-trigger',
    uid: context.account.uid,
    order: { orderId, clientOid: '' },
    kinds: [kind],
    ...values,
    quantity: size === undefined ? undefined : mixQuantity(size, contract),
  })
  return numbered(accepted(reply, 'modified', 'futures', { catalog: context.catalog, instrument: contract }))
}

const CancelEntry = Type.Object({ orderId: orderIdText(), clientOid: Type.Optional(clientOidV2()) })

const cancelPlanOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/cancel-plan-order',
  summary: 'Cancels several trigger orders, or all of a contract or kind',
  source,
  access: trade,
  limit: perSecond,
  urgent: true,
  request: Type.Object({
    productType: productType(),
    symbol: Type.Optional(symbol()),
    marginCoin: Type.Optional(coin()),
    planType: Type.Optional(oneOf(listedTypes)),
    orderIdList: Type.Optional(batch(CancelEntry, cancelsMax, { code: '40912' })),
  }),
  response: records.BatchCanceled,
  async handle(context, { productType: line, symbol: name, planType, orderIdList }) {
    const contract = name === undefined ? undefined : contractNamed(context, line, name)
    const kinds: readonly TriggerKind[] | undefined = planType === undefined ? [] : kindsNamed[planType]
    if (orderIdList !== undefined) {
      return cancelEach(context, 'futures', orderIdList, (entry) => ({
        instrument: contract,
        command: {
          kind: 'cancel-trigger',
          uid: context.account.uid,
          order: ownReference(context, 'futures', entry),
          // By their names trigger orders are found whatever plan type was sent with them.
          kinds: [],
          category: line,
          instrument: contract?.id,
        },
      }))
    }
    if (kinds === undefined) return { successList: [], failureList: [] }
    const command: CancelTriggers = {
      kind: 'cancel-triggers',
      uid: context.account.uid,
      interface: 'v2',
      category: line,
      instrument: contract?.id,
      kinds,
    }
    const reply = await context.core.submit(command)
    const subject = { catalog: context.catalog, instrument: contract }
    return { successList: accepted(reply, 'canceled', 'futures', subject).orders.map(numbered), failureList: [] }
  },
})

const listFields = {
  productType: productType(),
  planType: oneOf(listedTypes),
  symbol: Type.Optional(symbol()),
  orderId: Type.Optional(id()),
  clientOid: Type.Optional(clientOidV2()),
  idLessThan: Type.Optional(id()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  limit: limit(100, 100),
}

const ordersPlanPending = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/orders-plan-pending',
  summary: 'Futures trigger orders that wait',
  source,
  access: read,
  limit: perSecond,
  request: Type.Object(listFields),
  response: records.MixOpenPlans,
  handle(context, input) {
    checkTimes(input)
    const contract = input.symbol === undefined ? undefined : contractNamed(context, input.productType, input.symbol)
    const kinds: readonly TriggerKind[] | undefined = kindsNamed[input.planType]
    if (kinds === undefined) return { entrustedList: [], endId: '' }
    const { uid } = context.account
    const ask = {
      kind: 'triggers',
      uid,
      interface: 'v2',
      category: input.productType,
      instrument: contract?.id,
    } as const
    const filter: PlanFilter = input
    const page = context.core
      .query({ ...ask, kinds })
      .filter((trigger) => passesFilter(trigger, filter))
      .slice(0, input.limit)
    return {
      entrustedList: page.map((trigger) => dictionary.mixOpenPlan(context.catalog.catalog, trigger)),
      endId: endId(page.at(-1)?.orderId),
    }
  },
})

const statusNamed = { executed: 'executed', fail_execute: 'failed', cancelled: 'canceled' } as const

const ordersPlanHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/orders-plan-history',
  summary: 'Futures trigger orders of the last 90 days that fired, failed or were canceled',
  source,
  access: read,
  limit: perSecond,
  request: Type.Object({
    ...listFields,
    planStatus: Type.Optional(oneOf(['executed', 'fail_execute', 'cancelled'])),
  }),
  response: records.MixEndedPlans,
  async handle(context, input) {
    const contract = input.symbol === undefined ? undefined : contractNamed(context, input.productType, input.symbol)
    const window = historyWindow(context.now, input)
    const kinds: readonly TriggerKind[] | undefined = kindsNamed[input.planType]
    if (kinds === undefined) return { entrustedList: [], endId: '' }
    const { rows } = await context.history.triggers({
      uid: context.account.uid,
      categories: [input.productType],
      wallets: recordedWallets(context.account, input.productType),
      instrument: contract?.id,
      orderId: input.orderId,
      clientOid: input.orderId === undefined ? input.clientOid : undefined,
      kinds,
      statuses: input.planStatus === undefined ? undefined : [statusNamed[input.planStatus]],
      ...window,
      beforeOrderId: input.idLessThan,
      limit: input.limit,
    })
    return {
      entrustedList: rows.map((trigger) => dictionary.mixEndedPlan(context.catalog.catalog, trigger)),
      endId: endId(rows.at(-1)?.orderId),
    }
  },
})

const planSubOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/order/plan-sub-order',
  summary: 'The order that a futures trigger order has become, as a list of one',
  source: 'wire/rate-limits-and-filters §3',
  access: read,
  limit: perSecond,
  request: Type.Object({ productType: productType(), planType: oneOf(listedTypes), planOrderId: id() }),
  response: Type.Array(records.PlanSubOrder),
  async handle(context, { productType: line, planType, planOrderId: orderId }) {
    const kinds: readonly TriggerKind[] | undefined = kindsNamed[planType]
    if (kinds === undefined) return []
    const { rows } = await context.history.triggers({
      uid: context.account.uid,
      categories: [line],
      wallets: recordedWallets(context.account, line),
      orderId,
      kinds,
      statuses: ['executed'],
      ...historyWindow(context.now, {}),
      limit: 1,
    })
    const found = rows[0] && (await findOrder(context, { orderId: rows[0].executedOrderId }))
    return found === undefined ? [] : [dictionary.planSubOrder(context.catalog.catalog, found)]
  },
})

export const mixPlanEndpoints: readonly Endpoint[] = [
  placePlanOrder,
  modifyPlanOrder,
  cancelPlanOrder,
  ordersPlanPending,
  ordersPlanHistory,
  planSubOrder,
  placeTpslOrder,
  modifyTpslOrder,
  placePosTpsl,
]
