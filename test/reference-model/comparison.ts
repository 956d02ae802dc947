/**
 * Engine against model, figure by figure; what differs is shown in the model's words.
 *
 * After a command   the answer, the fills, the orders that were cut, triggered or ended, every balance that was posted to,
 *                   and every other time all figures of whom it concerned
 * At intervals      all figures of everybody, the books, marks and funding rates, and what the house has
 */
import type { Event, FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { BalanceView, PositionView } from '../../src/engine/protocol/query.ts'
import { opposite, priceOf } from './books.ts'
import { type Market, tierValue, worth } from './catalog.ts'
import { interestOf, principalOf } from './debts.ts'
import type { EngineSide } from './engine-side.ts'
import { closingOrders, desksOf, freeOf, heldOf, leftOf, openingOrders } from './holds.ts'
import { spendable, transferable } from './loans.ts'
import { availableOf, crossDesks, crossProfit, equityOf } from './margin.ts'
import { walletsOf } from './money.ts'
import { largerSide } from './pools.ts'
import { indexPrice, markPrice, runningRate } from './prices.ts'
import { down, fraction, type Fraction, least, most, sum, zero } from './rational.ts'
import { breakEvenPrice, isUnified, isUnifiedLiquidation, liquidationPrice, marginRatio } from './risk.ts'
import { deskInitialMargin, deskProfit, maintenanceRate, unrealized } from './value.ts'
import {
  type Cut,
  type Desk,
  type Ended,
  type Fill,
  type HouseAccount,
  leverageOf,
  type Position,
  positionsOf,
  type Purse,
  tradingWallet,
  type Wallet,
  type World,
} from './world.ts'

type OrderCut = Extract<Event, { kind: 'order-cut' }>

export class Comparison {
  readonly faults: string[] = []
  private readonly side: EngineSide
  private readonly world: World

  constructor(side: EngineSide, world: World) {
    this.side = side
    this.world = world
  }

  /** What the command at hand did. */
  compareEvents(): void {
    const emitted = this.side.events
    this.compareQuote()
    const fills = emitted.filter((event) => event.kind === 'fill')
    const ended = emitted.filter((event) => event.kind === 'order-ended').map(({ order }) => order)
    const cuts = emitted.filter((event) => event.kind === 'order-cut')
    this.compareList('cut', cuts, this.world.cuts, (label, cut, model) => this.compareCut(label, cut, model))
    const triggers = emitted.filter((event) => event.kind === 'trigger-ended').map(({ trigger }) => trigger)
    this.compareList('trigger', triggers, this.world.endedTriggers, (label, trigger, model) => {
      this.same(`${label} owner`, this.side.name(trigger.uid), model.owner)
      if (model.id !== '') this.same(`${label} id`, trigger.clientOid, model.id)
      this.same(`${label} status`, trigger.status, model.status)
      this.same(`${label} failure`, trigger.failure, model.failure)
    })
    this.comparePosted()
    const transits = emitted.filter((event) => event.kind === 'chain-transfer')
    this.compareList('transfer', transits, this.world.endedTransits, (label, transit, model) => {
      this.same(`${label} owner`, this.side.name(transit.uid), model.owner)
      this.same(`${label} direction`, transit.direction, model.direction)
      this.same(`${label} status`, transit.status, model.status)
      this.units(`${label} amount`, transit.amount, model.money)
    })
    this.compareList('fill', fills, this.world.fills, (label, fill, model) => this.compareFill(label, fill, model))
    this.compareList('ended', ended, this.world.ended, (label, order, model) => this.compareEnded(label, order, model))
  }

  /** Each balance as its last bill or fill says that it is; both are numbered in the order of their postings. */
  private comparePosted(): void {
    const last = new Map<Purse, { readonly number: number; readonly balance: bigint }>()
    for (const event of this.side.events) {
      if ((event.kind !== 'bill' && event.kind !== 'fill') || event.wallet === 'p2p') continue
      const { uid, wallet } = event
      const note = (number: number, coin: number, balance: bigint) => {
        const purse = this.world.purse(this.side.name(uid), wallet, this.side.coins[coin]?.name ?? '')
        if (number > (last.get(purse)?.number ?? 0)) last.set(purse, { number, balance })
      }
      if (event.kind === 'bill') note(event.id, event.coin, event.balance)
      else note(event.execId, event.feeCoin, event.balance)
      if (event.kind === 'fill' && event.paidCoin !== undefined)
        note(event.execId + 1, event.paidCoin, event.paidBalance)
    }
    for (const [{ owner, wallet, coin, balance }, posted] of last) {
      this.units(`${owner} ${wallet} ${coin} posted`, posted.balance, balance)
    }
  }

  private compareQuote(): void {
    const { quoted } = this.side
    const model = this.world.quotes.at(-1)
    if (quoted === undefined || model === undefined) return
    this.units('quoted to go', quoted.fromAmount, model.goes)
    this.units('quoted to come', quoted.toAmount, model.comes)
    this.rate('quoted price', quoted.price, model.price)
  }

  private compareList<A, B>(
    what: string,
    engine: readonly A[],
    model: readonly B[],
    compare: (label: string, a: A, b: B) => void,
  ): void {
    this.same(`number of ${what}s`, engine.length, model.length)
    engine.forEach((item, index) => {
      const other = model[index]
      if (other !== undefined) compare(`${what} ${index}`, item, other)
    })
  }

  private compareFill(label: string, fill: FillEvent, model: Fill): void {
    const market = this.side.market(fill.instrument)
    this.same(`${label} owner`, this.side.name(fill.uid), model.owner)
    this.same(`${label} market`, market.name, model.market)
    if (model.order !== '') this.same(`${label} order`, fill.clientOid, model.order)
    this.same(`${label} side`, fill.bookSide, model.side)
    this.same(`${label} scope`, fill.scope, model.scope)
    this.same(`${label} effect`, fill.effect, model.effect)
    this.ticks(`${label} price`, market, fill.price, model.price)
    this.lots(`${label} quantity`, market, fill.quantity, model.quantity)
    this.units(`${label} notional`, fill.notional, model.notional)
    this.units(`${label} fee`, fill.fee, model.fee)
    this.units(`${label} realized`, fill.realizedPnl, model.realized)
  }

  private compareCut(label: string, { uid, orderId, cut }: OrderCut, model: Cut): void {
    this.same(`${label} owner`, this.side.name(uid), model.owner)
    const order = this.side.orderOf(uid, orderId)
    if (model.order !== '') this.same(`${label} order`, order?.clientOid, model.order)
    if (order !== undefined) this.lots(`${label} lots`, this.side.market(order.instrument), cut, model.cut)
  }

  private compareEnded(label: string, order: OrderRecord, model: Ended): void {
    const market = this.side.market(order.instrument)
    this.same(`${label} owner`, this.side.name(order.uid), model.owner)
    if (model.order !== '') this.same(`${label} order`, order.clientOid, model.order)
    this.same(`${label} status`, order.status, model.status)
    this.same(`${label} reason`, order.cancelReason, model.reason)
    this.lots(`${label} quantity`, market, order.quantity, model.quantity)
    this.lots(`${label} filled`, market, order.filled, model.filled)
    this.units(`${label} fee`, order.fee, model.fee)
    this.units(`${label} realized`, order.realizedPnl, model.realized)
  }

  /**
   * Figures of an account: all of them, or with the number of a command (`turn`) its balances each time, its positions and
   * futures wallets every third, and one coin's of what may be used of a unified wallet, which hangs on all that is in it.
   */
  compareAccount(name: string, turn?: number): void {
    const used = (wallet: Wallet) => this.world.purses.some((purse) => purse.owner === name && purse.wallet === wallet)
    for (const wallet of walletsOf(this.world.account(name))) {
      if (turn !== undefined && !used(wallet)) continue
      const views = this.side.engine.query({ kind: 'balances', uid: this.side.uid(name), wallet })
      for (const view of views) {
        const isTurn = wallet !== 'uta' || turn === undefined || turn % views.length === view.coin
        this.compareBalance(name, wallet, view, isTurn)
      }
    }
    if (turn !== undefined && turn % 3 !== 0) return
    this.comparePositions(name)
    this.compareTriggers(name)
    if (!this.world.account(name).unified) this.compareAssets(name)
  }

  private compareBalance(name: string, wallet: Wallet, view: BalanceView, withBounds: boolean): void {
    const coin = this.side.coins[view.coin]?.name ?? ''
    const { world } = this
    const label = `${name} ${wallet} ${coin}`
    const known = world.purses.some((other) => other.owner === name && other.wallet === wallet && other.coin === coin)
    const untouched = view.balance === 0n && view.held === 0n && view.principal === 0n && view.interest === 0n
    if (!known && untouched && wallet !== 'uta') return
    const purse = world.purse(name, wallet, coin)
    this.units(`${label} balance`, view.balance, purse.balance)
    this.units(`${label} held`, view.held, heldOf(world, name, wallet, coin))
    this.units(`${label} principal`, view.principal, principalOf(purse))
    this.units(`${label} interest`, view.interest, interestOf(world, purse))
    if (!withBounds) return
    this.units(`${label} available`, view.available, most(zero, spendable(world, name, wallet, coin)))
    this.units(`${label} transferable`, view.transferable, transferable(world, name, wallet, coin))
  }

  /** What the futures wallets of a classic account show (risk-engine §21). */
  private compareAssets(name: string): void {
    const { world } = this
    for (const market of world.markets) {
      const { line, settle } = market
      if (line === undefined) continue
      const ask = { uid: this.side.uid(name), interface: 'v2', line } as const
      const views = this.side.engine.query({ kind: 'futures-assets', ...ask })
      const view = views.find(({ coin }) => this.side.coins[coin]?.name === settle)
      if (view === undefined) {
        this.faults.push(`${name} ${line} ${settle}: no such asset`)
        continue
      }
      const wallet = tradingWallet(world.account(name), market, false)
      const label = `${name} ${wallet} ${settle} asset`
      const apart = desksOf(world, name, wallet, settle).filter(({ marginMode }) => marginMode === 'isolated')
      const margin = sum(apart.flatMap(positionsOf).map((position) => position.margin))
      const apartProfit = sum(apart.map((desk) => deskProfit(world, desk)))
      const profit = crossProfit(world, name, wallet, settle)
      const initial = sum(crossDesks(world, name, wallet, settle).map((desk) => deskInitialMargin(world, desk)))
      const equity = equityOf(world, name, wallet, settle).plus(margin).plus(apartProfit)
      const available = most(zero, availableOf(world, name, wallet, settle))
      const unused = most(zero, freeOf(world, name, wallet, settle).minus(initial))
      this.units(`${label} equity`, view.equity, equity)
      const inCoin = (coin: string) => down(equity.times(world.usdOf(settle)).over(world.usdOf(coin)))
      this.units(`${label} equity in USDT`, view.usdtEquity, inCoin('USDT'))
      this.units(`${label} equity in BTC`, view.btcEquity, inCoin('BTC'))
      this.units(`${label} cross available`, view.crossMaxAvailable, available)
      this.units(`${label} isolated available`, view.isolatedMaxAvailable, unused)
      this.units(`${label} transferable`, view.maxTransferOut, least(available, unused))
      this.units(`${label} cross profit`, view.crossUnrealizedPnl, profit)
      this.units(`${label} isolated profit`, view.isolatedUnrealizedPnl, apartProfit)
      this.units(`${label} cross margin`, view.crossMargin, initial)
      this.units(`${label} isolated margin`, view.isolatedMargin, margin)
    }
  }

  private compareTriggers(name: string): void {
    const views = this.side.waiting(name)
    const waiting = this.world.triggers.filter(({ owner }) => owner === name)
    this.compareList(`${name} waiting`, views, waiting, (label, view, model) => {
      const market = this.side.market(view.instrument)
      this.same(`${label} market`, market, model.market)
      const { trailing } = model
      if (trailing === undefined || trailing.best !== undefined || trailing.activation !== undefined) {
        this.ticks(`${label} price`, market, view.price, model.price)
      }
      this.ticks(`${label} best`, market, view.trailing?.best ?? 0, trailing?.best ?? zero)
      if (model.hold !== undefined) this.lots(`${label} quantity`, market, view.quantity, model.quantity ?? zero)
      const { cover } = model
      if (cover?.side === 'sell') this.lots(`${label} covers`, market, view.quantity, cover.money)
      if (cover?.side === 'buy') this.units(`${label} covers`, view.quoteAmount, cover.money)
    })
  }

  private comparePositions(name: string): void {
    const { engine } = this.side
    const uid = this.side.uid(name)
    const version = this.side.version(name)
    const desks = this.world.desks.filter((desk) => desk.owner === name)
    const lines = new Set(this.world.markets.flatMap(({ line }) => (line === undefined ? [] : [line])))
    const views = [...lines].flatMap((line) =>
      engine.query({ kind: 'positions', uid, interface: version, line, instrument: undefined }),
    )
    this.same(`${name} positions`, views.length, desks.flatMap(positionsOf).length)
    for (const view of views) {
      const market = this.side.market(view.instrument)
      const desk = desks.find((other) => other.market === market && other[view.side] !== undefined)
      const position = desk?.[view.side]
      if (desk === undefined || position === undefined)
        this.faults.push(`${name} ${market.name} ${view.side}: not the model's`)
      else this.comparePosition(`${name} ${market.name} ${view.side}`, view, desk, position)
    }
  }

  private comparePosition(label: string, view: PositionView, desk: Desk, position: Position): void {
    const { world } = this
    const { market } = desk
    const { side, quantity } = position
    const mark = markPrice(world, market)
    const hedged = world.isHedged(desk.owner, market)
    const opening = openingOrders(world, desk, side === 'long' ? 'buy' : 'sell')
    const isolated = desk.marginMode === 'isolated'
    this.same(`${label} margin mode`, view.marginMode, desk.marginMode)
    this.same(`${label} leverage`, view.leverage, leverageOf(desk, side, hedged))
    this.lots(`${label} quantity`, market, view.quantity, quantity)
    this.lots(`${label} locked`, market, view.locked, leftOf(closingOrders(world, desk, side)))
    this.lots(`${label} opening`, market, view.opening, leftOf(opening))
    const notionals = opening.map((order) => down(worth(market, order.remaining, order.price ?? zero)))
    this.units(`${label} opening notional`, view.openingNotional, sum(notionals))
    const alone = {
      ...desk,
      long: side === 'long' ? position : undefined,
      short: side === 'short' ? position : undefined,
    }
    this.units(`${label} margin`, view.margin, isolated ? position.margin : deskInitialMargin(world, alone))
    this.units(`${label} realized`, view.realizedPnl, position.realized)
    this.units(`${label} unrealized`, view.unrealizedPnl, unrealized(market, position, mark))
    this.units(`${label} entry`, view.entryNotional, position.entryValue.size())
    this.units(`${label} fees`, view.fees, position.openFees.plus(position.closeFees))
    this.same(`${label} has paid funding`, view.funding !== undefined, position.funding !== undefined)
    this.units(`${label} funding`, view.funding ?? 0n, position.funding ?? zero)
    this.ticks(`${label} mark`, market, view.markPrice, mark)
    this.rate(
      `${label} maintenance rate`,
      view.maintenanceRate,
      maintenanceRate(market, tierValue(market, isolated ? quantity : largerSide(desk), mark)),
    )
    this.same(`${label} auto margin`, view.autoMargin, desk.autoMargin)
    this.rate(`${label} margin ratio`, view.marginRatio, marginRatio(world, desk, position))
    if (isUnified(desk)) {
      const price = market.tick.times(fraction(view.liquidationPrice))
      this.same(`${label} is liquidated at ${price.toString()}`, true, isUnifiedLiquidation(world, desk, price))
    } else
      this.ticks(`${label} liquidation price`, market, view.liquidationPrice, liquidationPrice(world, desk, position))
    this.ticks(`${label} break-even price`, market, view.breakEvenPrice, breakEvenPrice(market, position))
  }

  compareMarkets(): void {
    for (const market of this.world.markets) {
      const instrument = this.side.marketId(market.name)
      const prices = this.side.engine.query({ kind: 'prices', instrument })
      this.ticks(`${market.name} index`, market, prices.indexPrice, indexPrice(this.world, market))
      this.ticks(`${market.name} mark`, market, prices.markPrice, markPrice(this.world, market))
      const long = this.world.desks.filter((desk) => desk.market === market).map((desk) => desk.long?.quantity ?? zero)
      this.lots(`${market.name} open interest`, market, prices.openInterest, sum(long))
      if (market.kind !== 'spot') {
        this.rate(`${market.name} funding rate`, prices.fundingRate, runningRate(this.world, market))
      }
      this.compareBook(market, instrument)
    }
  }

  private compareBook(market: Market, instrument: number): void {
    const { bids, asks } = this.side.engine.query({ kind: 'depth', instrument, limit: 1000 })
    for (const [name, levels, against] of [
      ['bids', bids, 'sell'],
      ['asks', asks, 'buy'],
    ] as const) {
      const orders = opposite(this.world, market, against)
      const prices = [...new Set(orders.map((order) => priceOf(order).over(market.tick).floor()))]
      this.same(`${market.name} ${name}`, levels.length, prices.length)
      levels.forEach(([price, quantity], index) => {
        const at = orders.filter((order) => priceOf(order).over(market.tick).floor() === prices[index])
        this.ticks(
          `${market.name} ${name} ${index} price`,
          market,
          price,
          fraction(prices[index] ?? 0n).times(market.tick),
        )
        this.lots(`${market.name} ${name} ${index} quantity`, market, quantity, leftOf(at))
      })
    }
  }

  /** The engine's own check of its books. */
  compareBooks(): void {
    const { faults, coins } = this.side.engine.query({ kind: 'verify' })
    this.faults.push(...faults.map((fault) => `verify: ${fault}`))
    for (const { coin, sum: total, house } of coins) {
      this.same(`sum of all ${coin}`, total, 0n)
      this.units(`house rounding ${coin}`, house['rounding'] ?? 0n, this.world.houseBalance('rounding', coin))
    }
  }

  /** What the house has, and the sum of everything. */
  compareHouse(): void {
    for (const { coin, house } of this.side.engine.query({ kind: 'verify' }).coins) {
      if (!this.world.total(coin).isZero()) this.faults.push(`the model's sum of all ${coin} is not zero`)
      for (const [account, money] of Object.entries(house)) {
        this.units(`house ${account} ${coin}`, money, this.world.houseBalance(account as HouseAccount, coin))
      }
    }
  }

  /** Without orders and positions nothing is held, and nothing stands in the accounts between positions. */
  compareDrained(): void {
    for (const { name } of this.world.coins) {
      this.units(`entry value of ${name} at the end`, 0n, this.world.houseBalance('clearing', name))
      this.units(`isolated margin of ${name} at the end`, 0n, this.world.houseBalance('isolatedMargin', name))
    }
    for (const { name: owner } of this.world.accounts) {
      for (const wallet of walletsOf(this.world.account(owner))) {
        for (const { name } of this.world.coins) {
          this.units(`${owner} ${wallet} ${name} held at the end`, 0n, heldOf(this.world, owner, wallet, name))
        }
      }
    }
  }

  // Figures

  same(label: string, engine: unknown, model: unknown): void {
    if (engine !== model) this.faults.push(`${label}: engine ${String(engine)}, model ${String(model)}`)
  }

  private units(label: string, engine: bigint, model: Fraction): void {
    this.scaled(label, engine, model, 100_000_000n)
  }

  private rate(label: string, engine: bigint, model: Fraction): void {
    this.scaled(label, engine, model, 1_000_000_000_000n)
  }

  private ticks(label: string, { tick }: Market, engine: number, model: Fraction): void {
    this.steps(label, engine, model, tick)
  }

  private lots(label: string, { lot }: Market, engine: number, model: Fraction): void {
    this.steps(label, engine, model, lot)
  }

  private steps(label: string, engine: number, model: Fraction, step: Fraction): void {
    const figure = step.times(fraction(engine))
    if (!figure.equals(model)) this.faults.push(`${label}: engine ${figure.toString()}, model ${model.toString()}`)
  }

  private scaled(label: string, engine: bigint, model: Fraction, scale: bigint): void {
    if (engine * model.bottom === model.top * scale) return
    const shown = fraction(engine).over(fraction(scale))
    this.faults.push(`${label}: engine ${shown.toString()}, model ${model.toString()}`)
  }
}
