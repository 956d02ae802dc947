/**
 * Trigger orders on futures of v2, plans and those of positions alike: listed, looked up and canceled.
 *
 * Kinds     `normal_plan` places an order · `profit_plan`, `loss_plan`, `pos_profit` and `pos_loss` close a position ·
 *           `profit_loss` names the four together
 *           · `track_plan` and `moving_plan` are those that trail; `profit_loss` has the latter, too
 * Source    wire/client-endpoints.md §4 and its ccxt flows in §2
 */
import Type from 'typebox'
import type { CancelTriggers } from '../../engine/protocol/command.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { TriggerKind } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { batch, clientOidV2, coin, id, limit, oneOf, productType, symbol, timestamp } from '../parsing/fields.ts'
import { checkTimes } from '../parsing/time-window.ts'
import * as dictionary from './dictionary.ts'
import { contractNamed, contractsMeant, historyWindow, orderIdText, recordedWallets } from './lookups.ts'
import { perSecond, read, source, tpslKinds, trade, trailingStopKinds } from './mix-triggers.ts'
import { endId, findOrder, ownReference } from './orders.ts'
import { passesFilter, type PlanFilter } from './plans.ts'
import * as records from './records.ts'
import { accepted, cancelEach, numbered } from './replies.ts'

const cancelsMax = 50

/** Which trigger orders a plan type of a list or of a cancel-all names. */
const kindsNamed = {
  normal_plan: ['plan'],
  profit_plan: ['take-profit'],
  loss_plan: ['stop-loss'],
  pos_profit: ['position-take-profit'],
  pos_loss: ['position-stop-loss'],
  profit_loss: tpslKinds,
  track_plan: ['trailing-plan'],
  moving_plan: trailingStopKinds,
} as const satisfies Record<string, readonly TriggerKind[]>
const listedTypes = Object.keys(kindsNamed) as (keyof typeof kindsNamed)[]

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
  async handle(context, { productType: line, symbol: name, marginCoin, planType, orderIdList }) {
    const contract = name === undefined ? undefined : contractNamed(context, line, name)
    const meant = contractsMeant(context, line, { symbol: name, marginCoin })
    const kinds: readonly TriggerKind[] = planType === undefined ? [] : kindsNamed[planType]
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
    const { uid } = context.account
    const commands = meant.map((instrument): CancelTriggers => {
      return { kind: 'cancel-triggers', uid, interface: 'v2', category: line, instrument, kinds }
    })
    const replies = await context.core.submitAll(commands)
    const canceled = replies.flatMap((reply) => accepted(reply, 'canceled', 'futures').orders)
    return { successList: canceled.map(numbered), failureList: [] }
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
    const kinds = kindsNamed[input.planType]
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
    if (page.length === 0) return nothingWaits
    return {
      entrustedList: page.map((trigger) => dictionary.mixOpenPlan(context.catalog.catalog, trigger)),
      endId: endId(page.at(-1)?.orderId),
    }
  },
})

/** As the live venue answers with nothing to list. */
const nothingWaits = { entrustedList: null, endId: null }

const statusNamed = { executed: 'executed', fail_execute: 'failed', cancelled: 'canceled' } as const

/** What came of a trigger order, if it was executed. */
async function executedOrder(context: PrivateContext, { executedOrderId }: TriggerRecord) {
  return executedOrderId === 0 ? undefined : findOrder(context, { orderId: executedOrderId })
}

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
    const kinds = kindsNamed[input.planType]
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
    const orders = await Promise.all(rows.map((trigger) => executedOrder(context, trigger)))
    return {
      entrustedList: rows.map((trigger, index) =>
        dictionary.mixEndedPlan(context.catalog.catalog, trigger, orders[index]),
      ),
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
    const kinds = kindsNamed[planType]
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

export const mixPlanListEndpoints: readonly Endpoint[] = [
  cancelPlanOrder,
  ordersPlanPending,
  ordersPlanHistory,
  planSubOrder,
]
