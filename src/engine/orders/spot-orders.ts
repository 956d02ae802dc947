/**
 * Spot and margin orders: what they hold, what they borrow, how a match settles.
 *
 * Hold       a limit buy its notional, a market buy its quote amount, a sell its base quantity
 * Settle     quote from buyer to seller, base from seller to buyer; each pays its fee in the coin received, rounded up
 * Loans      a margin order borrows what is missing at placing, and repays with what its fills receive, as its loan type
 *            says; a unified wallet repays whatever comes in
 * Debt       an order at a price worse than the index leaves a wallet with debt the level that it needs
 * Better     a limit buy that trades below its price gets the difference back at once
 * Source     interface.md E2; design.md §4.25, §4.35; risk-engine.md §10, §17
 */
import type { Account } from '../accounts/accounts.ts'
import {
  baseFeeOf,
  baseOf,
  feeOf,
  type Instrument,
  notionalFloor,
  type SpotInstrument,
  valueFloor,
} from '../catalog/catalog.ts'
import { negativeToLoan, payWithIncoming } from '../futures/futures.ts'
import { lend, type MarginWallet, noteDebtor } from '../loans/loans.ts'
import { borrowable, indexLoss, levelAllows, spendable } from '../margin/margin.ts'
import {
  type Amount,
  amount,
  big,
  cappedAmount,
  type Lots,
  maxAmount,
  type Rate,
  rate,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import { isCoinFrozen } from '../pricing/pricing.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { orderCodes, type Reading, type Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { LoanType, OrderCause, WalletType } from '../vocabulary.ts'
import { priceLimit, refuseNotional, refuseOversize, refusePrice, refuseQuantity } from './checks.ts'
import { releaseSpot } from './ending.ts'
import { announceFill, announceTrade, type FillLeg, fillShared, payRebate } from './fills.ts'
import { planSweep } from './matching.ts'
import type { Admitted, Placing } from './placing.ts'

/** Loan types whose orders borrow what is missing when they are placed, and those that repay with what they receive. */
const borrows: ReadonlySet<LoanType> = new Set(['autoLoan', 'autoLoanAndRepay'])
const repays: ReadonlySet<LoanType> = new Set(['autoRepay', 'autoLoanAndRepay'])

export function admitSpot(
  venue: Reading,
  command: PlaceOrder,
  account: Account,
  wallet: WalletType,
  instrument: SpotInstrument,
  cause: OrderCause,
  { replaced, filled = 0 }: Placing = {},
): Admitted | Refusal {
  const scale = venue.scale(instrument.id)
  const budget = command.quantity.unit === 'quote' ? command.quantity.amount : zero
  const quantity = command.quantity.unit === 'lots' ? command.quantity.lots : (0 as Lots)
  const byQuote = command.quantity.unit === 'quote'
  const whole = (quantity + filled) as Lots
  // What guards the fills of an order may be as small as they were, and sells or spends no more than is there.
  const guards = cause === 'take-profit' || cause === 'stop-loss'
  const oversize = refuseOversize(venue, instrument, command, whole)
  if (oversize !== undefined) return refuseBeyondMeans(venue, command, account, wallet, instrument, whole) ?? oversize
  const refusal =
    refusePrice(venue, instrument, command.side, command.price) ??
    (byQuote
      ? (!guards && budget < instrument.notionalMin) || budget <= 0n
        ? ({ kind: 'notional-below-minimum', minimum: instrument.notionalMin } as const)
        : undefined
      : (refuseQuantity(instrument, command, whole, guards) ??
        (guards ? undefined : refuseNotional(venue, instrument, scale, command, whole))))
  if (refusal !== undefined) return refusal

  const buy = command.side === 'buy'
  const coin = venue.catalog.coins[buy ? instrument.quote : instrument.base]
  const hold = byQuote ? budget : buy ? notionalFloor(scale, quantity, command.price as Ticks) : baseOf(scale, quantity)
  const available = maxAmount(zero, spendable(venue, account, wallet, coin.id))
  if (guards) {
    const free = venue.ledger.freeOf(venue.ledger.find(account.handle, wallet, coin.id))
    if (hold > free) return { kind: 'insufficient-available', required: hold, available: free }
  }
  let loan: Amount = zero
  const kept = replaced === undefined ? zero : amount(venue.orders.hold.at(replaced))
  if (hold - kept > available) {
    loan = amount(hold - kept - available)
    const mayBorrow = command.category === 'MARGIN' && borrows.has(command.loanType)
    if (mayBorrow && isCoinFrozen(venue, coin.id)) return { kind: 'index-stale' }
    if (!mayBorrow || loan > borrowable(venue, account, wallet as MarginWallet, coin)) {
      return { kind: 'insufficient-available', required: hold, available: amount(available + kept) }
    }
  }
  const limit = priceLimit(venue, instrument, command.side, command.price)
  const plan = planSweep(venue, {
    instrument: instrument.id,
    side: command.side,
    account: account.handle,
    wallet,
    main: account.main,
    stpMode: command.stpMode ?? account.stpMode,
    priceLimit: limit,
    quantity: byQuote ? Number.MAX_SAFE_INTEGER : quantity,
    budget: byQuote ? budget : undefined,
  })
  if (cause !== 'liquidation' && (wallet === 'crossed_margin' || wallet === 'uta')) {
    const rests = command.orderType === 'limit' && command.timeInForce !== 'ioc' && command.timeInForce !== 'fok'
    const later = rests ? quantity - plan.filled : 0
    const loss = indexLoss(venue, instrument, {
      buy,
      quote: plan.notional + valueFloor(scale, later, limit),
      base: baseOf(scale, plan.filled + later),
    })
    const borrowed = loan > 0n ? { coin, units: loan } : undefined
    if (loss > 0n && !levelAllows(venue, account, wallet, loss, borrowed)) {
      return { kind: 'insufficient-available', required: hold, available }
    }
  }
  return {
    wallet,
    bookSide: command.side,
    quantity,
    budget,
    priceLimit: limit,
    intent: 'spot',
    positionSide: 'net',
    reduceOnly: false,
    hold,
    loan,
    displaced: [],
    exposure: undefined,
    leverage: 1,
    marginMode: 'cross',
    plan,
  }
}

/** What the venue's numbers do not carry is mostly more than its owner has, and is then refused for that. */
function refuseBeyondMeans(
  venue: Reading,
  { side, price, category, loanType }: PlaceOrder,
  account: Account,
  wallet: WalletType,
  instrument: SpotInstrument,
  quantity: Lots,
): Refusal | undefined {
  const scale = venue.scale(instrument.id)
  const buy = side === 'buy'
  const required = big(quantity) * (buy ? big(price) * scale.unit : scale.baseUnit)
  const coin = venue.catalog.coins[buy ? instrument.quote : instrument.base]
  const available = maxAmount(zero, spendable(venue, account, wallet, coin.id))
  const mayBorrow = category === 'MARGIN' && borrows.has(loanType)
  const means = mayBorrow ? available + borrowable(venue, account, wallet as MarginWallet, coin) : available
  return required > means ? { kind: 'insufficient-available', required: cappedAmount(required), available } : undefined
}

/**
 * Borrows what is missing and holds what the order may spend; what it holds already (its own under other terms, or left
 * to it by the one that it replaces) counts, and what is too much of it comes free.
 */
export function holdForSpot(
  venue: Venue,
  account: Account,
  instrument: Instrument,
  admitted: Admitted,
  row: Row,
): void {
  const { ledger, orders } = venue
  const { quote, base } = instrument as SpotInstrument
  const coin = venue.catalog.coins[admitted.bookSide === 'buy' ? quote : base]
  if (admitted.loan > 0n) {
    lend(venue, account, admitted.wallet as MarginWallet, coin, admitted.loan, 'order')
    orders.change(row, { loan: orders.extrasOf(row).loan + admitted.loan })
  }
  const slot = ledger.slot(account.handle, admitted.wallet, coin.id)
  const more = amount(admitted.hold - orders.hold.at(row))
  if (more < 0n) return releaseSpot(venue, row, amount(-more))
  ledger.hold(slot, more)
  ledger.updatedAt[slot] = venue.at
  orders.hold.set(row, admitted.hold)
}

export function settleSpot(
  venue: Venue,
  instrument: SpotInstrument,
  taker: Row,
  maker: Row,
  quantity: Lots,
  price: Ticks,
): void {
  const { ledger, orders } = venue
  const scale = venue.scale(instrument.id)
  const takerBuys = orders.sideOf(taker) === 'buy'
  const buyer = takerBuys ? taker : maker
  const seller = takerBuys ? maker : taker
  const paid = notionalFloor(scale, quantity, price)
  const delivered = baseOf(scale, quantity)
  const takerFeeRate = feeRateOf(venue, taker, instrument.takerFeeRate)
  const buyerFee = baseFeeOf(scale, quantity, takerBuys ? takerFeeRate : instrument.makerFeeRate)
  const sellerFee = feeOf(scale, quantity, price, takerBuys ? instrument.makerFeeRate : takerFeeRate)
  const buyerQuote = slotOf(venue, buyer, instrument.quote)
  const buyerBase = slotOf(venue, buyer, instrument.base)
  const sellerQuote = slotOf(venue, seller, instrument.quote)
  const sellerBase = slotOf(venue, seller, instrument.base)

  const freed = orders.price.at(buyer) === 0 ? paid : notionalFloor(scale, quantity, orders.price.at(buyer) as Ticks)
  ledger.release(buyerQuote, freed)
  orders.hold.set(buyer, orders.hold.at(buyer) - freed)
  ledger.release(sellerBase, delivered)
  orders.hold.set(seller, orders.hold.at(seller) - delivered)
  ledger.transfer(buyerQuote, sellerQuote, paid)
  ledger.transfer(sellerBase, buyerBase, delivered)
  ledger.charge(buyerBase, 'fees', buyerFee)
  ledger.charge(sellerQuote, 'fees', sellerFee)
  for (const slot of [buyerQuote, buyerBase, sellerQuote, sellerBase]) ledger.updatedAt[slot] = venue.at
  noteDeal(venue, buyer, buyerBase, buyerQuote)
  noteDeal(venue, seller, sellerQuote, sellerBase)

  const matchId = venue.counters.match++
  // Who trades with himself in one wallet had before the maker's side what it did not change yet.
  const own = buyerQuote === sellerQuote
  for (const row of [taker, maker]) {
    const buys = row === buyer
    const fee = buys ? buyerFee : sellerFee
    const feeCoin = buys ? instrument.base : instrument.quote
    let received = ledger.balanceOf(buys ? buyerBase : sellerQuote)
    let given = ledger.balanceOf(buys ? buyerQuote : sellerBase)
    if (own && row === taker) {
      received = amount(received + (buys ? delivered : paid))
      given = amount(given - (buys ? paid - sellerFee : delivered - buyerFee))
    }
    const execId = venue.counters.exec
    // Two postings, two numbers.
    venue.counters.exec = execId + 2
    const leg: FillLeg = {
      effect: 'spot',
      quantity,
      notional: paid,
      fee,
      realizedPnl: zero,
      execId,
      balance: received,
    }
    fillShared(venue, row, quantity, leg)
    const gave = { coin: buys ? instrument.quote : instrument.base, balance: given, baseAmount: delivered }
    announceFill(venue, row, matchId, row === taker ? 'taker' : 'maker', price, feeCoin, leg, 'net', gave)
  }
  announceTrade(venue, taker, matchId, quantity, price)
  lendShortfall(venue, buyer, instrument.quote)
  lendShortfall(venue, seller, instrument.base)
  for (const row of [taker, maker]) {
    if (row === buyer) payRebate(venue, row, instrument.base, buyerFee)
    else payRebate(venue, row, instrument.quote, sellerFee)
  }
  payWith(venue, buyer, instrument.base, amount(delivered - buyerFee))
  payWith(venue, seller, instrument.quote, amount(paid - sellerFee))
}

/** A unified wallet whose futures lost what its order held borrows what it lacks (risk-engine §16). */
function lendShortfall(venue: Venue, row: Row, coin: number): void {
  if (venue.orders.walletOf(row) !== 'uta') return
  negativeToLoan(venue, venue.accounts.byHandle(venue.orders.accountOf(row)), coin)
}

const marginCategory = orderCodes.category.indexOf('MARGIN')
const liquidationCause = orderCodes.cause.indexOf('liquidation')

/** What the venue sells for an account that it liquidates pays the fee of the liquidation instead. */
function feeRateOf(venue: Reading, row: Row, takerFeeRate: Rate): Rate {
  return venue.orders.cause.at(row) === liquidationCause ? noFee : takerFeeRate
}

const noFee = rate(0n)

function noteDeal(venue: Venue, row: Row, received: Row, given: Row): void {
  if (venue.orders.category.at(row) !== marginCategory) return
  noteDebtor(venue, received)
  noteDebtor(venue, given)
}

/** What came in pays debt in that coin first: of a unified wallet always, of cross margin if the order's loan type says so. */
function payWith(venue: Venue, row: Row, coin: number, received: Amount): void {
  const { orders } = venue
  const wallet = orders.walletOf(row)
  const pays =
    wallet === 'uta' || (wallet === 'crossed_margin' && repays.has(orderCodes.loanType[orders.loanType.at(row)]))
  if (pays) payWithIncoming(venue, venue.accounts.byHandle(orders.accountOf(row)), wallet, coin, received)
}

function slotOf(venue: Venue, row: Row, coin: number): Row {
  const wallet = venue.orders.walletOf(row)
  return venue.ledger.slot(venue.orders.accountOf(row), wallet, coin)
}
