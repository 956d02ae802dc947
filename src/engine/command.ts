/**
 * Commands: everything that changes the venue's state, in the engine's own terms (ticks, lots, amounts, handles).
 *
 * Holds     a command is complete: the edge has parsed it, the sequencer stamps it with `at`
 * Journal   every command is one journal record (runtime/command-codec.ts); a kind is never renumbered
 * Source    design.md §1, §3, §6
 */
import type { HoldMode, MarginMode, StpMode, WalletType } from './accounts/accounts.ts'
import type {
  Category,
  Coin,
  CoinId,
  Instrument,
  InstrumentId,
  InstrumentStatus,
  MaintenanceTier,
  ProductLine,
} from './catalog/catalog.ts'
import type { Amount, Lots, Rate, Ticks } from './numbers/numbers.ts'

/** Account number on the wire: a decimal string there, a safe integer here. */
export type Uid = number
/** Order number: a safe integer from a counter in the state. */
export type OrderId = number

/** Which version of the interface spoke: it decides the wallet (design §3) and how hedge sides read (§4.11). */
export type Interface = 'v2' | 'v3'

export type Side = 'buy' | 'sell'
export type PositionSide = 'long' | 'short'
export type OrderType = 'limit' | 'market'
export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'post_only'

export type OrderQuantity =
  /** Lots of the book: base coin, or USD contracts of an inverse instrument. */
  | { readonly unit: 'lots'; readonly lots: Lots }
  /** A spot market buy: quote coin to spend. */
  | { readonly unit: 'quote'; readonly amount: Amount }
  /** An inverse order of v2: base coin, converted on arrival (design §4.12). */
  | { readonly unit: 'base'; readonly amount: Amount }

/** Take-profit or stop-loss asked for with an order; `execute` zero means at market. */
export interface Preset {
  readonly trigger: Ticks
  readonly execute: Ticks | 0
}

export interface PlaceOrder {
  readonly kind: 'place-order'
  readonly uid: Uid
  readonly interface: Interface
  /** MARGIN borrows automatically; for the rest it repeats the instrument's category. */
  readonly category: Category
  readonly instrument: InstrumentId
  /** As sent: the book's side, except v2 hedge mode, where it is the position's direction. */
  readonly side: Side
  readonly orderType: OrderType
  /** Zero for market orders. */
  readonly price: Ticks | 0
  readonly quantity: OrderQuantity
  /** Market orders are 'ioc' by nature; what is given here is only recorded. */
  readonly timeInForce: TimeInForce
  /** v3 hedge mode: the position meant. Ignored in one-way mode. */
  readonly positionSide: PositionSide | undefined
  /** v2 hedge mode: open or close. Ignored in one-way mode. */
  readonly tradeSide: 'open' | 'close' | undefined
  /** One-way mode only; ignored in hedge mode. */
  readonly reduceOnly: boolean
  /** Futures; undefined leaves the symbol's setting. */
  readonly marginMode: MarginMode | undefined
  /** The futures margin coin that was sent; undefined when the interface has none. */
  readonly marginCoin: CoinId | undefined
  /** Undefined: the account's default. */
  readonly stpMode: StpMode | undefined
  /** Empty: the venue makes one. */
  readonly clientOid: string
  readonly takeProfit: Preset | undefined
  readonly stopLoss: Preset | undefined
  /** X-CHANNEL-API-CODE, or empty. */
  readonly channelCode: string
}

/** One order, by number or client order id; the number wins when both are given. */
export interface OrderReference {
  readonly orderId: OrderId | undefined
  readonly clientOid: string
}

export interface CancelOrder {
  readonly kind: 'cancel-order'
  readonly uid: Uid
  readonly order: OrderReference
  /** Only if the order belongs to it; undefined: any. */
  readonly category: Category | undefined
  readonly instrument: InstrumentId | undefined
}

/** All open orders of a category (MARGIN and SPOT apart), or of one instrument of it. */
export interface CancelOrders {
  readonly kind: 'cancel-orders'
  readonly uid: Uid
  readonly interface: Interface
  readonly category: Category
  readonly instrument: InstrumentId | undefined
}

export interface CreateAccount {
  readonly kind: 'create-account'
  readonly account: 'main' | 'sub'
  /** The main account of a sub-account; undefined for a main account. */
  readonly parentUid: Uid | undefined
  readonly mode: 'unified' | 'hybrid' | 'classic'
  readonly name: string
}

export interface SetAccountMode {
  readonly kind: 'set-account-mode'
  readonly uid: Uid
  readonly mode: 'unified' | 'classic'
}

export interface SetBroker {
  readonly kind: 'set-broker'
  readonly uid: Uid
  /** Empty: leaves the programme. */
  readonly channelCode: string
  readonly rebateRate: Rate
}

export interface SetCopyTrader {
  readonly kind: 'set-copy-trader'
  readonly uid: Uid
  /** Announced futures; empty: no longer a copy trader. */
  readonly instruments: readonly InstrumentId[]
}

export interface ListCoin {
  readonly kind: 'list-coin'
  readonly coin: Omit<Coin, 'id'>
}

export interface ListInstrument {
  readonly kind: 'list-instrument'
  readonly instrument:
    | Omit<Extract<Instrument, { kind: 'spot' }>, 'id' | 'listedAt'>
    | Omit<Exclude<Instrument, { kind: 'spot' }>, 'id' | 'listedAt'>
}

export interface SetInstrument {
  readonly kind: 'set-instrument'
  readonly instrument: InstrumentId
  readonly status: InstrumentStatus | undefined
  readonly tiers: readonly MaintenanceTier[] | undefined
  readonly makerFeeRate: Rate | undefined
  readonly takerFeeRate: Rate | undefined
}

/** Money enters from or leaves to the world outside (the house account `external`). */
export interface Deposit {
  readonly kind: 'deposit' | 'withdraw'
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
}

/** Money enters a house fund from outside. */
export interface FundHouse {
  readonly kind: 'fund-house'
  readonly account: 'insurance'
  readonly coin: CoinId
  readonly amount: Amount
}

export interface SetIndexPrices {
  readonly kind: 'set-index-prices'
  /** Coin and its price in USD, 1e-8. */
  readonly prices: readonly (readonly [CoinId, bigint])[]
}

export interface Transfer {
  readonly kind: 'transfer'
  /** Whose key asked: the main account for main-sub transfers, the account itself between its own wallets. */
  readonly actorUid: Uid
  readonly scope: 'between-accounts' | 'within-account'
  readonly fromUid: Uid
  readonly toUid: Uid
  readonly fromWallet: WalletType
  readonly toWallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  /** Empty only for transfers within one account. */
  readonly clientOid: string
}

export interface Borrow {
  readonly kind: 'borrow'
  readonly uid: Uid
  readonly coin: CoinId
  readonly amount: Amount
}

export interface Repay {
  readonly kind: 'repay'
  readonly uid: Uid
  readonly coin: CoinId
  readonly amount: Amount
}

export interface SetLeverage {
  readonly kind: 'set-leverage'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly leverage: number
  /** Isolated hedge positions: one side; undefined both. */
  readonly positionSide: PositionSide | undefined
  /** Undefined: the symbol's margin mode in force. */
  readonly marginMode: MarginMode | undefined
}

/** E12: every symbol of the line in which the account holds a position, or none. */
export interface SetAllLeverage {
  readonly kind: 'set-all-leverage'
  readonly uid: Uid
  readonly line: ProductLine
  readonly leverage: number
  readonly instrument: InstrumentId | undefined
  readonly positionSide: PositionSide | undefined
}

export interface SetMarginMode {
  readonly kind: 'set-margin-mode'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly marginMode: MarginMode
}

/** v2 sets one product line, v3 all futures. */
export interface SetHoldMode {
  readonly kind: 'set-hold-mode'
  readonly uid: Uid
  readonly line: ProductLine | undefined
  readonly holdMode: HoldMode
}

export interface SetStpMode {
  readonly kind: 'set-stp-mode'
  readonly uid: Uid
  readonly stpMode: StpMode
}

/** Settles funding of one contract now, outside its schedule (operator). */
interface SettleFunding {
  readonly kind: 'settle-funding'
  readonly instrument: InstrumentId
}

/** Runs every timer that is due at the command's time, in order. */
interface RunTimers {
  readonly kind: 'run-timers'
}

/** Venue-wide settings that the operator's configuration may change. */
interface ConfigureVenue {
  readonly kind: 'configure-venue'
  /** Orders per main account (with its sub-accounts) and UTC day, from which more are refused; zero: none are. */
  readonly dailyOrdersRestriction: number
}

/** A key was made or revoked: the key itself lives outside the engine, the fact is in the journal. */
interface RecordKeyChange {
  readonly kind: 'record-key-change'
  readonly uid: Uid
  readonly apiKey: string
  readonly change: 'created' | 'revoked'
}

export type Command =
  | PlaceOrder
  | CancelOrder
  | CancelOrders
  | CreateAccount
  | SetAccountMode
  | SetBroker
  | SetCopyTrader
  | ListCoin
  | ListInstrument
  | SetInstrument
  | Deposit
  | FundHouse
  | SetIndexPrices
  | Transfer
  | Borrow
  | Repay
  | SetLeverage
  | SetAllLeverage
  | SetMarginMode
  | SetHoldMode
  | SetStpMode
  | SettleFunding
  | RunTimers
  | ConfigureVenue
  | RecordKeyChange
