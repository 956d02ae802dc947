/**
 * Who does what in the runs: random commands from a seed, most of them likely to be accepted, many just not.
 *
 * Reads  the model's state, to price orders around the marks, to close what is open and to cancel what rests
 */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Coin, Market, Network, Side } from './catalog.ts'
import type { Command, Leg, Legs, Named, OrderAmount, Place, TimeInForce, TrailTerms } from './commands.ts'
import { debtOf } from './debts.ts'
import { borrowable, spendable } from './loans.ts'
import { markPrice } from './prices.ts'
import { down, downTo, type Fraction, fraction, most, zero } from './rational.ts'
import {
  type LoanType,
  type MarginMode,
  type Position,
  positionsOf,
  type StpMode,
  tradingWallet,
  type Wallet,
  type World,
} from './world.ts'

/** One kind of run: who trades what, and how often what is done. */
export interface Scene {
  readonly name: string
  /** Runs from seeds of their own, each on a new venue, and the commands of one. */
  readonly lives: number
  readonly commands: number
  /** What must have happened so often over all lives, or the scene shows nothing. */
  readonly atLeast: Readonly<Record<string, number>>
  readonly markets: readonly string[]
  readonly people: readonly Person[]
  /** Relative frequency of everything that is not an order. */
  readonly habits: Partial<Record<Habit, number>>
  /** Typical value of an order in US dollars. */
  readonly values: readonly number[]
  /** How far a price moves at a time, in hundredths of a percent; now and then much further. */
  /** Share of the orders of marginable pairs that may borrow. */
  readonly marginShare: number
  readonly step: number
  readonly leap: number
  /** Money of the insurance fund at the start, by coin. */
  readonly fund: Readonly<Record<string, string>>
}

export interface Person {
  readonly name: string
  readonly main: string
  readonly unified: boolean
  readonly hedged: boolean
  readonly money: readonly (readonly [wallet: Wallet, coin: string, money: string])[]
}

export type Habit = Exclude<Command['kind'], 'place'>

/** Orders per hundred commands. */
const ordersShare = 68

const loanTypes = ['normal', 'autoLoan', 'autoLoan', 'autoRepay', 'autoLoanAndRepay', 'autoLoanAndRepay'] as const

export class RandomTraders {
  private readonly scene: Scene
  private readonly world: World
  private readonly draw: () => number
  private ids = 0
  /** Who gets rid of everything, to change the mode of the account. */
  private leaver: string | undefined

  constructor(scene: Scene, world: World, seed: number) {
    this.scene = scene
    this.world = world
    const generator = xoroshiro128plus(seed)
    for (let warmUp = 0; warmUp < 32; warmUp++) generator.next()
    this.draw = () => generator.next() >>> 0
  }

  /** Milliseconds until the next command. */
  pause(): number {
    if (this.happens(0.01)) return this.below(3 * 3_600_000)
    if (this.happens(0.02)) return this.below(120_000)
    return this.happens(0.3) ? this.below(2_000) : 1
  }

  next(): Command {
    const offered = this.world.quotes.at(-1)
    const stands = offered !== undefined && !offered.used && this.world.at < offered.until
    if (stands && this.happens(0.1)) return this.convert(offered.owner)
    if (this.leaver !== undefined && this.happens(0.3)) return this.leave(this.leaver)
    const unsent = this.world.transits.find(({ block, id }) => block === undefined && id !== '')
    if (unsent !== undefined && this.happens(0.015)) {
      const kind = this.one(['cancel-withdrawal', 'cancel-withdrawal', 'reject-withdrawal'] as const)
      return { kind, owner: unsent.owner, id: unsent.id }
    }
    if (this.below(100) < ordersShare) return this.order()
    const entries = Object.entries(this.scene.habits) as [Habit, number][]
    let at = this.below(entries.reduce((total, [, weight]) => total + weight, 0))
    for (const [habit, weight] of entries) {
      if (at < weight) return this.habit(habit)
      at -= weight
    }
    return { kind: 'run-timers' }
  }

  private habit(habit: Habit): Command {
    const person = this.one(this.scene.people)
    const owner = person.name
    switch (habit) {
      case 'cancel': {
        const open = this.world.orders.filter((order) => order.owner === owner && order.id !== '')
        const id = open.length === 0 || this.happens(0.05) ? 'none' : this.one(open).id
        return { kind: 'cancel', owner, id }
      }
      case 'amend':
      case 'replace':
        return this.change(habit, owner)
      case 'plan':
        return this.plan(owner)
      case 'protect':
        return this.protect(person)
      case 'trail':
        return this.trail(person)
      case 'trail-stop':
        return this.trailStop(person)
      case 'change-trailing':
        return this.changeTrailing(owner)
      case 'cancel-trigger': {
        return { kind: habit, ...this.waiting(owner) }
      }
      case 'change-trigger':
        return this.changeTrigger(owner)
      case 'cancel-all': {
        const market = this.market
        return { kind: 'cancel-all', owner, market: market.name, margin: market.marginable && this.happens(0.5) }
      }
      case 'deposit':
      case 'withdraw': {
        const [wallet, coin] = this.one(person.money)
        return { kind: habit, owner, wallet, coin, money: this.portion(owner, wallet, coin) }
      }
      case 'send-deposit': {
        const coin = this.one(this.world.coins)
        const usd = fraction(this.one([1, 30, 1000]) * (1 + this.below(97))).over(fraction(50))
        const money = this.coarse(coin, usd.over(this.world.usdOf(coin.name)))
        return { kind: habit, owner, coin: coin.name, network: this.network(coin), money }
      }
      case 'request-withdrawal':
        return this.withdrawal(person)
      case 'cancel-withdrawal':
      case 'reject-withdrawal': {
        const own = this.world.transits.filter((transit) => transit.owner === owner && transit.id !== '')
        const id = own.length === 0 || this.happens(0.05) ? 'none' : this.one(own).id
        return { kind: habit, owner, id }
      }
      case 'choose-wallet': {
        const [wallet, coin] = this.one(this.one(this.scene.people).money)
        return { kind: habit, owner, coin, wallet: this.happens(0.3) ? 'spot' : wallet }
      }
      case 'transfer':
        return this.transfer(person)
      case 'quote': {
        const wallet = this.world.account(person.name).unified ? 'uta' : 'spot'
        const from = this.one(person.money)[1]
        const to = this.one(this.world.coins).name
        this.ids++
        const ask = { kind: habit, owner, id: `q${this.ids}`, from, to } as const
        if (this.happens(0.6)) return { ...ask, given: 'goes', money: this.portion(owner, wallet, from) }
        const usd = fraction(this.one([1, 100, 3000, 100_000]) * (1 + this.below(97))).over(fraction(91))
        return { ...ask, given: 'comes', money: down(usd.over(this.world.usdOf(to))) }
      }
      case 'convert':
        return this.convert(owner)
      case 'borrow':
      case 'repay': {
        const coin = this.one(['BTC', 'ETH', 'USDT', 'USDT', 'USDC'])
        const wallet = this.world.account(person.name).unified ? 'uta' : 'crossed_margin'
        if (habit === 'borrow' && this.happens(0.5)) {
          const bound = borrowable(this.world, owner, wallet, this.world.coin(coin))
          return { kind: habit, owner, coin, money: down(bound.times(this.share)) }
        }
        const usd = fraction(this.one([1, 100, 5000, 40_000]) * (1 + this.below(97))).over(fraction(37))
        return { kind: habit, owner, coin, money: down(usd.over(this.world.usdOf(coin))) }
      }
      case 'flash-repay': {
        const owed = this.world.purses.filter((purse) => purse.owner === owner && purse.loans.length > 0)
        const coin = owed.length > 0 && this.happens(0.8) ? this.one(owed).coin : this.one(this.world.coins).name
        return { kind: habit, owner, coin: this.happens(0.4) ? undefined : coin }
      }
      case 'set-leverage': {
        const market = this.contract
        const leverage = this.one([1, 2, 3, 5, 7, 10, 20, 20, 33, 50, 75, 125])
        const hold = this.one([undefined, undefined, 'long', 'short'] as const)
        return { kind: habit, owner, market: market.name, leverage, hold }
      }
      case 'set-line-leverage': {
        const line = this.contract.line ?? 'USDT-FUTURES'
        return { kind: habit, owner, line, leverage: this.one([2, 5, 10, 20, 50, 125]) }
      }
      case 'set-margin-mode':
        return { kind: habit, owner, market: this.contract.name, marginMode: this.marginMode }
      case 'set-hold-mode': {
        const line = this.contract.line ?? 'USDT-FUTURES'
        return { kind: habit, owner, line, hedged: this.happens(0.5) }
      }
      case 'set-account-mode':
        this.leaver = this.happens(0.9) ? owner : undefined
        return { kind: habit, owner, unified: this.happens(0.5) }
      case 'set-position-margin': {
        const apart = this.world.desks.filter((other) => other.owner === owner && other.marginMode === 'isolated')
        const desk = apart.length === 0 ? undefined : this.one(apart)
        const position = desk === undefined ? undefined : positionsOf(desk)[0]
        const share = fraction(this.below(200) - 100).over(fraction(199))
        const money = down((position?.margin ?? zero).times(share))
        const hold = this.one([undefined, position?.side, position?.side, 'long'] as const)
        return { kind: habit, owner, market: (desk?.market ?? this.contract).name, hold, money }
      }
      case 'set-auto-margin': {
        const apart = this.world.desks.filter((desk) => desk.owner === owner && desk.marginMode === 'isolated')
        const { market } = apart.length === 0 ? { market: this.contract } : this.one(apart)
        return { kind: habit, owner, market: market.name, on: this.happens(0.6) }
      }
      case 'deliver': {
        const market = this.contract
        return { kind: habit, market: market.name, price: markPrice(this.world, market) }
      }
      case 'set-price':
        return this.price()
      case 'settle-funding':
        return { kind: habit, market: this.contract.name }
      case 'run-timers':
        return { kind: habit }
    }
  }

  /** One thing less that is open or owed; with nothing left the mode is changed. */
  private leave(owner: string): Command {
    const { orders, triggers, desks, purses } = this.world
    const { unified } = this.world.account(owner)
    const order = orders.find((other) => other.owner === owner)
    if (order !== undefined) return { kind: 'cancel-all', owner, market: order.market.name, margin: order.margin }
    if (triggers.some((other) => other.owner === owner)) return { kind: 'cancel-trigger', owner, id: '', place: 0 }
    const desk = desks.find((other) => other.owner === owner && positionsOf(other).length > 0)
    if (this.happens(0.1)) this.leaver = undefined
    if (desk !== undefined) return this.close(owner, desk.market, positionsOf(desk)[0])
    const debtor = purses.find((purse) => purse.owner === owner && purse.loans.length > 0)
    if (debtor !== undefined) return { kind: 'repay', owner, coin: debtor.coin, money: debtOf(this.world, debtor) }
    this.leaver = undefined
    return { kind: 'set-account-mode', owner, unified: !unified }
  }

  /** At market. */
  private close(owner: string, market: Market, { side: hold, quantity }: Position): Place {
    const direction = this.world.isHedged(owner, market) && !this.world.account(owner).unified
    const side = hold === 'long' ? 'sell' : 'buy'
    this.ids++
    return {
      kind: 'place',
      id: `o${this.ids}`,
      owner,
      market: market.name,
      margin: false,
      loanType: 'normal',
      side: direction ? opposite(side) : side,
      price: undefined,
      amount: { of: 'quantity', quantity },
      timeInForce: 'gtc',
      hold: direction ? undefined : hold,
      trade: 'close',
      reduceOnly: true,
      marginMode: undefined,
      stp: 'none',
      attached: undefined,
    }
  }

  /** To somebody outside, to an address of the venue, or to an account at once. */
  private withdrawal(person: Person): Command {
    const { name: owner, money } = person
    const coin = this.world.coin(this.one(money)[1])
    const receiver = this.one(this.scene.people).name
    const wallets = this.world.account(person.name).unified
      ? this.one([['uta'], ['spot', 'uta'], ['uta', 'spot']] as const)
      : ['spot' as const]
    const wallet = wallets.at(-1) ?? 'spot'
    this.ids++
    const id = this.happens(0.1) ? `w${this.below(this.ids)}` : `w${this.ids}`
    const network = this.network(coin)
    const to = this.happens(0.3)
      ? ({ by: 'account', receiver } as const)
      : ({ by: 'network', network, receiver: this.happens(0.4) ? receiver : undefined } as const)
    const share = this.coarse(coin, this.portion(owner, wallet, coin.name))
    return { kind: 'request-withdrawal', owner, id, wallets, coin: coin.name, money: share, to }
  }

  /** Mostly one that the coin has. */
  private network({ chains }: Coin): Network {
    return this.happens(0.95) ? this.one(chains).network : this.one(['BTC', 'SOL'] as const)
  }

  /** Mostly in whole steps of the coin's networks. */
  private coarse({ chains: [{ step }] }: Coin, money: Fraction): Fraction {
    return this.happens(0.05) ? down(money) : downTo(step, money)
  }

  /** Mostly the newest quote, by whom and as it was given. */
  private convert(somebody: string): Command {
    const { quotes } = this.world
    const quoted = this.happens(0.8) ? quotes.at(-1) : quotes[this.below(quotes.length)]
    if (quoted === undefined) {
      const nothing = { id: 'none', from: 'BTC', to: 'USDT', goes: fraction(1), comes: fraction(1) }
      return { kind: 'convert', owner: somebody, ...nothing }
    }
    const { id, from, to, goes } = quoted
    const owner = this.happens(0.05) ? somebody : quoted.owner
    const unit = this.happens(0.05) ? fraction('0.00000001') : zero
    return { kind: 'convert', owner, id, from, to, goes, comes: quoted.comes.plus(unit) }
  }

  private get market(): Market {
    return this.world.market(this.one(this.scene.markets))
  }

  /** A contract of the scene. */
  private get contract(): Market {
    const contracts = this.scene.markets.filter((name) => this.world.market(name).kind !== 'spot')
    return this.world.market(this.one(contracts))
  }

  private get marginMode(): MarginMode {
    return this.one(['cross', 'isolated'] as const)
  }

  private order(market = this.market, person = this.one(this.scene.people)): Place {
    const { name: owner } = person
    const { unified } = this.world.account(owner)
    const desk = this.world.desk(owner, tradingWallet(this.world.account(owner), market, false), market)
    const positions = desk === undefined ? [] : positionsOf(desk)
    const closed = positions.length > 0 && this.happens(0.4) ? this.one(positions) : undefined
    const side: Side = closed === undefined ? this.one(['buy', 'sell']) : closed.side === 'long' ? 'sell' : 'buy'
    const hedged = this.world.isHedged(owner, market)
    // v2 names the direction of the position that it closes.
    const v2Close = hedged && !unified && closed !== undefined
    const atMarket = this.happens(0.2)
    const price = atMarket ? undefined : this.around(market)
    const margin = market.marginable && this.happens(this.scene.marginShare)
    const amount = this.amount(market, side, price, closed?.quantity)
    this.ids++
    const id = this.happens(0.01) ? `o${1 + this.below(this.ids)}` : `o${this.ids}`
    return {
      kind: 'place',
      id,
      owner,
      market: market.name,
      margin,
      loanType: margin ? this.one<LoanType>(loanTypes) : 'normal',
      side: v2Close ? opposite(side) : side,
      price,
      amount: margin && this.happens(0.4) ? this.stretched(person, market, side, price) : amount,
      timeInForce: this.one<TimeInForce>(['gtc', 'gtc', 'gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only']),
      hold: unified || !hedged ? (closed?.side ?? this.one(['long', 'short'])) : undefined,
      trade: closed !== undefined ? 'close' : this.one(['open', 'open', 'open', 'close']),
      reduceOnly: (closed !== undefined && this.happens(0.6)) || this.happens(0.03),
      marginMode:
        market.kind !== 'spot' && this.happens(positions.length === 0 ? 0.4 : 0.03) ? this.marginMode : undefined,
      stp: this.one<StpMode>(['none', 'none', 'none', 'cancel_taker', 'cancel_maker', 'cancel_both']),
      attached: this.happens(0.1) ? this.attached(market, side) : undefined,
    }
  }

  /** Mostly about what it opens or receives, each on its side of the mark. */
  private attached(market: Market, side: Side): Legs {
    const leg = (above: boolean): Leg => ({ ...this.leg(market, above), id: '', quantity: undefined })
    const profit = this.happens(0.7) ? leg(side === 'buy') : undefined
    return { profit, loss: profit === undefined || this.happens(0.7) ? leg(side === 'sell') : undefined }
  }

  private leg(market: Market, above: boolean): Omit<Leg, 'id' | 'quantity'> {
    const mark = markPrice(this.world, market)
    const gap = most(market.tick, downTo(market.tick, mark.over(fraction(2000)).times(fraction(1 + this.below(9)))))
    const trigger = most(market.tick, downTo(market.tick, above ? mark.plus(gap) : mark.minus(gap)))
    const by = this.one(['last', 'mark'] as const)
    return { trigger, by, execute: this.happens(0.3) ? this.around(market) : undefined }
  }

  /** Another price, another quantity, or both. */
  private change(kind: 'amend' | 'replace', owner: string): Command {
    const open = this.world.orders.filter((order) => order.owner === owner && order.id !== '' && order.resting)
    const order = open.length === 0 ? undefined : this.one(open)
    const market = order?.market ?? this.market
    const price = this.happens(0.6) ? this.around(market) : undefined
    const part = (order?.quantity ?? market.lot).times(fraction(this.one([1, 2, 2, 3, 4]))).over(fraction(3))
    const filled = this.happens(0.1) ? order?.filled : undefined
    const quantity = price === undefined || this.happens(0.5) ? (filled ?? downTo(market.lot, part)) : undefined
    const shared = { owner, id: order?.id ?? 'none', market: market.name, price, quantity }
    if (kind === 'amend') return { kind, ...shared, orCancel: this.happens(0.3) }
    this.ids++
    const newId = this.happens(0.02) ? `o${1 + this.below(this.ids)}` : `o${this.ids}`
    return { kind, ...shared, newId, margin: order?.margin ?? false }
  }

  private plan(owner: string): Command {
    const person = this.scene.people.find(({ name }) => name === owner) ?? this.scene.people[0]
    const order = this.order(this.market, person)
    const gtc = { timeInForce: 'gtc', loanType: 'autoLoanAndRepay' } as const
    const market = this.world.market(order.market)
    const { trigger, by } = this.leg(market, this.happens(0.5))
    return { kind: 'plan', owner, order: { ...order, ...gtc }, trigger, by }
  }

  private trail(person: Person): Command {
    const { price: _, ...order } = this.order(this.contract, person)
    const market = this.world.market(order.market)
    const amount = this.amount(market, order.side, markPrice(this.world, market), undefined)
    const placed = { ...order, price: undefined, timeInForce: 'gtc', amount, attached: undefined } as const
    return { kind: 'trail', owner: person.name, order: placed, ...this.trailTerms(market) }
  }

  private trailStop({ name: owner }: Person): Command {
    const { market, position } = this.held(owner)
    const part = (position?.quantity ?? zero).times(fraction(this.one([1, 2, 3, 4]))).over(fraction(3))
    this.ids++
    return {
      kind: 'trail-stop',
      owner,
      market: market.name,
      id: this.happens(0.7) ? `s${this.ids}` : '',
      hold: this.world.isHedged(owner, market) || this.happens(0.7) ? (position?.side ?? 'long') : undefined,
      quantity: this.happens(0.5) ? downTo(market.lot, part) : undefined,
      stp: 'none',
      ...this.trailTerms(market),
      profitRate: zero,
      lossRate: zero,
    }
  }

  /** The same activation price half of the time, or another. */
  private changeTrailing(owner: string): Command {
    const waiting = this.world.triggers.filter((other) => other.owner === owner && other.trailing && other.id !== '')
    const trigger = waiting.length === 0 ? undefined : this.one(waiting)
    const market = trigger?.market ?? this.contract
    const terms = this.trailTerms(market)
    const same = this.happens(0.6) && trigger !== undefined
    const open = trigger?.order?.amount ?? { of: 'quantity', quantity: trigger?.quantity ?? zero }
    const part = (all: Fraction, step: Fraction) =>
      downTo(step, all.times(fraction(this.one([2, 3, 4]))).over(fraction(3)))
    const amount: OrderAmount =
      open.of === 'base'
        ? { of: 'base', size: part(open.size, fraction('0.00000001')) }
        : { of: 'quantity', quantity: part(open.of === 'quote' ? zero : open.quantity, market.lot) }
    const isPart = trigger?.order !== undefined || trigger?.quantity !== undefined
    return {
      kind: 'change-trailing',
      owner,
      id: trigger?.id ?? 'none',
      market: market.name,
      ...terms,
      activation: same ? trigger.trailing?.activation : terms.activation,
      by: same ? trigger.by : terms.by,
      amount: isPart && this.happens(0.4) ? amount : undefined,
    }
  }

  /** One of an account's that wait, by its id or its place. */
  private waiting(owner: string): Named {
    const own = this.world.triggers.filter((trigger) => trigger.owner === owner)
    if (own.length === 0 || this.happens(0.05)) return { owner, id: 'none', place: undefined }
    const place = this.below(own.length)
    const { id } = own[place]
    return id === '' || this.happens(0.5) ? { owner, id: '', place } : { owner, id, place: undefined }
  }

  /** Mostly on the right side of the price, half of the time for another amount. */
  private changeTrigger(owner: string): Command {
    const named = this.waiting(owner)
    const trigger = this.world.triggerOf(named)
    const market = trigger?.market ?? this.market
    const side: Side = trigger?.order?.side ?? trigger?.cover?.side ?? (trigger?.hold === 'long' ? 'sell' : 'buy')
    const right = (trigger?.kind === 'take-profit') === (side === 'sell')
    const terms = this.leg(market, this.happens(0.8) ? right : !right)
    const open = trigger?.quantity ?? trigger?.cover?.money ?? zero
    const part = open.times(fraction(this.one([1, 2, 4]))).over(fraction(3))
    const spends = trigger?.cover?.side === 'buy' && this.happens(0.95)
    const money: OrderAmount = spends
      ? { of: 'quote', budget: down(part) }
      : { of: 'quantity', quantity: downTo(market.lot, part) }
    const amount = trigger?.order === undefined ? money : this.amount(market, side, terms.execute, undefined)
    return {
      kind: 'change-trigger',
      ...named,
      market: market.name,
      ...terms,
      amount: this.happens(0.5) ? amount : undefined,
      attached: this.happens(0.3) ? this.attached(market, side) : undefined,
    }
  }

  private trailTerms(market: Market): TrailTerms {
    const rate = (hundredths: number) => fraction(hundredths).over(fraction(10_000))
    const { trigger, by } = this.leg(market, this.happens(0.5))
    return {
      rate: rate(this.one([1, 2, 5, 10, 10, 20, 50, 100, 1000])),
      activation: this.happens(0.5) ? trigger : undefined,
      by,
      profitRate: this.happens(0.3) ? rate(this.one([5, 50, 500])) : zero,
      lossRate: this.happens(0.3) ? rate(this.one([5, 50, 500])) : zero,
    }
  }

  /** A contract in which somebody has a position, with one of them, or any. */
  private held(owner: string): { readonly market: Market; readonly position: Position | undefined } {
    const open = this.world.desks.filter((desk) => desk.owner === owner && positionsOf(desk).length > 0)
    const desk = open.length === 0 ? undefined : this.one(open)
    return { market: desk?.market ?? this.contract, position: desk && this.one(positionsOf(desk)) }
  }

  private protect({ name: owner }: Person): Command {
    const { market, position } = this.held(owner)
    const hold = position?.side ?? 'long'
    const leg = (profit: boolean): Leg => {
      const part = (position?.quantity ?? zero).times(fraction(this.one([1, 2, 3, 4]))).over(fraction(3))
      this.ids++
      const id = this.happens(0.5) ? `p${this.ids}` : ''
      const right = profit === (hold === 'long')
      const terms = this.leg(market, this.happens(0.9) ? right : !right)
      return { ...terms, id, quantity: this.happens(0.5) ? downTo(market.lot, part) : undefined }
    }
    const profit = this.happens(0.6) ? leg(true) : undefined
    const loss = profit === undefined || this.happens(0.6) ? leg(false) : undefined
    const named = this.world.isHedged(owner, market) || this.happens(0.7) ? hold : undefined
    return { kind: 'protect', owner, market: market.name, hold: named, legs: { profit, loss }, stp: 'none' }
  }

  /** Around the mark, on few prices so that orders meet, now and then at an odd one. */
  private around(market: Market): Fraction {
    const mark = markPrice(this.world, market)
    const { tick } = market
    const wide = this.happens(0.1) ? 400 : 2000
    const gap = most(tick, downTo(tick, mark.over(fraction(wide))))
    const odd = this.happens(0.1) ? tick.times(fraction(this.below(9) - 4)) : tick.minus(tick)
    return most(
      tick,
      downTo(gap, mark)
        .plus(gap.times(fraction(this.below(9) - 4)))
        .plus(odd),
    )
  }

  private amount(market: Market, side: Side, price: Fraction | undefined, open: Fraction | undefined): OrderAmount {
    const usd = fraction(this.one(this.scene.values) * (1 + this.below(97))).over(fraction(50))
    const base = usd.over(this.world.usdOf(market.base))
    if (market.kind === 'spot') {
      if (price === undefined && side === 'buy') return { of: 'quote', budget: down(usd) }
      return { of: 'quantity', quantity: downTo(market.lot, base) }
    }
    if (open !== undefined && this.happens(0.5)) {
      const part = open.times(fraction(this.one([1, 1, 2, 3, 5]))).over(fraction(3))
      return { of: 'quantity', quantity: downTo(market.lot, part) }
    }
    if (market.kind === 'linear') return { of: 'quantity', quantity: downTo(market.lot, base) }
    return this.happens(0.4) ? { of: 'base', size: down(base) } : { of: 'quantity', quantity: downTo(market.lot, usd) }
  }

  /** Most of what can be had and borrowed, or a little more. */
  private stretched({ name }: Person, market: Market, side: Side, price: Fraction | undefined): OrderAmount {
    const { unified } = this.world.account(name)
    const wallet = unified ? 'uta' : 'crossed_margin'
    const coin = side === 'buy' ? market.quote : market.base
    const bound = borrowable(this.world, name, wallet, this.world.coin(coin))
    const budget = down(
      most(zero, spendable(this.world, name, wallet, coin))
        .plus(bound)
        .times(this.share),
    )
    if (side === 'sell') return { of: 'quantity', quantity: downTo(market.lot, budget) }
    if (price === undefined) return { of: 'quote', budget }
    return { of: 'quantity', quantity: downTo(market.lot, budget.over(price)) }
  }

  /** Mostly nearly all, now and then just too much. */
  private get share(): Fraction {
    return fraction(800 + this.below(210)).over(fraction(1000))
  }

  private price(): Command {
    const used = this.scene.markets.map((name) => this.world.market(name))
    const market = this.one(used)
    const coin = this.happens(0.9) || market.kind === 'inverse' ? market.base : market.quote
    const far = this.happens(0.1) ? this.scene.leap : this.scene.step
    const moved = this.world
      .usdOf(coin)
      .times(fraction(10_000 + this.below(2 * far + 1) - far))
      .over(fraction(10_000))
    const listed = this.world.coin(coin).listingPrice
    const off = moved.over(listed)
    const gone = off.isAbove(fraction(3)) || off.isBelow(fraction('0.3'))
    return { kind: 'set-price', coin, price: gone ? listed : down(moved) }
  }

  private transfer(person: Person): Command {
    const [fromWallet, coin] = this.one(person.money)
    const family = this.scene.people.filter(({ main }) => main === person.main)
    const to = this.one(family)
    const [toWallet] = this.one(to.money)
    this.ids++
    const id = this.happens(0.1) ? `t${this.below(this.ids)}` : `t${this.ids}`
    const money = this.portion(person.name, fromWallet, coin)
    return {
      kind: 'transfer',
      id,
      main: person.main,
      from: person.name,
      fromWallet,
      to: to.name,
      toWallet,
      coin,
      money,
    }
  }

  /** Some of what is there, or a little more. */
  private portion(owner: string, wallet: Wallet, coin: string): Fraction {
    const { balance } = this.world.purse(owner, wallet, coin)
    const share = fraction(this.below(this.happens(0.1) ? 1100 : 200)).over(fraction(997))
    return down(most(balance.times(share), fraction('0.00000001')))
  }

  private one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  private below(bound: number): number {
    return bound <= 0 ? 0 : this.draw() % bound
  }

  private happens(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}
