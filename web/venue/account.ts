/**
 * What an account can read and do. Which version of the interface it speaks is chosen once, when somebody signs in
 * (open-account.ts); nobody who uses this knows which it is.
 *
 * Where they differ  not by name but by what is offered: wallets, kinds of orders, what can be chosen
 * Acts               throw the venue's refusal; what came of them the streams tell
 */
import type {
  ClosedPosition,
  ContractTerms,
  Fill,
  FundingPayment,
  HoldMode,
  MarginMode,
  Order,
  OrderStep,
  Position,
  Settings,
  Trigger,
  Wallet,
  WalletName,
} from './account-records.ts'
import type { Bill, BillCategory } from './bills.ts'
import type { Category } from './categories.ts'
import type { Chain } from './chain.ts'
import type { EquitySample } from './equity.ts'
import type { Instrument } from './instruments.ts'
import type { VenueError } from './rest.ts'
import type { SocketState } from './sockets.ts'

export type OrderKind = 'limit' | 'market' | 'trigger'
export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'post_only'
/** The last price, or the mark. */
export type TriggerBy = 'market' | 'mark'

/** A take-profit or stop-loss; without a limit at market. */
export interface Tpsl {
  readonly price: string
  readonly by: TriggerBy
  readonly limit: string
}

export interface OrderDraft {
  readonly instrument: Instrument
  readonly side: 'buy' | 'sell'
  /** Of a trigger order what it becomes. */
  readonly orderType: 'limit' | 'market'
  /** Of a market buy of a pair what it spends. */
  readonly quantity: string
  /** At market empty. */
  readonly price: string
  readonly timeInForce: TimeInForce
  /** With a callback rate in per cent it trails, and its price may be empty. */
  readonly trigger: { readonly price: string; readonly by: TriggerBy; readonly callback?: string } | undefined
  readonly marginMode: MarginMode
  /** In hedge mode: the position that is meant. */
  readonly posSide: 'long' | 'short' | undefined
  /** It only reduces: reduce-only, or closing in hedge mode. */
  readonly reduces: boolean
  readonly takeProfit: Tpsl | undefined
  readonly stopLoss: Tpsl | undefined
  /** Undefined: as the account has it. */
  readonly stpMode: string | undefined
  readonly clientOid: string
}

/** What kind of order it would be. */
export interface OrderShape {
  readonly kind: OrderKind
  readonly triggerBy: TriggerBy
}

export interface OrderCapabilities {
  readonly kinds: readonly OrderKind[]
  /** By which prices a take-profit or stop-loss that comes along may wait; none: none may. */
  readonly tpslBy: readonly TriggerBy[]
  /** Of a coin-margined contract that is ordered in its coin: the step of that, in units; the contracts follow from it. */
  readonly coinStep: bigint | undefined
}

export interface OrderChange {
  readonly price?: string
  /** All of it, what is filled included. */
  readonly quantity?: string
  /** `0`: none. */
  readonly takeProfit?: string
  readonly stopLoss?: string
}

export interface TriggerChange {
  readonly triggerPrice?: string
  readonly limitPrice?: string
  /** Of a trailing order: its rate in per cent. */
  readonly callback?: string
  readonly quantity?: string
  readonly takeProfit?: string
  readonly stopLoss?: string
}

export interface Place {
  readonly uid: string
  readonly wallet: WalletName
}

export interface Transfer {
  readonly coin: string
  readonly amount: string
  readonly from: Place
  readonly to: Place
  readonly clientOid: string
}

/** An account of the family, with the wallets that money can go to. */
export interface Relative {
  readonly uid: string
  readonly name: string
  readonly wallets: readonly WalletName[]
}

export interface MaxOrderQuery {
  readonly instrument: Instrument
  readonly side: 'buy' | 'sell'
  /** At market empty. */
  readonly price: string
  readonly marginMode: MarginMode
}

/** How much could be ordered now. */
export interface MaxOrder {
  /** Of the coin that is spent, or margined in. */
  readonly available: bigint
  /** With what may be borrowed (margin). */
  readonly withLoans: bigint
  /** Of a contract, in lots; undefined: the venue does not say, and it is reckoned here. */
  readonly most: { readonly buy: bigint; readonly sell: bigint } | undefined
}

export interface Page<T> {
  readonly rows: readonly T[]
  /** Undefined: that was all. */
  readonly next: string | undefined
}

/** What an account's streams tell. */
export interface AccountEvents {
  readonly onState: (state: SocketState) => void
  /** The venue refuses the login. */
  readonly onRefused: (message: string) => void
  readonly onOrders: (steps: readonly OrderStep[]) => void
  readonly onFills: (fills: readonly Fill[]) => void
  /** All that are open. */
  readonly onPositions: (positions: readonly Position[]) => void
  readonly onWallets: () => void
  readonly onTriggers: () => void
  /** Orders were told without their take-profit and stop-loss. */
  readonly onTpsl: () => void
}

export interface Account {
  readonly uid: string
  /** Empty: a main account. */
  readonly parentUid: string
  readonly mode: string
  readonly readOnly: boolean
  readonly wallets: readonly WalletName[]
  /** Reads of one kind keep so far apart. */
  readonly readAgainMs: number
  /** From which a category is traded. */
  walletOf(category: Category): WalletName
  orderCapabilities(instrument: Instrument, shape: OrderShape): OrderCapabilities

  /** Answers how to end it. */
  watch(events: AccountEvents): () => void

  settings(): Promise<Settings>
  contractTerms(instrument: Instrument): Promise<ContractTerms>
  orders(): Promise<Order[]>
  triggers(): Promise<Trigger[]>
  positions(): Promise<Position[]>
  holdings(): Promise<Wallet[]>
  maxOrder(question: MaxOrderQuery): Promise<MaxOrder>
  /** Undefined: nothing tells it. */
  ordersToday(): Promise<string | undefined>

  endedOrders(category: Category, cursor: string | undefined): Promise<Page<Order>>
  fills(cursor: string | undefined): Promise<Page<Fill>>
  closedPositions(category: Category, cursor: string | undefined): Promise<Page<ClosedPosition>>
  fundingPayments(category: Category): Promise<FundingPayment[]>
  readonly billCategories: readonly BillCategory[]
  bills(category: BillCategory, cursor: string | undefined): Promise<Page<Bill>>
  /** Oldest first, the present last; without `from` all that the venue keeps. */
  equity(from: number | undefined): Promise<EquitySample[]>

  /** Answers whether earlier reduce-only orders made way. */
  place(draft: OrderDraft): Promise<boolean>
  /** Limit orders of one instrument, at most 20, with one call; answers the failures. */
  placeAll(drafts: readonly OrderDraft[]): Promise<readonly VenueError[]>
  cancel(order: Order): Promise<void>
  cancelTrigger(trigger: Trigger): Promise<void>
  /** These are all that are open, of a symbol where it is named. */
  cancelAll(orders: readonly Order[], triggers: readonly Trigger[], symbol?: string): Promise<void>
  change(order: Order, change: OrderChange): Promise<void>
  changeTrigger(trigger: Trigger, change: TriggerChange): Promise<void>

  /** All of it at market. */
  close(position: Position): Promise<void>
  /** Closes it and opens as much the other way. */
  reverse(position: Position, clientOid: () => string): Promise<void>
  changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<void>
  /** Of the whole position, at market, by the last price; what is empty is left away. */
  setTpsl(position: Position, tpsl: { readonly takeProfit: string; readonly stopLoss: string }): Promise<void>
  setContractTerms(instrument: Instrument, terms: ContractTerms): Promise<void>
  setHoldMode(lines: readonly Category[], mode: HoldMode): Promise<void>
  setStpMode(mode: string): Promise<void>

  relatives(): Promise<Relative[]>
  transferableCoins(from: WalletName, to: WalletName): Promise<readonly string[]>
  /** Undefined: nothing tells it. */
  mostTransferable(wallet: WalletName, coin: string): Promise<string | undefined>
  transfer(transfer: Transfer): Promise<void>

  /** Deposits and withdrawals over networks. */
  readonly chain: Chain

  /** Coins that can be borrowed by asking; none: margin orders alone borrow. */
  borrowable(): readonly string[]
  mostBorrowable(coin: string): Promise<string>
  borrow(coin: string, amount: string): Promise<void>
  setCoinLeverage(coin: string, leverage: string): Promise<void>
  /** `coins`: with any, as far as it goes; `amount`: with the coin itself, so much of it. */
  readonly repaysWith: 'coins' | 'amount'
  /** Answers what was repaid, in words. */
  repay(coin: string, payment: string): Promise<string>
  interestDueAt(): Promise<number | undefined>
}
