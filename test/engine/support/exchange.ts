/**
 * The small exchange of the engine's tests: a real engine with a few markets and people whose names tests use.
 *
 * Applied   every command and what came of it is kept, so that soundness.ts can replay it
 * Clock     starts on a UTC midnight; each command comes a millisecond after the one before
 * Texts     positions, books and outcomes as short texts, quantities and prices in coins and not in lots and ticks
 */
import { type Instrument, isFutures, type ProductLine } from '../../../src/engine/catalog/catalog.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { formatDecimal, type Lots, type Ticks } from '../../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../../src/engine/protocol/command.ts'
import type { Event, FillEvent, OrderRecord } from '../../../src/engine/protocol/event.ts'
import type {
  AccountView,
  BalanceView,
  FuturesAssetView,
  PositionView,
  TableCounts,
} from '../../../src/engine/protocol/query.ts'
import type { Refusal, Reply } from '../../../src/engine/protocol/reply.ts'
import type { Interface, Uid, WalletType } from '../../../src/engine/vocabulary.ts'
import { orderLines } from '../../support/order-language.ts'
import { coins, units } from './figures.ts'
import { coinListings, type CoinName, coinNames, type MarketName, markets } from './listings.ts'
import { placeOrder } from './order-commands.ts'

export interface Applied {
  readonly command: Command
  readonly at: number
  readonly reply: Reply
  readonly events: readonly Event[]
}

/** Money by wallet: `{ spot: '1 BTC, 100 USDT' }`. */
export type Funds = Partial<Record<WalletType, string>>

export interface Joining {
  readonly mode?: 'unified' | 'hybrid' | 'classic'
  readonly parent?: string
  readonly funds?: Funds
}

/** Midnight of 1 January 2026, UTC. */
export const firstDay = 1_767_225_600_000
export const secondMs = 1000
export const hourMs = 3600 * secondMs
export const dayMs = 24 * hourMs

export class Exchange {
  readonly applied: Applied[] = []
  at = firstDay
  /** Where orders go that name no market. */
  market: MarketName = 'SOLUSDT'
  private readonly engine: Engine
  private readonly uids = new Map<string, Uid>()
  private events: Event[] = []

  constructor() {
    this.engine = new Engine((event) => this.events.push(event))
    for (const coin of coinListings) this.must({ kind: 'list-coin', coin })
    for (const instrument of Object.values(markets)) this.must({ kind: 'list-instrument', instrument })
  }

  // People and money

  join(name: string, { mode = 'classic', parent, funds = {} }: Joining = {}): this {
    const account = parent === undefined ? 'main' : 'sub'
    const parentUid = parent === undefined ? undefined : this.uid(parent)
    const reply = this.must({ kind: 'create-account', account, parentUid, mode, name })
    if (reply.kind !== 'account-created') throw new Error(`${name} could not join`)
    this.uids.set(name, reply.uid)
    for (const [wallet, list] of Object.entries(funds)) this.pay(name, wallet as WalletType, list)
    return this
  }

  /** Deposits: `pay('alice', 'spot', '1 BTC, 100 USDT')`. */
  pay(name: string, wallet: WalletType, list: string): this {
    for (const deposit of list.split(', ')) {
      const [amount, coin] = deposit.split(' ') as [string, CoinName]
      this.must({ kind: 'deposit', uid: this.uid(name), wallet, coin: coinId(coin), amount: units(amount) })
    }
    return this
  }

  uid(name: string): Uid {
    const uid = this.uids.get(name)
    if (uid === undefined) throw new Error(`nobody is called ${name}`)
    return uid
  }

  // Commands

  /** Applies a command a millisecond after the one before. */
  apply(command: Command): Reply {
    this.at += 1
    this.events = []
    const reply = this.engine.apply(command, this.applied.length + 1, this.at)
    this.applied.push({ command, at: this.at, reply, events: this.events })
    return reply
  }

  /** Applies a command that is not refused. */
  must(command: Command): Reply {
    const reply = this.apply(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${facts(reply.refusal)}`)
    return reply
  }

  /** The refusal of a command, as its kind. */
  refusal(command: Command): Refusal['kind'] | 'accepted' {
    const reply = this.apply(command)
    return reply.kind === 'refused' ? reply.refusal.kind : 'accepted'
  }

  /** An order in words (test/support/order-language.ts) as a command. */
  order(line: string): PlaceOrder {
    return placeOrder(line, {
      catalog: this.engine.query({ kind: 'catalog' }),
      market: this.market,
      trader: (who) => ({ uid: this.uid(who), mode: this.account(who).mode }),
    })
  }

  /** Places an order and answers what came of it. */
  place(line: string): string {
    const command = this.order(line)
    return outcome(this, command.uid, this.apply(command))
  }

  /** Places orders that are not refused, from lists of any length. */
  given(...lists: readonly string[]): this {
    for (const line of lists.flatMap(orderLines)) {
      const came = this.place(line)
      if (came.startsWith('refused')) throw new Error(`${line}: ${came}`)
    }
    return this
  }

  cancel(name: string, clientOid: string): Reply {
    const order = { orderId: undefined, clientOid }
    return this.apply({ kind: 'cancel-order', uid: this.uid(name), order, category: undefined, instrument: undefined })
  }

  /** Index prices, and with them the marks: `prices({ BTC: '61800' })`. */
  prices(prices: Partial<Record<CoinName, string>>): this {
    const list = Object.entries(prices).map(([coin, price]) => [coinId(coin as CoinName), units(price)] as const)
    this.must({ kind: 'set-index-prices', prices: list })
    return this
  }

  /** Prices beyond the jump breaker: the second update confirms the first. */
  leap(prices: Partial<Record<CoinName, string>>): this {
    return this.prices(prices).prices(prices)
  }

  /** Prices while USDT is in doubt: in what is priced in it nobody is liquidated, and only what reduces is admitted. */
  doubted(prices: Partial<Record<CoinName, string>>): this {
    return this.prices({ ...prices, USDT: '0.1' })
  }

  wait(ms: number): this {
    this.at += ms
    return this
  }

  runTimers(): this {
    this.must({ kind: 'run-timers' })
    return this
  }

  // Questions

  get query(): Engine['query'] {
    return this.engine.query.bind(this.engine)
  }

  get lastEvents(): readonly Event[] {
    return this.applied.at(-1)?.events ?? []
  }

  fills(): FillEvent[] {
    return this.lastEvents.filter((event) => event.kind === 'fill')
  }

  /** How the orders that the last command ended stood at their end. */
  ended(): OrderRecord[] {
    return this.lastEvents.filter((event) => event.kind === 'order-ended').map((event) => event.order)
  }

  save(): Buffer {
    return Buffer.concat(this.engine.save())
  }

  tableCounts(): TableCounts {
    return this.engine.query({ kind: 'table-counts' })
  }

  nextTimerAt(): number | undefined {
    return this.engine.nextTimerAt()
  }

  account(name: string): AccountView {
    return this.engine.query({ kind: 'account', uid: this.uid(name) }) as AccountView
  }

  instrument(market: MarketName = this.market): Instrument {
    return this.engine.query({ kind: 'catalog' }).instruments[instrumentId(market)]
  }

  balance(name: string, wallet: WalletType, coin: CoinName): BalanceView {
    return this.engine.query({ kind: 'balances', uid: this.uid(name), wallet })[coinId(coin)]
  }

  /** Balance of one coin in one wallet as text, `+ held` behind it when something is held. */
  wallet(name: string, wallet: WalletType, coin: CoinName): string {
    const { balance, held } = this.balance(name, wallet, coin)
    return held === 0n ? coins(balance) : `${coins(balance - held)} + ${coins(held)} held`
  }

  /** Principal and interest that are owed. */
  debt(name: string, wallet: WalletType, coin: CoinName): string {
    const { principal, interest } = this.balance(name, wallet, coin)
    return `${coins(principal)} + ${coins(interest)}`
  }

  house(account: string, coin: CoinName): string {
    return coins(this.engine.query({ kind: 'verify' }).coins[coinId(coin)]?.house[account] ?? 0n)
  }

  asset(name: string, line: ProductLine, coin: CoinName, version = this.version(name)): FuturesAssetView {
    const assets = this.engine.query({ kind: 'futures-assets', uid: this.uid(name), interface: version, line })
    return assets.find((asset) => asset.coin === coinId(coin)) as FuturesAssetView
  }

  positions(name: string, market: MarketName = this.market, version = this.version(name)): readonly PositionView[] {
    const instrument = this.instrument(market)
    if (!isFutures(instrument)) throw new Error(`${market} has no positions`)
    const { id, category } = instrument
    return this.engine.query({
      kind: 'positions',
      uid: this.uid(name),
      interface: version,
      line: category,
      instrument: id,
    })
  }

  position(name: string, market: MarketName = this.market, side?: 'long' | 'short'): PositionView {
    const found = this.positions(name, market).find((position) => side === undefined || position.side === side)
    if (found === undefined) throw new Error(`${name} has no position in ${market}`)
    return found
  }

  /** `flat`, `long 10`, or in hedge mode `long 10, short 4`. */
  holds(name: string, market: MarketName = this.market): string {
    const list = this.positions(name, market).map(({ side, quantity }) => `${side} ${this.quantity(quantity, market)}`)
    return list.length === 0 ? 'flat' : list.join(', ')
  }

  /** Open orders of everybody, oldest first: `alice sell 8 @ 99`. */
  resting(market: MarketName = this.market): string[] {
    const found: OrderRecord[] = []
    for (const uid of this.uids.values()) {
      for (const version of ['v2', 'v3'] as const) {
        const ask = { kind: 'open-orders', uid, interface: version, category: undefined } as const
        found.push(...this.engine.query({ ...ask, instrument: instrumentId(market) }))
      }
    }
    const unique = new Map(found.map((order) => [order.orderId, order]))
    return [...unique.values()]
      .sort((a, b) => a.orderId - b.orderId)
      .map((order) => `${this.name(order.uid)} ${this.orderText(order)}`)
  }

  /** `bids 3 @ 99, 1 @ 98 / asks 2 @ 101`, best first. */
  depth(market: MarketName = this.market): string {
    const { bids, asks } = this.engine.query({ kind: 'depth', instrument: instrumentId(market), limit: 100 })
    const levels = (side: readonly (readonly [Ticks, Lots])[]) =>
      side.map(([price, lots]) => `${this.quantity(lots, market)} @ ${this.price(price, market)}`).join(', ') || 'none'
    return `bids ${levels(bids)} / asks ${levels(asks)}`
  }

  name(uid: Uid): string {
    for (const [name, known] of this.uids) if (known === uid) return name
    return String(uid)
  }

  /** What an order has left, and where. */
  orderText({ instrument, bookSide, quantity, filled, price }: OrderRecord): string {
    const market = marketOf(instrument)
    const left = this.quantity(quantity - filled, market)
    return price === 0 ? `${bookSide} ${left}` : `${bookSide} ${left} @ ${this.price(price, market)}`
  }

  quantity(quantity: number, market: MarketName = this.market): string {
    const { quantityStep, quantityDecimals } = markets[market]
    return formatDecimal(BigInt(quantity) * BigInt(quantityStep), quantityDecimals)
  }

  price(price: number, market: MarketName = this.market): string {
    const { priceStep, priceDecimals } = markets[market]
    return formatDecimal(BigInt(price) * BigInt(priceStep), priceDecimals)
  }

  private version(name: string): Interface {
    return this.account(name).mode === 'classic' ? 'v2' : 'v3'
  }
}

export function coinId(name: CoinName): number {
  return coinNames.indexOf(name)
}

export function instrumentId(market: MarketName): number {
  return Object.keys(markets).indexOf(market)
}

export function marketOf(id: number): MarketName {
  return Object.keys(markets)[id] as MarketName
}

/** A refusal with its facts, as text. */
function facts(refusal: Refusal): string {
  return Object.values(refusal).map(String).join(' ')
}

/**
 * What came of an order: the orders that went, what was filled, and what became of the rest.
 * `canceled sell 8 @ 99, filled 5` · `filled 2, rests 3` · `filled 2, then canceled no-liquidity` · `refused nothing-to-reduce`
 */
function outcome(exchange: Exchange, uid: Uid, reply: Reply): string {
  if (reply.kind === 'refused') return `refused ${reply.refusal.kind}`
  if (reply.kind !== 'placed') return reply.kind
  const own = (order: { readonly clientOid: string; readonly uid: Uid }) =>
    order.uid === uid && order.clientOid === reply.clientOid
  const parts: string[] = []
  for (const order of exchange.ended()) {
    if (own(order) || order.status !== 'canceled') continue
    const whose = order.uid === uid ? '' : `${exchange.name(order.uid)}'s `
    parts.push(`canceled ${whose}${exchange.orderText(order)}`)
  }
  const fills = exchange.fills().filter(own)
  const filled = fills.reduce((sum, fill) => sum + fill.quantity, 0)
  if (filled > 0) parts.push(`filled ${exchange.quantity(filled, marketOf(fills[0]?.instrument ?? 0))}`)
  const end = exchange.ended().find(own)
  if (end === undefined) {
    const order = exchange.query({ kind: 'order', uid, order: { orderId: undefined, clientOid: reply.clientOid } })
    if (order === undefined) throw new Error('an order that has not ended can be found')
    parts.push(`rests ${exchange.quantity(order.quantity - order.filled, marketOf(order.instrument))}`)
  } else if (end.status === 'canceled') {
    parts.push(filled > 0 ? `then canceled ${end.cancelReason}` : `canceled ${end.cancelReason}`)
  }
  return parts.join(', ')
}
