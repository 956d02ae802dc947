/**
 * The words of the trade that every room of the engine uses: accounts, sides, kinds of orders, modes, wallets.
 *
 * Codes     the place of a word in its list is how tables save it: a list only grows, at its end
 * Numbers   an account number and an order number are safe integers here, decimal strings on the wire
 * Source    design.md §3, §4; interface.md E1 to E13
 */
import { type CoinId, type ProductLine, productLines } from './catalog/catalog.ts'
import type { Amount, Lots, Ticks } from './numbers/numbers.ts'

export const accountModes = ['unified', 'hybrid', 'classic', 'upgrading', 'switching'] as const
export type AccountMode = (typeof accountModes)[number]
/** The modes between which an account changes. */
export type SettledMode = Exclude<AccountMode, 'upgrading' | 'switching'>

/** The mode that reads see: while it changes the one that is being left. */
export function modeRead(account: {
  readonly mode: AccountMode
  readonly leavesHybrid?: true | undefined
}): SettledMode {
  const { mode } = account
  if (mode !== 'upgrading' && mode !== 'switching') return mode
  if (account.leavesHybrid) return 'hybrid'
  return mode === 'upgrading' ? 'classic' : 'unified'
}

export const holdModes = ['one_way_mode', 'hedge_mode'] as const
export type HoldMode = (typeof holdModes)[number]

export const marginModes = ['cross', 'isolated'] as const
export type MarginMode = (typeof marginModes)[number]

export const stpModes = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const
export type StpMode = (typeof stpModes)[number]

export const walletTypes = [
  'spot',
  'p2p',
  'usdt_futures',
  'coin_futures',
  'usdc_futures',
  'crossed_margin',
  'uta',
] as const
export type WalletType = (typeof walletTypes)[number]

/** Index of an account; 0 means none. */
export type AccountHandle = number

/** Which coins of the unified wallet are collateral: all, those that contracts settle in, or a list. */
export type CollateralChoice = 'all' | 'mainstream' | readonly CoinId[]

export type HoldModes = Readonly<Record<ProductLine, HoldMode>>

/** The classic futures wallet of each product line. */
export const lineWallets = {
  'USDT-FUTURES': 'usdt_futures',
  'COIN-FUTURES': 'coin_futures',
  'USDC-FUTURES': 'usdc_futures',
} as const satisfies Record<ProductLine, WalletType>

/** The product line that a classic futures wallet belongs to. */
export function lineOfWallet(wallet: WalletType): ProductLine | undefined {
  return productLines.find((line) => lineWallets[line] === wallet)
}

/** Account number on the wire: a decimal string there, a safe integer here. */
export type Uid = number
/** Order number: a safe integer from a counter in the state. */
export type OrderId = number

/** The version of the interface that was used: it decides the wallet (design §3) and how hedge sides read (§4.11). */
export const interfaces = ['v2', 'v3'] as const
export type Interface = (typeof interfaces)[number]

export const sides = ['buy', 'sell'] as const
export type Side = (typeof sides)[number]

export const positionSides = ['long', 'short'] as const
export type PositionSide = (typeof positionSides)[number]

export const orderTypes = ['limit', 'market'] as const
export type OrderType = (typeof orderTypes)[number]

/**
 * What a MARGIN order does about loans by itself: borrow what it lacks, repay with what it receives, both, or neither.
 * The first is what margin orders did before they had a loan type: states that were saved then are read as that.
 */
export const loanTypes = ['autoLoan', 'autoLoanAndRepay', 'normal', 'autoRepay'] as const
export type LoanType = (typeof loanTypes)[number]

export const timesInForce = ['gtc', 'ioc', 'fok', 'post_only'] as const
export type TimeInForce = (typeof timesInForce)[number]

export type OrderQuantity =
  /** Lots of the book: base coin, or USD contracts of an inverse instrument. */
  | { readonly unit: 'lots'; readonly lots: Lots }
  /** A spot market buy: quote coin to spend. */
  | { readonly unit: 'quote'; readonly amount: Amount }
  /** An inverse order of v2: base coin, converted on arrival (design §4.12). */
  | { readonly unit: 'base'; readonly amount: Amount }

/**
 * Why an instrument is halted: the index of one of its coins jumped and is not confirmed, or is too old; or its own index has
 * left the prices that a book carries.
 */
export type IndexHalt = 'suspect' | 'stale' | 'out-of-range'

/** What a trigger price is compared with. */
export const triggerPrices = ['last', 'mark'] as const
export type TriggerPrice = (typeof triggerPrices)[number]

/** Terms of a take-profit or stop-loss; `execute` zero means at market. */
export interface TpslTerms {
  readonly trigger: Ticks
  readonly execute: Ticks | 0
  readonly by: TriggerPrice
}

/**
 * A `plan` places an order; the others close a position: all of it (`position-…`), or a quantity of it. Trailing ones follow
 * the price, and are triggered when it turns back.
 */
export const triggerKinds = [
  'plan',
  'take-profit',
  'stop-loss',
  'position-take-profit',
  'position-stop-loss',
  'trailing-plan',
  'trailing-stop',
  'position-trailing-stop',
] as const
export type TriggerKind = (typeof triggerKinds)[number]

/** How far a price turns back before a trailing order is triggered, in hundredths of a percent: 1 to 1,000, which is 10 %. */
export type CallbackRate = number
export const callbackRateMax: CallbackRate = 1_000
/** A price by which rates of hundredths of a percent divide. */
export const rateWhole = 10_000

/** Why an order exists; the edge writes it as `orderSource`, `enterPointSource` and part of `tradeSide`. */
export const orderCauses = [
  'user',
  'take-profit',
  'stop-loss',
  'trigger',
  'reduce',
  'liquidation',
  'offset',
  'adl',
  'delivery',
  // Take-profit and stop-loss of a whole position.
  'position-take-profit',
  'position-stop-loss',
  // Replaces another order.
  'replace',
  // Turns a position round.
  'reverse',
  // Its owner moved the position to another account of the family.
  'move',
  // Comes of a trailing plan, and of a trailing stop of a position.
  'trailing-plan',
  'trailing-stop',
] as const
export type OrderCause = (typeof orderCauses)[number]

/** What an order does to a position: spot has none; one-way mode says `single`. */
export const orderIntents = ['spot', 'single', 'open', 'close'] as const
export type OrderIntent = (typeof orderIntents)[number]

export type OrderStatus = 'live' | 'partially_filled' | 'filled' | 'canceled'
export type CancelReason = '' | 'user' | 'self-trade' | 'post-only' | 'no-liquidity' | 'reduce-only' | 'system'

export type TriggerStatus = 'live' | 'executed' | 'failed' | 'canceled'

/** Whether an account may have money in a wallet (interface E9: roles and modes). */
export function walletAllowed(
  account: { readonly kind: 'main' | 'sub'; readonly mode: AccountMode },
  wallet: WalletType,
): boolean {
  const unified = account.mode === 'unified' || account.mode === 'switching'
  if (account.kind === 'sub')
    return unified ? wallet === 'uta' || wallet === 'spot' : wallet !== 'uta' && wallet !== 'p2p'
  return wallet !== 'uta' || unified || account.mode === 'hybrid'
}
