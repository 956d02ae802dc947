/** What the operator's calls answer (docs/operations.md), as far as the desk shows it. Amounts and prices are decimal texts. */

export interface Status {
  readonly status: 'ok' | 'degraded' | 'stopping' | 'failed'
  readonly reasons: readonly string[]
  readonly kind: string
  /** Where clients connect. */
  readonly address: string
  readonly sequence: number
  readonly now: number
}

export interface Metric {
  readonly name: string
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

export interface Conservation {
  readonly tookMs: number
  readonly coins: readonly CoinConserved[]
}

export interface CoinConserved {
  readonly coin: string
  readonly deposited: string
  readonly accounts: string
  readonly house: Readonly<Record<string, string>>
  readonly difference: string
}

export type InstrumentStatus = 'online' | 'cancel_only' | 'halted'

export interface Market {
  readonly category: string
  readonly symbol: string
  readonly status: InstrumentStatus
  readonly lastPrice: string | null
  readonly markPrice: string
  readonly indexPrice: string
  readonly fundingRate: string | null
  readonly nextFundingAt: number | null
  readonly openInterest: string | null
  /** Null of a pair. */
  readonly openInterestUnit: string | null
  readonly frozen: 'suspect' | 'stale' | 'out-of-range' | null
}

export interface Account {
  readonly uid: string
  readonly kind: 'main' | 'sub'
  readonly parentUid: string | null
  readonly name: string
  readonly mode: string
  /** By anybody. */
  readonly frozen: boolean
  readonly frozenByOperator: boolean
  readonly channelCode: string | null
  readonly copyTraderSymbols: readonly string[] | null
  readonly dailyOrders: number
  /** Only when it was asked for. */
  readonly equityUsdt?: string
  readonly createdAt: number
}

export interface AccountPage {
  readonly accounts: readonly Account[]
  readonly next: string | null
}

export interface Balance {
  readonly wallet: string
  readonly coin: string
  readonly balance: string
  readonly held: string
  readonly available: string
  readonly debt: string
}

export interface Position {
  readonly category: string
  readonly symbol: string
  readonly marginCoin: string
  readonly posSide: 'long' | 'short'
  readonly marginMode: string
  readonly total: string
  readonly leverage: string
  readonly avgPrice: string
  readonly markPrice: string
  readonly unrealisedPnl: string
  readonly liquidationPrice: string
}

/** What is liquidated as one; at a ratio of one it is. */
export interface MarginPool {
  readonly wallet: string
  readonly unit: string
  readonly symbol: string | null
  readonly posSide: 'long' | 'short' | null
  readonly equity: string
  readonly maintenance: string
  readonly marginRatio: string
  readonly halted: boolean
}

export interface NearAccount extends MarginPool {
  readonly uid: string
  readonly name: string
  readonly category: string | null
}

export interface NearLiquidation {
  readonly accounts: readonly NearAccount[]
  readonly more: boolean
}

interface Largest {
  readonly uid: string
  readonly quantity: string
}

/** What is open in a contract over all accounts. */
export interface Exposure {
  readonly category: string
  readonly symbol: string
  readonly openInterest: string
  readonly notionalUsd: string
  readonly longAccounts: number
  readonly shortAccounts: number
  readonly largestLong: Largest | null
  readonly largestShort: Largest | null
  readonly fundPosition: string
}

export interface OpenOrder {
  readonly orderId: string
  readonly category: string
  readonly symbol: string
  readonly side: string
  readonly price: string
  readonly qty: string
  readonly cumExecQty: string
  readonly createdTime: string
}

/** An order that waits for a price; prices of a take-profit and a stop-loss may be there together. */
export interface TriggerOrder {
  readonly orderId: string
  readonly category: string
  readonly symbol: string
  readonly type: 'trigger' | 'tpsl'
  readonly side: string
  /** Empty: the whole position. */
  readonly qty: string
  readonly triggerBy: string
  readonly triggerPrice: string
  readonly triggerOrderPrice: string
  readonly takeProfit: string
  readonly tpLimitPrice: string
  readonly stopLoss: string
  readonly slLimitPrice: string
  /** Per cent that a trailing one stays behind the best price. */
  readonly callbackRatio?: string
  readonly rangeRate?: string
  readonly createdTime: string
}

export interface Bill {
  readonly billId: string
  readonly at: number
  readonly type: string
  readonly coin: string
  readonly symbol: string | null
  readonly amount: string
  readonly fee: string
  readonly balance: string
}

export interface BillPage {
  readonly bills: readonly Bill[]
  readonly next: number | null
}

export interface Holdings {
  readonly uid: string
  readonly equityUsdt: string
  readonly wallets: readonly Balance[]
  readonly pools: readonly MarginPool[]
  readonly positions: readonly Position[]
  readonly orders: readonly OpenOrder[]
  readonly triggers: readonly TriggerOrder[]
}

export interface Key {
  readonly apiKey: string
  readonly uid: string
  readonly kind: string
  readonly permissions: readonly string[]
  readonly readOnly: boolean
  readonly ipList: readonly string[]
  readonly label: string
  readonly revokedAt: number | null
  /** Why it cannot be used although it was not revoked. */
  readonly fault: string | null
}

export interface KeyPage {
  readonly keys: readonly Key[]
  readonly next: string | null
}

export interface KeyMade {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

/** Something that an operator did, or tried to. */
export interface Action {
  readonly id: number
  readonly at: number
  readonly who: string | null
  readonly from: string
  readonly call: string
  readonly body: Readonly<Record<string, unknown>>
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly code: string | null
  readonly commands: readonly { readonly sequence: number | null; readonly kind: string }[]
}

export interface ActionPage {
  readonly actions: readonly Action[]
  readonly next: number | null
}

/** A point a minute, oldest first. */
export interface Course {
  readonly points: readonly {
    readonly at: number
    readonly ordersPerS: number
    readonly p50Ms: number | null
    readonly p99Ms: number | null
    readonly volumeUsd: number
  }[]
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

export interface LogPage {
  readonly lines: readonly {
    readonly id: number
    readonly at: string
    readonly level: LogLevel
    readonly message: string
    readonly facts: string
  }[]
  readonly next: number | null
}

export interface Scenario {
  readonly name: string
  readonly coin: string | null
  readonly minutesLeft: number
}

export interface Coin {
  readonly coin: string
  readonly price: string
  readonly borrowable: 'yes' | 'no'
  readonly dailyInterestRate: string
  readonly borrowLimit: string
}

export interface Clock {
  readonly kind: 'system' | 'manual' | 'steered'
  readonly now: number
  readonly system: number
  readonly leap: 'none' | 'undecided' | 'refused'
  readonly leapMs: number
  readonly fallsDue: {
    readonly interest: Readonly<Record<string, string>>
    readonly funding: readonly string[]
    readonly countdowns: number
  } | null
}

export interface InsuranceFund {
  readonly coin: string
  readonly balance: string
  readonly highest: string
  readonly deleveraging: boolean
}

export interface Liquidation {
  readonly liquidationId: string
  readonly at: number
  readonly sequence: number
  readonly uid: string
  readonly wallet: string
  readonly pool: string
  readonly positions: readonly {
    readonly category: string
    readonly symbol: string
    readonly holdSide: string
    readonly quantity: string
  }[]
  readonly debtUsd: string | null
  readonly deleveraged: number
  readonly insurance: Readonly<Record<string, string>>
}

export interface LiquidationPage {
  readonly liquidations: readonly Liquidation[]
  readonly next: number | null
}

interface CausedBy {
  readonly sequence: number | null
  readonly command: string | null
  readonly at: number
}

export interface ExplainedInput {
  readonly of: string
  readonly name: string
  readonly value: string
  readonly unit: string
}

export interface ExplainedLine {
  readonly of: string
  readonly name: string
  readonly source: string
  readonly formula: string
  readonly values: Readonly<Record<string, string>>
  readonly exact: string
  readonly fraction: string
  readonly rounding: string
  readonly step: string
  readonly result: string
  readonly unit: string
}

export interface Explanation {
  readonly subject: Readonly<Record<string, string>>
  readonly asOf: { readonly sequence: number; readonly at: number }
  readonly inputs: readonly ExplainedInput[]
  readonly lines: readonly ExplainedLine[]
  readonly causedBy: CausedBy | null
  readonly causes: readonly (CausedBy & { readonly what: string })[]
}
