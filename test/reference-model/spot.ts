/**
 * Spot and margin orders: what they need, and how a match settles.
 *
 * Covers  a take-profit or stop-loss needs no minimum, and uses no more than the wallet has
 * Hold    a limit buy its notional, a market buy its budget, a sell its quantity
 * Borrow  loan = max(0, need − available), bounded by level, account and pool, if the order's loan type borrows
 * Repay   what a fill brings pays debt of its coin, if the order's loan type repays; of a unified account always
 * Fees    in the coin received, rounded up
 * Source  risk-engine.md §10, §17; design.md §4.25
 */
import { priceOf } from './books.ts'
import { bandPrice, type Market, worth } from './catalog.ts'
import { checkPrice, checkQuantity, checkValue } from './checks.ts'
import type { Place } from './commands.ts'
import { debtOf, payDebt } from './debts.ts'
import { type Earlier, freeOf } from './holds.ts'
import {
  borrowable,
  indexLoss,
  isMarginWallet,
  lendShortfall,
  levelAllows,
  payWithIncoming,
  spendable,
} from './loans.ts'
import { markPrice } from './prices.ts'
import type { Match } from './solvency.ts'
import { type MatchResult, sweep } from './sweep.ts'
import { type Fraction, least, most, up, zero } from './rational.ts'
import type { Order, Wallet, World } from './world.ts'

export interface SpotOrder {
  readonly quantity: Fraction
  readonly budget: Fraction | undefined
  readonly hold: Fraction
  readonly loan: Fraction
  readonly coin: string
  readonly limit: Fraction
  readonly matched: MatchResult
}

export function admitSpot(
  world: World,
  command: Place,
  wallet: Wallet,
  market: Market,
  {
    forced,
    covers,
    earlier,
  }: { readonly forced: boolean; readonly covers: boolean; readonly earlier: Earlier | undefined },
): SpotOrder | string {
  const { owner, side, price, amount } = command
  const budget = amount.of === 'quote' ? amount.budget : undefined
  const quantity = amount.of === 'quantity' ? amount.quantity : zero
  const filled = earlier?.filled ?? zero
  const mark = markPrice(world, market)
  const fault =
    checkPrice(market, side, price, mark) ??
    (budget === undefined
      ? (checkQuantity(market, price, quantity.plus(filled), covers) ??
        (covers ? undefined : checkValue(market, price ?? mark, quantity.plus(filled))))
      : (!covers && budget.isBelow(market.notionalMin)) || budget.sign() <= 0
        ? 'notional-below-minimum'
        : undefined)
  if (fault !== undefined) return fault

  const coin = side === 'buy' ? market.quote : market.base
  const hold = budget ?? (side === 'buy' ? worth(market, quantity, price ?? zero) : quantity)
  if (covers && hold.isAbove(freeOf(world, owner, wallet, coin))) return 'insufficient-available'
  // What an earlier order holds comes free: only more than that has to be there.
  const kept = earlier?.order.hold ?? zero
  const loan = most(zero, hold.minus(kept).minus(most(zero, spendable(world, owner, wallet, coin))))
  if (loan.isAbove(zero)) {
    const borrows = command.margin && ['autoLoan', 'autoLoanAndRepay'].includes(command.loanType)
    if (!borrows || loan.isAbove(borrowable(world, owner, wallet, world.coin(coin)))) {
      return 'insufficient-available'
    }
  }
  const limit = price ?? bandPrice(market, mark, side, market.marketBand)
  const matched = sweep(world, {
    owner,
    wallet,
    market,
    side,
    stp: command.stp,
    limit,
    quantity: budget === undefined ? quantity : undefined,
    budget,
  })
  if (!forced && isMarginWallet(wallet)) {
    const rests = price !== undefined && (command.timeInForce === 'gtc' || command.timeInForce === 'post_only')
    const later = rests ? quantity.minus(matched.filled) : zero
    const quote = matched.paid.plus(worth(market, later, limit))
    const loss = indexLoss(world, market, side, quote, matched.filled.plus(later))
    const borrowed = loan.isZero() ? undefined : { coin: world.coin(coin), money: loan }
    if (loss.isAbove(zero) && !levelAllows(world, owner, wallet, loss, borrowed)) return 'insufficient-available'
  }
  return { quantity, budget, hold, loan, coin, limit, matched }
}

/** Quote from the buyer to the seller, base from the seller to the buyer, each less its fee. */
export function settleSpot(world: World, taker: Order, { maker, quantity, price }: Match): void {
  const { market } = taker
  const [buyer, seller] = taker.side === 'buy' ? [taker, maker] : [maker, taker]
  // What the venue sells for an account pays the fee of its liquidation instead.
  const takerFee = taker.forced ? zero : market.takerFee
  const rateOf = (order: Order) => (order === taker ? takerFee : market.makerFee)
  const paid = worth(market, quantity, price)
  const fees = new Map([
    [buyer, up(quantity.times(rateOf(buyer)))],
    [seller, up(paid.times(rateOf(seller)))],
  ])
  const feeOf = (order: Order) => fees.get(order) as Fraction
  buyer.hold = buyer.hold.minus(buyer.price === undefined ? paid : worth(market, quantity, priceOf(buyer)))
  seller.hold = seller.hold.minus(quantity)

  const purse = (order: Order, coin: string) => world.purse(order.owner, order.wallet, coin)
  const buyerQuote = purse(buyer, market.quote)
  const buyerBase = purse(buyer, market.base)
  const sellerQuote = purse(seller, market.quote)
  const sellerBase = purse(seller, market.base)
  buyerQuote.balance = buyerQuote.balance.minus(paid)
  sellerQuote.balance = sellerQuote.balance.plus(paid)
  sellerBase.balance = sellerBase.balance.minus(quantity)
  buyerBase.balance = buyerBase.balance.plus(quantity)
  world.post('fees', buyerBase, feeOf(buyer).negative())
  world.post('fees', sellerQuote, feeOf(seller).negative())
  lendShortfall(world, buyerQuote)
  lendShortfall(world, sellerBase)

  for (const order of [taker, maker]) {
    const fee = feeOf(order)
    order.filled = order.filled.plus(quantity)
    if (order.budget === undefined) order.remaining = order.remaining.minus(quantity)
    order.fee = order.fee.plus(fee)
    order.received = order.received.plus(order === buyer ? quantity : paid).minus(fee)
    world.fills.push({
      owner: order.owner,
      order: order.id,
      market: market.name,
      side: order.side,
      scope: order === taker ? 'taker' : 'maker',
      effect: 'spot',
      price,
      quantity,
      notional: paid,
      fee,
      realized: zero,
    })
  }
  payWithIncoming(world, buyerBase, quantity.minus(feeOf(buyer)), repays(buyer))
  payWithIncoming(world, sellerQuote, paid.minus(feeOf(seller)), repays(seller))
}

/** What an order does not hold any more pays back what it borrowed. */
export function giveBack(world: World, order: Order, freed: Fraction): void {
  const { owner, wallet, market, side, loan } = order
  if (!freed.isAbove(zero)) return
  const purse = world.purse(owner, wallet, side === 'buy' ? market.quote : market.base)
  const paid = least(freed, freeOf(world, owner, wallet, purse.coin), loan, debtOf(world, purse))
  if (!paid.isAbove(zero)) return
  payDebt(world, purse, paid)
  order.loan = loan.minus(paid)
}

function repays({ margin, loanType }: Order): boolean {
  return margin && ['autoRepay', 'autoLoanAndRepay'].includes(loanType)
}
