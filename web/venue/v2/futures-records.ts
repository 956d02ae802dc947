/**
 * Futures of a classic account, as v2 and its private streams write them, read into the terminal's own words.
 *
 * Streams   say `instId` for the symbol and have a few sums under other names
 * Sides     in hedge mode v2 names the position's direction: closing a long is written `buy`; only fills of the stream name
 *           the side of the book
 * Signs     fees negative when paid
 * Source    interface.md E3, E5, E13; wire/websocket.md §4; docs/interface.md
 */
import { timesCeil, units, unitsText } from '../../numbers/decimal.ts'
import type { ClosedPosition, CoinBalance, Fill, FundingPayment, Order, Position, Trigger } from '../account-records.ts'
import type { FuturesLine } from '../categories.ts'
import { causeOfClassic } from '../causes.ts'
import type { Instrument } from '../instruments.ts'
import { orderedText, tradedText } from './contracts.ts'

interface Named {
  readonly symbol?: string
  readonly instId?: string
}

export function symbolOf({ symbol, instId }: Named): string {
  return symbol ?? instId ?? ''
}

type Side = 'buy' | 'sell'

function away(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}

interface Sided {
  readonly side: Side
  readonly posMode: string
  readonly tradeSide: string
}

/** Of the book. */
function bookSide({ side, posMode, tradeSide }: Sided): Side {
  return posMode === 'hedge_mode' && tradeSide !== 'open' ? away(side) : side
}

function positionSide(word: string): 'long' | 'short' | undefined {
  return word === 'long' || word === 'short' ? word : undefined
}

/** Negative when paid, here positive. */
export function feeOf(text: string | undefined): string {
  return unitsText(-units(text))
}

export interface OrderRecord extends Named, Sided {
  readonly orderId: string
  readonly clientOid: string
  readonly size: string
  readonly price: string
  readonly priceAvg: string
  /** What is filled: of a list, of a push. */
  readonly baseVolume?: string
  readonly accBaseVolume?: string
  readonly status: string
  readonly force: string
  readonly posSide: string
  readonly marginCoin: string
  readonly marginMode: string
  readonly reduceOnly: string
  readonly orderType: 'limit' | 'market'
  readonly cancelReason?: string
  /** Of lists. */
  readonly orderSource?: string
  readonly fee?: string
  readonly feeDetail?: readonly { readonly feeCoin: string; readonly fee: string }[]
  readonly presetStopSurplusPrice: string
  readonly presetStopLossPrice: string
  readonly cTime: string
  readonly uTime: string
}

/** `entryPrice`: of the position that it would close, where that is known. */
export function orderOf(
  category: FuturesLine,
  instrument: Instrument,
  record: OrderRecord,
  entryPrice: string | undefined,
): Order {
  const { feeDetail, accBaseVolume, baseVolume, price, priceAvg } = record
  const reduces = record.reduceOnly.toLowerCase() === 'yes' || record.tradeSide.includes('close')
  const turnedAt = (reduces ? entryPrice : undefined) ?? (Number(price) > 0 ? price : priceAvg)
  return {
    id: record.orderId,
    clientOid: record.clientOid,
    category,
    symbol: symbolOf(record),
    side: bookSide(record),
    orderType: record.orderType,
    price,
    quantity: orderedText(instrument, record.size, turnedAt),
    amount: '0',
    // A push names under `baseVolume` what was filled just then.
    filled: tradedText(instrument, accBaseVolume ?? baseVolume ?? '0', priceAvg),
    averagePrice: priceAvg,
    timeInForce: record.force,
    reduceOnly: record.reduceOnly.toLowerCase() === 'yes',
    posSide: positionSide(record.posSide),
    marginMode: record.marginMode,
    status: record.status,
    cancelReason: cancelReasonOf(record, record.cancelReason),
    cause: causeOfClassic(record.tradeSide, record.orderSource),
    fee: feeOf(feeDetail === undefined ? record.fee : feeDetail[0]?.fee),
    feeCoin: record.marginCoin,
    takeProfit: record.presetStopSurplusPrice,
    stopLoss: record.presetStopLossPrice,
    createdAt: Number(record.cTime),
    updatedAt: Number(record.uTime),
  }
}

interface Ended {
  readonly status: string
  readonly force?: string
  readonly orderType: string
  readonly cTime: string
  readonly uTime: string
}

/** v2 says no more than that it was canceled: one that ended in the moment it came did so because of what it was. */
export function cancelReasonOf({ status, force, orderType, cTime, uTime }: Ended, said = ''): string {
  if (said === 'stp_cancel' || !status.startsWith('cancel') || cTime !== uTime) return said
  if (orderType === 'limit' && force === 'post_only') return 'post_only_cancel'
  return orderType === 'market' || force === 'ioc' || force === 'fok' ? 'no_liquidity_cancel' : said
}

export interface PlanRecord extends Sided {
  readonly planType:
    | 'normal_plan'
    | 'profit_plan'
    | 'loss_plan'
    | 'pos_profit'
    | 'pos_loss'
    | 'track_plan'
    | 'moving_plan'
  readonly symbol: string
  readonly size: string
  readonly orderId: string
  readonly price: string
  readonly triggerPrice: string
  readonly triggerType: 'fill_price' | 'mark_price'
  readonly posSide: string
  readonly callbackRatio: string
  /** Trailing orders alone have it. */
  readonly currentTriggerPrice?: string
  readonly stopSurplusTriggerPrice: string
  readonly stopLossTriggerPrice: string
  readonly cTime: string
}

/** A take-profit and a stop-loss are a trigger each. */
export function planOf(
  category: FuturesLine,
  instrument: Instrument,
  record: PlanRecord,
  entryPrice: string | undefined,
): Trigger {
  const { planType, size, price, triggerPrice, currentTriggerPrice: triggersAt } = record
  const trails = triggersAt !== undefined
  const isPlan = planType === 'normal_plan' || trails
  const isProfit = planType === 'profit_plan' || planType === 'pos_profit'
  const turnedAt = (isPlan ? undefined : entryPrice) ?? (price === '' ? triggerPrice : price)
  return {
    id: record.orderId,
    category,
    symbol: record.symbol,
    kind: isPlan ? 'trigger' : 'tpsl',
    ...(trails
      ? { trailing: { rate: record.callbackRatio, triggersAt, stopsPosition: planType === 'moving_plan' } }
      : {}),
    side: bookSide(record),
    posSide: positionSide(record.posSide) ?? '',
    quantity: size === '' ? '' : orderedText(instrument, size, turnedAt),
    triggerPrice: isPlan ? triggerPrice : '',
    triggerBy: record.triggerType === 'mark_price' ? 'mark' : 'market',
    limitPrice: price,
    takeProfit: isPlan ? record.stopSurplusTriggerPrice : isProfit ? triggerPrice : '',
    stopLoss: isPlan ? record.stopLossTriggerPrice : isProfit ? '' : triggerPrice,
    createdAt: Number(record.cTime),
  }
}

export interface PositionRecord extends Named {
  readonly marginCoin: string
  readonly holdSide: 'long' | 'short'
  readonly posMode: string
  readonly marginSize: string
  readonly marginMode: string
  readonly available: string
  readonly total: string
  readonly leverage: string | number
  readonly achievedProfits: string
  readonly openPriceAvg: string
  readonly unrealizedPL: string
  readonly liquidationPrice: string
  readonly keepMarginRate: string
  readonly markPrice: string
  readonly breakEvenPrice: string
  /** Empty: none has been settled. */
  readonly totalFee: string
  readonly cTime: string
}

export function positionOf(category: FuturesLine, instrument: Instrument, record: PositionRecord): Position {
  const symbol = symbolOf(record)
  const { holdSide: side, openPriceAvg: entryPrice } = record
  return {
    key: `${category}/${symbol}/${side}`,
    category,
    symbol,
    side,
    hedge: record.posMode === 'hedge_mode',
    marginMode: record.marginMode === 'isolated' ? 'isolated' : 'crossed',
    marginCoin: record.marginCoin,
    quantity: tradedText(instrument, record.total, entryPrice),
    available: tradedText(instrument, record.available, entryPrice),
    leverage: String(record.leverage),
    margin: record.marginSize,
    entryPrice,
    markPrice: record.markPrice,
    liquidationPrice: record.liquidationPrice,
    breakEvenPrice: record.breakEvenPrice,
    maintenanceRate: record.keepMarginRate,
    unrealizedPnl: record.unrealizedPL,
    realizedPnl: record.achievedProfits,
    funding: record.totalFee || '0',
    openedAt: Number(record.cTime),
  }
}

export interface FillRecord extends Sided {
  readonly tradeId: string
  readonly symbol: string
  readonly orderId: string
  readonly price: string
  readonly baseVolume: string
  readonly feeDetail: readonly { readonly feeCoin: string; readonly totalFee: string }[]
  readonly profit: string
  readonly tradeScope: string
  readonly cTime: string
}

export function fillOf(category: FuturesLine, instrument: Instrument, record: FillRecord): Fill {
  const [fee] = record.feeDetail
  const { tradeSide } = record
  return {
    id: record.tradeId,
    orderId: record.orderId,
    category,
    symbol: record.symbol,
    side: bookSide(record),
    tradeSide: tradeSide.includes('close') ? 'close' : tradeSide === 'open' ? 'open' : '',
    cause: causeOfClassic(tradeSide),
    price: record.price,
    quantity: tradedText(instrument, record.baseVolume, record.price),
    scope: record.tradeScope,
    fee: feeOf(fee?.totalFee),
    feeCoin: fee?.feeCoin ?? '',
    pnl: record.profit,
    at: Number(record.cTime),
  }
}

/** The stream names the side of the book. */
export function pushedFillOf(category: FuturesLine, instrument: Instrument, record: FillRecord): Fill {
  return { ...fillOf(category, instrument, record), side: record.side }
}

export interface ClosedPositionRecord {
  readonly positionId: string
  readonly symbol: string
  readonly marginCoin: string
  readonly holdSide: 'long' | 'short'
  readonly openAvgPrice: string
  readonly closeAvgPrice: string
  readonly closeTotalPos: string
  readonly pnl: string
  readonly netProfit: string
  readonly totalFunding: string
  readonly openFee: string
  readonly closeFee: string
  readonly uTime: string
}

export function closedPositionOf(
  category: FuturesLine,
  instrument: Instrument,
  record: ClosedPositionRecord,
): ClosedPosition {
  return {
    id: record.positionId,
    category,
    symbol: record.symbol,
    marginCoin: record.marginCoin,
    side: record.holdSide,
    quantity: tradedText(instrument, record.closeTotalPos, record.closeAvgPrice),
    entryPrice: record.openAvgPrice,
    exitPrice: record.closeAvgPrice,
    pnl: record.pnl,
    fees: unitsText(-units(record.openFee) - units(record.closeFee)),
    funding: record.totalFunding,
    net: record.netProfit,
    closedAt: Number(record.uTime),
  }
}

export interface BillRecord {
  readonly billId: string
  readonly symbol: string
  readonly coin: string
  readonly amount: string
  readonly cTime: string
}

export function fundingPaymentOf({ billId, symbol, coin, amount, cTime }: BillRecord): FundingPayment {
  return { id: billId, symbol, coin, amount, at: Number(cTime) }
}

export interface AssetRecord {
  readonly marginCoin: string
  readonly locked: string
  readonly crossedMaxAvailable: string
  readonly maxTransferOut: string
  readonly accountEquity: string
  readonly usdtEquity: string
  readonly unrealizedPL: string
  readonly crossedRiskRate: string
  readonly isolatedMargin: string
  readonly isolatedUnrealizedPL: string
}

/**
 * Cross positions stand on what is neither the margin nor the profit of isolated ones; what they need is their margin ratio
 * of that, rounded up.
 */
export function futuresBalanceOf(record: AssetRecord): CoinBalance {
  const { marginCoin: coin, accountEquity, unrealizedPL, crossedRiskRate } = record
  const equity = units(accountEquity) - units(record.isolatedMargin) - units(record.isolatedUnrealizedPL)
  return {
    coin,
    equity: accountEquity,
    balance: unitsText(units(accountEquity) - units(unrealizedPL) - units(record.isolatedMargin)),
    available: record.crossedMaxAvailable,
    debt: '0',
    held: record.locked,
    usd: record.usdtEquity,
    marginState: {
      equity: unitsText(equity),
      maintenanceMargin: unitsText(timesCeil(equity, units(crossedRiskRate))),
      marginRatio: crossedRiskRate,
      unrealizedPnl: unrealizedPL,
    },
  }
}
