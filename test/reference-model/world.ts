/**
 * The state of the model: plain lists, looked through from the front.
 *
 * Purse     one coin in one wallet of one account: balance and loans
 * Desk      what one account has in one contract in one wallet: its settings and positions
 * Orders    all open orders of everybody, oldest first; books and holds are read off them
 * House     what the venue itself has, by account and coin; with all purses and margins the sum is zero
 * Emitted   fills, cuts and ended orders of the command at hand, in their order
 */
import type { Coin, Hold, Market, Side } from './catalog.ts'
import type { Legs, Named, Place, TimeInForce, TriggerPrice } from './commands.ts'
import type { Transit } from './chain.ts'
import type { GivenQuote } from './conversions.ts'
import { type Fraction, most, sum, zero } from './rational.ts'

export type Wallet = 'spot' | 'usdt_futures' | 'coin_futures' | 'usdc_futures' | 'crossed_margin' | 'uta'
export type StpMode = 'none' | 'cancel_taker' | 'cancel_maker' | 'cancel_both'
export type MarginMode = 'isolated' | 'cross'

export interface Account {
  readonly name: string
  /** The main account of the family; its own name for a main account. */
  readonly main: string
  unified: boolean
  /** For a minute, until its mode is another. */
  changing: boolean
  /** Lines whose positions are held in hedge mode. */
  readonly hedged: Set<string>
}

export interface Loan {
  principal: Fraction
  /** When its next hour of interest begins. */
  nextHour: number
}

export interface Purse {
  readonly owner: string
  readonly wallet: Wallet
  readonly coin: string
  balance: Fraction
  /** Oldest first. */
  loans: Loan[]
  /** Owed and booked. */
  interest: Fraction
}

export interface Position {
  readonly number: number
  readonly side: Hold
  quantity: Fraction
  /** Signed entry value of what is open. */
  entryValue: Fraction
  /** Isolated margin. */
  margin: Fraction
  realized: Fraction
  openFees: Fraction
  closeFees: Fraction
  /** Undefined until the first payment. */
  funding: Fraction | undefined
}

export interface Desk {
  readonly owner: string
  readonly wallet: Wallet
  readonly market: Market
  marginMode: MarginMode
  leverage: number
  leverageLong: number
  leverageShort: number
  /** Isolated positions draw margin from the wallet before they are liquidated. */
  autoMargin: boolean
  long: Position | undefined
  short: Position | undefined
}

export type LoanType = 'normal' | 'autoLoan' | 'autoRepay' | 'autoLoanAndRepay'
export type Intent = 'spot' | 'single' | 'open' | 'close'

export interface Order {
  readonly number: number
  readonly id: string
  readonly owner: string
  readonly wallet: Wallet
  readonly market: Market
  readonly margin: boolean
  readonly loanType: LoanType
  readonly side: Side
  /** Undefined: at market. */
  price: Fraction | undefined
  readonly timeInForce: TimeInForce
  /** In its book: of orders at one price the lowest is first. */
  turn: number
  readonly intent: Intent
  readonly reduceOnly: boolean
  /** Placed by the venue. */
  readonly forced: boolean
  readonly stp: StpMode
  /** Less what was cut. */
  quantity: Fraction
  remaining: Fraction
  /** A market buy by quote amount; undefined: by quantity. */
  readonly budget: Fraction | undefined
  /** Spot: what it still holds. Futures: the margin that it asks for. */
  hold: Fraction
  /** Borrowed when it was placed. */
  loan: Fraction
  /** In its book. */
  resting: boolean
  filled: Fraction
  fee: Fraction
  realized: Fraction
  /** Take-profit and stop-loss of what it opens, or of a pair receives. */
  readonly attached: Legs | undefined
  /** Of a pair: what came in less the fee, and what of it they cover. */
  received: Fraction
  covered: Fraction
}

/** An order that waits for a price. */
export interface Trigger {
  readonly number: number
  readonly id: string
  readonly owner: string
  readonly wallet: Wallet
  readonly market: Market
  readonly kind: 'plan' | 'take-profit' | 'stop-loss' | 'trailing-stop'
  price: Fraction
  by: TriggerPrice
  rises: boolean
  /** Of a trailing order. */
  readonly trailing: Trailing | undefined
  /** Of a plan. */
  order: Place | undefined
  /** Of a take-profit or stop-loss of a pair: what it sells, or spends to buy back. */
  readonly cover: Cover | undefined
  /** The position that a take-profit or stop-loss closes, at which price (undefined: at market). */
  readonly hold: Hold | undefined
  execute: Fraction | undefined
  /** Undefined: a whole position, or a plan. */
  quantity: Fraction | undefined
  /** The order that it was attached to. */
  readonly entry: number | undefined
  readonly stp: StpMode
  partner: number | undefined
}

/** What the fills of an order of a pair brought in, for its take-profit and stop-loss. */
export interface Cover {
  readonly side: Side
  readonly margin: boolean
  /** Base coin that a sell sells; quote coin that a buy spends. */
  money: Fraction
}

/** What a trailing order follows by (trailing.ts). */
export interface Trailing {
  readonly side: Side
  rate: Fraction
  /** Undefined: it is active from the first price that comes. */
  activation: Fraction | undefined
  /** Greater than that of all that waited before. */
  readonly waits: number
  /** Best price since it is active; undefined: it waits. */
  best: Fraction | undefined
  /** Greater than that of all that were active before. */
  turn: number
  /** Take-profit and stop-loss of what a plan opens, as shares of the last price; zero: none. */
  profitRate: Fraction
  lossRate: Fraction
}

export interface EndedTrigger {
  readonly owner: string
  readonly id: string
  readonly status: 'executed' | 'failed' | 'canceled'
  readonly failure: string
}

export interface Fill {
  readonly owner: string
  readonly order: string
  readonly market: string
  readonly side: Side
  readonly scope: 'taker' | 'maker'
  readonly effect: 'spot' | 'open' | 'close'
  readonly price: Fraction
  readonly quantity: Fraction
  readonly notional: Fraction
  readonly fee: Fraction
  readonly realized: Fraction
}

export interface Ended {
  readonly owner: string
  readonly order: string
  readonly status: 'filled' | 'canceled'
  readonly reason: string
  readonly quantity: Fraction
  readonly filled: Fraction
  readonly fee: Fraction
  readonly realized: Fraction
}

/** Taken off a closing order whose position has shrunk. */
export interface Cut {
  readonly owner: string
  readonly order: string
  readonly cut: Fraction
}

/** A deposit or withdrawal that has come to its end. */
export interface EndedTransit {
  readonly owner: string
  readonly direction: 'deposit' | 'withdrawal'
  readonly status: 'success' | 'cancel' | 'fail'
  readonly money: Fraction
}

export type Timer =
  | { readonly kind: 'funding'; readonly at: number; readonly market: Market }
  | { readonly kind: 'marks'; readonly at: number }
  | { readonly kind: 'scan'; readonly at: number }
  | { readonly kind: 'interest'; readonly at: number }
  | { readonly kind: 'triggers'; readonly at: number; readonly market: Market }
  | { readonly kind: 'mode'; readonly at: number; readonly account: Account }
  | { readonly kind: 'transit'; readonly at: number; readonly transit: Transit }

export type HouseAccount =
  | 'external'
  | 'fees'
  | 'interest'
  | 'insurance'
  | 'lendingPool'
  | 'clearing'
  | 'conversion'
  | 'inTransit'
  | 'isolatedMargin'
  | 'rounding'

/** What time has added to a contract. */
export class Samples {
  /** Newest last. */
  basis: Fraction[] = []
  /** Of the running funding interval. */
  premiums: Fraction[] = []
  /** Rate of an interval that is over and not settled yet. */
  due: Fraction | undefined
  /** Rate of the last settlement. */
  latest = zero
}

export class World {
  readonly coins: readonly Coin[]
  readonly markets: readonly Market[]
  readonly accounts: Account[] = []
  readonly purses: Purse[] = []
  /** The same, by owner, wallet and coin. */
  private readonly purseOf = new Map<string, Purse>()
  readonly desks: Desk[] = []
  orders: Order[] = []
  readonly house = new Map<string, Fraction>()
  /** US dollars per coin. */
  readonly usd = new Map<string, Fraction>()
  readonly lastPrice = new Map<string, Fraction>()
  readonly marks = new Map<Market, Fraction>()
  readonly samples = new Map<Market, Samples>()
  /** Samples are taken up to this moment. */
  sampledAt = 0
  at = 0
  /** Contracts that have been delivered. */
  readonly halted = new Set<Market>()
  /** The book of a contract is not what it was before the command. */
  bookChanged = false
  /** Order ids that an account has used, and until when they stay taken; without end while the order is open. */
  readonly ids = new Map<string, number>()
  /** Transfers between accounts, by family and id. */
  readonly transfers = new Map<string, string>()
  transits: Transit[] = []
  /** Withdrawals that were asked for with an id, by account and id. */
  readonly withdrawals = new Map<string, { readonly at: number; readonly content: string }>()
  /** Where deposits of a coin go, by account and coin, as it was chosen. */
  readonly depositWallets = new Map<string, Wallet>()
  /** What the house offers to convert, oldest first. */
  quotes: GivenQuote[] = []
  /** Highest balance of the insurance fund, and where deleveraging is on, by coin. */
  readonly fundPeaks = new Map<string, Fraction>()
  readonly deleveraging = new Set<string>()
  /** Queues of deleveraging that the command at hand has made. */
  readonly queues = new Map<string, readonly Desk[]>()
  orderNumber = 0
  /** Orders that have come to their books. */
  turns = 0
  positionNumber = 0
  /** Trailing orders that have begun to wait for their activation price. */
  trailingWaits = 0
  /** Trailing orders that have become active. */
  trailingTurns = 0
  fills: Fill[] = []
  ended: Ended[] = []
  cuts: Cut[] = []
  endedTriggers: EndedTrigger[] = []
  endedTransits: EndedTransit[] = []
  /** Oldest first. */
  triggers: Trigger[] = []
  /** Orders that came of a take-profit or stop-loss and rest, with the number of its partner. */
  readonly partners = new Map<number, number>()
  /** What is due when: next first, of equals the one that was set first. */
  due: Timer[] = []
  /** Markets that the command at hand has traded. */
  traded: Market[] = []

  constructor(coins: readonly Coin[], markets: readonly Market[]) {
    this.coins = coins
    this.markets = markets
    for (const coin of coins) this.usd.set(coin.name, coin.listingPrice)
  }

  setTimer(timer: Timer): void {
    this.due.push(timer)
    this.due.sort((a, b) => a.at - b.at)
  }

  dropTimer(matches: (timer: Timer) => boolean): void {
    this.due = this.due.filter((timer) => !matches(timer))
  }

  /** More trigger orders are due than one activation takes: the rest follows by a timer. */
  continueSoon(market: Market): void {
    if (this.due.some((timer) => timer.kind === 'triggers' && timer.market === market)) return
    this.setTimer({ kind: 'triggers', at: this.at + 1, market })
  }

  /** Whether an order id is that of an open order, or of one that ended within a day (design §4.6). */
  isTaken(owner: string, id: string): boolean {
    const until = this.ids.get(`${owner} ${id}`)
    return until !== undefined && this.at <= until
  }

  account(name: string): Account {
    return found(this.accounts.find((account) => account.name === name))
  }

  coin(name: string): Coin {
    return found(this.coins.find((coin) => coin.name === name))
  }

  market(name: string): Market {
    return found(this.markets.find((market) => market.name === name))
  }

  usdOf(coin: string): Fraction {
    return found(this.usd.get(coin))
  }

  purse(owner: string, wallet: Wallet, coin: string): Purse {
    const key = `${owner} ${wallet} ${coin}`
    const known = this.purseOf.get(key)
    if (known !== undefined) return known
    const purse: Purse = { owner, wallet, coin, balance: zero, loans: [], interest: zero }
    this.purses.push(purse)
    this.purseOf.set(key, purse)
    return purse
  }

  desk(owner: string, wallet: Wallet, market: Market): Desk | undefined {
    return this.desks.find((desk) => desk.owner === owner && desk.wallet === wallet && desk.market === market)
  }

  /** The desk, or one with the contract's defaults that is not kept yet. */
  deskOrNew(owner: string, wallet: Wallet, market: Market): Desk {
    const { leverageDefault } = market
    return (
      this.desk(owner, wallet, market) ?? {
        owner,
        wallet,
        market,
        marginMode: 'cross',
        leverage: leverageDefault,
        leverageLong: leverageDefault,
        leverageShort: leverageDefault,
        autoMargin: false,
        long: undefined,
        short: undefined,
      }
    )
  }

  keep(desk: Desk): void {
    if (!this.desks.includes(desk)) this.desks.push(desk)
  }

  /** Orders and trigger orders of an account that count against its bound: of contracts, or of pairs. */
  openOf(owner: string, { kind }: Market): number {
    const counts = (other: { readonly owner: string; readonly market: Market }) =>
      other.owner === owner && (other.market.kind === 'spot') === (kind === 'spot')
    return this.orders.filter(counts).length + this.triggers.filter(counts).length
  }

  triggerOf({ owner, id, place }: Named): Trigger | undefined {
    const own = this.triggers.filter((trigger) => trigger.owner === owner)
    return place === undefined ? own.find((trigger) => trigger.id === id) : own[place]
  }

  isHedged(owner: string, market: Market): boolean {
    return market.line !== undefined && this.account(owner).hedged.has(market.line)
  }

  houseBalance(account: HouseAccount, coin: string): Fraction {
    return this.house.get(`${account} ${coin}`) ?? zero
  }

  /** Money from a house account into a purse; a negative sum goes the other way. */
  post(house: HouseAccount, purse: Purse, money: Fraction): void {
    this.postHouse(house, undefined, purse.coin, money)
    purse.balance = purse.balance.plus(money)
  }

  /** Money between two house accounts. */
  postHouse(from: HouseAccount, to: HouseAccount | undefined, coin: string, money: Fraction): void {
    this.setHouse(from, coin, this.houseBalance(from, coin).minus(money))
    if (to !== undefined) this.setHouse(to, coin, this.houseBalance(to, coin).plus(money))
  }

  private setHouse(account: HouseAccount, coin: string, balance: Fraction): void {
    this.house.set(`${account} ${coin}`, balance)
    if (account === 'insurance') this.fundPeaks.set(coin, most(balance, this.fundPeaks.get(coin) ?? zero))
  }

  /** Everything of a coin that there is; zero, at all times (risk-engine §20.1). */
  total(coin: string): Fraction {
    const purses = this.purses.filter((purse) => purse.coin === coin).map(({ balance }) => balance)
    const house = [...this.house].filter(([key]) => key.endsWith(` ${coin}`)).map(([, money]) => money)
    return sum([...purses, ...house])
  }
}

function found<T>(item: T | undefined): T {
  if (item === undefined) throw new Error('the model knows no such thing')
  return item
}

export function positionOf(desk: Desk, side: Hold): Position | undefined {
  return side === 'long' ? desk.long : desk.short
}

export function positionsOf(desk: Desk): Position[] {
  return [desk.long, desk.short].filter((position) => position !== undefined)
}

export function sizeOf(desk: Desk, side: Hold): Fraction {
  return positionOf(desk, side)?.quantity ?? zero
}

/** Never adds to a position: reduce-only, or a close of hedge mode. */
export function onlyReduces(order: Order): boolean {
  return order.reduceOnly || order.intent === 'close'
}

/** The position that an order takes from, if it takes from one. */
export function reducedSide({ side }: { readonly side: Side }): Hold {
  return side === 'sell' ? 'long' : 'short'
}

/** Leverage that a position of a side is opened with. */
export function leverageOf(desk: Desk, side: Hold, hedged: boolean): number {
  if (desk.marginMode === 'cross' || !hedged) return desk.leverage
  return side === 'long' ? desk.leverageLong : desk.leverageShort
}

export const openOrdersMax = 400

export function tradingWallet({ unified }: Account, market: Market, margin: boolean): Wallet {
  if (unified) return 'uta'
  if (market.kind === 'spot') return margin ? 'crossed_margin' : 'spot'
  if (market.kind === 'inverse') return 'coin_futures'
  return market.quote === 'USDT' ? 'usdt_futures' : 'usdc_futures'
}
