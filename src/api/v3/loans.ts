/**
 * Borrowing on the unified account in v3: what is owed, paying it, and the terms of a coin.
 *
 * Borrow   MARGIN orders borrow by themselves; there is no call for it
 * Source   wire/v3-endpoints.md §1 `margin-loans`, §2 `loan-data`, §4 `repay`; risk-engine.md §17
 */
import Type from 'typebox'
import { amount, divCeil, rate } from '../../engine/numbers/numbers.ts'
import type { BalanceView } from '../../engine/protocol/query.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { refusalError, unknownCoin } from '../errors/errors.ts'
import { formatAmount, formatRate } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import { accountValue, CoinPrices } from './asset-values.ts'
import * as records from './records.ts'

const coinsMax = 50

const marginLoans = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/margin-loans',
  summary: 'Interest on a borrowed coin, and how much may be borrowed',
  source: 'wire/v3-endpoints §1',
  access: 'public',
  limit: { perSecond: 20, per: 'ip' },
  request: Type.Object({ coin: field.coin() }),
  response: records.LoanTerms,
  handle: ({ catalog, core }, input) => {
    const coin = catalog.coinNamed(input.coin)
    if (coin === undefined) throw unknownCoin(input.coin)
    const { lent } = core.query({ kind: 'lending', coin: coin.id })
    const left = coin.lendingPoolLimit - lent
    return {
      dailyInterest: formatRate(coin.dailyInterestRate),
      annualInterest: formatRate(rate(coin.dailyInterestRate * 365n)),
      limit: formatAmount(coin.borrowable ? coin.borrowLimit : amount(0n)),
      // A family has no limit of its own: each of its accounts has the one above.
      masterSubLimit: formatAmount(coin.borrowable ? coin.lendingPoolLimit : amount(0n)),
      platformRemaingQuota: formatAmount(amount(coin.borrowable && left > 0n ? left : 0n)),
    }
  },
})

const loanData = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/loan-data',
  summary: 'What the unified account owes, and when its next interest is due',
  source: 'wire/v3-endpoints §2',
  access: { permission: 'uta_trade', level: 'read' },
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.LoanData,
  handle: (context) => {
    const { account, catalog, core } = context
    const { debtUsd, nextInterestAt } = core.query({ kind: 'margin-wallet', uid: account.uid, interface: 'v3' })
    const owed = core
      .query({ kind: 'balances', uid: account.uid, wallet: 'uta' })
      .filter(({ principal, interest }) => principal + interest > 0n)
    return {
      currentLoans: formatAmount(debtUsd),
      interestPaymentTime: nextInterestAt === undefined ? '' : String(nextInterestAt),
      debtCoinList: owed.map(({ coin, principal, interest }) => ({
        coin: catalog.coinName(coin),
        debt: formatAmount(principal + interest),
        interestFreeAmount: '0',
        interestRateNextHour: formatRate(rate(divCeil(catalog.coin(coin).dailyInterestRate, 24n))),
      })),
    }
  },
})

const coinList = () => Type.Array(field.coin(), { minItems: 1, maxItems: coinsMax })

function coinsNamed({ catalog }: PrivateContext, names: readonly string[]): number[] {
  return names.map((name) => {
    const coin = catalog.coinNamed(name)
    if (coin === undefined) throw unknownCoin(name)
    return coin.id
  })
}

const repay = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/repay',
  summary: 'Pays debts with the coins named; those that are not owed are sold for them. The answer is in USDT',
  source: 'wire/v3-endpoints §4',
  access: { permission: 'uta_mgt', level: 'write' },
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({ repayableCoinList: coinList(), paymentCoinList: coinList() }),
  response: records.DebtsRepaid,
  handle: async (context, input) => {
    const reply = await context.core.submit({
      kind: 'repay-debts',
      uid: context.account.uid,
      debts: coinsNamed(context, input.repayableCoinList),
      payments: coinsNamed(context, input.paymentCoinList),
    })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    const usd = reply.kind === 'debts-repaid' ? reply.repaidUsd : 0n
    return { result: 'YES', repayAmount: formatAmount(accountValue(context).inCoin(usd, 'USDT')) }
  },
})

const repayableCoins = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/repayable-coins',
  summary: 'Coins that the unified account owes: how much, and what it is worth in USDT',
  source: 'wire/v3-endpoints §4',
  access: { permission: 'uta_mgt', level: 'read' },
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.RepayableCoins,
  handle: (context) => ({
    repayableCoinList: coinsOf(context, ({ principal, interest }) => principal + interest),
    maxSelection: String(coinsMax),
  }),
})

const paymentCoins = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/payment-coins',
  summary: 'Coins that a repayment may be made with: how much of each, and what it is worth in USDT',
  source: 'wire/v3-endpoints §4',
  access: { permission: 'uta_mgt', level: 'read' },
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.PaymentCoins,
  handle: (context) => ({
    paymentCoinList: coinsOf(context, ({ available }) => available),
    maxSelection: String(coinsMax),
  }),
})

/** Coins of the unified wallet of which there is something. */
function coinsOf(context: PrivateContext, unitsOf: (balance: BalanceView) => bigint) {
  const { account, catalog, core } = context
  const prices = new CoinPrices(core, catalog)
  return core
    .query({ kind: 'balances', uid: account.uid, wallet: 'uta' })
    .map((balance) => ({ coin: balance.coin, units: unitsOf(balance) }))
    .filter(({ units }) => units > 0n)
    .map(({ coin, units }) => ({
      coin: catalog.coinName(coin),
      size: formatAmount(units),
      amount: formatAmount(prices.inUsdt(prices.usd(coin, units))),
    }))
}

export const loanEndpoints: readonly Endpoint[] = [marginLoans, loanData, repay, repayableCoins, paymentCoins]
