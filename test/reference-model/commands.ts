/**
 * Commands of the model, in coins and dollars, and what it answers.
 *
 * Version  v3 names the position of a hedge order with `hold`, v2 with `trade` and the side as its direction
 * Answer   accepted, or the name of the rule that says no
 */
import type { Hold, Line, Network, Side } from './catalog.ts'
import type { Fraction } from './rational.ts'
import type { LoanType, MarginMode, StpMode, Wallet } from './world.ts'

export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'post_only'

export interface Place {
  readonly kind: 'place'
  readonly id: string
  readonly owner: string
  readonly market: string
  readonly margin: boolean
  /** Of margin orders: whether it borrows what is missing, and repays with what it receives. */
  readonly loanType: LoanType
  readonly side: Side
  /** Undefined: at market. */
  readonly price: Fraction | undefined
  readonly amount: OrderAmount
  readonly timeInForce: TimeInForce
  readonly hold: Hold | undefined
  readonly trade: 'open' | 'close' | undefined
  readonly reduceOnly: boolean
  readonly marginMode: MarginMode | undefined
  readonly stp: StpMode
  /** Take-profit and stop-loss of what it opens, or receives. */
  readonly attached: Legs | undefined
}

export type TriggerPrice = 'last' | 'mark'

export interface Leg {
  readonly id: string
  readonly trigger: Fraction
  readonly by: TriggerPrice
  /** Undefined: at market. */
  readonly execute: Fraction | undefined
  /** Undefined: the whole position. */
  readonly quantity: Fraction | undefined
}

export interface Legs {
  readonly profit?: Leg | undefined
  readonly loss?: Leg | undefined
}

/** An order that waits for a price of its contract. */
export interface Plan {
  readonly kind: 'plan'
  readonly owner: string
  readonly order: Place
  readonly trigger: Fraction
  readonly by: TriggerPrice
}

/** Take-profit, stop-loss or both for a position. */
export interface Protect {
  readonly kind: 'protect'
  readonly owner: string
  readonly market: string
  /** Undefined: the only position. */
  readonly hold: Hold | undefined
  readonly legs: Legs
  readonly stp: StpMode
}

/** How a trailing order follows the price. */
export interface TrailTerms {
  /** Share of the best price by which the price turns back. */
  readonly rate: Fraction
  /** Undefined: it follows at once. */
  readonly activation: Fraction | undefined
  readonly by: TriggerPrice
  /** Take-profit and stop-loss of what it opens, as shares of the last price; zero: none. */
  readonly profitRate: Fraction
  readonly lossRate: Fraction
}

/** An order at market, placed once the price has turned back. */
export interface Trail extends TrailTerms {
  readonly kind: 'trail'
  readonly owner: string
  readonly order: Place
}

/** The same of a position, which it closes. */
export interface TrailStop extends TrailTerms {
  readonly kind: 'trail-stop'
  readonly owner: string
  readonly market: string
  readonly id: string
  /** Undefined: the only position. */
  readonly hold: Hold | undefined
  /** Undefined: the whole position. */
  readonly quantity: Fraction | undefined
  readonly stp: StpMode
}

/** A trailing order as it shall be from now on. */
export interface ChangeTrailing extends TrailTerms {
  readonly kind: 'change-trailing'
  readonly owner: string
  readonly id: string
  /** In which it waits. */
  readonly market: string
  /** Undefined: as it is. */
  readonly amount: OrderAmount | undefined
}

/** Which of an account's waiting trigger orders is meant: that of an id, or of its place among them, the oldest being 0. */
export interface Named {
  readonly owner: string
  readonly id: string
  readonly place: number | undefined
}

export interface CancelTrigger extends Named {
  readonly kind: 'cancel-trigger'
}

/** Other terms for a trigger order that does not trail. */
export interface ChangeTrigger extends Named {
  readonly kind: 'change-trigger'
  /** In which it waits. */
  readonly market: string
  readonly trigger: Fraction
  readonly by: TriggerPrice
  /** Undefined: at market. */
  readonly execute: Fraction | undefined
  /** Undefined: as it is. */
  readonly amount: OrderAmount | undefined
  /** Take-profit and stop-loss of what a plan opens. */
  readonly attached: Legs | undefined
}

export type OrderAmount =
  /** Base coin, or contracts of an inverse market. */
  | { readonly of: 'quantity'; readonly quantity: Fraction }
  /** A spot market buy: what it spends. */
  | { readonly of: 'quote'; readonly budget: Fraction }
  /** An inverse order in base coin. */
  | { readonly of: 'base'; readonly size: Fraction }

export interface Cancel {
  readonly kind: 'cancel'
  readonly owner: string
  readonly id: string
}

/** Other terms for a resting order. */
export interface Amend {
  readonly kind: 'amend'
  readonly owner: string
  readonly id: string
  readonly market: string
  /** Undefined: as it is. */
  readonly price: Fraction | undefined
  /** With what is filled already. */
  readonly quantity: Fraction | undefined
  /** An order whose new terms are refused is canceled. */
  readonly orCancel: boolean
}

/** A new order in place of a resting one. */
export interface Replace {
  readonly kind: 'replace'
  readonly owner: string
  readonly id: string
  readonly newId: string
  readonly market: string
  readonly margin: boolean
  /** Undefined: that of the old one. */
  readonly price: Fraction | undefined
  /** Undefined: what the old one has left. */
  readonly quantity: Fraction | undefined
}

/** All open orders of a market; margin orders apart from spot ones. */
export interface CancelAll {
  readonly kind: 'cancel-all'
  readonly owner: string
  readonly market: string
  readonly margin: boolean
}

export interface Move {
  readonly kind: 'deposit' | 'withdraw'
  readonly owner: string
  readonly wallet: Wallet
  readonly coin: string
  readonly money: Fraction
}

/** Between wallets of one account, or between a main account and its sub-account. */
export interface Transfer {
  readonly kind: 'transfer'
  readonly id: string
  /** Who asks for a transfer between accounts. */
  readonly main: string
  readonly from: string
  readonly fromWallet: Wallet
  readonly to: string
  readonly toWallet: Wallet
  readonly coin: string
  readonly money: Fraction
}

/** Somebody outside sends money to the address of an account. */
export interface SendDeposit {
  readonly kind: 'send-deposit'
  readonly owner: string
  readonly coin: string
  readonly network: Network
  readonly money: Fraction
}

export interface Withdrawal {
  readonly kind: 'request-withdrawal'
  readonly owner: string
  readonly id: string
  /** In this order each gives what it can. */
  readonly wallets: readonly Wallet[]
  readonly coin: string
  /** The fee in it. */
  readonly money: Fraction
  readonly to: /** To somebody outside (undefined), or to an account's address. */
    | { readonly by: 'network'; readonly network: Network; readonly receiver: string | undefined }
    | { readonly by: 'account'; readonly receiver: string }
}

/** A withdrawal that was not sent yet: taken back by its owner, or refused by the operator. */
export interface TakeBack {
  readonly kind: 'cancel-withdrawal' | 'reject-withdrawal'
  readonly owner: string
  readonly id: string
}

/** Where deposits of a coin go. */
export interface ChooseWallet {
  readonly kind: 'choose-wallet'
  readonly owner: string
  readonly coin: string
  readonly wallet: Wallet
}

/** Asks what the house gives of one coin for another. */
export interface Quote {
  readonly kind: 'quote'
  readonly owner: string
  readonly id: string
  readonly from: string
  readonly to: string
  /** Which side the money is of. */
  readonly given: 'goes' | 'comes'
  readonly money: Fraction
}

/** Takes a quote, and repeats what it says. */
export interface Convert {
  readonly kind: 'convert'
  readonly owner: string
  readonly id: string
  readonly from: string
  readonly to: string
  readonly goes: Fraction
  readonly comes: Fraction
}

export interface Loan {
  readonly kind: 'borrow' | 'repay'
  readonly owner: string
  readonly coin: string
  readonly money: Fraction
}

/** Pays what is owed of a coin, or of every coin (undefined), with whatever the wallet has. */
export interface FlashRepay {
  readonly kind: 'flash-repay'
  readonly owner: string
  readonly coin: string | undefined
}

export interface SetLeverage {
  readonly kind: 'set-leverage'
  readonly owner: string
  readonly market: string
  readonly leverage: number
  readonly hold: Hold | undefined
}

/** All contracts of a line in which the account has positions. */
export interface SetLineLeverage {
  readonly kind: 'set-line-leverage'
  readonly owner: string
  readonly line: Line
  readonly leverage: number
}

export interface SetMarginMode {
  readonly kind: 'set-margin-mode'
  readonly owner: string
  readonly market: string
  readonly marginMode: MarginMode
}

export interface SetHoldMode {
  readonly kind: 'set-hold-mode'
  readonly owner: string
  readonly line: Line
  readonly hedged: boolean
}

/** The account becomes unified, or classic. */
export interface SetAccountMode {
  readonly kind: 'set-account-mode'
  readonly owner: string
  readonly unified: boolean
}

/** Isolated margin by hand: into a position, or below zero out of it. */
export interface SetPositionMargin {
  readonly kind: 'set-position-margin'
  readonly owner: string
  readonly market: string
  readonly hold: Hold | undefined
  readonly money: Fraction
}

/** Isolated positions draw margin from the wallet before they are liquidated. */
export interface SetAutoMargin {
  readonly kind: 'set-auto-margin'
  readonly owner: string
  readonly market: string
  readonly on: boolean
}

/** A contract ends at a price. */
export interface Deliver {
  readonly kind: 'deliver'
  readonly market: string
  readonly price: Fraction
}

export interface SetPrice {
  readonly kind: 'set-price'
  readonly coin: string
  /** US dollars. */
  readonly price: Fraction
}

export interface SettleFunding {
  readonly kind: 'settle-funding'
  readonly market: string
}

export interface RunTimers {
  readonly kind: 'run-timers'
}

export type Command =
  | Place
  | Cancel
  | Amend
  | Replace
  | Plan
  | Protect
  | Trail
  | TrailStop
  | ChangeTrailing
  | ChangeTrigger
  | CancelTrigger
  | CancelAll
  | Move
  | Transfer
  | SendDeposit
  | Withdrawal
  | TakeBack
  | ChooseWallet
  | Quote
  | Convert
  | Loan
  | FlashRepay
  | SetLeverage
  | SetLineLeverage
  | SetMarginMode
  | SetHoldMode
  | SetAccountMode
  | SetPositionMargin
  | SetAutoMargin
  | Deliver
  | SetPrice
  | SettleFunding
  | RunTimers

/** `accepted`, or why not. */
export type Answer = string
