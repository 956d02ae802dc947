/**
 * What may be asked of the history, and what it answers: the same records that the events carried.
 *
 * Order     newest first, by the number that the engine gave (execution, order, match ...); those numbers grow with time
 * Paging    `next` of one page is the `before...` of the next one: pages neither repeat nor miss a row while new rows
 *           arrive. Undefined: there is nothing older.
 * Windows   `from` and `to` are inclusive; absent: unbounded
 * Lists     an absent list asks for everything, an empty one for nothing
 */
import type { Category, CoinId, InstrumentId, ProductLine } from '../engine/catalog/catalog.ts'
import type { Amount, Millis, Ticks } from '../engine/numbers/numbers.ts'
import type {
  BillType,
  ChainTransfer,
  Conversion,
  ExternalFlow,
  FillEvent,
  FundingPayment,
  FundingSettled,
  InsuranceEvent,
  InterestEvent,
  Liquidation,
  LoanEvent,
  MarginLiquidation,
  OrderRecord,
  PositionClosed,
  PositionMoved,
  RebateEvent,
  RepaymentEvent,
  TradeEvent,
  TransferEvent,
  TriggerRecord,
} from '../engine/protocol/event.ts'
import type {
  HoldMode,
  OrderCause,
  OrderId,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  TriggerKind,
  TriggerStatus,
  Uid,
  WalletType,
} from '../engine/vocabulary.ts'
import type { AccountBill, DealType } from './bill-table.ts'
import type { Candle, PriceKind } from './candles.ts'
import type { LiquidationOffer } from './liquidation-table.ts'

export type { AccountBill, LiquidationOffer }

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Number of the last row if there are older ones; of closed positions the number of the closing. */
  readonly next: number | undefined
  /** Number of the last row, whether there are older ones or not. */
  readonly last: number | undefined
}

interface Window {
  readonly from?: Millis | undefined
  readonly to?: Millis | undefined
}

interface FillsQuery extends Window {
  readonly uid: Uid
  readonly categories?: readonly Category[] | undefined
  readonly wallets?: readonly WalletType[] | undefined
  readonly instrument?: InstrumentId | undefined
  readonly orderId?: OrderId | undefined
  readonly beforeExecId?: number | undefined
  readonly limit: number
}

/** Moves that an account made, gave or took. */
interface PositionMovesQuery extends Window {
  readonly uid: Uid
  readonly category: ProductLine
  readonly instrument?: InstrumentId | undefined
  readonly beforeId?: number | undefined
  readonly limit: number
}

/** The window is over the time of creation. */
interface OrdersQuery extends Window {
  readonly uid: Uid
  readonly categories?: readonly Category[] | undefined
  readonly wallets?: readonly WalletType[] | undefined
  readonly instrument?: InstrumentId | undefined
  readonly orderId?: OrderId | undefined
  readonly clientOid?: string | undefined
  readonly causes?: readonly OrderCause[] | undefined
  readonly orderTypes?: readonly OrderType[] | undefined
  readonly positionSides?: readonly (PositionSide | 'net')[] | undefined
  readonly bookSide?: Side | undefined
  readonly statuses?: readonly OrderStatus[] | undefined
  readonly beforeOrderId?: OrderId | undefined
  readonly limit: number
}

/** The window is over the time of creation. */
interface TriggersQuery extends Window {
  readonly uid: Uid
  readonly categories?: readonly Category[] | undefined
  readonly wallets?: readonly WalletType[] | undefined
  readonly instrument?: InstrumentId | undefined
  readonly orderId?: OrderId | undefined
  readonly clientOid?: string | undefined
  readonly kinds?: readonly TriggerKind[] | undefined
  readonly statuses?: readonly TriggerStatus[] | undefined
  readonly beforeOrderId?: OrderId | undefined
  readonly limit: number
}

/** By number, else by client order id. */
type OrderQuery =
  | { readonly uid: Uid; readonly orderId: OrderId }
  | { readonly uid: Uid; readonly orderId?: undefined; readonly clientOid: string }

interface TradesQuery extends Window {
  readonly instrument: InstrumentId
  readonly beforeMatchId?: number | undefined
  readonly limit: number
}

interface CandlesQuery {
  readonly instrument: InstrumentId
  readonly priceKind: PriceKind
  /** Ascending, full minutes: one candle from each to the next; the last one is the end of all. */
  readonly bounds: readonly Millis[]
}

interface CandlesFound {
  /** The last price before the first bound; undefined: there was none. */
  readonly before: Ticks | undefined
  /** Oldest first, each beginning at its bound; those in which nothing happened are left out. */
  readonly candles: readonly Candle[]
}

interface FundingRatesQuery {
  readonly instrument: InstrumentId
  readonly offset: number
  readonly limit: number
}

/** Transfers that the account sent or received. */
interface TransfersQuery extends Window {
  readonly uid: Uid
  /** Between accounts: with this other one, or with any. */
  readonly between?: Uid | 'accounts' | undefined
  /** Only those that the account sent, or that it received. */
  readonly role?: 'sender' | 'receiver' | undefined
  readonly coin?: CoinId | undefined
  readonly fromWallet?: WalletType | undefined
  readonly toWallet?: WalletType | undefined
  readonly clientOid?: string | undefined
  readonly beforeId?: number | undefined
  readonly limit: number
}

interface AccountQuery extends Window {
  readonly uid: Uid
  readonly beforeId?: number | undefined
  readonly limit: number
}

export interface MoneyQuery extends AccountQuery {
  /** The row with this number only. */
  readonly id?: number | undefined
  readonly coin?: CoinId | undefined
  readonly wallet?: WalletType | undefined
}

interface RepaymentsQuery extends MoneyQuery {
  /** The rows with these numbers only. */
  readonly ids?: readonly number[] | undefined
}

/** Bills of one wallet, those of its fills included. */
interface BillsQuery extends AccountQuery {
  readonly wallet: WalletType
  readonly coin?: CoinId | undefined
  readonly categories?: readonly (Category | 'OTHER')[] | undefined
  readonly instrument?: InstrumentId | undefined
  readonly kinds?: BillKinds | undefined
}

/** Which bills are meant, and which fills; an empty list is none. */
interface BillKinds {
  readonly bills: readonly BillKind[]
  readonly fills: readonly FillKind[]
}

export interface BillKind {
  readonly type: BillType | DealType
  /** With a positive amount, or a negative one. */
  readonly comes: 'in' | 'out'
  readonly otherWallet: WalletType | ''
}

/** What a fill must be; absent: anything. */
export interface FillKind {
  readonly type: DealType
  readonly cause?: OrderCause | undefined
  readonly effect?: FillEvent['effect'] | undefined
  readonly bookSide?: Side | undefined
  readonly holdMode?: HoldMode | undefined
}

/** Of an account: the last sample before `from`, else the first since, and the newest of each `step` from `from` to `to`. */
interface EquityQuery {
  readonly uid: Uid
  readonly from: Millis
  readonly to: Millis
  readonly step: Millis
}

/** USDT in 1e-8. */
interface EquityPoint {
  readonly at: Millis
  readonly equity: Amount
  /** Moved in since the point before, less what was moved out; of the first point nothing. */
  readonly moved: bigint
}

/** Of one coin. */
interface InsuranceQuery {
  readonly coin: CoinId
  readonly limit: number
}

/** What the insurance fund of a coin gave (positive) and took in one hour, and had at its end. */
interface InsuranceHour {
  readonly start: Millis
  readonly amount: Amount
  readonly balance: Amount
}

interface ConversionsQuery extends AccountQuery {
  /** Undefined: all. */
  readonly wallets?: readonly WalletType[] | undefined
  /** By the house, by a quote; else those that paid a debt too. */
  readonly quoted?: true | undefined
  readonly fromCoin?: CoinId | undefined
  readonly toCoin?: CoinId | undefined
}

interface LiquidationOffersQuery {
  readonly instruments: readonly InstrumentId[]
  readonly beforeId?: number | undefined
  readonly limit: number
}

interface MarginLiquidationsQuery extends AccountQuery {
  readonly wallet: WalletType
}

interface ExternalFlowsQuery extends MoneyQuery {
  /** Absent: both. */
  readonly kind?: ExternalFlow['kind'] | undefined
}

/** Deposits or withdrawals that have ended; the window is over the time of creation. */
interface ChainTransfersQuery extends AccountQuery {
  readonly direction: ChainTransfer['direction']
  /** The row with this number only. */
  readonly id?: number | undefined
  readonly coin?: CoinId | undefined
  readonly clientOid?: string | undefined
}

/** The window is over the payment or the closing of the position. */
export interface FuturesQuery extends AccountQuery {
  readonly wallets?: readonly WalletType[] | undefined
  readonly instruments?: readonly InstrumentId[] | undefined
}

interface ClosedPositionsQuery extends FuturesQuery {
  /** Closed before this position was; none if it is not the account's. */
  readonly beforePositionId?: number | undefined
}

interface RebatesQuery extends AccountQuery {
  readonly coin?: CoinId | undefined
}

/** What moved an account; with an instrument only what moved its positions there. */
interface LineageQuery {
  readonly uid: Uid
  readonly wallet?: WalletType | undefined
  readonly instrument?: InstrumentId | undefined
  readonly from?: Millis | undefined
  readonly limit: number
}

/** Something that happened, and the command that caused it: its sequence and kind, 0 and empty where nobody noted them. */
export interface Caused<Event> {
  readonly sequence: number
  readonly command: string
  readonly event: Event
}

export interface Cause extends Caused<object> {
  readonly at: Millis
  /** The table that has it. */
  readonly what: string
}

interface OrderTimeline {
  /** Undefined: it has not ended, or there is none. */
  readonly order: Caused<OrderRecord> | undefined
  readonly fills: readonly Caused<FillEvent>[]
  readonly liquidation: LiquidationTimeline | undefined
  /** The trigger order of this number; undefined: it waits, or there is none. */
  readonly trigger: Caused<TriggerRecord> | undefined
}

/** A liquidation with its orders, their fills, and postings of the insurance fund; counterparties' included. */
interface LiquidationTimeline extends Caused<Liquidation | MarginLiquidation> {
  readonly orders: readonly OrderRecord[]
  readonly fills: readonly FillEvent[]
  readonly insurance: readonly InsuranceEvent[]
}

/** Liquidations of all accounts. */
interface LiquidationsQuery {
  readonly beforeId?: number | undefined
  readonly limit: number
}

/** A liquidation with what came of it beyond the account. */
interface LiquidationOutcome extends Caused<Liquidation | MarginLiquidation> {
  /** Accounts of which positions were taken (auto-deleveraging). */
  readonly deleveraged: number
  /** What the insurance fund paid, or (negative) took, by coin. */
  readonly insurance: readonly { readonly coin: CoinId; readonly amount: Amount }[]
}

/** Every read by its name; the thread that answers and the door that asks both follow it. */
interface Reads {
  fills: { readonly query: FillsQuery; readonly answer: Page<FillEvent> }
  orders: { readonly query: OrdersQuery; readonly answer: Page<OrderRecord> }
  triggers: { readonly query: TriggersQuery; readonly answer: Page<TriggerRecord> }
  order: { readonly query: OrderQuery; readonly answer: OrderRecord | undefined }
  trades: { readonly query: TradesQuery; readonly answer: Page<TradeEvent> }
  candles: { readonly query: CandlesQuery; readonly answer: CandlesFound }
  fundingRates: { readonly query: FundingRatesQuery; readonly answer: readonly FundingSettled[] }
  transfers: { readonly query: TransfersQuery; readonly answer: Page<TransferEvent> }
  externalFlows: { readonly query: ExternalFlowsQuery; readonly answer: Page<ExternalFlow> }
  chainTransfers: { readonly query: ChainTransfersQuery; readonly answer: Page<ChainTransfer> }
  loans: { readonly query: MoneyQuery; readonly answer: Page<LoanEvent> }
  repayments: { readonly query: RepaymentsQuery; readonly answer: Page<RepaymentEvent> }
  interest: { readonly query: MoneyQuery; readonly answer: Page<InterestEvent> }
  bills: { readonly query: BillsQuery; readonly answer: Page<AccountBill> }
  /** Those of all wallets that are no fills. */
  ownBills: { readonly query: AccountQuery; readonly answer: Page<AccountBill> }
  conversions: { readonly query: ConversionsQuery; readonly answer: Page<Conversion> }
  insurance: { readonly query: InsuranceQuery; readonly answer: readonly InsuranceEvent[] }
  insuranceHours: { readonly query: InsuranceQuery; readonly answer: readonly InsuranceHour[] }
  /** Oldest first. Steps without a sample are left out. */
  equity: { readonly query: EquityQuery; readonly answer: readonly EquityPoint[] }
  liquidationOffers: { readonly query: LiquidationOffersQuery; readonly answer: Page<LiquidationOffer> }
  marginLiquidations: { readonly query: MarginLiquidationsQuery; readonly answer: Page<MarginLiquidation> }
  positionMoves: { readonly query: PositionMovesQuery; readonly answer: Page<PositionMoved> }
  fundingPayments: { readonly query: FuturesQuery; readonly answer: Page<FundingPayment> }
  positions: { readonly query: ClosedPositionsQuery; readonly answer: Page<PositionClosed> }
  rebates: { readonly query: RebatesQuery; readonly answer: Page<RebateEvent> }
  lineage: { readonly query: LineageQuery; readonly answer: readonly Cause[] }
  orderTimeline: { readonly query: { readonly orderId: OrderId }; readonly answer: OrderTimeline }
  liquidations: { readonly query: LiquidationsQuery; readonly answer: Page<LiquidationOutcome> }
  liquidationTimeline: {
    readonly query: { readonly liquidationId: number }
    readonly answer: LiquidationTimeline | undefined
  }
}

export type ReadName = keyof Reads
export type ReadQuery<Name extends ReadName> = Reads[Name]['query']
export type Answer<Name extends ReadName> = Reads[Name]['answer']
