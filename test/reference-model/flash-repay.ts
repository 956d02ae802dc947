/**
 * Debts of a margin wallet paid with whatever it has.
 *
 * Own     each debt out of its own coin first, interest before principal
 * Sold    then every coin that is not owed, in the order of the list: at market for a debt that is its pair's quote coin, else
 *         the debt is bought with it at the edge of the protection band; no more than is needed, the fee in it
 * Left    what cannot be paid stays owed
 * Source  docs/interface.md, v2 `flash-repay`; design.md §4.36
 */
import { bandPrice, type Market } from './catalog.ts'
import type { Answer, FlashRepay } from './commands.ts'
import { debtOf, payDebt } from './debts.ts'
import { spendable } from './loans.ts'
import { placeOrder } from './placing.ts'
import { markPrice } from './prices.ts'
import { downTo, type Fraction, least, one, up, upTo } from './rational.ts'
import type { Wallet, World } from './world.ts'

/** Where prices differ from the index one order may be too small for the debt. */
const ordersMax = 5

interface Debtor {
  readonly owner: string
  readonly wallet: Wallet
}

export function flashRepay(world: World, { owner, coin }: FlashRepay): Answer {
  const debtor: Debtor = { owner, wallet: world.account(owner).unified ? 'uta' : 'crossed_margin' }
  const all = world.coins.map(({ name }) => name)
  const meant = coin === undefined ? all : [coin]
  const owed = meant.filter((name) => owes(world, debtor, name).sign() > 0)
  if (owed.length === 0) return 'no-debt'
  const payments = all.filter((name) => meant.includes(name) || owes(world, debtor, name).isZero())
  const mayPay = (payment: string, debt: string) => payment === debt || pairOf(world, payment, debt) !== undefined
  const usable = payments.filter((payment) => spendable(world, owner, debtor.wallet, payment).sign() > 0)
  if (!usable.some((payment) => owed.some((debt) => mayPay(payment, debt)))) return 'repay-above-available'
  for (const debt of owed) payOwn(world, debtor, debt)
  for (const debt of owed) {
    for (const payment of payments) {
      const market = payment === debt ? undefined : pairOf(world, payment, debt)
      if (market !== undefined) sellFor(world, debtor, market, debt)
    }
  }
  return 'accepted'
}

function owes(world: World, { owner, wallet }: Debtor, coin: string): Fraction {
  return debtOf(world, world.purse(owner, wallet, coin))
}

function pairOf(world: World, payment: string, debt: string): Market | undefined {
  return world.markets.find(
    ({ kind, base, quote }) =>
      kind === 'spot' && ((base === payment && quote === debt) || (base === debt && quote === payment)),
  )
}

function payOwn(world: World, debtor: Debtor, coin: string): void {
  const { owner, wallet } = debtor
  const money = least(owes(world, debtor, coin), spendable(world, owner, wallet, coin))
  if (money.sign() > 0) payDebt(world, world.purse(owner, wallet, coin), money)
}

/** So much must come in that the debt is left after the fee; a part of the least unit counts as one. */
function neededFor(world: World, debtor: Debtor, market: Market, debt: string): Fraction {
  return up(owes(world, debtor, debt).over(one.minus(market.takerFee)))
}

function sellFor(world: World, debtor: Debtor, market: Market, debt: string): void {
  const { owner, wallet } = debtor
  const sells = market.quote === debt
  for (let placed = 0; placed < ordersMax; placed++) {
    const needed = neededFor(world, debtor, market, debt)
    if (needed.isZero()) return
    const mark = markPrice(world, market)
    const limit = bandPrice(market, mark, 'buy', market.marketBand)
    const wanted = upTo(market.lot, sells ? needed.over(mark) : needed)
    const payment = spendable(world, owner, wallet, sells ? market.base : market.quote)
    const quantity = least(wanted, downTo(market.lot, sells ? payment : payment.over(limit)))
    if (quantity.sign() <= 0) return
    const answer = placeOrder(world, {
      kind: 'place',
      id: '',
      owner,
      market: market.name,
      margin: wallet === 'crossed_margin',
      loanType: 'normal',
      side: sells ? 'sell' : 'buy',
      price: sells ? undefined : limit,
      amount: { of: 'quantity', quantity },
      timeInForce: 'ioc',
      hold: undefined,
      trade: undefined,
      reduceOnly: false,
      marginMode: undefined,
      stp: 'none',
      attached: undefined,
    })
    if (wallet === 'crossed_margin') payOwn(world, debtor, debt)
    if (answer !== 'accepted' || neededFor(world, debtor, market, debt).equals(needed)) return
  }
}
