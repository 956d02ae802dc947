/**
 * What the book does not take of a liquidated position: the insurance fund takes it over at the bankruptcy price, or the
 * other side is deleveraged.
 *
 * Starts   the fund is empty, or down 30 % from its peak; ends when it is back at 90 % of it
 * Queue    score = pnl% × effLev if it wins, else pnl% / effLev; highest first, then the older position
 * Price    the bankrupt's bankruptcy price to the tick; it pays its closing fee, whoever takes over or is deleveraged none
 * Fund     nets what it has against what it takes over; what its positions bring or lose is the insurance fund's
 * Source   risk-engine.md §14, §15
 */
import type { Hold, Market, Side } from './catalog.ts'
import { backingIn } from './backing.ts'
import { cutClosing } from './closing.ts'
import { fundName, poolsOf } from './pools.ts'
import { type Leg, add, reduce } from './positions.ts'
import { markPrice } from './prices.ts'
import { type Fraction, fraction, least, zero } from './rational.ts'
import { bankruptcyPrice } from './risk.ts'
import { purseOf } from './shortfall.ts'
import { type Desk, type Position, positionOf, sizeOf, type Wallet, type World } from './world.ts'

const startShare = fraction('0.7')
const endShare = fraction('0.9')

export function takeOver(world: World, desk: Desk, side: Hold, quantity: Fraction, price: Fraction): void {
  if (isDeleveraging(world, desk.market.settle)) deleverage(world, desk, side, quantity, price)
  else takeOverByFund(world, desk, side, quantity, price)
}

function isDeleveraging(world: World, coin: string): boolean {
  const balance = world.houseBalance('insurance', coin)
  const peak = world.fundPeaks.get(coin) ?? zero
  const share = world.deleveraging.has(coin) ? endShare : startShare
  const isOn = balance.sign() <= 0 || balance.isBelow(peak.times(share))
  if (isOn) world.deleveraging.add(coin)
  else world.deleveraging.delete(coin)
  return isOn
}

export interface Forced {
  readonly side: Hold
  readonly effect: 'open' | 'close'
  readonly quantity: Fraction
  readonly price: Fraction
  readonly feeRate: Fraction
  readonly scope: 'taker' | 'maker'
}

/** A fill that the venue makes without the book: an order that is filled at once, and its fill. */
export function fillForced(world: World, desk: Desk, forced: Forced): void {
  const { side, effect, quantity, price, feeRate, scope } = forced
  world.keep(desk)
  world.orderNumber++
  const book = effect === 'open' ? add : reduce
  const leg: Leg = book(world, desk, side, { quantity, price, feeRate })
  const bookSide: Side = (side === 'long') === (effect === 'open') ? 'buy' : 'sell'
  const { owner, market } = desk
  world.fills.push({ owner, order: '', market: market.name, side: bookSide, scope, price, ...leg })
  const { fee, realized } = leg
  world.ended.push({ owner, order: '', status: 'filled', reason: '', quantity, filled: quantity, fee, realized })
  cutClosing(world, desk)
}

function takeOverByFund(world: World, desk: Desk, side: Hold, quantity: Fraction, price: Fraction): void {
  const { market } = desk
  const close = { side, effect: 'close', quantity, price, feeRate: market.takerFee, scope: 'taker' } as const
  fillForced(world, desk, close)

  if (!world.accounts.some(({ name }) => name === fundName)) {
    world.accounts.push({ name: fundName, main: fundName, unified: false, changing: false, hedged: new Set() })
  }
  const fund = world.deskOrNew(fundName, fundWallet(desk), market)
  const opposite = side === 'long' ? 'short' : 'long'
  const closing = least(quantity, sizeOf(fund, opposite))
  const shared = { price, feeRate: zero, scope: 'maker' } as const
  if (closing.sign() > 0) {
    fillForced(world, fund, { ...shared, side: opposite, effect: 'close', quantity: closing })
  }
  const rest = quantity.minus(closing)
  if (rest.sign() > 0) fillForced(world, fund, { ...shared, side, effect: 'open', quantity: rest })
  sweepFund(world, fund)
}

/** What the fund's positions have brought or cost is the insurance fund's. */
export function sweepFund(world: World, fund: Desk): void {
  const purse = purseOf(world, fund)
  world.post('insurance', purse, purse.balance.negative())
}

function fundWallet({ market }: Desk): Wallet {
  if (market.kind === 'inverse') return 'coin_futures'
  return market.quote === 'USDT' ? 'usdt_futures' : 'usdc_futures'
}

function deleverage(world: World, desk: Desk, side: Hold, quantity: Fraction, price: Fraction): void {
  const { market } = desk
  let left = quantity
  for (const other of queueOf(world, desk.market, side === 'long' ? 'short' : 'long')) {
    const position = positionOf(other, side === 'long' ? 'short' : 'long')
    if (position === undefined || other.owner === desk.owner) continue
    if (left.isZero()) return
    const take = least(left, position.quantity)
    const close = { effect: 'close', quantity: take, price } as const
    fillForced(world, desk, { ...close, side, feeRate: market.takerFee, scope: 'taker' })
    fillForced(world, other, { ...close, side: position.side, feeRate: zero, scope: 'maker' })
    if (other.owner === fundName) sweepFund(world, other)
    left = left.minus(take)
  }
  if (left.sign() > 0) takeOverByFund(world, desk, side, left, price)
}

/** Positions of a side, the first to be deleveraged first; once made, the queue stands for its command. */
function queueOf(world: World, market: Market, side: Hold): readonly Desk[] {
  const key = `${market.name} ${side}`
  const known = world.queues.get(key)
  if (known !== undefined) return known
  const queue = world.desks
    .flatMap((desk) => {
      const position = desk.market === market ? positionOf(desk, side) : undefined
      return position === undefined ? [] : [{ desk, position, score: scoreOf(world, desk, position) }]
    })
    .sort((a, b) => b.score.compare(a.score) || a.position.number - b.position.number)
    .map(({ desk }) => desk)
  world.queues.set(key, queue)
  return queue
}

/** pnl% = s·(Pm − E)/E; effLev = Pm / |Pm − P_bk|; of a position at its bankruptcy price as if it were a tick away. */
function scoreOf(world: World, desk: Desk, position: Position): Fraction {
  const { market } = desk
  const mark = markPrice(world, market)
  const { entryValue, quantity, side } = position
  const entry = market.kind === 'inverse' ? quantity.over(entryValue.size()) : entryValue.size().over(quantity)
  const gain = mark.minus(entry).over(entry)
  const profit = side === 'long' ? gain : gain.negative()
  // Without a bankruptcy price it is as far away as there are prices.
  const none = side === 'long' ? market.tick : market.tick.times(fraction(2n ** 30n - 1n))
  const distance = mark.minus(bankruptcyPrice(market, position, backingOf(world, desk, position)) ?? none).size()
  if (distance.isZero()) return profit.sign() > 0 ? profit.times(mark.over(market.tick)) : zero
  return profit.sign() > 0 ? profit.times(mark).over(distance) : profit.times(distance).over(mark)
}

/** What stands behind a position besides its own profit. */
function backingOf(world: World, desk: Desk, position: Position): Fraction {
  if (desk.marginMode === 'isolated') return position.margin
  const coin = desk.wallet === 'uta' ? undefined : desk.market.settle
  const pool = poolsOf(world, desk.owner).find(
    (candidate) => candidate.side === undefined && candidate.wallet === desk.wallet && candidate.coin === coin,
  )
  return pool === undefined ? zero : backingIn(world, pool, desk, position)
}

/** Long against short at the mark, free of fees. */
export function netSides(world: World, desk: Desk): void {
  const quantity = least(sizeOf(desk, 'long'), sizeOf(desk, 'short'))
  if (quantity.isZero()) return
  const price = markPrice(world, desk.market)
  const close = { effect: 'close', quantity, price, feeRate: zero } as const
  fillForced(world, desk, { ...close, side: 'long', scope: 'taker' })
  fillForced(world, desk, { ...close, side: 'short', scope: 'maker' })
}
