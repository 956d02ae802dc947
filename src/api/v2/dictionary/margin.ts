/**
 * Records of borrowing in cross margin as v2 writes them.
 *
 * Types     who asked for it: `manual_loan` or `auto_loan`; `manual_repay`, `auto_repay`, or `liq_repay` in a liquidation;
 *           `first` interest with the loan, then `scheduled`
 * Symbol    empty: cross margin belongs to no pair, except what a trade posts
 * Source    wire/client-endpoints.md §4 "Cross margin"
 */
import type { Catalog, Coin } from '../../../engine/catalog/catalog.ts'
import { divCeil, rate, rateOne } from '../../../engine/numbers/numbers.ts'
import type { InterestEvent, LoanEvent, MarginLiquidation, RepaymentEvent } from '../../../engine/protocol/event.ts'
import type { AccountBill } from '../../../history/history.ts'
import type * as records from '../records.ts'
import { amountText, coinName, rateText } from './figures.ts'

export const marginBillTypes = [
  'transfer_in',
  'transfer_out',
  'borrow',
  'repay',
  'deal_in',
  'deal_out',
  'liquidation_fee',
  'sys_exchange_in',
  'sys_exchange_out',
] as const
type MarginBillType = (typeof marginBillTypes)[number]

/** Of a unified account there is more in the wallet than margin trading; these belong to it. */
export function marginBillWord({ type }: Pick<AccountBill, 'type'>): MarginBillType | '' {
  if (type === 'deposit' || type === 'withdrawal_returned') return 'transfer_in'
  if (type === 'withdrawal') return 'transfer_out'
  if (type === 'interest') return 'repay'
  return marginBillTypes.find((word) => word === type) ?? ''
}

const borrowTypes = { request: 'manual_loan', order: 'auto_loan', shortfall: 'auto_loan' } as const

export function marginLoan(catalog: Catalog, loan: LoanEvent): records.MarginLoan {
  return {
    loanId: String(loan.loanId),
    coin: coinName(catalog, loan.coin),
    borrowAmount: amountText(loan.amount),
    borrowType: borrowTypes[loan.cause],
    cTime: String(loan.at),
    uTime: String(loan.at),
  }
}

const repayTypes = {
  request: 'manual_repay',
  'order-ended': 'auto_repay',
  incoming: 'auto_repay',
  liquidation: 'liq_repay',
  insurance: 'liq_repay',
} as const

export function marginRepayment(catalog: Catalog, repayment: RepaymentEvent): records.MarginRepayment {
  return {
    repayId: String(repayment.repayId),
    coin: coinName(catalog, repayment.coin),
    repayAmount: amountText(repayment.principal + repayment.interest),
    repayType: repayTypes[repayment.cause],
    repayInterest: amountText(repayment.interest),
    repayPrincipal: amountText(repayment.principal),
    symbol: '',
    cTime: String(repayment.at),
    uTime: String(repayment.at),
  }
}

export function marginInterest(catalog: Catalog, interest: InterestEvent): records.MarginInterest {
  const coin = coinName(catalog, interest.coin)
  return {
    interestId: String(interest.id),
    interestCoin: coin,
    dailyInterestRate: rateText(interest.dailyInterestRate),
    loanCoin: coin,
    interestAmount: amountText(interest.amount),
    // As the reference spells it.
    interstType: interest.cause === 'first' ? 'first' : 'scheduled',
    symbol: '',
    cTime: String(interest.at),
    uTime: String(interest.at),
  }
}

export function marginLiquidation(liquidation: MarginLiquidation): records.MarginLiquidation {
  const at = String(liquidation.at)
  return {
    liqId: String(liquidation.liquidationId),
    symbol: '',
    liqStartTime: at,
    liqEndTime: at,
    liqRiskRatio: rateText(liquidation.riskRate),
    totalAssets: amountText(liquidation.assetsUsd),
    totalDebt: amountText(liquidation.debtUsd),
    liqFee: amountText(liquidation.feeUsd),
    cTime: at,
    uTime: at,
  }
}

export function marginBill(catalog: Catalog, bill: AccountBill): records.MarginBill {
  return {
    coin: coinName(catalog, bill.coin),
    symbol: bill.instrument === undefined ? '' : (catalog.instruments[bill.instrument]?.symbol ?? ''),
    marginId: String(bill.id),
    amount: amountText(bill.amount),
    balance: amountText(bill.balance),
    fee: amountText(bill.fee),
    marginType: marginBillWord(bill),
    cTime: String(bill.at),
    uTime: String(bill.at),
  }
}

/** Borrowing has one tier: up to the coin's limit, at its highest leverage; half of what that leaves maintains it. */
export function marginTier(coin: Coin): records.MarginTier {
  return {
    tier: '1',
    leverage: String(coin.marginLeverageMax),
    coin: coin.name,
    maxBorrowableAmount: amountText(coin.borrowLimit),
    maintainMarginRate: rateText(rate(divCeil(rateOne, 2n * BigInt(coin.marginLeverageMax)))),
  }
}
