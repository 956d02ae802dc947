/**
 * Trailing orders on futures of v2, set and changed: `track_plan` places an order, `moving_plan` closes a size of a position.
 *
 * Activation  `triggerPrice`; without one an order follows the price at once
 * At market   always; the take-profit and stop-loss attached to a `track_plan` are per cents, by the last price
 * Not here    listing and canceling them (mix-plan-lists.ts)
 * Source      wire/client-endpoints.md §4; docs/decisions/0025-trailing-orders.md
 */
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { PlaceTrailing, PlacePositionTrailing } from '../../engine/protocol/command.ts'
import type { TrailingRecord, TriggerRecord } from '../../engine/protocol/event.ts'
import type { PrivateContext } from '../endpoint.ts'
import { wrongParameter } from '../errors/errors.ts'
import { parseTriggerPrice } from '../parsing/orders.ts'
import { changedDistances, parseCallbackRate, parseDistance, refuseFilled } from '../trailing.ts'
import * as dictionary from './dictionary.ts'
import { mixQuantity } from './placing.ts'
import { accepted, numbered } from './replies.ts'

type TriggerType = keyof typeof dictionary.triggerTypes
type Attached = Partial<
  Record<
    'stopSurplusTriggerPrice' | 'stopSurplusExecutePrice' | 'stopLossTriggerPrice' | 'stopLossExecutePrice',
    string
  > &
    Record<'stopSurplusTriggerType' | 'stopLossTriggerType', TriggerType>
>

/** What a request for a `track_plan` says of it; the rest is that of any plan. */
interface TrackPlan extends Attached {
  readonly orderType: 'limit' | 'market'
  readonly price?: string
  readonly executePrice?: string
  readonly callbackRatio?: string
  readonly triggerPrice?: string
  readonly triggerType: TriggerType
  readonly size: string
}

export async function placeTrackPlan(
  context: PrivateContext,
  contract: FuturesInstrument,
  input: TrackPlan,
  order: Pick<PlaceTrailing, 'side' | 'tradeSide' | 'reduceOnly' | 'marginMode' | 'stpMode' | 'clientOid'>,
) {
  if (input.orderType !== 'market') throw wrongParameter('v2', 'orderType', 'should be market for track_plan')
  const empty = ['price', 'executePrice', 'stopSurplusExecutePrice', 'stopLossExecutePrice']
  refuseFilled('v2', { ...input }, empty, 'for track_plan')
  for (const name of ['stopSurplusTriggerType', 'stopLossTriggerType'] as const) {
    if (input[name] === 'mark_price') throw wrongParameter('v2', name, 'should be fill_price for track_plan')
  }
  const reply = await context.core.submit({
    kind: 'place-trailing',
    uid: context.account.uid,
    interface: 'v2',
    category: contract.category,
    instrument: contract.id,
    rate: parseCallbackRate('v2', 'callbackRatio', input.callbackRatio),
    trigger: activationOf(contract, input.triggerPrice),
    by: dictionary.triggerTypes[input.triggerType],
    quantity: mixQuantity(input.size, contract),
    positionSide: undefined,
    marginCoin: contract.settle,
    ...order,
    takeProfitRate: parseDistance('v2', 'stopSurplusTriggerPrice', input.stopSurplusTriggerPrice),
    stopLossRate: parseDistance('v2', 'stopLossTriggerPrice', input.stopLossTriggerPrice),
    channelCode: context.channelCode,
  })
  return numbered(accepted(reply, 'placed', 'futures', { catalog: context.catalog, instrument: contract }))
}

export async function placeMovingPlan(
  context: PrivateContext,
  contract: FuturesInstrument,
  input: {
    readonly rangeRate?: string
    readonly triggerPrice?: string
    readonly triggerType: TriggerType
    readonly executePrice?: string
    readonly size: string
  },
  position: Pick<PlacePositionTrailing, 'positionSide' | 'clientOid' | 'stpMode'>,
) {
  if (input.executePrice !== undefined && Number(input.executePrice) !== 0) {
    throw wrongParameter('v2', 'executePrice', 'should be empty for moving_plan')
  }
  const reply = await context.core.submit({
    kind: 'place-position-trailing',
    uid: context.account.uid,
    interface: 'v2',
    instrument: contract.id,
    marginCoin: contract.settle,
    rate: parseCallbackRate('v2', 'rangeRate', input.rangeRate),
    trigger: activationOf(contract, input.triggerPrice),
    by: dictionary.triggerTypes[input.triggerType],
    quantity: mixQuantity(input.size, contract),
    ...position,
    channelCode: context.channelCode,
  })
  const [order] = accepted(reply, 'triggers-placed', 'futures', {
    catalog: context.catalog,
    instrument: contract,
  }).orders
  return numbered(order)
}

/** Changes either kind; what is left out stays. */
export async function modifyTrailing(
  context: PrivateContext,
  contract: FuturesInstrument,
  before: TriggerRecord & { readonly trailing: TrailingRecord },
  change: {
    readonly rate: readonly [field: string, text: string | undefined]
    readonly trigger: readonly [field: string, text: string | undefined]
    readonly type: TriggerType | undefined
    readonly size: string | undefined
    readonly takeProfit?: readonly [field: string, text: string | undefined]
    readonly stopLoss?: readonly [field: string, text: string | undefined]
  },
) {
  const { orderId, trigger: kind, by, trailing } = before
  const [rateField, rate] = change.rate
  const [triggerField, trigger] = change.trigger
  const none = ['', undefined] as const
  const reply = await context.core.submit({
    kind: 'modify-trailing',
    uid: context.account.uid,
    order: { orderId, clientOid: '' },
    kinds: [kind],
    rate: rate === undefined ? trailing.rate : parseCallbackRate('v2', rateField, rate),
    trigger: trigger === undefined ? trailing.activation : parseTriggerPrice(trigger, contract, triggerField),
    by: change.type === undefined ? by : dictionary.triggerTypes[change.type],
    quantity: change.size === undefined ? undefined : mixQuantity(change.size, contract),
    ...changedDistances('v2', trailing, change.takeProfit ?? none, change.stopLoss ?? none),
  })
  return numbered(accepted(reply, 'modified', 'futures', { catalog: context.catalog, instrument: contract }))
}

function activationOf(contract: FuturesInstrument, triggerPrice: string | undefined) {
  return triggerPrice === undefined ? 0 : parseTriggerPrice(triggerPrice, contract, 'triggerPrice')
}

export function isTrailing(trigger: TriggerRecord): trigger is TriggerRecord & { readonly trailing: TrailingRecord } {
  return trigger.trailing !== undefined
}
