/**
 * What an account has, in the terminal's own words: both versions of the interface are read into these (v2/pair-records.ts,
 * v2/futures-records.ts, v3/records.ts). Numbers are the venue's texts.
 *
 * Sides       of the book: a sale that closes a long is a `sell`, whatever the version calls it
 * Quantities  base coin; of coin-margined contracts whole USD contracts
 * Fees        positive when paid; funding and profits positive when received
 */
import type { Category } from './categories.ts'
import type { Cause } from './causes.ts'

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
  /** Undefined: its owner sent it, as far as the venue says. */
  readonly cause: Cause | undefined
  readonly fee: string
  readonly feeCoin: string
  readonly takeProfit: string
  readonly stopLoss: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** A step of an order as a push tells it; what it leaves out is as it was. */
export interface OrderStep extends Omit<Order, 'takeProfit' | 'stopLoss'> {
  readonly takeProfit: string | undefined
  readonly stopLoss: string | undefined
}

export function isOpen({ status }: Pick<Order, 'status'>): boolean {
  return status !== 'filled' && status !== 'canceled'
}

interface Trailing {
  /** Per cent. */
  readonly rate: string
  /** Where it is triggered now; empty until it is active. */
  readonly triggersAt: string
  /** It closes what a position has; otherwise it is an order of its own. */
  readonly stopsPosition: boolean
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
  readonly trailing?: Trailing
  readonly createdAt: number
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

export const walletNames = [
  'uta',
  'spot',
  'p2p',
  'crossed_margin',
  'usdt_futures',
  'coin_futures',
  'usdc_futures',
] as const
export type WalletName = (typeof walletNames)[number]

export interface CoinBalance {
  readonly coin: string
  /** With what positions have won, less what is owed. */
  readonly equity: string
  readonly balance: string
  readonly available: string
  readonly debt: string
  readonly held: string
  /** Empty: nothing tells it. */
  readonly usd: string
  /** Of a futures wallet, where each coin backs its own positions. */
  readonly marginState?: CoinMarginState
}

/** The margin of the cross positions that settle in one coin, in it. */
export interface CoinMarginState {
  readonly equity: string
  readonly maintenanceMargin: string
  readonly marginRatio: string
  readonly unrealizedPnl: string
}

/** The margin of all positions of a wallet, in USD. At a ratio of 1 it is liquidated. */
interface WalletMarginState {
  readonly initialMargin: string
  readonly maintenanceMargin: string
  readonly marginRatio: string
}

export interface Wallet {
  readonly name: WalletName
  readonly coins: readonly CoinBalance[]
  /** In USD or USDT; empty: nothing tells it. */
  readonly equity: string
  readonly marginState?: WalletMarginState
}

export interface Fill {
  readonly id: string
  readonly orderId: string
  readonly category: Category
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** `open`, `close` or empty. */
  readonly tradeSide: string
  /** Where the fill itself says it; otherwise its order does. */
  readonly cause: Cause | undefined
  readonly price: string
  readonly quantity: string
  readonly scope: string
  readonly fee: string
  readonly feeCoin: string
  readonly pnl: string
  readonly at: number
}

export interface ClosedPosition {
  readonly id: string
  readonly category: Category
  readonly symbol: string
  readonly marginCoin: string
  readonly side: 'long' | 'short'
  readonly quantity: string
  readonly entryPrice: string
  readonly exitPrice: string
  readonly pnl: string
  readonly fees: string
  readonly funding: string
  readonly net: string
  readonly closedAt: number
}

export interface FundingPayment {
  readonly id: string
  readonly symbol: string
  readonly coin: string
  readonly amount: string
  readonly at: number
}

export type HoldMode = 'one_way_mode' | 'hedge_mode'
export type MarginMode = 'crossed' | 'isolated'

export interface Settings {
  /** Product lines that change their position mode together. */
  readonly holdModes: readonly { readonly lines: readonly Category[]; readonly mode: HoldMode }[]
  /** Undefined: the venue keeps none for the account, each order says its own. */
  readonly stpMode: string | undefined
  /** Empty: it cannot be chosen. */
  readonly coinLeverages: readonly { readonly coin: string; readonly leverage: string }[]
}

/** How one contract is traded. */
export interface ContractTerms {
  readonly leverage: string
  readonly marginMode: MarginMode
}
