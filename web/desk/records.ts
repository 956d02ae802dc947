/** What the operator's calls answer (docs/operations.md), as far as the desk shows it. Amounts and prices are decimal texts. */

export interface Status {
  readonly status: 'ok' | 'degraded' | 'stopping' | 'failed'
  readonly reasons: readonly string[]
  readonly kind: string
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
  readonly frozen: 'suspect' | 'stale' | 'out-of-range' | null
}

export interface Account {
  readonly uid: string
  readonly kind: 'main' | 'sub'
  readonly parentUid: string | null
  readonly name: string
  readonly mode: string
  readonly frozen: boolean
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

export interface Holdings {
  readonly uid: string
  readonly equityUsdt: string
  readonly wallets: readonly Balance[]
  readonly positions: readonly Position[]
  readonly orders: readonly OpenOrder[]
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
