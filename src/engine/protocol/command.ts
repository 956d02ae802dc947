/**
 * Commands: everything that changes the engine's state, in the engine's own terms (ticks, lots, amounts, indexes).
 *
 * Holds     a command is complete: the edge has parsed it, the sequencer stamps it with `at`
 * Journal   every command is one journal record (runtime/command-codec.ts); a kind is never renumbered
 * Source    design.md §1, §3, §6
 */
import type {
  Category,
  Coin,
  CoinId,
  CollateralSlice,
  Instrument,
  InstrumentId,
  InstrumentStatus,
  MaintenanceTier,
  NetworkName,
  ProductLine,
} from '../catalog/catalog.ts'
import type { Amount, Lots, Millis, Rate, Ticks } from '../numbers/numbers.ts'
import type {
  CallbackRate,
  HoldMode,
  Interface,
  LoanType,
  MarginMode,
  OrderId,
  OrderQuantity,
  OrderType,
  PositionSide,
  TpslTerms,
  Side,
  StpMode,
  TimeInForce,
  TriggerKind,
  TriggerPrice,
  Uid,
  WalletType,
} from '../vocabulary.ts'

export interface PlaceOrder {
  readonly kind: 'place-order'
  readonly uid: Uid
  readonly interface: Interface
  /** MARGIN may borrow (`loanType`); for the rest it repeats the instrument's category. */
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
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
  /** Of MARGIN orders; the others neither borrow nor repay by it. */
  readonly loanType: LoanType
  /** X-CHANNEL-API-CODE, or empty. */
  readonly channelCode: string
}

/** One order, by number or client order id; the number wins when both are given. */
export interface OrderReference {
  readonly orderId: OrderId | undefined
  readonly clientOid: string
}

/** Take-profit and stop-loss attached to an order, for the position that it opens; undefined: none. */
export interface AttachedTpsl {
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
}

/** New terms for a resting order, which keeps its number and client order id; what is undefined stays. */
export interface AmendOrder {
  readonly kind: 'amend-order'
  readonly uid: Uid
  readonly order: OrderReference
  /** Only if the order belongs to it; undefined: any. */
  readonly category: Category | undefined
  readonly instrument: InstrumentId | undefined
  readonly price: Ticks | undefined
  /** The whole quantity, with what is filled already. */
  readonly quantity: Lots | undefined
  /** Attached take-profit and stop-loss; undefined: they stay. The name is that of the field in command-layout.ts. */
  readonly attachedTpsl: AttachedTpsl | undefined
  /** An order whose new terms are refused is canceled. */
  readonly autoCancel: boolean
  /** Published with the change; empty: none. */
  readonly requestId: string
}

/** A new order in place of a resting one, which is canceled; what is undefined is taken from the old order. */
export interface ReplaceOrder {
  readonly kind: 'replace-order'
  readonly uid: Uid
  readonly interface: Interface
  readonly order: OrderReference
  /** Only if the order belongs to one of these. */
  readonly categories: readonly Category[]
  readonly instrument: InstrumentId
  readonly price: Ticks | undefined
  /** Of the new order; undefined: what the old one has left. */
  readonly quantity: OrderQuantity | undefined
  /** Attached take-profit and stop-loss. The name is that of the field in command-layout.ts. */
  readonly attachedTpsl: AttachedTpsl | undefined
  /** Of the new order; empty: the venue makes one. */
  readonly clientOid: string
  readonly channelCode: string
}

/** Market orders that close every position of a line, of one instrument of it, or one side of that. */
export interface ClosePositions {
  readonly kind: 'close-positions'
  readonly uid: Uid
  readonly interface: Interface
  readonly line: ProductLine
  readonly instrument: InstrumentId | undefined
  /** Hedge mode only; undefined: both. */
  readonly positionSide: PositionSide | undefined
  readonly channelCode: string
}

/** Closes a position, or a part of it, at market and opens as much the other way. */
export interface ReversePosition {
  readonly kind: 'reverse-position'
  readonly uid: Uid
  readonly instrument: InstrumentId
  readonly marginCoin: CoinId | undefined
  /** One-way mode: of the order; hedge mode: the direction of the position that is closed, or (`open`) opened. */
  readonly side: Side
  readonly tradeSide: 'open' | 'close' | undefined
  /** Undefined: all of the position. */
  readonly quantity: OrderQuantity | undefined
  /** Of the order that closes; empty: the venue makes one. */
  readonly clientOid: string
  readonly channelCode: string
}

/** Cancels every open order of the unified wallet after a while, unless it is set anew or disarmed before. */
export interface SetCountdown {
  readonly kind: 'set-countdown'
  readonly uid: Uid
  /** Zero disarms. */
  readonly ms: Millis
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

/** An order that is placed once a price is reached. */
export interface PlaceTrigger {
  readonly kind: 'place-trigger'
  readonly uid: Uid
  readonly interface: Interface
  readonly category: Category
  readonly instrument: InstrumentId
  readonly trigger: Ticks
  readonly by: TriggerPrice
  /** Price of the order; zero: at market. */
  readonly execute: Ticks | 0
  readonly side: Side
  readonly quantity: OrderQuantity
  readonly positionSide: PositionSide | undefined
  readonly tradeSide: 'open' | 'close' | undefined
  readonly reduceOnly: boolean
  readonly marginMode: MarginMode | undefined
  readonly marginCoin: CoinId | undefined
  readonly stpMode: StpMode | undefined
  readonly clientOid: string
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
  readonly channelCode: string
}

/** Take-profit or stop-loss of a position. */
export interface TriggerLeg extends TpslTerms {
  /** Undefined: the whole position, whatever it then is. */
  readonly quantity: OrderQuantity | undefined
  readonly clientOid: string
}

/** Take-profit, stop-loss or both for an open position; for the whole position they replace earlier ones. */
export interface PlacePositionTriggers {
  readonly kind: 'place-position-triggers'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly marginCoin: CoinId | undefined
  /** Undefined: the only position that there is. */
  readonly positionSide: PositionSide | undefined
  readonly takeProfit: TriggerLeg | undefined
  readonly stopLoss: TriggerLeg | undefined
  readonly stpMode: StpMode | undefined
  readonly channelCode: string
}

/** Futures only: an order at market, placed once the price has turned back from its best by a rate. */
export interface PlaceTrailing {
  readonly kind: 'place-trailing'
  readonly uid: Uid
  readonly interface: Interface
  readonly category: Category
  readonly instrument: InstrumentId
  readonly rate: CallbackRate
  /** Activation price: from there on it follows the price. Zero: at once. */
  readonly trigger: Ticks | 0
  readonly by: TriggerPrice
  readonly side: Side
  readonly quantity: OrderQuantity
  readonly positionSide: PositionSide | undefined
  readonly tradeSide: 'open' | 'close' | undefined
  readonly reduceOnly: boolean
  readonly marginMode: MarginMode | undefined
  readonly marginCoin: CoinId | undefined
  readonly stpMode: StpMode | undefined
  readonly clientOid: string
  /** Of what it opens, from the last price when it is triggered, in hundredths of a percent; zero: none. */
  readonly takeProfitRate: number
  readonly stopLossRate: number
  readonly channelCode: string
}

/** A trailing stop of an open position; for the whole position it replaces an earlier one. */
export interface PlacePositionTrailing {
  readonly kind: 'place-position-trailing'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly marginCoin: CoinId | undefined
  /** Undefined: the only position that there is. */
  readonly positionSide: PositionSide | undefined
  readonly rate: CallbackRate
  readonly trigger: Ticks | 0
  readonly by: TriggerPrice
  /** Undefined: the whole position, whatever it then is. */
  readonly quantity: OrderQuantity | undefined
  readonly stpMode: StpMode | undefined
  readonly clientOid: string
  readonly channelCode: string
}

/**
 * A trailing order as it shall be from now on. With another activation price, or another kind of price, it waits anew; with
 * another rate alone it keeps the best price that it has followed.
 */
export interface ModifyTrailing {
  readonly kind: 'modify-trailing'
  readonly uid: Uid
  readonly order: OrderReference
  /** Only if it is of these kinds; none: of any. */
  readonly kinds: readonly TriggerKind[]
  readonly rate: CallbackRate
  readonly trigger: Ticks | 0
  readonly by: TriggerPrice
  /** Undefined: as it is. */
  readonly quantity: OrderQuantity | undefined
  readonly takeProfitRate: number
  readonly stopLossRate: number
}

/** A trigger order as it shall be from now on; its number and client order id stay. */
export interface ModifyTrigger {
  readonly kind: 'modify-trigger'
  readonly uid: Uid
  readonly order: OrderReference
  /** Only if it is of these kinds; none: of any. */
  readonly kinds: readonly TriggerKind[]
  readonly trigger: Ticks
  readonly by: TriggerPrice
  readonly execute: Ticks | 0
  /** Undefined: as it is. */
  readonly quantity: OrderQuantity | undefined
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
}

export interface CancelTrigger {
  readonly kind: 'cancel-trigger'
  readonly uid: Uid
  readonly order: OrderReference
  /** Only if it is of these kinds, category and instrument; none: of any. */
  readonly kinds: readonly TriggerKind[]
  readonly category: Category | undefined
  readonly instrument: InstrumentId | undefined
}

/** All trigger orders of a category, or of one instrument of it. */
export interface CancelTriggers {
  readonly kind: 'cancel-triggers'
  readonly uid: Uid
  readonly interface: Interface
  readonly category: Category
  readonly instrument: InstrumentId | undefined
  /** None: of any kind. */
  readonly kinds: readonly TriggerKind[]
}

export interface CreateAccount {
  readonly kind: 'create-account'
  readonly account: 'main' | 'sub'
  /** The main account of a sub-account; undefined for a main account. */
  readonly parentUid: Uid | undefined
  readonly mode: 'unified' | 'hybrid' | 'classic'
  readonly name: string
}

/** Asked for by the main account; no other of its sub-accounts may have the name. */
export interface CreateSubAccount {
  readonly kind: 'create-sub-account'
  readonly parentUid: Uid
  readonly mode: 'unified' | 'classic'
  readonly name: string
  readonly note: string
}

/** What a main account lets a sub-account do; what is undefined stays. */
export interface SetSubAccount {
  readonly kind: 'set-sub-account'
  readonly actorUid: Uid
  readonly uid: Uid
  readonly frozen: boolean | undefined
  readonly permissions: readonly string[] | undefined
}

/** By the operator: apart from what its main account lets a sub-account do, and neither undoes the other. */
export interface FreezeAccount {
  readonly kind: 'freeze-account'
  readonly uid: Uid
  readonly frozen: boolean
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

/** Notes that somebody else manages a sub-account, or no longer does. */
export interface BindAccount {
  readonly kind: 'bind-account'
  readonly uid: Uid
  /** Since when; undefined: nobody else manages it any more. */
  readonly boundAt: Millis | undefined
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
  /** How far a limit price may lie beyond the mark (0: anywhere), and a market order may go from it. */
  readonly limitBand: Rate | undefined
  readonly marketBand: Rate | undefined
}

/** The least that an order of an instrument asks for, from now on; what rests stays as it is. */
export interface SetOrderMinimum {
  readonly kind: 'set-order-minimum'
  readonly instrument: InstrumentId
  readonly quantityMin: Lots
}

/** What a coin counts for in unified accounts, and what margin its debt needs (operator); what is undefined stays. */
export interface SetCollateral {
  readonly kind: 'set-collateral'
  readonly coin: CoinId
  readonly collateral: readonly CollateralSlice[] | undefined
  readonly debtInitialRate: Rate | undefined
  readonly debtMaintenanceRate: Rate | undefined
}

/** Rules of margin and liquidation of the whole venue (operator, catalog/settings.ts); what is undefined stays. */
export interface SetRisk {
  readonly kind: 'set-risk'
  readonly adlStartShare: Rate | undefined
  readonly adlEndShare: Rate | undefined
  readonly orderMarginMarkup: Rate | undefined
  readonly orderFeeMarkup: Rate | undefined
  readonly profitAsMargin: boolean | undefined
  readonly reduceTiers: number | undefined
}

/** Money enters the venue or leaves it (the house account `external`). */
export interface Deposit {
  readonly kind: 'deposit' | 'withdraw'
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
}

/** Money is withdrawn: over a network, or to another account of the venue. */
export interface RequestWithdrawal {
  readonly kind: 'request-withdrawal'
  readonly uid: Uid
  /** In this order each gives what it can. */
  readonly wallets: readonly WalletType[]
  readonly coin: CoinId
  /** The fee in it. */
  readonly amount: Amount
  /** Undefined: to the account of `toUid`. */
  readonly network: NetworkName | undefined
  readonly address: string
  readonly tag: string
  readonly toUid: Uid | undefined
  readonly clientOid: string
  readonly remark: string
}

/** Takes a withdrawal back that was not sent yet; by number, else by client order id. */
export interface CancelWithdrawal {
  readonly kind: 'cancel-withdrawal'
  readonly uid: Uid
  readonly id: number | undefined
  readonly clientOid: string
}

/** Refuses a withdrawal that was not sent yet (operator): its money goes back. */
export interface RejectWithdrawal {
  readonly kind: 'reject-withdrawal'
  readonly id: number
}

/** Somebody outside sends money to the address of an account (operator). */
export interface SendDeposit {
  readonly kind: 'send-deposit'
  readonly uid: Uid
  readonly coin: CoinId
  readonly network: NetworkName
  readonly amount: Amount
}

/** Where deposits of a coin go. */
export interface SetDepositWallet {
  readonly kind: 'set-deposit-wallet'
  readonly uid: Uid
  readonly coin: CoinId
  readonly wallet: WalletType
}

/** Terms of a coin on a network (operator); what is undefined stays. A network that the coin did not have is added. */
export interface SetCoinChain {
  readonly kind: 'set-coin-chain'
  readonly coin: CoinId
  readonly network: NetworkName
  readonly canDeposit: boolean | undefined
  readonly canWithdraw: boolean | undefined
  readonly withdrawalFee: Amount | undefined
  readonly depositMin: Amount | undefined
  readonly withdrawalMin: Amount | undefined
  readonly depositConfirmations: number | undefined
  readonly withdrawalConfirmations: number | undefined
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

/** Marks and funding rates of contracts that hold in place of the formulas: of a recorded market, or of another venue. */
export interface SetGivenPrices {
  readonly kind: 'set-given-prices'
  /** Unix milliseconds: from then on the formulas hold again. */
  readonly until: Millis
  /** All of a contract: what is undefined follows from its formula, whatever was given before. */
  readonly contracts: readonly {
    readonly instrument: InstrumentId
    readonly markPrice: Ticks | undefined
    /** Of an interval. */
    readonly fundingRate: Rate | undefined
  }[]
}

export interface Transfer {
  readonly kind: 'transfer'
  /** The account whose key asked: the main account for main-sub transfers, the account itself between its own wallets. */
  readonly actorUid: Uid
  /** `to-main`: a sub-account gives to its main account by its own key. */
  readonly scope: 'between-accounts' | 'within-account' | 'to-main'
  readonly fromUid: Uid
  readonly toUid: Uid
  readonly fromWallet: WalletType
  readonly toWallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  /** Never empty between accounts by the main account's key. */
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

/** v3: pays debts of a unified wallet with these coins; coins that are not owed are sold for those that are. */
export interface RepayDebts {
  readonly kind: 'repay-debts'
  readonly uid: Uid
  readonly debts: readonly CoinId[]
  readonly payments: readonly CoinId[]
}

/** v2: pays what the cross-margin account owes of a coin, or of all (undefined), and sells its other coins for the rest. */
export interface FlashRepay {
  readonly kind: 'flash-repay'
  readonly uid: Uid
  readonly coin: CoinId | undefined
}

/** Leverage of borrowing a coin. */
export interface SetCoinLeverage {
  readonly kind: 'set-coin-leverage'
  readonly uid: Uid
  readonly coin: CoinId
  readonly leverage: number
}

/**
 * Asks the house what it gives of one coin for another. The side that is undefined is what the house says; what it says
 * holds for a while, once.
 */
export interface QuoteConversion {
  readonly kind: 'quote-conversion'
  readonly uid: Uid
  readonly fromCoin: CoinId
  readonly toCoin: CoinId
  readonly fromAmount: Amount | undefined
  readonly toAmount: Amount | undefined
}

/** Takes a quote; what it says of coins and amounts has to be the quote's. */
export interface ConvertCoins {
  readonly kind: 'convert-coins'
  readonly uid: Uid
  readonly quoteId: number
  readonly fromCoin: CoinId
  readonly toCoin: CoinId
  readonly fromAmount: Amount
  readonly toAmount: Amount
}

/** At what terms the house converts coins (operator, catalog/settings.ts); what is undefined stays. */
export interface SetConversion {
  readonly kind: 'set-conversion'
  readonly spread: Rate | undefined
  readonly quoteMs: Millis | undefined
  readonly leastUsd: Amount | undefined
  readonly mostUsd: Amount | undefined
}

/** Terms of lending a coin (operator); what is undefined stays. A new rate applies from the next hour of each loan. */
export interface SetLoanTerms {
  readonly kind: 'set-loan-terms'
  readonly coin: CoinId
  readonly borrowable: boolean | undefined
  readonly dailyInterestRate: Rate | undefined
  readonly borrowLimit: Amount | undefined
  readonly lendingPoolLimit: Amount | undefined
  readonly leverageMax: number | undefined
}

/** Margin levels of cross margin (operator), as ratios; what is undefined stays. */
export interface SetMarginLevels {
  readonly kind: 'set-margin-levels'
  readonly transfer: Rate | undefined
  readonly borrow: Rate | undefined
  readonly call: Rate | undefined
  readonly liquidation: Rate | undefined
  readonly liquidationFee: Rate | undefined
}

export interface SetLeverage {
  readonly kind: 'set-leverage'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly leverage: number
  /** Isolated hedge positions: one side; undefined: both. */
  readonly positionSide: PositionSide | undefined
  /** Undefined: the symbol's margin mode in force. */
  readonly marginMode: MarginMode | undefined
}

/** Each side's own leverage at once, both or neither. Where both sides share a leverage, that of the long side counts. */
export interface SetSideLeverages {
  readonly kind: 'set-side-leverages'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly long: number
  readonly short: number
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

/** Which coins of the unified wallet are collateral. */
export interface SetCollateralType {
  readonly kind: 'set-collateral-type'
  readonly uid: Uid
  readonly choice: 'all' | 'mainstream' | 'custom'
  /** With `custom`. */
  readonly coins: readonly CoinId[]
}

/** Moves a position, or lots of it, to another account of the family at the mark price. */
export interface MovePosition {
  readonly kind: 'move-position'
  /** The main account. */
  readonly actorUid: Uid
  readonly fromUid: Uid
  readonly toUid: Uid
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly quantity: Lots
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

/** Adds margin to an isolated position, or (negative) takes it back. */
export interface SetPositionMargin {
  readonly kind: 'set-position-margin'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  /** Undefined: the only position that there is. */
  readonly positionSide: PositionSide | undefined
  readonly amount: Amount
}

/** Isolated positions of the contract draw margin from the wallet before they are liquidated. */
export interface SetAutoMargin {
  readonly kind: 'set-auto-margin'
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  readonly on: boolean
}

/** Ends a contract: closes every position at a price (operator). */
export interface Deliver {
  readonly kind: 'deliver'
  readonly instrument: InstrumentId
  readonly price: Ticks
}

/** Venue-wide settings that the operator's configuration may change. */
interface ConfigureVenue {
  readonly kind: 'configure-venue'
  /** Orders per main account (with its sub-accounts) and UTC day, from which more are refused; zero: none are. */
  readonly dailyOrdersRestriction: number
}

/** What an account and its sub-accounts may withdraw on chain in a UTC day (operator's configuration). */
interface LimitWithdrawals {
  readonly kind: 'limit-withdrawals'
  /** At index prices, USD of 1e-8; zero: any amount. */
  readonly usdPerDayMax: Amount
}

/** How prices are made, and what bounds them; what is undefined stays. */
export interface ConfigurePricing {
  readonly kind: 'configure-pricing'
  /** An index update further away than this factor, either way, is held back; at least 1. */
  readonly jumpFactor: Rate | undefined
  readonly fundingShortfall: 'full' | 'cap' | undefined
  readonly premiumMean: 'weighted' | 'plain' | undefined
  /** The interest part of an 8-hour funding rate, and how far it may pull the rate from the premium. */
  readonly fundingInterestRate: Rate | undefined
  readonly fundingClamp: Rate | undefined
  readonly coins: readonly {
    readonly coin: CoinId
    /** How old an index may be before it is stale; 0: it never is. */
    readonly indexAgeMsMax: number
  }[]
  readonly instruments: readonly {
    readonly instrument: InstrumentId
    /** Quote units, of inverse contracts USD of 1e-8. */
    readonly impactNotional: Amount | undefined
    readonly fundingRateCap: Rate | undefined
    readonly fundingIntervalHours: number | undefined
  }[]
}

/** A key was made, changed or revoked: the key itself lives outside the engine, the fact is in the journal. */
export interface RecordKeyChange {
  readonly kind: 'record-key-change'
  readonly uid: Uid
  readonly apiKey: string
  readonly change: 'created' | 'revoked' | 'changed'
}

/** From here on the venue goes by later rules. One that names none which are later changes nothing. */
export interface UpgradeRules {
  readonly kind: 'upgrade-rules'
  readonly rules: number
  /** Whose leader told it, for those who cannot follow. */
  readonly release: string
}

export type Command =
  | PlaceOrder
  | AmendOrder
  | ReplaceOrder
  | ClosePositions
  | ReversePosition
  | SetCountdown
  | CancelOrder
  | CancelOrders
  | PlaceTrigger
  | PlacePositionTriggers
  | ModifyTrigger
  | PlaceTrailing
  | PlacePositionTrailing
  | ModifyTrailing
  | CancelTrigger
  | CancelTriggers
  | CreateAccount
  | CreateSubAccount
  | SetSubAccount
  | FreezeAccount
  | SetCollateralType
  | MovePosition
  | SetAccountMode
  | SetBroker
  | SetCopyTrader
  | BindAccount
  | ListCoin
  | ListInstrument
  | SetInstrument
  | SetOrderMinimum
  | SetCollateral
  | SetRisk
  | QuoteConversion
  | ConvertCoins
  | SetConversion
  | Deposit
  | RequestWithdrawal
  | CancelWithdrawal
  | RejectWithdrawal
  | SendDeposit
  | SetDepositWallet
  | SetCoinChain
  | FundHouse
  | SetIndexPrices
  | Transfer
  | Borrow
  | Repay
  | RepayDebts
  | FlashRepay
  | SetCoinLeverage
  | SetLoanTerms
  | SetMarginLevels
  | SetLeverage
  | SetSideLeverages
  | SetAllLeverage
  | SetMarginMode
  | SetHoldMode
  | SetStpMode
  | SettleFunding
  | SetGivenPrices
  | SetPositionMargin
  | SetAutoMargin
  | Deliver
  | RunTimers
  | ConfigureVenue
  | LimitWithdrawals
  | ConfigurePricing
  | RecordKeyChange
  | UpgradeRules
