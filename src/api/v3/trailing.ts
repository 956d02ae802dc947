/**
 * Trailing strategy orders of v3, on futures: a `trigger` order with a `callbackRatio`, and a `tpsl` with a `rangeRate`.
 *
 * Activation  `triggerPrice` by `triggerBy`; without one an order follows the price at once
 * At market   always; take-profit and stop-loss of what a `trigger` order opens are per cents, by the last price
 * Source      wire/v3-endpoints.md §6; docs/decisions/0025-trailing-orders.md
 */
import type { FuturesInstrument, Instrument } from '../../engine/catalog/catalog.ts'
import type { ModifyTrailing, PlacePositionTrailing, PlaceTrailing } from '../../engine/protocol/command.ts'
import type { TrailingRecord, TriggerRecord } from '../../engine/protocol/event.ts'
import type { OrderQuantity, Side } from '../../engine/vocabulary.ts'
import { missingParameter, wrongParameter } from '../errors/errors.ts'
import type { PrivateContext } from '../endpoint.ts'
import { parseQuantity, parseTriggerPrice } from '../parsing/orders.ts'
import { changedDistances, parseCallbackRate, parseDistance, refuseFilled } from '../trailing.ts'
import { modeWords } from './placing.ts'
import { triggerPrices, type TpslInput } from './tpsl.ts'

interface TrailingInput extends TpslInput {
  readonly callbackRatio?: string
  readonly rangeRate?: string
}

interface PlaceInput extends TrailingInput {
  readonly clientOid?: string
  readonly tpslMode: 'full' | 'partial'
  readonly qty?: string
  readonly side?: Side
  readonly posSide?: 'long' | 'short'
  readonly reduceOnly: 'yes' | 'no'
  readonly marginMode?: 'crossed' | 'isolated'
}

export function trailingPlanCommand(
  { account, channelCode }: PrivateContext,
  instrument: Instrument,
  input: PlaceInput,
): PlaceTrailing {
  const contract = contractOf(instrument)
  const { side, qty, marginMode } = input
  if (side === undefined) throw missingParameter('side')
  if (qty === undefined) throw missingParameter('qty')
  refuseUnfit(input, 'with callbackRatio')
  return {
    kind: 'place-trailing',
    uid: account.uid,
    interface: 'v3',
    category: contract.category,
    instrument: contract.id,
    rate: parseCallbackRate('v3', 'callbackRatio', input.callbackRatio),
    ...activationOf(contract, input),
    side,
    quantity: lotsOf(contract, qty),
    ...modeWords(account, contract, input),
    tradeSide: undefined,
    marginMode: marginMode === 'crossed' ? 'cross' : marginMode,
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: input.clientOid ?? '',
    takeProfitRate: parseDistance('v3', 'takeProfit', input.takeProfit),
    stopLossRate: parseDistance('v3', 'stopLoss', input.stopLoss),
    channelCode,
  }
}

export function trailingStopCommand(
  { account, channelCode }: PrivateContext,
  instrument: Instrument,
  input: PlaceInput,
): PlacePositionTrailing {
  const contract = contractOf(instrument)
  const { tpslMode, qty, side, clientOid = '' } = input
  if (tpslMode === 'partial' && qty === undefined) throw missingParameter('qty')
  refuseFilled('v3', { ...input }, ['takeProfit', 'stopLoss'], 'with rangeRate')
  refuseUnfit(input, 'with rangeRate')
  const closed = side === undefined ? undefined : side === 'sell' ? 'long' : 'short'
  return {
    kind: 'place-position-trailing',
    uid: account.uid,
    interface: 'v3',
    instrument: contract.id,
    marginCoin: undefined,
    positionSide: modeWords(account, contract, input).positionSide ?? closed,
    rate: parseCallbackRate('v3', 'rangeRate', input.rangeRate),
    ...activationOf(contract, input),
    quantity: tpslMode === 'full' || qty === undefined ? undefined : lotsOf(contract, qty),
    stpMode: undefined,
    clientOid,
    channelCode,
  }
}

/** The change of a trailing strategy order; what is left out stays. */
export function trailingChange(
  { account }: PrivateContext,
  instrument: Instrument,
  { orderId, trigger: kind, by, trailing }: TriggerRecord & { readonly trailing: TrailingRecord },
  input: TrailingInput & { readonly qty?: string },
): ModifyTrailing {
  const contract = contractOf(instrument)
  const plan = kind === 'trailing-plan'
  const [name, other] = plan ? (['callbackRatio', 'rangeRate'] as const) : (['rangeRate', 'callbackRatio'] as const)
  refuseUnfit(input, `with ${name}`)
  refuseFilled('v3', { ...input }, plan ? [other] : [other, 'takeProfit', 'stopLoss'], `with ${name}`)
  const { qty, triggerPrice, triggerBy } = input
  const whole = kind === 'position-trailing-stop'
  return {
    kind: 'modify-trailing',
    uid: account.uid,
    order: { orderId, clientOid: '' },
    kinds: [kind],
    rate: input[name] === undefined ? trailing.rate : parseCallbackRate('v3', name, input[name]),
    trigger: triggerPrice === undefined ? trailing.activation : activationOf(contract, input).trigger,
    by: triggerBy === undefined ? by : triggerPrices[triggerBy],
    quantity: qty === undefined || whole ? undefined : lotsOf(contract, qty),
    ...changedDistances('v3', trailing, ['takeProfit', input.takeProfit], ['stopLoss', input.stopLoss]),
  }
}

function contractOf(instrument: Instrument): FuturesInstrument {
  if (instrument.kind === 'spot') throw wrongParameter('v3', 'category', 'should be futures for a trailing order')
  return instrument
}

/** What a trailing order cannot have: a limit price, or a take-profit or stop-loss by the mark price. */
function refuseUnfit(input: TrailingInput, where: string): void {
  refuseFilled('v3', { ...input }, ['triggerOrderPrice', 'tpLimitPrice', 'slLimitPrice'], where)
  for (const name of ['triggerOrderType', 'tpOrderType', 'slOrderType'] as const) {
    if (input[name] === 'limit') throw wrongParameter('v3', name, `should be market ${where}`)
  }
  for (const name of ['tpTriggerBy', 'slTriggerBy'] as const) {
    if (input[name] === 'mark') throw wrongParameter('v3', name, `should be market ${where}`)
  }
}

function activationOf(contract: FuturesInstrument, { triggerPrice, triggerBy = 'market' }: TrailingInput) {
  const trigger = triggerPrice === undefined ? 0 : parseTriggerPrice(triggerPrice, contract, 'triggerPrice')
  return { trigger, by: triggerPrices[triggerBy] } as const
}

function lotsOf(contract: FuturesInstrument, qty: string): OrderQuantity {
  return { unit: 'lots', lots: parseQuantity(qty, contract, 'qty') }
}
