/**
 * Repaying several debts of a unified wallet, for which other coins may be sold.
 *
 * Source  interface.md E11; design.md §4.36; risk-engine.md §17; wire/v3-endpoints.md §4 `repay`
 */
import { debtIn, debtsToRepay, netOf, orderOf, pairOf, unified, worthOf } from '../account-rules/account-rules.ts'
import type { CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { spendable } from '../lending/lending.ts'
import { payDebt, publishConversion } from '../loans/loans.ts'
import {
  cappedAmount,
  divCeil,
  divFloor,
  type Lots,
  minAmount,
  oneCoin,
  rateOne,
  type Ticks,
} from '../numbers/numbers.ts'
import { placeOrder } from '../orders/orders.ts'
import type { RepayDebts } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { Account, State } from '../state/state.ts'

/**
 * Pays each debt out of its own coin if that is among the payments. Then it sells the other payments for the debt at
 * market, as far as the book takes them within the protection band.
 */
export function repayDebts(state: State, command: RepayDebts): Reply {
  const decided = debtsToRepay(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, owed } = decided
  const before = worthOf(state, account, owed)
  for (const debt of owed) {
    if (command.payments.includes(debt)) payOwn(state, account, debt)
    for (const payment of command.payments) {
      const pair = payment === debt ? undefined : pairOf(state, payment, debt)
      if (pair !== undefined) sellFor(state, account, pair, debt)
    }
  }
  return { kind: 'debts-repaid', repaidUsd: cappedAmount(divFloor(before - worthOf(state, account, owed), oneCoin)) }
}

function payOwn(state: State, account: Account, coin: CoinId): void {
  const units = minAmount(debtIn(state, account, coin), spendable(state, account, unified, coin))
  if (units > 0n) payDebt(state, account, unified, { coin, units, cause: 'request' })
}

/** Where prices differ from the index a single order may be too small for the debt. */
const ordersMax = 5

/** Sells as much of the pair's other coin as the debt needs; what comes in pays it at once (loans/unified-debt.ts). */
function sellFor(state: State, account: Account, pair: SpotInstrument, debt: CoinId): void {
  const scale = state.scale(pair.id)
  const mark = state.prices.markPrice(pair.id)
  for (let placed = 0; placed < ordersMax; placed++) {
    // What must come in for the debt to be left after the fee.
    const needed = divCeil(debtIn(state, account, debt) * rateOne, rateOne - pair.takerFeeRate)
    if (needed === 0n) return
    const selling = pair.quote === debt
    const price = selling ? mark : (Number(divFloor(BigInt(mark) * (rateOne + pair.marketBand), rateOne)) as Ticks)
    const wanted = divCeil(needed, selling ? BigInt(price) * scale.unit : scale.baseUnit)
    const payment = spendable(state, account, unified, selling ? pair.base : pair.quote)
    const affordable = payment / (selling ? scale.baseUnit : BigInt(price) * scale.unit)
    const lots = Number(wanted < affordable ? wanted : affordable) as Lots
    if (lots <= 0) return
    const coin = selling ? pair.base : pair.quote
    const [sold, raised] = [netOf(state, account, coin), netOf(state, account, debt)]
    const reply = placeOrder(state, orderOf(account, pair, selling ? 'sell' : 'buy', lots, selling ? 0 : price))
    publishConversion(
      state,
      { account, wallet: unified },
      {
        fromCoin: coin,
        fromAmount: cappedAmount(sold - netOf(state, account, coin)),
        toCoin: debt,
        toAmount: cappedAmount(netOf(state, account, debt) - raised),
      },
    )
    const left = divCeil(debtIn(state, account, debt) * rateOne, rateOne - pair.takerFeeRate)
    if (reply.kind === 'refused' || left === needed) return
  }
}
