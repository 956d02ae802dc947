/**
 * Admission of spot and margin orders: what they hold, and what they borrow.
 *
 * Hold       a limit buy its notional, a market buy its quote amount, a sell its base quantity
 * Loans      a margin order borrows what is missing at placing, as its loan type says
 * Debt       an order at a price worse than the index leaves a wallet with debt the level that it needs
 * Source     interface.md E2; design.md §4.25, §4.35; risk-engine.md §17
 */
import { baseOf, notionalFloor, type SpotInstrument, valueFloor } from '../catalog/catalog.ts'
import { borrowable, indexLoss, levelAllows, spendable } from '../lending/lending.ts'
import { type Amount, amount, big, cappedAmount, type Lots, maxAmount, type Ticks, zero } from '../numbers/numbers.ts'
import { isCoinHalted } from '../price-rules/price-rules.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { MarginWallet } from '../records/records.ts'
import type { Reading } from '../state/state.ts'
import type { LoanType } from '../vocabulary.ts'
import { type Admitted, noOrders } from './admitted.ts'
import { priceLimit, refuseNotional, refuseOversize, refusePrice, refuseQuantity, refuseUncounted } from './checks.ts'
import type { OrderIntake } from './intake.ts'
import { staysOpen } from './limits.ts'
import { immediateCancelReason, matchTaker, type Taker } from './matching.ts'

/** Loan types whose orders borrow what is missing when they are placed, and those that repay with what they receive. */
const borrows: ReadonlySet<LoanType> = new Set(['autoLoan', 'autoLoanAndRepay'])
export function admitSpot(reading: Reading, intake: OrderIntake<SpotInstrument>): Admitted | Refusal {
  const { account, wallet, instrument, scale, command, cause } = intake
  const { replaced, filled = 0 } = intake.placing
  const budget = command.quantity.unit === 'quote' ? command.quantity.amount : zero
  const quantity = command.quantity.unit === 'lots' ? command.quantity.lots : (0 as Lots)
  const byQuote = command.quantity.unit === 'quote'
  const whole = (quantity + filled) as Lots
  // TP/SL of what an order received may be as small as that was, and sells or spends no more than is there.
  const isTpsl = cause === 'take-profit' || cause === 'stop-loss'
  if (reading.prices.isBeyondRange(instrument.id)) return { kind: 'index-stale' }
  const oversize = refuseOversize(reading, instrument, scale, command, whole)
  if (oversize !== undefined) return refuseBeyondMeans(reading, intake, whole) ?? oversize
  const refusal =
    refusePrice(reading, instrument, command.side, command.price) ??
    (byQuote
      ? (!isTpsl && budget < instrument.notionalMin) || budget <= 0n
        ? ({ kind: 'notional-below-minimum', minimum: instrument.notionalMin } as const)
        : undefined
      : (refuseQuantity(instrument, command, whole, isTpsl) ??
        (isTpsl ? undefined : refuseNotional(reading, instrument, scale, command, whole)) ??
        refuseUncounted(
          reading,
          instrument,
          { side: command.side, price: command.price, rests: staysOpen(command), opens: false },
          quantity,
        )))
  if (refusal !== undefined) return refusal

  const buy = command.side === 'buy'
  const coin = reading.catalog.coins[buy ? instrument.quote : instrument.base]
  const hold = byQuote ? budget : buy ? notionalFloor(scale, quantity, command.price as Ticks) : baseOf(scale, quantity)
  const available = maxAmount(zero, spendable(reading, account, wallet, coin.id))
  if (isTpsl) {
    const free = reading.ledger.freeOf(reading.ledger.find(account.handle, wallet, coin.id))
    if (hold > free) return { kind: 'insufficient-available', required: hold, available: free }
  }
  let loan: Amount = zero
  const kept = replaced === undefined ? zero : amount(reading.orders.hold.at(replaced))
  if (hold - kept > available) {
    loan = amount(hold - kept - available)
    const mayBorrow = command.category === 'MARGIN' && borrows.has(command.loanType)
    if (mayBorrow && isCoinHalted(reading, coin.id)) return { kind: 'index-stale' }
    if (!mayBorrow || loan > borrowable(reading, account, wallet as MarginWallet, coin)) {
      return { kind: 'insufficient-available', required: hold, available: amount(available + kept) }
    }
  }
  const limit = priceLimit(reading, instrument, command.side, command.price)
  const taker: Taker = {
    instrument,
    scale,
    side: command.side,
    account: account.handle,
    wallet,
    main: account.main,
    stpMode: command.stpMode ?? account.stpMode,
    priceLimit: limit,
    quantity: byQuote ? Number.MAX_SAFE_INTEGER : quantity,
    budget: byQuote ? budget : undefined,
  }
  const match = matchTaker(reading, taker)
  if (cause !== 'liquidation' && (wallet === 'crossed_margin' || wallet === 'uta')) {
    const later = staysOpen(command) ? quantity - match.filled : 0
    const loss = indexLoss(reading, instrument, {
      buy,
      quote: match.notional + valueFloor(scale, later, limit),
      base: baseOf(scale, match.filled + later),
    })
    const borrowed = loan > 0n ? { coin, units: loan } : undefined
    if (loss > 0n && !levelAllows(reading, account, wallet, loss, borrowed)) {
      return { kind: 'insufficient-available', required: hold, available }
    }
  }
  return {
    intake,
    bookSide: command.side,
    quantity,
    budget,
    priceLimit: limit,
    intent: 'spot',
    positionSide: 'net',
    reduceOnly: false,
    hold,
    loan,
    supersededReduceOnly: noOrders,
    exposure: undefined,
    leverage: 1,
    marginMode: 'cross',
    match,
    generation: match.generation,
    immediateCancel: immediateCancelReason(reading, command, taker, match),
  }
}

/** What the venue's numbers do not carry is mostly more than its owner has, and is then refused for that. */
function refuseBeyondMeans(
  reading: Reading,
  { account, wallet, instrument, scale, command: { side, price, category, loanType } }: OrderIntake<SpotInstrument>,
  quantity: Lots,
): Refusal | undefined {
  const buy = side === 'buy'
  const required = big(quantity) * (buy ? big(price) * scale.unit : scale.baseUnit)
  const coin = reading.catalog.coins[buy ? instrument.quote : instrument.base]
  const available = maxAmount(zero, spendable(reading, account, wallet, coin.id))
  const mayBorrow = category === 'MARGIN' && borrows.has(loanType)
  const means = mayBorrow ? available + borrowable(reading, account, wallet as MarginWallet, coin) : available
  return required > means ? { kind: 'insufficient-available', required: cappedAmount(required), available } : undefined
}
