/**
 * Order requests of v2 into `place-order` commands: futures, spot and cross margin.
 *
 * Quantity  linear contracts: base coin · inverse contracts: base coin, converted by the engine (design §4.12)
 *           · spot and margin: base coin, but a market buy spends quote coin
 * Prices    needed for limit orders; market orders ignore one
 * Force     taken for market orders too (clients always send it), and only recorded there
 * Mode      `tradeSide` counts in hedge mode, `reduceOnly` in one-way mode. Where they do not, what they say has no effect, but a
 *           word outside their set is refused
 * Attached  take-profit and stop-loss of spot orders wait for the last price, those of futures for the mark price
 * Source    interface.md E3; wire/client-endpoints.md §3; design.md §4.3, §4.11, §4.12, §4.28, §4.43
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { FuturesInstrument, Instrument, SpotInstrument } from '../../engine/catalog/catalog.ts'
import { parseDecimal } from '../../engine/numbers/numbers.ts'
import type { PlaceOrder, PlaceTrigger } from '../../engine/protocol/command.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import type {
  OrderQuantity,
  OrderType,
  PositionSide,
  TpslTerms,
  Side,
  StpMode,
  TimeInForce,
} from '../../engine/vocabulary.ts'
import { checkAttachedTpsl } from '../attached-tpsl.ts'
import type { PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, wrongParameter } from '../errors/errors.ts'
import { clientOidV2, decimal, oneOf, oneOfOr } from '../parsing/fields.ts'
import {
  parseBaseAmount,
  parseExecutePrice,
  parsePrice,
  parseQuantity,
  parseQuoteAmount,
  parseTriggerPrice,
} from '../parsing/orders.ts'
import { marginModes } from './dictionary.ts'
import { checkMarginCoin } from './lookups.ts'

export const sides = ['buy', 'sell'] as const
const orderTypes = ['limit', 'market'] as const
const forces = ['gtc', 'ioc', 'fok', 'post_only'] as const
export const stpModes = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const

/** What every order request has. */
const orderFields = {
  side: oneOf(sides),
  orderType: oneOf(orderTypes),
  force: oneOfOr(forces, 'gtc'),
  price: Type.Optional(decimal({ description: 'required for limit orders' })),
  clientOid: Type.Optional(clientOidV2()),
  stpMode: Type.Optional(oneOf(stpModes)),
}

interface OrderWords {
  readonly side: Side
  readonly orderType: OrderType
  readonly force: TimeInForce
  readonly price?: string
  readonly clientOid?: string
  readonly stpMode?: StpMode
}

function orderCommand(
  context: PrivateContext,
  instrument: Instrument,
  words: OrderWords,
  quantity: OrderQuantity,
): PlaceOrder {
  const limit = words.orderType === 'limit'
  if (limit && words.price === undefined) throw missingParameter('price')
  return {
    kind: 'place-order',
    uid: context.account.uid,
    interface: 'v2',
    category: instrument.category,
    instrument: instrument.id,
    side: words.side,
    orderType: words.orderType,
    price: limit ? parsePrice(words.price ?? '', instrument) : 0,
    quantity,
    timeInForce: words.force,
    positionSide: undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode: undefined,
    marginCoin: undefined,
    stpMode: words.stpMode,
    clientOid: words.clientOid ?? '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'normal',
    channelCode: context.channelCode,
  }
}

// futures

/** What counts in one position mode alone. */
export const modeFields = {
  tradeSide: Type.Optional(oneOf(['open', 'close'], { description: 'hedge mode only' })),
  reduceOnly: oneOfOr(['NO', 'YES'], 'NO', { description: 'one-way mode only' }),
}

/** Those words as the account's mode reads them, and whether the order opens a position (interface E3, design §4.28). */
export function modeWords(
  { holdMode }: AccountView,
  { category }: FuturesInstrument,
  words: { readonly tradeSide?: 'open' | 'close'; readonly reduceOnly: 'NO' | 'YES' },
) {
  const hedged = holdMode[category] === 'hedge_mode'
  const { tradeSide } = words
  const reduceOnly = words.reduceOnly === 'YES'
  return { tradeSide, reduceOnly, isOpening: hedged ? tradeSide !== 'close' : !reduceOnly }
}

/** Another word is refused with 400172 on futures, with 40017 elsewhere. */
export function mixSide(description?: string) {
  return oneOf(sides, { code: '400172', ...(description === undefined ? {} : { description }) })
}

export const mixOrderFields = {
  ...orderFields,
  side: mixSide(),
  ...modeFields,
  size: decimal({ description: 'in base coin' }),
  presetStopSurplusPrice: Type.Optional(decimal()),
  presetStopSurplusExecutePrice: Type.Optional(decimal()),
  presetStopLossPrice: Type.Optional(decimal()),
  presetStopLossExecutePrice: Type.Optional(decimal()),
}

const MixOrderRequest = Type.Object(mixOrderFields)

/** What a batch says once for all its orders, and E3 with its one. */
export const mixMarginFields = {
  marginMode: oneOf(['isolated', 'crossed']),
}

export function mixOrderCommand(
  context: PrivateContext,
  contract: FuturesInstrument,
  margin: { readonly marginMode: keyof typeof marginModes; readonly marginCoin: string },
  order: Static<typeof MixOrderRequest>,
): PlaceOrder {
  checkMarginCoin(context, contract, margin.marginCoin)
  const { tradeSide, reduceOnly, isOpening } = modeWords(context.account, contract, order)
  const command: PlaceOrder = {
    ...orderCommand(context, contract, order, mixQuantity(order.size, contract)),
    tradeSide,
    reduceOnly,
    marginMode: marginModes[margin.marginMode],
    marginCoin: contract.settle,
    takeProfit: futuresTpsl(
      contract,
      'presetStopSurplus',
      order.presetStopSurplusPrice,
      order.presetStopSurplusExecutePrice,
    ),
    stopLoss: futuresTpsl(contract, 'presetStopLoss', order.presetStopLossPrice, order.presetStopLossExecutePrice),
  }
  const opens = isOpening ? longOrShort(command.side) : undefined
  checkAttachedTpsl(context, { ...command, opens }, ['presetStopSurplusPrice', 'presetStopLossPrice'])
  return command
}

/** A size in base coin: lots of a linear contract; of an inverse one the engine converts it. */
export function mixQuantity(size: string, contract: FuturesInstrument, field = 'size'): OrderQuantity {
  if (contract.kind === 'linear') return { unit: 'lots', lots: parseQuantity(size, contract, field) }
  const scale = contract.sizeDecimals
  if (parseDecimal(size, scale) === 'too-many-decimals') {
    throw new ApiError('40808', [`${field} checkBDScale error value=${size} checkScale=${scale}`])
  }
  return { unit: 'base', amount: parseBaseAmount(size, contract, field) }
}

/** Take-profit or stop-loss: none without a trigger price; at market without an execution price. */
function futuresTpsl(
  contract: FuturesInstrument,
  name: string,
  trigger?: string,
  execute?: string,
): TpslTerms | undefined {
  if (trigger === undefined) return undefined
  return {
    trigger: parsePrice(trigger, contract, `${name}Price`),
    execute: execute === undefined ? 0 : parsePrice(execute, contract, `${name}ExecutePrice`),
    by: 'mark',
  }
}

/** The position that a side opens: in either position mode a buy opens a long. */
export function longOrShort(side: Side): PositionSide {
  return side === 'buy' ? 'long' : 'short'
}

// spot

export const spotTpslFields = {
  presetTakeProfitPrice: Type.Optional(decimal({ description: 'trigger price' })),
  executeTakeProfitPrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
  presetStopLossPrice: Type.Optional(decimal({ description: 'trigger price' })),
  executeStopLossPrice: Type.Optional(decimal({ description: 'absent or 0: at market' })),
}

export const spotOrderFields = {
  ...orderFields,
  size: decimal({ description: 'base coin; quote coin for a market buy' }),
  tpslType: oneOfOr(['normal', 'tpsl'], 'normal', { description: 'tpsl: sent once triggerPrice is reached' }),
  triggerPrice: Type.Optional(decimal({ description: 'required for tpsl' })),
  ...spotTpslFields,
}

const SpotOrderRequest = Type.Object(spotOrderFields)

export function spotOrderCommand(
  context: PrivateContext,
  pair: SpotInstrument,
  order: Static<typeof SpotOrderRequest>,
): PlaceOrder | PlaceTrigger {
  const quantity: OrderQuantity = isMarketBuy(order)
    ? { unit: 'quote', amount: parseQuoteAmount(order.size, pair, 'size') }
    : { unit: 'lots', lots: parseQuantity(order.size, pair, 'size') }
  const command: PlaceOrder = {
    ...orderCommand(context, pair, order, quantity),
    takeProfit: spotTpsl(pair, 'TakeProfit', order.presetTakeProfitPrice, order.executeTakeProfitPrice),
    stopLoss: spotTpsl(pair, 'StopLoss', order.presetStopLossPrice, order.executeStopLossPrice),
  }
  const waiting = order.tpslType === 'tpsl' ? triggerCommand(pair, command, order.triggerPrice) : undefined
  const price = command.price === 0 && waiting !== undefined ? waiting.trigger : command.price
  checkAttachedTpsl(context, { ...command, price, opens: longOrShort(command.side) }, spotTpslNames)
  return waiting ?? command
}

export const spotTpslNames = ['presetTakeProfitPrice', 'presetStopLossPrice'] as const

/** Waits for the last price; none without a trigger price. */
function spotTpsl(
  pair: SpotInstrument,
  name: 'TakeProfit' | 'StopLoss',
  trigger: string | undefined,
  execute: string | undefined,
): TpslTerms | undefined {
  if (trigger === undefined && execute !== undefined) throw missingParameter(`preset${name}Price`)
  if (trigger === undefined) return undefined
  return {
    trigger: parseTriggerPrice(trigger, pair, `preset${name}Price`),
    execute: parseExecutePrice(execute, pair, `execute${name}Price`),
    by: 'last',
  }
}

/** The order, once the last price has reached the trigger price. */
function triggerCommand(pair: SpotInstrument, order: PlaceOrder, triggerPrice: string | undefined): PlaceTrigger {
  if (triggerPrice === undefined) throw missingParameter('triggerPrice')
  if (order.orderType === 'limit' && order.timeInForce !== 'gtc') {
    throw wrongParameter('v2', 'force', 'should be gtc when tpslType is tpsl')
  }
  const { orderType: _type, timeInForce: _force, loanType: _loan, price, ...shared } = order
  const trigger = parseTriggerPrice(triggerPrice, pair, 'triggerPrice')
  return { ...shared, kind: 'place-trigger', trigger, by: 'last', execute: price }
}

function isMarketBuy(order: OrderWords): boolean {
  return order.orderType === 'market' && order.side === 'buy'
}

// cross margin

const loanTypes = ['normal', 'autoLoan', 'autoRepay', 'autoLoanAndRepay'] as const

/** Without a loan type an order borrows and repays by itself (interface E2 rule 3). */
export const marginOrderFields = {
  ...orderFields,
  loanType: oneOfOr(loanTypes, 'autoLoanAndRepay'),
  baseSize: Type.Optional(decimal({ description: 'limit orders and market sells' })),
  quoteSize: Type.Optional(decimal({ description: 'market buys' })),
}

const MarginOrderRequest = Type.Object(marginOrderFields)

export function marginOrderCommand(
  context: PrivateContext,
  pair: SpotInstrument,
  order: Static<typeof MarginOrderRequest>,
): PlaceOrder {
  const { baseSize, quoteSize } = order
  if (isMarketBuy(order)) {
    if (quoteSize === undefined) throw missingParameter('quoteSize')
    const spent: OrderQuantity = { unit: 'quote', amount: parseQuoteAmount(quoteSize, pair, 'quoteSize') }
    return { ...orderCommand(context, pair, order, spent), category: 'MARGIN', loanType: order.loanType }
  }
  if (baseSize === undefined) throw missingParameter('baseSize')
  const quantity: OrderQuantity = { unit: 'lots', lots: parseQuantity(baseSize, pair, 'baseSize') }
  return { ...orderCommand(context, pair, order, quantity), category: 'MARGIN', loanType: order.loanType }
}
