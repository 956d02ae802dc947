/**
 * Replies: what a command answers. A refusal is a value with its facts; the edge adds sentence and code.
 *
 * Holds     a refused command has changed nothing
 * Source    interface.md E2, E3, E7, E9, E11, E12
 */
import type { CoinId, InstrumentId, InstrumentStatus } from '../catalog/catalog.ts'
import type { Amount, Lots, Millis, Ticks } from '../numbers/numbers.ts'
import type { OrderId, PositionSide, Uid } from '../vocabulary.ts'

export type Refusal =
  // accounts
  | { readonly kind: 'account-unknown' }
  | { readonly kind: 'account-changing-mode' }
  /** The account's mode does not serve this interface or wallet. */
  | { readonly kind: 'account-mode-unsuitable' }
  | { readonly kind: 'account-not-flat'; readonly what: 'orders' | 'positions' | 'debt' }
  | { readonly kind: 'parent-unsuitable' }
  /** Its main account or the operator has frozen it. */
  | { readonly kind: 'account-frozen' }
  | { readonly kind: 'account-name-taken' }
  | { readonly kind: 'sub-accounts-max'; readonly maximum: number }
  /** Not there, or somebody else's. */
  | { readonly kind: 'sub-account-unknown' }
  | { readonly kind: 'channel-code-taken' }
  // catalogue
  | { readonly kind: 'coin-unknown' }
  | { readonly kind: 'coin-listed-already' }
  | { readonly kind: 'instrument-unknown' }
  | { readonly kind: 'instrument-listed-already' }
  | { readonly kind: 'instrument-record-wrong'; readonly field: string; readonly rule: string }
  | { readonly kind: 'instrument-closed'; readonly status: InstrumentStatus }
  | { readonly kind: 'instrument-not-announced' }
  /** An open position would be worth more than the venue's numbers carry. */
  | { readonly kind: 'price-beyond-positions' }
  | { readonly kind: 'margin-coin-wrong' }
  // orders: shape against the catalogue
  | { readonly kind: 'quantity-below-minimum'; readonly minimum: Lots; readonly unit: 'lots' }
  | { readonly kind: 'quantity-above-maximum'; readonly maximum: Lots }
  | { readonly kind: 'notional-below-minimum'; readonly minimum: Amount }
  | { readonly kind: 'price-above-limit'; readonly limit: Ticks }
  | { readonly kind: 'price-below-limit'; readonly limit: Ticks }
  // orders: state
  | { readonly kind: 'duplicate-client-order-id'; readonly orderId: OrderId }
  | { readonly kind: 'open-orders-max'; readonly maximum: number }
  | { readonly kind: 'positions-max'; readonly maximum: number }
  | { readonly kind: 'daily-orders-max'; readonly maximum: number }
  | { readonly kind: 'order-unknown' }
  /** New terms that are the old ones. */
  | { readonly kind: 'order-unchanged' }
  /** A reduce-only order cannot be amended. */
  | { readonly kind: 'order-only-reduces' }
  | { readonly kind: 'quantity-below-filled'; readonly filled: Lots }
  /** The index of the instrument or coin is halted: it is stale or suspect, or out of range. */
  | { readonly kind: 'index-stale' }
  | { readonly kind: 'insufficient-available'; readonly required: Amount; readonly available: Amount }
  | { readonly kind: 'insufficient-margin'; readonly required: Amount; readonly available: Amount }
  | { readonly kind: 'position-tier-exceeded'; readonly notionalMax: Amount }
  // trigger orders
  | { readonly kind: 'trigger-unknown' }
  | { readonly kind: 'position-trigger-unknown' }
  /** No position, or a smaller one than the trigger would close. */
  | { readonly kind: 'trigger-position-short' }
  /** A spot market buy counts quote coin, an inverse order lots or base coin, everything else lots. */
  | { readonly kind: 'quantity-unit-unsuitable' }
  /** A take-profit or stop-loss that the price has passed already. */
  | { readonly kind: 'long-take-profit-not-above'; readonly price: Ticks }
  | { readonly kind: 'short-take-profit-not-below'; readonly price: Ticks }
  | { readonly kind: 'long-stop-loss-not-below'; readonly price: Ticks }
  | { readonly kind: 'short-stop-loss-not-above'; readonly price: Ticks }
  | { readonly kind: 'trigger-not-above'; readonly price: Ticks }
  | { readonly kind: 'trigger-not-below'; readonly price: Ticks }
  // futures
  | { readonly kind: 'nothing-to-reduce' }
  | { readonly kind: 'insufficient-position'; readonly free: Lots }
  /** Hedge mode and neither position side nor trade side were given. */
  | { readonly kind: 'position-side-required' }
  | { readonly kind: 'margin-mode-in-use' }
  | { readonly kind: 'hold-mode-in-use' }
  | { readonly kind: 'leverage-out-of-range'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'leverage-margin-short' }
  | { readonly kind: 'margin-mode-not-isolated' }
  /** What would remain as collateral does not cover the initial margin. */
  | { readonly kind: 'collateral-short' }
  | { readonly kind: 'no-position' }
  /** One-way mode has one position in a contract, and the account holds the other side. */
  | { readonly kind: 'opposite-position' }
  /** More margin than can be added or taken back. */
  | { readonly kind: 'margin-change-exceeded'; readonly most: Amount }
  // money
  | { readonly kind: 'amount-not-positive' }
  /** More of a coin would come in than the venue's numbers carry. */
  | { readonly kind: 'deposits-exceeded' }
  | { readonly kind: 'wallet-unsuitable' }
  /** A classic futures wallet takes the margin coins of its line only. */
  | { readonly kind: 'coin-unsuitable' }
  | { readonly kind: 'transfer-unrelated' }
  | { readonly kind: 'transfer-same-place' }
  | { readonly kind: 'transfer-id-reused' }
  | { readonly kind: 'transferable-exceeded'; readonly transferable: Amount }
  // conversions
  | { readonly kind: 'conversion-same-coin' }
  /** Of the coin that is given. */
  | { readonly kind: 'conversion-below-minimum'; readonly minimum: Amount }
  | { readonly kind: 'conversion-above-maximum'; readonly maximum: Amount }
  /** Never given, not to this account, or long over. */
  | { readonly kind: 'quote-unknown' }
  | { readonly kind: 'quote-over' }
  | { readonly kind: 'quote-used' }
  /** It says something else than the trade. */
  | { readonly kind: 'quote-differs'; readonly field: 'fromCoin' | 'toCoin' | 'fromAmount' | 'toAmount' }
  // loans
  // deposits and withdrawals
  /** The coin has no such network. */
  | { readonly kind: 'network-unknown' }
  | { readonly kind: 'deposits-suspended' }
  | { readonly kind: 'withdrawals-suspended' }
  | { readonly kind: 'deposit-below-minimum'; readonly minimum: Amount }
  | { readonly kind: 'withdrawal-below-minimum'; readonly minimum: Amount }
  /** More decimals than the coin has on the network. */
  | { readonly kind: 'amount-too-fine'; readonly decimals: number }
  /** Not the form of the network, or an address of the venue that is nobody's or of another coin. */
  | { readonly kind: 'address-wrong' }
  | { readonly kind: 'tag-required' }
  | { readonly kind: 'tag-wrong' }
  | { readonly kind: 'receiver-unknown' }
  | { readonly kind: 'receiver-unsuitable' }
  | { readonly kind: 'withdrawal-to-self' }
  | { readonly kind: 'daily-withdrawals-exceeded'; readonly remainingUsd: Amount }
  | { readonly kind: 'withdrawal-id-reused' }
  | { readonly kind: 'withdrawal-unknown' }
  /** It was sent already. */
  | { readonly kind: 'withdrawal-sent' }
  | { readonly kind: 'chain-record-wrong'; readonly field: string; readonly rule: string }
  | { readonly kind: 'coin-not-borrowable' }
  | { readonly kind: 'borrow-limit-exceeded'; readonly borrowable: Amount }
  /** The venue's pool of the coin is lent out. */
  | { readonly kind: 'lending-pool-empty'; readonly borrowable: Amount }
  | { readonly kind: 'no-debt' }
  | { readonly kind: 'repay-above-available'; readonly available: Amount }
  /** The command broke inside the engine and changed nothing. */
  | { readonly kind: 'poisoned' }

export type Reply =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** `orderId` zero: it superseded earlier reduce-only orders (design §4.9); the order exists all the same. */
  | { readonly kind: 'placed'; readonly orderId: OrderId | 0; readonly clientOid: string; readonly dailyOrders: number }
  /** Take-profit before stop-loss. */
  | {
      readonly kind: 'triggers-placed'
      readonly orders: readonly { readonly orderId: OrderId; readonly clientOid: string }[]
      readonly dailyOrders: number
    }
  | { readonly kind: 'modified'; readonly orderId: OrderId; readonly clientOid: string }
  /** The new terms of an order were refused, and it was canceled because of that. */
  | {
      readonly kind: 'canceled-instead'
      readonly refusal: Refusal
      readonly orderId: OrderId
      readonly clientOid: string
    }
  /** What came of each position, in the order in which they were closed. */
  | {
      readonly kind: 'positions-closed'
      readonly positions: readonly {
        readonly instrument: InstrumentId
        readonly side: PositionSide
        readonly reply: Reply
      }[]
    }
  /** `opened` is undefined when one order did both, or nothing was closed. */
  | {
      readonly kind: 'reversed'
      readonly orderId: OrderId
      readonly clientOid: string
      readonly opened: Reply | undefined
    }
  | { readonly kind: 'canceled'; readonly orders: readonly { readonly orderId: OrderId; readonly clientOid: string }[] }
  | { readonly kind: 'account-created'; readonly uid: Uid }
  | { readonly kind: 'listed'; readonly id: number }
  | { readonly kind: 'transferred'; readonly transferId: number; readonly clientOid: string }
  | { readonly kind: 'withdrawal-requested'; readonly id: number; readonly clientOid: string }
  | { readonly kind: 'deposit-sent'; readonly id: number }
  | { readonly kind: 'borrowed'; readonly loanId: number; readonly amount: Amount }
  | { readonly kind: 'repaid'; readonly repayId: number; readonly repaid: Amount; readonly remaining: Amount }
  /** Principal and interest that were paid, in USD of 1e-8. */
  | { readonly kind: 'debts-repaid'; readonly repaidUsd: Amount }
  /** The first of the repayments that were made; undefined when nobody bought what was to be sold. */
  | { readonly kind: 'flash-repaid'; readonly repayId: number | undefined }
  | {
      readonly kind: 'conversion-quoted'
      readonly quoteId: number
      readonly fromAmount: Amount
      readonly toAmount: Amount
      /** Of the coin that comes for one of the coin that goes, 1e-12. */
      readonly price: bigint
    }
  | {
      readonly kind: 'converted'
      readonly conversionId: number
      readonly toAmount: Amount
      readonly price: bigint
      readonly at: Millis
    }
  /** E12: false when some symbol could not take the leverage; then none changed. */
  | { readonly kind: 'leverage-set'; readonly taken: boolean }
  /** The orders that closed and opened it. */
  | { readonly kind: 'position-moved'; readonly closed: OrderId; readonly opened: OrderId }
  | { readonly kind: 'funding-settled'; readonly positions: number }
  /** Some updates jumped and wait to be confirmed. */
  | { readonly kind: 'prices-held-back'; readonly coins: readonly CoinId[] }
  | { readonly kind: 'delivered'; readonly positions: number }
  | { readonly kind: 'done' }

export function refused(refusal: Refusal): Reply {
  return { kind: 'refused', refusal }
}

export const done: Reply = { kind: 'done' }
