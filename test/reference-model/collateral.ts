/**
 * Liquidation of a margin wallet: its assets are sold until its debt is paid.
 *
 * Steps    cancel its orders and look again · pay each debt out of its own coin · while a debt is left, the largest
 *          first: sell the most valuable asset whole (unified: the one with the highest collateral ratio), or buy the missing coin with it where only that is traded · what
 *          is left the insurance fund pays
 * Book     orders of the venue within the protection band, free of trading fees
 * Fund     takes at the index price what the book does not
 * Fee      2 % of what is sold, to the fund; money that came out of a sale pays no second time
 * Source   risk-engine.md §17
 */
import { bandPrice, type Market, type Side } from './catalog.ts'
import { coverDebt, debtOf, payDebt } from './debts.ts'
import { closeOrder } from './order-end.ts'
import { levelOf, liquidationLevel } from './loans.ts'
import { placeForced } from './placing.ts'
import { markPrice } from './prices.ts'
import { down, downTo, type Fraction, fraction, least, most, one, up, upTo, zero } from './rational.ts'
import type { Purse, Wallet, World } from './world.ts'

const feeRate = fraction('0.02')
const piecesMax = 100

/** Debtors of cross margin whose level is at or below that of liquidation, the lowest first. */
export function liquidateDebtors(world: World, names: ReadonlySet<string>): void {
  const found = world.accounts
    .filter(({ name }) => names.has(name) && isBreached(world, name))
    .map(({ name }, index) => ({ name, index, level: ratioOf(world, name) }))
  found.sort((a, b) => a.level.compare(b.level) || a.index - b.index)
  for (const { name } of found) sellCollateral(world, name, 'crossed_margin')
}

function isBreached(world: World, owner: string): boolean {
  const { assets, debt } = levelOf(world, owner, 'crossed_margin')
  return !debt.isZero() && !assets.isAbove(debt.times(liquidationLevel))
}

function ratioOf(world: World, owner: string): Fraction {
  const { assets, debt } = levelOf(world, owner, 'crossed_margin')
  return assets.over(debt)
}

export function sellCollateral(world: World, owner: string, wallet: Wallet): void {
  const open = world.orders.filter((order) => order.owner === owner && order.wallet === wallet)
  for (const order of open.reverse()) closeOrder(world, order, 'canceled', 'system')
  if (levelOf(world, owner, wallet).debt.isZero()) return
  if (wallet === 'crossed_margin' && !isBreached(world, owner)) return
  new Sale(world, owner, wallet).run()
}

class Sale {
  private readonly world: World
  private readonly owner: string
  private readonly wallet: Wallet
  /** Proceeds that have paid the fee, by coin. */
  private readonly charged = new Map<string, Fraction>()

  constructor(world: World, owner: string, wallet: Wallet) {
    this.world = world
    this.owner = owner
    this.wallet = wallet
  }

  run(): void {
    this.payOwn()
    for (let debt = this.largestDebt(); debt !== undefined; debt = this.largestDebt()) {
      const asset = this.wallet === 'uta' ? this.dearest() : this.largest(({ balance }) => balance)
      if (asset === undefined) break
      this.raise(asset, debt)
      this.payOwn()
    }
    for (const { name } of this.world.coins) coverDebt(this.world, this.purse(name))
  }

  private purse(coin: string): Purse {
    return this.world.purse(this.owner, this.wallet, coin)
  }

  private has(coin: string): Fraction {
    return this.purse(coin).balance
  }

  private owes(coin: string): Fraction {
    return debtOf(this.world, this.purse(coin))
  }

  /** Balance less debt: what comes in counts whether or not it paid debt by itself. */
  private net(coin: string): Fraction {
    return this.has(coin).minus(this.owes(coin))
  }

  private largestDebt(): string | undefined {
    return this.largest((purse) => debtOf(this.world, purse))
  }

  /** The coin of which there is most by its worth; of equals the first listed. */
  private largest(measure: (purse: Purse) => Fraction): string | undefined {
    let best: { readonly coin: string; readonly worth: Fraction } | undefined
    for (const { name } of this.world.coins) {
      const value = measure(this.purse(name)).times(this.world.usdOf(name))
      if (value.isAbove(best?.worth ?? zero)) best = { coin: name, worth: value }
    }
    return best?.coin
  }

  /** Of a unified wallet the coin that counts for most as collateral; of equals the one worth most. */
  private dearest(): string | undefined {
    const held = this.world.coins
      .filter(({ name }) => this.has(name).sign() > 0)
      .map((coin) => ({
        coin: coin.name,
        ratio: coin.collateral[0]?.ratio ?? zero,
        worth: this.has(coin.name).times(this.world.usdOf(coin.name)),
      }))
    return held.sort((a, b) => b.ratio.compare(a.ratio) || b.worth.compare(a.worth))[0]?.coin
  }

  private payOwn(): void {
    for (const { name } of this.world.coins) {
      const money = least(this.owes(name), this.has(name))
      if (money.sign() > 0) payDebt(this.world, this.purse(name), money)
    }
  }

  private pair(base: string, quote: string): Market | undefined {
    return this.world.markets.find((market) => market.kind === 'spot' && market.base === base && market.quote === quote)
  }

  private raise(asset: string, debt: string): void {
    const direct = this.pair(asset, debt)
    if (direct !== undefined) return this.sellWhole(asset, debt, direct)
    const reverse = this.pair(debt, asset)
    if (reverse !== undefined) return this.buy(asset, debt, reverse)
    const bridge = this.world.markets.find(
      ({ kind, base, quote }) => kind === 'spot' && base === asset && this.pair(debt, quote) !== undefined,
    )
    if (bridge !== undefined) return this.sellWhole(asset, bridge.quote, bridge)
    this.buy(asset, debt, undefined)
  }

  private sellWhole(asset: string, into: string, market: Market): void {
    const before = this.net(into)
    for (let piece = 0; piece < piecesMax; piece++) {
      const quantity = bounded(market, downTo(market.lot, this.has(asset)))
      if (quantity.isZero() || !this.trade(market, 'sell', quantity, undefined)) break
    }
    const rest = this.has(asset)
    if (rest.sign() > 0) this.exchange(asset, rest, into, this.at(rest, asset, into))
    const proceeds = this.net(into).minus(before)
    this.charge(into, proceeds)
    this.charged.set(into, (this.charged.get(into) ?? zero).plus(proceeds))
  }

  /** What some of a coin is worth in another, at index prices. */
  private at(money: Fraction, coin: string, into: string): Fraction {
    return down(money.times(this.world.usdOf(coin)).over(this.world.usdOf(into)))
  }

  /** Buys what is missing, with at most what there is: spent + fee·(spent − charged) <= balance. */
  private buy(asset: string, coin: string, market: Market | undefined): void {
    const missing = this.owes(coin)
    const before = this.has(asset)
    const charged = this.charged.get(asset) ?? zero
    const budget = before.isAbove(charged) ? down(before.plus(feeRate.times(charged)).over(one.plus(feeRate))) : before
    const spent = () => before.minus(this.has(asset))
    const start = this.net(coin)
    const bought = () => this.net(coin).minus(start)
    for (let piece = 0; market !== undefined && piece < piecesMax && bought().isBelow(missing); piece++) {
      const price = this.highestPrice(market)
      const affordable = downTo(market.lot, budget.minus(spent()).over(price))
      const quantity = bounded(market, least(affordable, upTo(market.lot, missing.minus(bought()))))
      if (quantity.isZero() || !this.trade(market, 'buy', quantity, price)) break
    }
    const left = missing.minus(bought())
    if (left.sign() > 0) {
      const cost = up(left.times(this.world.usdOf(coin)).over(this.world.usdOf(asset)))
      const remaining = budget.minus(spent())
      if (cost.isAbove(remaining)) this.exchange(asset, remaining, coin, this.at(remaining, asset, coin))
      else this.exchange(asset, cost, coin, left)
    }
    const sold = spent()
    this.charge(asset, most(zero, sold.minus(charged)))
    this.charged.set(asset, most(zero, charged.minus(sold)))
    if (bought().isBelow(missing)) this.exchange(asset, this.has(asset), coin, zero)
  }

  /** The edge of the protection band, or of the price band when that is nearer. */
  private highestPrice(market: Market): Fraction {
    const { marketBand, limitBand } = market
    const band = limitBand.sign() > 0 ? least(limitBand, marketBand) : marketBand
    return bandPrice(market, markPrice(this.world, market), 'buy', band)
  }

  private trade(market: Market, side: Side, quantity: Fraction, price: Fraction | undefined): boolean {
    const before = this.net(market.base)
    const order = { owner: this.owner, market: market.name, side, price, quantity, hold: undefined, reduceOnly: false }
    placeForced(this.world, order)
    return !this.net(market.base).equals(before)
  }

  /** The fund takes one coin and gives another. */
  private exchange(from: string, money: Fraction, into: string, given: Fraction): void {
    this.world.post('insurance', this.purse(from), money.negative())
    this.world.post('insurance', this.purse(into), given)
  }

  private charge(coin: string, sold: Fraction): void {
    const fee = least(up(sold.times(feeRate)), this.has(coin))
    this.world.post('insurance', this.purse(coin), fee.negative())
  }
}

function bounded({ quantityMax, marketQuantityMax }: Market, quantity: Fraction): Fraction {
  return least(quantity, ...[quantityMax, marketQuantityMax].filter((maximum) => maximum.sign() > 0))
}
