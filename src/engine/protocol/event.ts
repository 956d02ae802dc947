/**
 * Events: what happened, in the engine's terms, for history, market data and streams.
 *
 * Order     events of one command leave in the order in which things happened
 * Numbers   money is units of 1e-8 as bigint, prices are ticks, quantities lots; the catalogue gives the scales
 * Signs     fees are positive when charged; realized PnL excludes fees
 * Source    design.md §4.26, §4.33, §4.34; interface.md Fill, Public fill, Futures order
 */
import type { Category, CoinId, InstrumentId, NetworkName, ProductLine } from '../catalog/catalog.ts'
import type { Amount, Lots, Millis, Rate, Ticks } from '../numbers/numbers.ts'
import type {
  CallbackRate,
  CancelReason,
  HoldMode,
  IndexHalt,
  LoanType,
  MarginMode,
  OrderCause,
  OrderId,
  OrderIntent,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  StpMode,
  TimeInForce,
  TpslTerms,
  TriggerKind,
  TriggerPrice,
  TriggerStatus,
  Uid,
  WalletType,
} from '../vocabulary.ts'
import type { Refusal } from './reply.ts'

/** One order; the same record for open orders and for ended ones. */
export interface OrderRecord {
  readonly orderId: OrderId
  readonly clientOid: string
  readonly uid: Uid
  readonly wallet: WalletType
  readonly category: Category
  readonly instrument: InstrumentId
  /** As sent (v2 hedge closes name the position's direction). */
  readonly side: Side
  /** Side of the book. */
  readonly bookSide: Side
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  /** Zero for market orders. */
  readonly price: Ticks | 0
  /** Lots ordered, less those that were cut; zero for a market buy by quote amount. */
  readonly quantity: Lots
  /** Lots that were taken off because the position had shrunk. */
  readonly cut: Lots
  /** Quote amount of a spot market buy, else zero. */
  readonly quoteAmount: Amount
  /** Base coin as sent of a v2 inverse order, else zero. */
  readonly baseAmount: Amount
  readonly filled: Lots
  /** Sum of notional of the fills: quote coin (spot, linear), base coin (inverse). */
  readonly filledNotional: Amount
  /** Average price of the fills, 1e-8 of the quote, to the nearest; zero before the first. */
  readonly averagePriceE8: bigint
  readonly fee: Amount
  readonly feeCoin: CoinId
  readonly realizedPnl: Amount
  readonly status: OrderStatus
  readonly cancelReason: CancelReason
  readonly cause: OrderCause
  readonly intent: OrderIntent
  /** `net` in one-way mode and for spot. */
  readonly positionSide: PositionSide | 'net'
  readonly reduceOnly: boolean
  readonly holdMode: HoldMode
  readonly marginMode: MarginMode
  readonly leverage: number
  readonly stpMode: StpMode
  /** Of MARGIN orders. */
  readonly loanType: LoanType
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
  /** Average entry price of the position when the order last filled, 1e-8, to the decimals of an average; zero: none. */
  readonly positionEntryE8: bigint
  readonly channelCode: string
  readonly createdAt: Millis
  readonly updatedAt: Millis
}

/** One side of a match. A fill that flips a position is two of these with one link. */
export interface FillEvent {
  readonly kind: 'fill'
  readonly execId: number
  /** Id of the match: the `execId` of the public fill. */
  readonly matchId: number
  readonly orderId: OrderId
  readonly clientOid: string
  readonly uid: Uid
  readonly wallet: WalletType
  readonly category: Category
  readonly instrument: InstrumentId
  readonly side: Side
  readonly bookSide: Side
  readonly orderType: OrderType
  readonly scope: 'maker' | 'taker'
  readonly cause: OrderCause
  readonly holdMode: HoldMode
  /** Effect on the position; `spot` for spot and margin. */
  readonly effect: 'open' | 'close' | 'spot'
  readonly positionSide: PositionSide | 'net'
  readonly price: Ticks
  readonly quantity: Lots
  /** Quote coin (spot, linear), base coin (inverse). */
  readonly notional: Amount
  readonly fee: Amount
  readonly feeCoin: CoinId
  readonly realizedPnl: Amount
  /** Balance of the fee's coin after the fill. Fills are numbered among the bills, in the order of the postings. */
  readonly balance: Amount
  /** Spot: the coin that was paid, and its balance after the fill. That posting has the number after `execId`. */
  readonly paidCoin: CoinId | undefined
  readonly paidBalance: Amount
  /** Spot: units of base coin that changed hands. */
  readonly baseAmount: Amount
  readonly at: Millis
}

/** The public side of a match. */
export interface TradeEvent {
  readonly kind: 'trade'
  readonly matchId: number
  readonly instrument: InstrumentId
  readonly price: Ticks
  readonly quantity: Lots
  /** Side of the taker. */
  readonly side: Side
  readonly at: Millis
}

/** An order rests in its book from now on; a query gives its record. `order-ended` is its last event. */
interface OrderAccepted {
  readonly kind: 'order-accepted'
  readonly uid: Uid
  readonly orderId: OrderId
}

/** A resting order has other terms from now on; a query gives its record. Fills that follow at once come after. */
interface OrderAmended {
  readonly kind: 'order-amended'
  readonly uid: Uid
  readonly orderId: OrderId
  /** As the request named it, or empty. */
  readonly requestId: string
}

/** A closing order has less left from now on, because its position has shrunk; a query gives its record. */
interface OrderCut {
  readonly kind: 'order-cut'
  readonly uid: Uid
  readonly orderId: OrderId
  /** Lots that were taken off, and what that is of a size in base coin. */
  readonly cut: Lots
  readonly baseCut: Amount
}

/** Filled or canceled: the last event of an order. */
interface OrderEnded {
  readonly kind: 'order-ended'
  readonly order: OrderRecord
  /** Of the change that ended it, as the request named it. */
  readonly requestId?: string
}

/** What a trailing order has besides. Rates are hundredths of a percent. */
export interface TrailingRecord {
  readonly rate: CallbackRate
  /** Zero: it was to be active at once. */
  readonly activation: Ticks | 0
  /** The best price since it is active; zero: it is not. */
  readonly best: Ticks | 0
  /** Of the take-profit and stop-loss of what it opens; zero: none. */
  readonly takeProfitRate: number
  readonly stopLossRate: number
}

/** One trigger order; the same record for waiting ones and for ended ones. */
export interface TriggerRecord {
  readonly orderId: OrderId
  readonly clientOid: string
  readonly uid: Uid
  readonly wallet: WalletType
  readonly category: Category
  readonly instrument: InstrumentId
  readonly trigger: TriggerKind
  /** What it waits for: a trailing one for its activation price, then for what its best price makes its trigger price. */
  readonly price: Ticks
  /** Trailing orders alone have it. */
  readonly trailing?: TrailingRecord
  readonly by: TriggerPrice
  /** Price of the order that comes of it; zero: at market. */
  readonly execute: Ticks | 0
  /** As sent; of a position's take-profit or stop-loss the side that closes it. */
  readonly side: Side
  readonly bookSide: Side
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  readonly reduceOnly: boolean
  readonly holdMode: HoldMode
  readonly marginMode: MarginMode
  readonly stpMode: StpMode
  /** Lots; zero for a whole position, a quote amount, and base coin of a v2 inverse plan. */
  readonly quantity: Lots
  readonly quoteAmount: Amount
  readonly baseAmount: Amount
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
  readonly status: TriggerStatus
  /** Why the order that came of it was refused. */
  readonly failure: Refusal['kind'] | ''
  /** The take-profit or stop-loss that was set together with this one; zero: none. */
  readonly partner: OrderId | 0
  /** The order that came of it; zero: none. */
  readonly executedOrderId: OrderId | 0
  readonly channelCode: string
  readonly createdAt: Millis
  readonly updatedAt: Millis
}

/** A trigger order waits from now on, or waits with other terms. */
interface TriggerAccepted {
  readonly kind: 'trigger-accepted'
  readonly uid: Uid
  readonly orderId: OrderId
}

/** Executed, failed or canceled: the last event of a trigger order. */
interface TriggerEnded {
  readonly kind: 'trigger-ended'
  readonly trigger: TriggerRecord
}

export interface TransferEvent {
  readonly kind: 'transfer'
  readonly transferId: number
  readonly clientOid: string
  readonly actorUid: Uid
  readonly fromUid: Uid
  readonly toUid: Uid
  readonly fromWallet: WalletType
  readonly toWallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  readonly at: Millis
}

/** Money that entered the venue or left it. */
export interface ExternalFlow {
  readonly kind: 'deposit' | 'withdrawal'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  readonly at: Millis
}

/**
 * `pending`: a deposit waits for its blocks, a withdrawal to be sent · `processing`: a withdrawal waits for its blocks. The others
 * are ends.
 */
export type ChainStatus = 'pending' | 'processing' | 'success' | 'fail' | 'cancel'

/** A deposit or a withdrawal, over a network or inside the venue. As an event: it has ended. */
export interface ChainTransfer {
  readonly kind: 'chain-transfer'
  readonly id: number
  readonly uid: Uid
  readonly direction: 'deposit' | 'withdrawal'
  readonly destination: 'on_chain' | 'internal'
  readonly coin: CoinId
  /** Empty inside the venue. */
  readonly network: NetworkName | ''
  /** Of a withdrawal: what left the wallets, the fee in it. */
  readonly amount: Amount
  readonly fee: Amount
  readonly status: ChainStatus
  /** Addresses; inside the venue account numbers. */
  readonly fromAddress: string
  readonly toAddress: string
  readonly tag: string
  /** Of the transaction that carries it; empty before it is sent. */
  readonly transactionId: string
  /** The wallets that gave it, or the one that received it; of a deposit that is not there yet none. */
  readonly wallets: readonly { readonly wallet: WalletType; readonly amount: Amount }[]
  readonly clientOid: string
  readonly remark: string
  /** The block that it stands in; 0: none yet. */
  readonly block: number
  /** Confirmations that end it. */
  readonly confirmations: number
  readonly createdAt: Millis
  readonly updatedAt: Millis
}

/** Where an account withdrew to. */
export interface WithdrawalAddress {
  /** Number of the first withdrawal to it. */
  readonly id: number
  readonly coin: CoinId
  readonly network: NetworkName | ''
  readonly address: string
  readonly tag: string
  readonly at: Millis
}

export interface LoanEvent {
  readonly kind: 'loan'
  readonly loanId: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  /** `shortfall`: what the futures of a unified wallet lost beyond it. */
  readonly cause: 'order' | 'request' | 'shortfall'
  readonly at: Millis
}

export interface RepaymentEvent {
  readonly kind: 'repayment'
  readonly repayId: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly principal: Amount
  readonly interest: Amount
  /** `insurance`: the insurance fund paid what the account could not. */
  readonly cause: 'request' | 'order-ended' | 'incoming' | 'liquidation' | 'insurance'
  readonly at: Millis
}

/** One hour of one loan. */
export interface InterestEvent {
  readonly kind: 'interest'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  readonly loanId: number
  readonly dailyInterestRate: Rate
  /** The hour that begins with the loan, or one after it. */
  readonly cause: 'first' | 'hour'
  readonly at: Millis
}

export type BillType =
  | 'transfer_in'
  | 'transfer_out'
  | 'deposit'
  | 'withdrawal'
  /** A withdrawal that was canceled or failed. */
  | 'withdrawal_returned'
  | 'borrow'
  | 'repay'
  /** Interest that was owed and is paid. */
  | 'interest'
  | 'liquidation_fee'
  /** What the insurance fund took and gave in a liquidation. */
  | 'sys_exchange_in'
  | 'sys_exchange_out'
  /** What the house took for another coin, and gave. */
  | 'convert_out'
  | 'convert_in'
  | 'funding'
  /** Profit of an open position that paid for what the wallet lacked. */
  | 'profit'
  /** What the insurance fund paid, or (negative) took of what a liquidation left. */
  | 'insurance'
  /** Margin of an isolated position: on request or with its trades and funding, by its leverage, by auto margin. */
  | 'append_margin'
  | 'reduce_margin'
  | 'leverage_margin'
  | 'auto_margin'
  | 'rebate'

/** A change of a wallet's balance that is not a fill's: fills carry their own. */
export interface Bill {
  readonly kind: 'bill'
  /** Bills and fills share one row of numbers, in the order of the postings. */
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly type: BillType
  /** What it belongs to: the product line of a contract, borrowing, or neither. */
  readonly category: Category | 'OTHER'
  /** Positive: came in. A fee is in it already. */
  readonly amount: Amount
  readonly fee: Amount
  readonly balance: Amount
  /** Undefined: not of a contract. */
  readonly instrument: InstrumentId | undefined
  /** Of a transfer the wallet on its other side. */
  readonly otherWallet: WalletType | ''
  readonly at: Millis
}

/** One coin became another: sold for a debt, exchanged by the insurance fund, or (with a price) converted by the house. */
export interface Conversion {
  readonly kind: 'conversion'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly fromCoin: CoinId
  readonly fromAmount: Amount
  readonly toCoin: CoinId
  readonly toAmount: Amount
  /** Of the house's quote, 1e-12; absent where a debt was the reason. */
  readonly price?: bigint
  readonly at: Millis
}

/** The margin level of an account fell to the call level. */
interface MarginCall {
  readonly kind: 'margin-call'
  readonly uid: Uid
  readonly wallet: WalletType
  readonly level: Rate
  readonly at: Millis
}

/** A cross margin account was liquidated; USD of 1e-8 at index prices, levels as it began. */
export interface MarginLiquidation {
  readonly kind: 'margin-liquidation'
  readonly liquidationId: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly level: Rate
  readonly riskRate: Rate
  readonly assetsUsd: Amount
  readonly debtUsd: Amount
  readonly feeUsd: Amount
  /** What the insurance fund paid of the debt. */
  readonly coveredUsd: Amount
  /** What the wallet had and owed as it began. */
  readonly balances: readonly FoundBalance[]
  /** The level at which it is liquidated, and the fund's share of what is sold. */
  readonly liquidationLevel: Rate
  readonly feeRate: Rate
  /** Its orders have these numbers, and its postings those after its own up to the last one. */
  readonly firstOrder: OrderId
  readonly lastOrder: OrderId
  readonly lastFlow: number
  readonly at: Millis
}

/** A position of a breached pool as it was found. */
export interface FoundPosition {
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly quantity: Lots
  /** Its entry value; history saves it by this name. */
  readonly flow: Amount
  /** Isolated margin. */
  readonly margin: Amount
  readonly indexPrice: Ticks
  readonly markPrice: Ticks
  /** This and maintenance in 1e-12 of a unit. */
  readonly unrealizedPnl: bigint
  /** Lots that need maintenance; zero for the smaller side of a cross hedge. */
  readonly counted: Lots
  /** Of the tier, with the taker fee; and its deduction, units × 1e-12. */
  readonly rate: bigint
  readonly deduction: bigint
  readonly maintenance: bigint
}

/** What a wallet had of a coin and owed of it, and its index price in USD of 1e-8. */
export interface FoundBalance {
  readonly coin: CoinId
  readonly balance: Amount
  readonly debt: Amount
  readonly usdE8: bigint
}

export interface LiquidationStep {
  /** `top-up`: auto margin · `reduce` and `close`: offered to the book · `hand-over`: what it did not take. */
  readonly kind: 'offset' | 'top-up' | 'reduce' | 'close' | 'hand-over'
  readonly instrument: InstrumentId
  readonly side: PositionSide
  /** Lots and entry value (saved as `flow`) of the position as the step began, and the lots that the step was about. */
  readonly open: Lots
  readonly flow: Amount
  readonly quantity: Lots
  /** The bankruptcy price; of an offset the mark price, of a top-up zero. */
  readonly price: Ticks | 0
  readonly markPrice: Ticks
  /** What backed the position besides its PnL; of a top-up the margin that was added. */
  readonly backing: bigint
  /** Of a cross pool: equity in units of the margin coin; the position's share of it is worth over total. */
  readonly equity: bigint
  readonly worth: bigint
  readonly total: bigint
}

/** A pool of collateral was found breached and taken apart (liquidation/liquidation-steps.ts). */
export interface Liquidation {
  readonly kind: 'liquidation'
  readonly liquidationId: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly pool: 'isolated' | 'cross' | 'unified'
  /** Margin coin; undefined: all of a unified account. */
  readonly coin: CoinId | undefined
  /** As it was found, in 1e-12 of a unit; of a unified account in USD of 1e-8. */
  readonly equity: bigint
  readonly maintenance: bigint
  readonly positions: readonly FoundPosition[]
  readonly balances: readonly FoundBalance[]
  readonly steps: readonly LiquidationStep[]
  /** Its forced orders have these numbers, those of counterparties and of the insurance fund included. */
  readonly firstOrder: OrderId
  readonly lastOrder: OrderId
  /** Its postings have the numbers from this one up to its own. */
  readonly firstFlow: number
  readonly at: Millis
}

export interface FundingSettled {
  readonly kind: 'funding-settled'
  readonly instrument: InstrumentId
  readonly fundingRate: Rate
  readonly markPrice: Ticks
  readonly at: Millis
}

export interface FundingPayment {
  readonly kind: 'funding-payment'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly instrument: InstrumentId
  readonly positionSide: PositionSide
  /** Positive: received. */
  readonly amount: Amount
  readonly at: Millis
}

/** Unrealized profit of a position paid for what the wallet or its margin could not (positions/shortfall.ts). */
interface ProfitRealized {
  readonly kind: 'profit-realized'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly instrument: InstrumentId
  readonly positionSide: PositionSide
  readonly amount: Amount
  readonly at: Millis
}

export interface PositionClosed {
  readonly kind: 'position-closed'
  readonly positionId: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly holdMode: HoldMode
  readonly marginMode: MarginMode
  readonly leverage: number
  /** Lots opened and closed over its life (equal), and their notional in quote (linear) or base (inverse) units. */
  readonly openedQuantity: Lots
  readonly openedNotional: Amount
  readonly closedNotional: Amount
  /** inverse: what was closed in 1e-12 base coin, for its average price; zero of linear ones. */
  readonly closedFine: Amount
  readonly realizedPnl: Amount
  readonly funding: Amount
  readonly openFees: Amount
  readonly closeFees: Amount
  readonly openedAt: Millis
  readonly closedAt: Millis
}

/** A position went from one account of a family to another, at the mark price. */
export interface PositionMoved {
  readonly kind: 'position-moved'
  /** Of the match of its two fills. */
  readonly id: number
  readonly actorUid: Uid
  readonly fromUid: Uid
  readonly toUid: Uid
  readonly category: ProductLine
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly quantity: Lots
  readonly price: Ticks
  readonly closeOrderId: OrderId
  readonly openOrderId: OrderId
  readonly closeExecId: number
  readonly openExecId: number
  readonly at: Millis
}

/** A rebate of the taker's or maker's fee went to the broker whose channel the order carried. */
export interface RebateEvent {
  readonly kind: 'rebate'
  readonly id: number
  readonly brokerUid: Uid
  readonly orderId: OrderId
  readonly coin: CoinId
  readonly amount: Amount
  readonly at: Millis
}

/** The mark or the index price of an instrument has changed; when it is listed, their first values. */
export interface PricesChanged {
  readonly kind: 'prices-changed'
  readonly instrument: InstrumentId
  readonly markPrice: Ticks
  readonly indexPrice: Ticks
  readonly at: Millis
}

/** An instrument's index is halted, and why. */
interface InstrumentFrozen {
  readonly kind: 'instrument-frozen'
  readonly instrument: InstrumentId
  readonly cause: IndexHalt
  readonly at: Millis
}

/** An instrument's index is trusted again. */
interface InstrumentUnfrozen {
  readonly kind: 'instrument-unfrozen'
  readonly instrument: InstrumentId
  readonly at: Millis
}

/** What the insurance fund paid an account for losses it could not bear, or (negative) took of what a liquidation left. */
export interface InsuranceEvent {
  readonly kind: 'insurance'
  readonly id: number
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly amount: Amount
  /** The fund's, after it. */
  readonly balance: Amount
  readonly at: Millis
}

/** Leverage or margin of an account's positions and orders was set anew. */
interface MarginChanged {
  readonly kind: 'margin-changed'
  readonly uid: Uid
}

interface CatalogChanged {
  readonly kind: 'catalog-changed'
}

export type Event =
  | OrderAccepted
  | OrderAmended
  | OrderCut
  | OrderEnded
  | TriggerAccepted
  | TriggerEnded
  | FillEvent
  | TradeEvent
  | TransferEvent
  | ExternalFlow
  | ChainTransfer
  | LoanEvent
  | RepaymentEvent
  | InterestEvent
  | Bill
  | Conversion
  | MarginCall
  | MarginLiquidation
  | Liquidation
  | FundingSettled
  | FundingPayment
  | ProfitRealized
  | PositionClosed
  | PositionMoved
  | RebateEvent
  | InsuranceEvent
  | PricesChanged
  | InstrumentFrozen
  | InstrumentUnfrozen
  | MarginChanged
  | CatalogChanged
