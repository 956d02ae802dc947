/**
 * Spot and cross margin of a classic account, as v2 and its private streams write them, read into the terminal's own words.
 *
 * Prices    a list of open spot orders has the price under `priceAvg` and the average under `basePrice`
 * Signs     fees negative when paid
 * Source    wire/client-endpoints.md §4; wire/websocket.md §4
 */
import { units, unitsText } from '../../numbers/decimal.ts'
import type { CoinBalance, Fill, Order, OrderStep, Trigger } from '../account-records.ts'
import { causeOfClassic } from '../causes.ts'
import { cancelReasonOf, feeOf, symbolOf } from './futures-records.ts'

/** What neither spot nor margin orders have. */
const plain = { reduceOnly: false, posSide: undefined, marginMode: '' } as const

/** Both spell it their own way. */
function statusOf(status: string): string {
  return status === 'cancelled' ? 'canceled' : status
}

interface OrderBase {
  readonly symbol?: string
  readonly instId?: string
  readonly orderId: string
  readonly clientOid: string
  readonly side: 'buy' | 'sell'
  readonly orderType: 'limit' | 'market'
  readonly status: string
  /** Of lists. */
  readonly orderSource?: string
  readonly cTime: string
  readonly uTime: string
}

function common(record: OrderBase) {
  return {
    ...plain,
    id: record.orderId,
    clientOid: record.clientOid,
    symbol: symbolOf(record),
    side: record.side,
    orderType: record.orderType,
    status: statusOf(record.status),
    cause: causeOfClassic('', record.orderSource),
    createdAt: Number(record.cTime),
    updatedAt: Number(record.uTime),
  }
}

/** A market buy is ordered in quote coin. */
function sizes({ side, orderType }: OrderBase, size: string, filled: string) {
  const quoteSized = side === 'buy' && orderType === 'market'
  return { quantity: quoteSized ? filled : size, amount: quoteSized ? size : '0', filled }
}

export interface OpenSpotRecord extends OrderBase {
  readonly size: string
  readonly priceAvg: string
  readonly basePrice: string
  readonly baseVolume: string
  readonly presetTakeProfitPrice: string
  readonly presetStopLossPrice: string
}

export function openSpotOf(record: OpenSpotRecord): Order {
  return {
    ...common(record),
    ...sizes(record, record.size, record.baseVolume),
    category: 'SPOT',
    price: record.priceAvg,
    averagePrice: record.basePrice,
    timeInForce: '',
    cancelReason: '',
    fee: '',
    feeCoin: '',
    takeProfit: record.presetTakeProfitPrice,
    stopLoss: record.presetStopLossPrice,
  }
}

export interface EndedSpotRecord extends OrderBase {
  readonly size: string
  readonly price: string
  readonly priceAvg: string
  readonly baseVolume: string
  /** JSON: the fee by coin, and `newFees`. */
  readonly feeDetail: string
  readonly cancelReason: string
}

export function endedSpotOf(record: EndedSpotRecord): Order {
  const fees = Object.entries(JSON.parse(record.feeDetail || '{}') as Readonly<Record<string, { totalFee?: number }>>)
  const [feeCoin = '', fee] = fees.find(([, { totalFee }]) => totalFee !== undefined) ?? []
  return {
    ...common(record),
    ...sizes(record, record.size, record.baseVolume),
    category: 'SPOT',
    price: record.price,
    averagePrice: record.priceAvg,
    timeInForce: '',
    cancelReason: record.cancelReason,
    fee: fee?.totalFee === undefined ? '' : String(-fee.totalFee),
    feeCoin,
    takeProfit: '',
    stopLoss: '',
  }
}

export interface SpotPushRecord extends OrderBase {
  /** Of limit orders. */
  readonly price?: string
  readonly size: string
  readonly priceAvg: string
  readonly accBaseVolume: string
  readonly force: string
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[]
}

export function spotStepOf(record: SpotPushRecord): OrderStep {
  const [fee] = record.feeDetail
  return {
    ...common(record),
    ...sizes(record, record.size, record.accBaseVolume),
    category: 'SPOT',
    price: record.price ?? '0',
    averagePrice: record.priceAvg,
    timeInForce: record.force,
    cancelReason: cancelReasonOf(record),
    fee: feeOf(fee?.fee),
    feeCoin: fee?.feeCoin ?? '',
    takeProfit: undefined,
    stopLoss: undefined,
  }
}

export interface MarginOrderRecord extends OrderBase {
  readonly price: string
  readonly priceAvg: string
  readonly force: string
  readonly baseSize: string
  readonly quoteSize: string
  /** What is filled: of a list, of a push. */
  readonly size?: string
  readonly baseVolume?: string
}

export function marginOrderOf(record: MarginOrderRecord): Order {
  const quoteSized = record.side === 'buy' && record.orderType === 'market'
  return {
    ...common(record),
    ...sizes(record, quoteSized ? record.quoteSize : record.baseSize, record.baseVolume ?? record.size ?? '0'),
    category: 'MARGIN',
    price: record.price,
    averagePrice: record.priceAvg,
    timeInForce: record.force,
    cancelReason: cancelReasonOf(record),
    fee: '',
    feeCoin: '',
    takeProfit: '',
    stopLoss: '',
  }
}

/** An order that waits, or the take-profit or stop-loss of what an order has filled: they look the same. */
export interface SpotPlanRecord {
  readonly orderId: string
  readonly symbol: string
  readonly triggerPrice: string
  readonly executePrice: string
  readonly size: string
  readonly side: 'buy' | 'sell'
  readonly triggerType: 'fill_price' | 'mark_price'
  readonly cTime: string
}

export function spotPlanOf(record: SpotPlanRecord): Trigger {
  return {
    id: record.orderId,
    category: 'SPOT',
    symbol: record.symbol,
    kind: 'trigger',
    side: record.side,
    posSide: '',
    quantity: record.size,
    triggerPrice: record.triggerPrice,
    triggerBy: record.triggerType === 'mark_price' ? 'mark' : 'market',
    limitPrice: record.executePrice,
    takeProfit: '',
    stopLoss: '',
    createdAt: Number(record.cTime),
  }
}

interface FeeRecord {
  readonly feeCoin: string
  readonly totalFee: string
}

export interface PairFillRecord {
  readonly orderId: string
  readonly tradeId: string
  readonly symbol?: string
  readonly side: 'buy' | 'sell'
  readonly priceAvg: string
  readonly size: string
  readonly tradeScope: string
  readonly cTime: string
  /** A push has it in a list. */
  readonly feeDetail: FeeRecord | readonly FeeRecord[]
}

export function pairFillOf(category: 'SPOT' | 'MARGIN', symbol: string, record: PairFillRecord): Fill {
  const [fee] = [record.feeDetail].flat()
  return {
    id: record.tradeId,
    orderId: record.orderId,
    category,
    symbol,
    side: record.side,
    tradeSide: '',
    cause: undefined,
    price: record.priceAvg,
    quantity: record.size,
    scope: record.tradeScope,
    fee: feeOf(fee?.totalFee),
    feeCoin: fee?.feeCoin ?? '',
    pnl: '0',
    at: Number(record.cTime),
  }
}

export interface SpotBalanceRecord {
  readonly coin: string
  readonly available: string
  readonly frozen: string
  readonly usdtValue: string
}

export function spotBalanceOf({ coin, available, frozen, usdtValue }: SpotBalanceRecord): CoinBalance {
  const balance = unitsText(units(available) + units(frozen))
  return { coin, equity: balance, balance, available, debt: '0', held: frozen, usd: usdtValue }
}

export interface MarginBalanceRecord {
  readonly coin: string
  readonly totalAmount: string
  readonly available: string
  readonly frozen: string
  readonly borrow: string
  readonly interest: string
  readonly net: string
}

export function marginBalanceOf(record: MarginBalanceRecord): CoinBalance {
  const { coin, totalAmount: balance, available, frozen: held, net: equity } = record
  return {
    coin,
    equity,
    balance,
    available,
    debt: unitsText(units(record.borrow) + units(record.interest)),
    held,
    usd: '',
  }
}
