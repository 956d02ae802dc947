/**
 * Queries: everything that may be asked of the engine's state, and the views it answers with.
 *
 * Holds     a query changes nothing; an answer is plain data in ticks, lots and units
 * Source    design.md §1 (two ports), §3; risk-engine.md §21
 */
import type {
  Catalog,
  Category,
  CoinId,
  ConversionSettings,
  InstrumentId,
  MarginLevels,
  NetworkName,
  PricingSettings,
  ProductLine,
  RiskSettings,
} from '../catalog/catalog.ts'
import type { Amount, Lots, Millis, Rate, Ticks } from '../numbers/numbers.ts'
import type {
  AccountMode,
  HoldMode,
  IndexHalt,
  Interface,
  MarginMode,
  OrderId,
  PositionSide,
  Side,
  StpMode,
  TriggerKind,
  Uid,
  WalletType,
} from '../vocabulary.ts'
import type { OrderReference } from './command.ts'
import type { ChainTransfer, OrderRecord, TriggerRecord, WithdrawalAddress } from './event.ts'
import type { Explained, ExplainSubject } from './explanation.ts'
import type { Refusal } from './reply.ts'

export interface AccountView {
  readonly uid: Uid
  readonly kind: 'main' | 'sub'
  readonly parentUid: Uid | undefined
  readonly name: string
  readonly note: string
  readonly mode: AccountMode
  /** Present while the mode of a hybrid account changes (`modeRead`). */
  readonly leavesHybrid?: true
  readonly stpMode: StpMode
  readonly holdMode: Readonly<Record<ProductLine, HoldMode>>
  readonly broker: { readonly channelCode: string; readonly rebateRate: Rate } | undefined
  /** Announced instruments of an elite trader. */
  readonly copyTrader: readonly InstrumentId[] | undefined
  /** Since when somebody else manages this sub-account; undefined: nobody does. */
  readonly boundAt: Millis | undefined
  readonly createdAt: Millis
  readonly updatedAt: Millis
  /** By its main account or by the operator. */
  readonly frozen: boolean
  readonly frozenByOperator: boolean
  /** What its keys may do at most; undefined: whatever each key may. */
  readonly permissions: readonly string[] | undefined
  /** Orders of the main account and its sub-accounts on the current UTC day. */
  readonly dailyOrders: number
}

/** Settings of one contract for one account, defaults included. */
export interface SymbolSettingView {
  readonly instrument: InstrumentId
  readonly marginMode: MarginMode
  readonly leverage: number
  readonly leverageLong: number
  readonly leverageShort: number
}

/** One coin in one wallet. balance = available + held; debt = principal + interest owed. */
export interface BalanceView {
  readonly coin: CoinId
  readonly balance: Amount
  readonly held: Amount
  /** What a new order or transfer may use; wallets that carry margin count it. */
  readonly available: Amount
  readonly transferable: Amount
  readonly principal: Amount
  readonly interest: Amount
}

/** One margin coin of one futures wallet (risk-engine §21). */
export interface FuturesAssetView {
  readonly coin: CoinId
  readonly wallet: WalletType
  /** Held by open orders. */
  readonly held: Amount
  readonly crossMaxAvailable: Amount
  readonly isolatedMaxAvailable: Amount
  readonly maxTransferOut: Amount
  readonly equity: Amount
  readonly usdtEquity: bigint
  readonly btcEquity: bigint
  readonly unrealizedPnl: Amount
  readonly crossUnrealizedPnl: Amount
  readonly isolatedUnrealizedPnl: Amount
  readonly crossMargin: Amount
  /** Maintenance margin of the whole unified account, in this coin; zero for a classic wallet. */
  readonly unifiedMaintenance: Amount
  /** Of a unified account: maintenance over adjusted equity, 1e-12; at 1 it is liquidated. */
  readonly unifiedRatio: Rate
  readonly isolatedMargin: Amount
  readonly assetMode: 'single' | 'union'
  readonly updatedAt: Millis
}

export interface PositionView {
  readonly positionId: number
  readonly instrument: InstrumentId
  readonly wallet: WalletType
  readonly side: PositionSide
  readonly quantity: Lots
  /** Occupied by resting closing orders. */
  readonly locked: Lots
  /** Remaining of opening orders on this side. */
  readonly opening: Lots
  /** Their notional at their prices, rounded down: quote units (linear), base units (inverse). */
  readonly openingNotional: Amount
  readonly margin: Amount
  readonly leverage: number
  readonly marginMode: MarginMode
  readonly holdMode: HoldMode
  readonly realizedPnl: Amount
  readonly unrealizedPnl: Amount
  /** Notional at entry, in units of the settlement coin. */
  readonly entryNotional: Amount
  readonly markPrice: Ticks
  /** Zero: none. */
  readonly liquidationPrice: Ticks | 0
  readonly maintenanceRate: Rate
  /** Maintenance margin over equity, 1e-12. */
  readonly marginRatio: Rate
  readonly breakEvenPrice: Ticks
  /** Undefined until the first charge; positive: received. */
  readonly funding: Amount | undefined
  /** Fees since it opened, positive when charged. */
  readonly fees: Amount
  readonly assetMode: 'single' | 'union'
  readonly autoMargin: boolean
  readonly takeProfit: { readonly orderId: OrderId; readonly trigger: Ticks } | undefined
  readonly stopLoss: { readonly orderId: OrderId; readonly trigger: Ticks } | undefined
  readonly openedAt: Millis
  readonly updatedAt: Millis
}

/** An open position, with what its `fees` are made of. */
export interface OpenPositionView extends PositionView {
  readonly openFees: Amount
  readonly closeFees: Amount
}

/** Best first; at most `limit` levels a side. */
export interface DepthView {
  readonly bids: readonly (readonly [Ticks, Lots])[]
  readonly asks: readonly (readonly [Ticks, Lots])[]
  readonly at: Millis
}

/** What is matched before a resting order at its price, and what after it; lots that are left. */
export interface QueuePlaceView {
  readonly uid: Uid
  readonly instrument: InstrumentId
  readonly bookSide: Side
  readonly price: Ticks
  readonly remaining: Lots
  readonly ahead: Lots
  readonly aheadOrders: number
  readonly behind: Lots
  readonly behindOrders: number
  /** All of the level. */
  readonly level: Lots
}

export interface PricesView {
  readonly instrument: InstrumentId
  readonly lastPrice: Ticks | 0
  readonly markPrice: Ticks
  readonly indexPrice: Ticks
  readonly fundingRate: Rate
  /** Zero for spot. */
  readonly nextFundingAt: Millis
  /** Lots held long (equal to lots held short). */
  readonly openInterest: Lots
  /** Why the index is halted: no funding, no liquidation, only orders that reduce; undefined: it is not halted. */
  readonly indexHalt: IndexHalt | undefined
  /** Mark and funding rate from elsewhere that hold in place of the formulas; undefined: none do. */
  readonly given:
    | {
        readonly markPrice: Ticks | undefined
        readonly fundingRate: Rate | undefined
        readonly until: Millis
      }
    | undefined
}

/** Coins without a price that can be believed; what is halted for it, or because its own index is out of range. */
export interface IndexHaltsView {
  readonly coins: readonly { readonly coin: CoinId; readonly cause: IndexHalt }[]
  readonly instruments: readonly InstrumentId[]
}

/** What would happen by time alone, were it a later moment. */
export interface FallsDueView {
  /** Of the loan that has most. */
  readonly interestHours: number
  /** Of all of them, in units of each coin. */
  readonly interest: readonly { readonly coin: CoinId; readonly units: bigint }[]
  /** Contracts whose funding would be settled. */
  readonly funding: readonly InstrumentId[]
  /** Accounts whose countdown would cancel their orders. */
  readonly countdowns: number
}

export interface VerifyView {
  readonly balanced: boolean
  /** Every fault found, in words; empty when balanced. */
  readonly faults: readonly string[]
  readonly coins: readonly CoinSums[]
}

/** What all wallets and each house account have of a coin; their sum is zero, or money was made or lost. */
export interface CoinSums {
  readonly coin: string
  readonly sum: Amount
  readonly accounts: Amount
  /** `external` is minus what came in and did not leave. */
  readonly house: Readonly<Record<string, Amount>>
}

interface InsuranceFundView {
  readonly coin: CoinId
  readonly balance: Amount
  /** The highest balance so far. */
  readonly highest: Amount
  /** Counterparties, not the fund, take over what the book does not take of a liquidation. */
  readonly deleveraging: boolean
}

/** Entries of each table of the state, by its name in words joined by hyphens. */
export type TableCounts = Readonly<Record<string, number>>

/** Orders placed on the current UTC day, by families of a main account with its sub-accounts. */
export interface DailyOrdersView {
  readonly total: number
  /** Of the family that placed most. */
  readonly highest: number
}

interface MarginAccountView {
  readonly borrowable: Amount
  readonly transferable: Amount
  readonly dailyInterestRate: Rate
  /** Of borrowing this coin, as the account chose it. */
  readonly leverage: number
}

/** The margin state of a margin wallet; USD of 1e-8, rounded against the account. */
interface MarginWalletView {
  readonly assetsUsd: bigint
  readonly debtUsd: bigint
  /** Undefined: no debt. */
  readonly level: Rate | undefined
  /** Liquidation level over margin level; zero without debt. */
  readonly riskRate: Rate
  /** When the next hour of a loan begins; undefined: no loan. */
  readonly nextInterestAt: Millis | undefined
}

/** The margin of a unified account (risk-engine §16); USD of 1e-8, what is needed rounded up. */
interface UnifiedMarginView {
  /** Adjusted: collateral at its ratios less debt in full. */
  readonly equity: bigint
  /** Of positions, orders and debt. */
  readonly initial: bigint
  readonly maintenance: bigint
  /** The part of the maintenance that positions need. */
  readonly maintenanceOfPositions: bigint
}

/** A pool of collateral, which is liquidated as one (risk-engine §5, §6, §16, §17). */
export interface MarginPoolView {
  readonly uid: Uid
  readonly wallet: WalletType
  /** That equity and maintenance are in; undefined: USD of 1e-8, of all coins of the wallet. */
  readonly coin: CoinId | undefined
  /** Of an isolated position, with its side; undefined: whatever else the wallet has open. */
  readonly instrument: InstrumentId | undefined
  readonly side: PositionSide | undefined
  readonly equity: bigint
  readonly maintenance: bigint
  /** Maintenance over equity, 1e-12; at one it is liquidated. */
  readonly ratio: Rate
  /** A price that counts is not trusted: it is not liquidated until it is. */
  readonly halted: boolean
}

/** Accounts that are nearest to being liquidated, each with its pool of the highest ratio. */
export interface NearLiquidationView {
  readonly pools: readonly MarginPoolView[]
  /** There are others that risk something. */
  readonly more: boolean
}

export interface LargestPosition {
  readonly uid: Uid
  readonly quantity: Lots
}

/** What is open in a contract, over all accounts. */
export interface ExposureView {
  readonly instrument: InstrumentId
  /** Lots held long (equal to lots held short). */
  readonly openInterest: Lots
  /** Its value at the mark, in USD of 1e-8. */
  readonly notionalUsd: bigint
  readonly holdersLong: number
  readonly holdersShort: number
  /** Not of the insurance fund; undefined: nobody has any. */
  readonly largestLong: LargestPosition | undefined
  readonly largestShort: LargestPosition | undefined
  /** What the insurance fund holds, long less short. */
  readonly fundLots: number
}

interface LendingView {
  /** Lent out of the pool, over all accounts. */
  readonly lent: Amount
  readonly levels: MarginLevels
}

/** A position's place in the queue of auto-deleveraging. */
export interface AdlRankView {
  readonly instrument: InstrumentId
  readonly side: PositionSide
  /** Five: in the first fifth of the queue; one: in the last. */
  readonly indicator: number
  /** Share of the queue that comes after it, itself included: one is the first to be deleveraged. */
  readonly rank: Rate
}

/** The largest order that opens: lots, and what an order of the size that was asked for would hold. */
interface MaxOpenSide {
  readonly most: Lots
  readonly cost: Amount | undefined
}

export interface MaxOpenView {
  /** Of the settlement coin, for new risk. */
  readonly available: Amount
  readonly buy: MaxOpenSide
  readonly sell: MaxOpenSide
}

/** What is owed to accounts and what the venue has, so that anybody can compare the two. */
export interface ReservesView {
  /**
   * Every account with money, in the order of their numbers, and what it has of each coin. Balances and isolated margin
   * count, less debt, with the entry value of its positions. Over all accounts, entry value is their profit against each other.
   */
  readonly accounts: readonly { readonly uid: Uid; readonly units: ReadonlyMap<CoinId, bigint> }[]
  /** Units of each coin that came in and did not leave, in the order of the coins. */
  readonly inside: readonly bigint[]
}

/** What a leverage of a contract would need, and the largest order that would then open at the mark price. */
export interface LeveragePreview {
  readonly maxOpen: Lots
  /** Units of the settlement coin: margin of positions and orders, and how much more that is than now. */
  readonly required: Amount
  readonly change: Amount
}

/** What a leverage of borrowing a coin would allow, and the equity that all debt would need; in units of the coin. */
export interface CoinLeveragePreview {
  readonly borrowable: Amount
  readonly required: Amount
  readonly change: Amount
}

/** A coin that the house converts, and the least and the most of it that one conversion takes. */
export interface ConvertibleView {
  readonly coin: CoinId
  readonly minimum: Amount
  readonly maximum: Amount
}

/** Rules of the whole venue that the operator may change. */
interface SettingsView {
  readonly risk: RiskSettings
  readonly pricing: Readonly<PricingSettings>
  readonly conversion: ConversionSettings
}

interface Queries {
  catalog: { readonly ask: object; readonly answer: Catalog }
  account: { readonly ask: { readonly uid: Uid }; readonly answer: AccountView | undefined }
  accounts: { readonly ask: object; readonly answer: readonly AccountView[] }
  'account-count': { readonly ask: object; readonly answer: number }
  /** By its place among all, of which the oldest has 0; undefined: there are not so many. */
  'account-at': { readonly ask: { readonly place: number }; readonly answer: AccountView | undefined }
  'sub-accounts': { readonly ask: { readonly uid: Uid }; readonly answer: readonly AccountView[] }
  'symbol-settings': {
    readonly ask: { readonly uid: Uid; readonly interface: Interface; readonly instrument: InstrumentId | undefined }
    readonly answer: readonly SymbolSettingView[]
  }
  balances: {
    readonly ask: { readonly uid: Uid; readonly wallet: WalletType }
    readonly answer: readonly BalanceView[]
  }
  'futures-assets': {
    readonly ask: { readonly uid: Uid; readonly interface: Interface; readonly line: ProductLine }
    readonly answer: readonly FuturesAssetView[]
  }
  positions: {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly line: ProductLine
      readonly instrument: InstrumentId | undefined
    }
    readonly answer: readonly OpenPositionView[]
  }
  /** A live order of the account, by number or client order id. */
  order: {
    readonly ask: { readonly uid: Uid; readonly order: OrderReference }
    readonly answer: OrderRecord | undefined
  }
  /** Newest first. */
  'open-orders': {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly category: Category | undefined
      readonly instrument: InstrumentId | undefined
    }
    readonly answer: readonly OrderRecord[]
  }
  /** A live trigger order of the account, by number or client order id. */
  trigger: {
    readonly ask: { readonly uid: Uid; readonly order: OrderReference }
    readonly answer: TriggerRecord | undefined
  }
  /** Newest first. */
  triggers: {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly category: Category | undefined
      readonly instrument: InstrumentId | undefined
      /** None: of any kind. */
      readonly kinds: readonly TriggerKind[]
    }
    readonly answer: readonly TriggerRecord[]
  }
  depth: { readonly ask: { readonly instrument: InstrumentId; readonly limit: number }; readonly answer: DepthView }
  /** Where an order stands in the queue of its level; undefined: no such order rests. */
  'queue-place': { readonly ask: { readonly orderId: OrderId }; readonly answer: QueuePlaceView | undefined }
  /** The command that last changed a book: while it stays the same, so does the depth. */
  'book-sequence': { readonly ask: { readonly instrument: InstrumentId }; readonly answer: number }
  /** Index price of each coin in USD, 1e-8, in the order of the coins. */
  'index-prices': { readonly ask: object; readonly answer: readonly bigint[] }
  prices: { readonly ask: { readonly instrument: InstrumentId }; readonly answer: PricesView }
  'index-halts': { readonly ask: object; readonly answer: IndexHaltsView }
  /** By a moment in Unix milliseconds. Reads every loan. */
  'falls-due': { readonly ask: { readonly by: Millis }; readonly answer: FallsDueView }
  'margin-account': { readonly ask: { readonly uid: Uid; readonly coin: CoinId }; readonly answer: MarginAccountView }
  'margin-wallet': {
    readonly ask: { readonly uid: Uid; readonly interface: Interface }
    readonly answer: MarginWalletView
  }
  'unified-margin': { readonly ask: { readonly uid: Uid }; readonly answer: UnifiedMarginView }
  /** Of an account; none that risks nothing. */
  'margin-pools': { readonly ask: { readonly uid: Uid }; readonly answer: readonly MarginPoolView[] }
  'near-liquidation': { readonly ask: { readonly limit: number }; readonly answer: NearLiquidationView }
  /** Reads every exposure. */
  exposure: { readonly ask: object; readonly answer: readonly ExposureView[] }
  lending: { readonly ask: { readonly coin: CoinId }; readonly answer: LendingView }
  'adl-ranks': {
    readonly ask: { readonly uid: Uid; readonly interface: Interface; readonly line: ProductLine | undefined }
    readonly answer: readonly AdlRankView[]
  }
  /** Of one futures contract, at a limit price or (zero) at market; undefined without such an account or contract. */
  'max-open': {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly instrument: InstrumentId
      readonly price: Ticks | 0
      readonly size: Lots | undefined
    }
    readonly answer: MaxOpenView | undefined
  }
  /** Where a position would be liquidated after an order of so many lots at a price; 0: nowhere, undefined: as max-open. */
  'estimated-liquidation': {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly instrument: InstrumentId
      readonly side: PositionSide
      readonly lots: Lots
      readonly price: Ticks
    }
    readonly answer: Ticks | 0 | undefined
  }
  /** Accounts that hold a contract long and short; one that trades from two wallets may count in both. */
  holders: {
    readonly ask: { readonly instrument: InstrumentId }
    readonly answer: { readonly long: number; readonly short: number }
  }
  /** Lots of an account in a contract, long less short, over all its wallets; zero of an account that there is not. */
  'net-position': {
    readonly ask: { readonly uid: Uid; readonly instrument: InstrumentId }
    readonly answer: number
  }
  'leverage-preview': {
    readonly ask: {
      readonly uid: Uid
      readonly interface: Interface
      readonly instrument: InstrumentId
      readonly marginMode: MarginMode
      readonly long: number
      readonly short: number
    }
    readonly answer: LeveragePreview | Refusal
  }
  /** Borrowing in the unified wallet. */
  'coin-leverage-preview': {
    readonly ask: { readonly uid: Uid; readonly coin: CoinId; readonly leverage: number }
    readonly answer: CoinLeveragePreview | Refusal
  }
  /** Lots that an amount of margin opens at a price, whatever the account has. */
  'open-count': {
    readonly ask: {
      readonly instrument: InstrumentId
      readonly amount: Amount
      readonly price: Ticks
      readonly leverage: number
    }
    readonly answer: Lots
  }
  /** Undefined: there is no such account, or the coin has no such network. */
  'deposit-address': {
    readonly ask: { readonly uid: Uid; readonly coin: CoinId; readonly network: NetworkName }
    readonly answer: { readonly address: string; readonly tag: string } | undefined
  }
  /** Those that are under way, newest first, with their confirmations so far. */
  'chain-transfers': {
    readonly ask: { readonly uid: Uid; readonly direction: ChainTransfer['direction'] }
    readonly answer: readonly { readonly transfer: ChainTransfer; readonly confirmed: number }[]
  }
  /** Newest first. */
  'withdrawal-addresses': { readonly ask: { readonly uid: Uid }; readonly answer: readonly WithdrawalAddress[] }
  /** What the insurance fund of a coin has. */
  'insurance-fund': { readonly ask: { readonly coin: CoinId }; readonly answer: Amount }
  /** The insurance funds of all coins. */
  'insurance-funds': { readonly ask: object; readonly answer: readonly InsuranceFundView[] }
  /** Reads every wallet. */
  'coin-sums': { readonly ask: object; readonly answer: readonly CoinSums[] }
  /** What the venue owes and has. Reads every account. */
  reserves: { readonly ask: object; readonly answer: ReservesView }
  /** What a unified account chose as collateral, and the coins that this means. */
  collateral: {
    readonly ask: { readonly uid: Uid }
    readonly answer: { readonly choice: 'all' | 'mainstream' | 'custom'; readonly coins: readonly CoinId[] }
  }
  /** Coins with a price that can be believed, in the order of the coins. */
  convertible: { readonly ask: object; readonly answer: readonly ConvertibleView[] }
  /** The price of a quote that the account was given, 1e-12; undefined: it was not, or long ago. */
  'quoted-price': {
    readonly ask: { readonly uid: Uid; readonly quoteId: number }
    readonly answer: bigint | undefined
  }
  'daily-orders': { readonly ask: object; readonly answer: DailyOrdersView }
  /** Reads every account. */
  'table-counts': { readonly ask: object; readonly answer: TableCounts }
  settings: { readonly ask: object; readonly answer: SettingsView }
  verify: { readonly ask: object; readonly answer: VerifyView }
  /** Undefined: there is no such account or live order. */
  explain: { readonly ask: { readonly subject: ExplainSubject }; readonly answer: Explained | undefined }
}

export type QueryKind = keyof Queries
export type Query<K extends QueryKind = QueryKind> = { [Kind in K]: { readonly kind: Kind } & Queries[Kind]['ask'] }[K]
export type Answer<K extends QueryKind> = Queries[K]['answer']
