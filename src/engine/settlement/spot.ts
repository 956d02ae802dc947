/**
 * Settlement of spot and margin matches, and what their orders hold and borrow.
 *
 * Settle     quote from buyer to seller, base from seller to buyer; each pays the fee in the coin received, rounded up
 * Loans      as its loan type says, a margin order borrows what is missing when it is placed, and repays with what its
 *            fills bring in. A unified wallet repays with whatever comes in
 * Price better than the limit: a buy gets the difference back at once
 * Source     interface.md E2; design.md §4.25, §4.35; risk-engine.md §10, §17
 */
import type { Admitted } from '../admission/admission.ts'
import { baseFeeOf, baseOf, feeOf, notionalFloor, type SpotInstrument } from '../catalog/catalog.ts'
import { lend, negativeToLoan, noteDebtor, payWithIncoming } from '../loans/loans.ts'
import { amount, type Amount, type Lots, type Rate, rate, type Ticks, zero } from '../numbers/numbers.ts'
import type { MarginWallet } from '../records/records.ts'
import { orderCodes, type Reading, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { LoanType } from '../vocabulary.ts'
import { publishFill, publishTrade, type FillLeg, fillShared } from './fills.ts'
import { payRebate } from './rebates.ts'
import { releaseSpot } from './release.ts'

const repays: ReadonlySet<LoanType> = new Set(['autoRepay', 'autoLoanAndRepay'])
const marginCategory = orderCodes.category.indexOf('MARGIN')
const liquidationCause = orderCodes.cause.indexOf('liquidation')
const noFee = rate(0n)

/** Settles one step of the taker's match that is a fill. */
export function settleSpot(state: State, { intake, match }: Admitted, taker: Row, step: number): void {
  const { ledger, orders } = state
  const { scale } = intake
  const instrument = intake.instrument as SpotInstrument
  const maker = match.makers[step]
  const quantity = match.lots[step] as Lots
  const price = match.prices[step] as Ticks
  const takerBuys = orders.sideOf(taker) === 'buy'
  const buyer = takerBuys ? taker : maker
  const seller = takerBuys ? maker : taker
  const paid = notionalFloor(scale, quantity, price)
  const delivered = baseOf(scale, quantity)
  const takerFeeRate = feeRateOf(state, taker, instrument.takerFeeRate)
  const buyerFee = baseFeeOf(scale, quantity, takerBuys ? takerFeeRate : instrument.makerFeeRate)
  const sellerFee = feeOf(scale, quantity, price, takerBuys ? instrument.makerFeeRate : takerFeeRate)
  const buyerQuote = slotOf(state, buyer, instrument.quote)
  const buyerBase = slotOf(state, buyer, instrument.base)
  const sellerQuote = slotOf(state, seller, instrument.quote)
  const sellerBase = slotOf(state, seller, instrument.base)

  const freed = orders.price.at(buyer) === 0 ? paid : notionalFloor(scale, quantity, orders.price.at(buyer) as Ticks)
  ledger.release(buyerQuote, freed)
  orders.hold.set(buyer, orders.hold.at(buyer) - freed)
  ledger.release(sellerBase, delivered)
  orders.hold.set(seller, orders.hold.at(seller) - delivered)
  ledger.transfer(buyerQuote, sellerQuote, paid)
  ledger.transfer(sellerBase, buyerBase, delivered)
  ledger.charge(buyerBase, 'fees', buyerFee)
  ledger.charge(sellerQuote, 'fees', sellerFee)
  for (const slot of [buyerQuote, buyerBase, sellerQuote, sellerBase]) ledger.updatedAt[slot] = state.at
  noteMarginWallets(state, buyer, buyerBase, buyerQuote)
  noteMarginWallets(state, seller, sellerQuote, sellerBase)

  const matchId = state.counters.match++
  // An account that trades with itself in one wallet: as the taker's fill, show the balances before the maker's side.
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
    const execId = state.counters.exec
    // Two postings, two numbers.
    state.counters.exec = execId + 2
    const leg: FillLeg = {
      effect: 'spot',
      quantity,
      notional: paid,
      fee,
      realizedPnl: zero,
      execId,
      balance: received,
    }
    fillShared(state, row, quantity, leg)
    const gave = { coin: buys ? instrument.quote : instrument.base, balance: given, baseAmount: delivered }
    const scope = row === taker ? 'taker' : 'maker'
    publishFill(state, row, leg, { matchId, scope, price, feeCoin, positionSide: 'net', paid: gave })
  }
  publishTrade(state, taker, matchId, quantity, price)
  lendShortfall(state, buyer, instrument.quote)
  lendShortfall(state, seller, instrument.base)
  for (const row of [taker, maker]) {
    if (row === buyer) payRebate(state, row, instrument.base, buyerFee)
    else payRebate(state, row, instrument.quote, sellerFee)
  }
  payWith(state, buyer, instrument.base, amount(delivered - buyerFee))
  payWith(state, seller, instrument.quote, amount(paid - sellerFee))
}

function slotOf(state: State, row: Row, coin: number): Row {
  const wallet = state.orders.walletOf(row)
  return state.ledger.slot(state.orders.accountOf(row), wallet, coin)
}

/** Orders of a liquidation pay no taker fee: the account pays the liquidation fee instead. */
function feeRateOf(reading: Reading, row: Row, takerFeeRate: Rate): Rate {
  return reading.orders.cause.at(row) === liquidationCause ? noFee : takerFeeRate
}

/** Notes both wallets of a margin order, so that their margin level is checked when the command ends. */
function noteMarginWallets(state: State, row: Row, received: Row, given: Row): void {
  if (state.orders.category.at(row) !== marginCategory) return
  noteDebtor(state, received)
  noteDebtor(state, given)
}

/** A unified wallet whose futures lost what its order held borrows what it lacks (risk-engine §16). */
function lendShortfall(state: State, row: Row, coin: number): void {
  if (state.orders.walletOf(row) !== 'uta') return
  negativeToLoan(state, state.accounts.byHandle(state.orders.accountOf(row)), coin)
}

/** What came in pays debt in that coin first: in a unified wallet always, in cross margin if the loan type says so. */
function payWith(state: State, row: Row, coin: number, received: Amount): void {
  const { orders } = state
  const wallet = orders.walletOf(row)
  const pays =
    wallet === 'uta' || (wallet === 'crossed_margin' && repays.has(orderCodes.loanType[orders.loanType.at(row)]))
  if (pays) payWithIncoming(state, state.accounts.byHandle(orders.accountOf(row)), wallet, coin, received)
}

/**
 * Borrows what is missing and holds what the order may spend. What it holds already counts, from earlier terms or from the
 * order that it replaces; what of that is too much is released.
 */
export function holdForSpot(state: State, admitted: Admitted, row: Row): void {
  const { ledger, orders } = state
  const { account, wallet, instrument } = admitted.intake
  const { quote, base } = instrument as SpotInstrument
  const coin = state.catalog.coins[admitted.bookSide === 'buy' ? quote : base]
  if (admitted.loan > 0n) {
    lend(state, account, wallet as MarginWallet, { coin, units: admitted.loan, cause: 'order' })
    orders.change(row, { loan: orders.extrasOf(row).loan + admitted.loan })
  }
  const slot = ledger.slot(account.handle, wallet, coin.id)
  const more = amount(admitted.hold - orders.hold.at(row))
  if (more < 0n) return releaseSpot(state, row, amount(-more))
  ledger.hold(slot, more)
  ledger.updatedAt[slot] = state.at
  orders.hold.set(row, admitted.hold)
}
