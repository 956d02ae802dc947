/**
 * Repaying debts of a margin wallet, for which other coins may be sold.
 *
 * Source  interface.md E11; design.md §4.36; risk-engine.md §17; wire/v3-endpoints.md §4 `repay`; fidelity §2
 */
import {
  debtIn,
  type Debtor,
  debtsToFlashRepay,
  debtsToRepay,
  netOf,
  orderOf,
  pairOf,
  worthOf,
} from '../account-rules/account-rules.ts'
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
import type { FlashRepay, RepayDebts } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { RepaymentWatch, State } from '../state/state.ts'

/**
 * Pays each debt out of its own coin if that is among the payments. Then it sells the other payments for the debt at
 * market, as far as the book takes them within the protection band.
 */
export function repayDebts(state: State, command: RepayDebts): Reply {
  const decided = debtsToRepay(state, command)
  if ('kind' in decided) return refused(decided)

  const { debtor, owed, payments } = decided
  const before = worthOf(state, debtor, owed)
  for (const debt of owed) {
    if (payments.includes(debt)) payOwn(state, debtor, debt)
    sellAll(state, debtor, debt, payments)
  }
  return { kind: 'debts-repaid', repaidUsd: cappedAmount(divFloor(before - worthOf(state, debtor, owed), oneCoin)) }
}

/**
 * The same of one coin or of all, with whatever the wallet has. Every debt is paid out of its own coin before any coin is
 * sold for another. What is left stays owed.
 */
export function flashRepay(state: State, command: FlashRepay): Reply {
  const decided = debtsToFlashRepay(state, command)
  if ('kind' in decided) return refused(decided)

  const { debtor, owed, payments } = decided
  const watch: RepaymentWatch = { account: debtor.account.handle, wallet: debtor.wallet, repayId: undefined }
  state.repaymentWatch = watch
  for (const debt of owed) payOwn(state, debtor, debt)
  for (const debt of owed) sellAll(state, debtor, debt, payments)
  state.repaymentWatch = undefined
  return { kind: 'flash-repaid', repayId: watch.repayId }
}

function payOwn(state: State, { account, wallet }: Debtor, coin: CoinId): void {
  const debt = debtIn(state, { account, wallet }, coin)
  const units = minAmount(debt, spendable(state, account, wallet, coin))
  if (units > 0n) payDebt(state, account, wallet, { coin, units, cause: 'request' })
}

function sellAll(state: State, debtor: Debtor, debt: CoinId, payments: readonly CoinId[]): void {
  for (const payment of payments) {
    const pair = payment === debt ? undefined : pairOf(state, payment, debt)
    if (pair !== undefined) sellFor(state, debtor, pair, debt)
  }
}

/** Where prices differ from the index a single order may be too small for the debt. */
const ordersMax = 5

/**
 * Sells as much of the pair's other coin as the debt needs. What comes in pays it: in a unified wallet by itself
 * (loans/unified-debt.ts), in cross margin after the order.
 */
function sellFor(state: State, debtor: Debtor, pair: SpotInstrument, debt: CoinId): void {
  const scale = state.scale(pair.id)
  const mark = state.prices.markPrice(pair.id)
  for (let placed = 0; placed < ordersMax; placed++) {
    // What must come in for the debt to be left after the fee.
    const needed = divCeil(debtIn(state, debtor, debt) * rateOne, rateOne - pair.takerFeeRate)
    if (needed === 0n) return
    const selling = pair.quote === debt
    const price = selling ? mark : (Number(divFloor(BigInt(mark) * (rateOne + pair.marketBand), rateOne)) as Ticks)
    const wanted = divCeil(needed, selling ? BigInt(price) * scale.unit : scale.baseUnit)
    const coin = selling ? pair.base : pair.quote
    const payment = spendable(state, debtor.account, debtor.wallet, coin)
    const affordable = payment / (selling ? scale.baseUnit : BigInt(price) * scale.unit)
    const lots = Number(wanted < affordable ? wanted : affordable) as Lots
    if (lots <= 0) return
    const [sold, raised] = [netOf(state, debtor, coin), netOf(state, debtor, debt)]
    const reply = placeOrder(state, orderOf(debtor, pair, selling ? 'sell' : 'buy', lots, selling ? 0 : price))
    publishConversion(state, debtor, {
      fromCoin: coin,
      fromAmount: cappedAmount(sold - netOf(state, debtor, coin)),
      toCoin: debt,
      toAmount: cappedAmount(netOf(state, debtor, debt) - raised),
    })
    if (debtor.wallet === 'crossed_margin') payOwn(state, debtor, debt)
    const left = divCeil(debtIn(state, debtor, debt) * rateOne, rateOne - pair.takerFeeRate)
    if (reply.kind === 'refused' || left === needed) return
  }
}
