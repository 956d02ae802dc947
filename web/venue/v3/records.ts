/**
 * What an account has, as v3 and its private streams write it, read into the terminal's own words. The two spell some
 * fields differently.
 */
import type {
  ClosedPosition,
  Fill,
  HoldMode,
  MarginMode,
  Order,
  OrderStep,
  Position,
  Settings,
  Trigger,
  Wallet,
} from '../account-records.ts'
import { units, unitsText } from '../../numbers/decimal.ts'
import { type Category, futuresLines } from '../categories.ts'
import { causeOfUnified } from '../causes.ts'

export interface OrderRecord {
  readonly orderId: string
  readonly clientOid: string
  readonly category: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly orderType: 'limit' | 'market'
  readonly price: string
  readonly qty: string
  readonly amount: string
  readonly cumExecQty: string
  readonly avgPrice: string
  readonly timeInForce: string
  readonly reduceOnly: string
  readonly posSide: string
  readonly marginMode: string
  readonly orderStatus: string
  readonly cancelReason?: string
  /** Of ended orders and of pushes. */
  readonly execType?: string
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[]
  readonly takeProfit?: string | null
  readonly stopLoss?: string | null
  readonly createdTime: string
  readonly updatedTime: string
}

/** What is empty is not there; a push leaves take-profit and stop-loss out where they have not changed. */
export function orderStepOf(record: OrderRecord): OrderStep {
  const [fee] = record.feeDetail
  const { takeProfit, stopLoss } = record
  return {
    id: record.orderId,
    clientOid: record.clientOid,
    category: record.category.toUpperCase() as Category,
    symbol: record.symbol,
    side: record.side,
    orderType: record.orderType,
    price: record.price,
    quantity: record.qty,
    amount: record.amount,
    filled: record.cumExecQty,
    averagePrice: record.avgPrice,
    timeInForce: record.timeInForce,
    reduceOnly: record.reduceOnly.toLowerCase() === 'yes',
    posSide: record.posSide === 'long' || record.posSide === 'short' ? record.posSide : undefined,
    marginMode: record.marginMode,
    status: record.orderStatus === 'cancelled' ? 'canceled' : record.orderStatus,
    cancelReason: record.cancelReason ?? '',
    cause: causeOfUnified(record.execType, record.cumExecQty, fee?.fee ?? ''),
    fee: fee?.fee ?? '',
    feeCoin: fee?.feeCoin ?? '',
    takeProfit: takeProfit === undefined ? undefined : (takeProfit ?? ''),
    stopLoss: stopLoss === undefined ? undefined : (stopLoss ?? ''),
    createdAt: Number(record.createdTime),
    updatedAt: Number(record.updatedTime),
  }
}

export function orderOf(record: OrderRecord): Order {
  const step = orderStepOf(record)
  return { ...step, takeProfit: step.takeProfit ?? '', stopLoss: step.stopLoss ?? '' }
}

export interface TriggerRecord {
  readonly orderId: string
  readonly category: string
  readonly symbol: string
  readonly type: 'tpsl' | 'trigger'
  readonly side: 'buy' | 'sell'
  readonly posSide: string
  readonly qty: string
  readonly triggerPrice: string
  readonly triggerBy: string
  readonly triggerOrderPrice: string
  readonly takeProfit: string
  readonly stopLoss: string
  readonly callbackRatio?: string
  readonly rangeRate?: string
  readonly currentTriggerPrice?: string
  readonly createdTime: string
}

export function triggerOf(record: TriggerRecord): Trigger {
  const { callbackRatio, rangeRate = '', currentTriggerPrice: triggersAt } = record
  return {
    id: record.orderId,
    category: record.category.toUpperCase() as Category,
    symbol: record.symbol,
    kind: triggersAt === undefined ? record.type : 'trigger',
    ...(triggersAt === undefined
      ? {}
      : { trailing: { rate: callbackRatio ?? rangeRate, triggersAt, stopsPosition: record.type === 'tpsl' } }),
    side: record.side,
    posSide: record.posSide,
    quantity: record.qty,
    triggerPrice: record.triggerPrice,
    triggerBy: record.triggerBy,
    limitPrice: record.triggerOrderPrice,
    takeProfit: record.takeProfit,
    stopLoss: record.stopLoss,
    createdAt: Number(record.createdTime),
  }
}

export interface PositionRecord {
  readonly positionStatus?: string
  readonly category: string
  readonly symbol: string
  readonly marginCoin: string
  readonly holdMode: string
  readonly posSide: string
  readonly marginMode: string
  readonly positionBalance?: string
  readonly marginSize?: string
  readonly available: string
  readonly total?: string
  readonly size?: string
  readonly leverage: string
  readonly curRealisedPnl: string
  readonly avgPrice: string
  readonly unrealisedPnl: string
  readonly liquidationPrice?: string
  readonly liqPrice?: string
  readonly mmr: string
  readonly markPrice: string
  readonly breakEvenPrice: string
  readonly totalFunding?: string
  readonly totalFundingFee?: string
  readonly createdTime: string
}

export function positionOf(record: PositionRecord): Position {
  const category = record.category.toUpperCase() as Category
  const side = record.posSide === 'short' ? 'short' : 'long'
  return {
    key: `${category}/${record.symbol}/${side}`,
    category,
    symbol: record.symbol,
    side,
    hedge: record.holdMode === 'hedge_mode',
    marginMode: record.marginMode === 'isolated' ? 'isolated' : 'crossed',
    marginCoin: record.marginCoin,
    quantity: record.total ?? record.size ?? '0',
    available: record.available,
    leverage: record.leverage,
    margin: record.positionBalance ?? record.marginSize ?? '0',
    entryPrice: record.avgPrice,
    markPrice: record.markPrice,
    liquidationPrice: record.liquidationPrice ?? record.liqPrice ?? '0',
    breakEvenPrice: record.breakEvenPrice,
    maintenanceRate: record.mmr,
    unrealizedPnl: record.unrealisedPnl,
    realizedPnl: record.curRealisedPnl,
    funding: record.totalFunding ?? record.totalFundingFee ?? '0',
    openedAt: Number(record.createdTime),
  }
}

export interface AssetsRecord {
  readonly accountEquity: string
  readonly imr: string
  readonly mmr: string
  readonly mgnRatio: string
  readonly assets: readonly {
    readonly coin: string
    readonly equity: string
    readonly usdValue: string
    readonly balance: string
    readonly available: string
    readonly debt: string
    readonly locked: string
  }[]
}

export function unifiedWalletOf(record: AssetsRecord): Wallet {
  return {
    name: 'uta',
    equity: record.accountEquity,
    marginState: { initialMargin: record.imr, maintenanceMargin: record.mmr, marginRatio: record.mgnRatio },
    coins: record.assets.map(({ locked, usdValue, ...coin }) => ({ ...coin, held: locked, usd: usdValue })),
  }
}

export interface FundingAssetRecord {
  readonly coin: string
  readonly available: string
  readonly frozen: string
  readonly balance: string
}

export function fundingWalletOf(records: readonly FundingAssetRecord[]): Wallet {
  return {
    name: 'spot',
    equity: '',
    coins: records.map(({ coin, available, frozen, balance }) => {
      return { coin, equity: balance, balance, available, debt: '0', held: frozen, usd: '' }
    }),
  }
}

export interface FillRecord {
  readonly execId: string
  readonly orderId: string
  readonly category: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly tradeSide: string
  readonly execPrice: string
  readonly execQty: string
  readonly execValue: string
  readonly tradeScope: string
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[]
  readonly execPnl: string
  readonly createdTime?: string
  readonly execTime?: string
}

/** The same fill with its fees counted the other way. */
export function withFeeTurned(record: FillRecord): FillRecord {
  const turned = (fee: string) => (fee.startsWith('-') ? fee.slice(1) : fee === '0' || fee === '' ? fee : `-${fee}`)
  return { ...record, feeDetail: record.feeDetail.map(({ feeCoin, fee }) => ({ feeCoin, fee: turned(fee) })) }
}

export function fillOf(record: FillRecord): Fill {
  const [fee] = record.feeDetail
  const category = record.category.toUpperCase() as Category
  return {
    id: record.execId,
    orderId: record.orderId,
    category,
    symbol: record.symbol,
    side: record.side,
    tradeSide: record.tradeSide,
    cause: undefined,
    price: record.execPrice,
    // A fill of a coin-margined contract names coins; what is shown elsewhere counts contracts.
    quantity: category === 'COIN-FUTURES' ? record.execValue : record.execQty,
    scope: record.tradeScope,
    fee: fee?.fee ?? '',
    feeCoin: fee?.feeCoin ?? '',
    pnl: record.execPnl,
    at: Number(record.createdTime ?? record.execTime),
  }
}

export interface ClosedPositionRecord {
  readonly positionId: string
  readonly category: Category
  readonly symbol: string
  readonly marginCoin: string
  readonly posSide: string
  readonly openPriceAvg: string
  readonly closePriceAvg: string
  readonly closeTotalPos: string
  readonly cumRealisedPnl: string
  readonly netProfit: string
  readonly totalFunding: string
  /** Negative when paid. */
  readonly openFeeTotal: string
  readonly closeFeeTotal: string
  readonly updatedTime: string
}

export function closedPositionOf(record: ClosedPositionRecord): ClosedPosition {
  return {
    id: record.positionId,
    category: record.category,
    symbol: record.symbol,
    marginCoin: record.marginCoin,
    side: record.posSide === 'short' ? 'short' : 'long',
    quantity: record.closeTotalPos,
    entryPrice: record.openPriceAvg,
    exitPrice: record.closePriceAvg,
    pnl: record.cumRealisedPnl,
    fees: unitsText(-units(record.openFeeTotal) - units(record.closeFeeTotal)),
    funding: record.totalFunding,
    net: record.netProfit,
    closedAt: Number(record.updatedTime),
  }
}

export interface SettingsRecord {
  readonly uid: string
  readonly accountMode: string
  readonly holdMode: HoldMode
  readonly stpMode: string
  readonly symbolConfigList: readonly {
    readonly category: Category
    readonly symbol: string
    readonly marginMode: MarginMode
    /** Of long and short, where they differ. */
    readonly leverage: string | readonly [long: string, short: string]
  }[]
  readonly coinConfigList: readonly { readonly coin: string; readonly leverage: string }[]
}

export function settingsOf({ holdMode, stpMode, coinConfigList }: SettingsRecord): Settings {
  return { holdModes: [{ lines: futuresLines, mode: holdMode }], stpMode, coinLeverages: coinConfigList }
}
