/**
 * What an account has, as v3 and its private streams write it, read into what the terminal shows. The two spell some
 * fields differently; here they have one name.
 */
import type { Category } from './categories.ts'

export interface Order {
  readonly id: string
  readonly clientOid: string
  readonly category: Category
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly orderType: 'limit' | 'market'
  readonly price: string
  readonly quantity: string
  /** Of a market buy of a pair: what it spends, in quote coin. */
  readonly amount: string
  readonly filled: string
  readonly averagePrice: string
  readonly timeInForce: string
  readonly reduceOnly: boolean
  /** In hedge mode. */
  readonly posSide: 'long' | 'short' | undefined
  readonly marginMode: string
  readonly status: string
  readonly cancelReason: string
  readonly fee: string
  readonly feeCoin: string
  readonly takeProfit: string
  readonly stopLoss: string
  readonly createdAt: number
  readonly updatedAt: number
}

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
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[]
  readonly takeProfit?: string | null
  readonly stopLoss?: string | null
  readonly createdTime: string
  readonly updatedTime: string
}

/** `before`: the same order as it was, for what a push leaves out. */
export function orderOf(record: OrderRecord, before?: Order): Order {
  const [fee] = record.feeDetail
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
    status: record.orderStatus,
    cancelReason: record.cancelReason ?? '',
    fee: fee?.fee ?? '',
    feeCoin: fee?.feeCoin ?? '',
    takeProfit: record.takeProfit === undefined ? (before?.takeProfit ?? '') : (record.takeProfit ?? ''),
    stopLoss: record.stopLoss === undefined ? (before?.stopLoss ?? '') : (record.stopLoss ?? ''),
    createdAt: Number(record.createdTime),
    updatedAt: Number(record.updatedTime),
  }
}

export function isOpen({ status }: Pick<Order, 'status'>): boolean {
  return status !== 'filled' && status !== 'cancelled' && status !== 'canceled'
}

/** A take-profit, stop-loss or trigger order that waits for its price. */
export interface Trigger {
  readonly id: string
  readonly category: Category
  readonly symbol: string
  readonly kind: 'tpsl' | 'trigger'
  readonly side: 'buy' | 'sell'
  readonly posSide: string
  /** Empty: all of the position. */
  readonly quantity: string
  readonly triggerPrice: string
  readonly triggerBy: string
  /** Empty: at market. */
  readonly limitPrice: string
  readonly takeProfit: string
  readonly stopLoss: string
  readonly createdAt: number
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
  readonly createdTime: string
}

export function triggerOf(record: TriggerRecord): Trigger {
  return {
    id: record.orderId,
    category: record.category.toUpperCase() as Category,
    symbol: record.symbol,
    kind: record.type,
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

export interface Position {
  /** Category, symbol and side. */
  readonly key: string
  readonly category: Category
  readonly symbol: string
  readonly side: 'long' | 'short'
  readonly hedge: boolean
  readonly marginMode: 'crossed' | 'isolated'
  readonly marginCoin: string
  readonly quantity: string
  readonly available: string
  readonly leverage: string
  readonly margin: string
  readonly entryPrice: string
  readonly markPrice: string
  /** `0`: none. */
  readonly liquidationPrice: string
  readonly breakEvenPrice: string
  readonly maintenanceRate: string
  readonly unrealizedPnl: string
  readonly realizedPnl: string
  readonly funding: string
  readonly openedAt: number
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

export interface CoinBalance {
  readonly coin: string
  readonly equity: string
  readonly balance: string
  readonly available: string
  readonly debt: string
  readonly held: string
  readonly usd: string
}

export interface Assets {
  readonly equity: string
  readonly unrealizedPnl: string
  readonly initialMargin: string
  readonly maintenanceMargin: string
  /** Maintenance margin over equity: at 1 the account is liquidated. */
  readonly marginRatio: string
  readonly coins: readonly CoinBalance[]
}

export interface AssetsRecord {
  readonly accountEquity: string
  readonly unrealisedPnl: string
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

export function assetsOf(record: AssetsRecord): Assets {
  return {
    equity: record.accountEquity,
    unrealizedPnl: record.unrealisedPnl,
    initialMargin: record.imr,
    maintenanceMargin: record.mmr,
    marginRatio: record.mgnRatio,
    coins: record.assets.map(({ coin, equity, balance, available, debt, locked, usdValue }) => ({
      coin,
      equity,
      balance,
      available,
      debt,
      held: locked,
      usd: usdValue,
    })),
  }
}

export interface Fill {
  readonly id: string
  readonly orderId: string
  readonly category: Category
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly tradeSide: string
  readonly price: string
  readonly quantity: string
  readonly value: string
  readonly scope: string
  readonly fee: string
  readonly feeCoin: string
  readonly pnl: string
  readonly at: number
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
    price: record.execPrice,
    // A fill of a coin-margined contract names coins; what is shown elsewhere counts contracts.
    quantity: category === 'COIN-FUTURES' ? record.execValue : record.execQty,
    value: category === 'COIN-FUTURES' ? record.execQty : record.execValue,
    scope: record.tradeScope,
    fee: fee?.fee ?? '',
    feeCoin: fee?.feeCoin ?? '',
    pnl: record.execPnl,
    at: Number(record.createdTime ?? record.execTime),
  }
}

export interface Settings {
  readonly uid: string
  readonly accountMode: string
  readonly holdMode: 'one_way_mode' | 'hedge_mode'
  readonly stpMode: string
  readonly symbolConfigList: readonly {
    readonly category: Category
    readonly symbol: string
    readonly marginMode: 'crossed' | 'isolated'
    readonly leverage: string
  }[]
  readonly coinConfigList: readonly { readonly coin: string; readonly leverage: string }[]
}
