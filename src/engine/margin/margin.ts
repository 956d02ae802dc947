/**
 * Cross margin: borrowing, interest, repayment, the margin level and what follows when it falls. The room's door.
 *
 * lending      what may be borrowed and taken out, and the postings     loans       loans as records, interest by the hour
 * level        what a wallet has over what it owes                      debtors     who is looked at when prices move
 * liquidating  an account is taken apart                                terms       rates, limits, levels of the operator
 * requests     borrowing and repaying on request                        leverage    by coin, as accounts chose it
 * bills        every posting of a margin wallet, told                   standing    a wallet for whoever asks
 * Wallets      `crossed_margin`, and `uta` of unified accounts, of which loans and interest are the same; the level that
 *              matters there is that of all its collateral, and is not here
 * Source       interface.md E2 rule 3, E11; design.md §4.36; risk-engine.md §16, §17
 */
export { bill } from './bills.ts'
export { Debtors, measurePrices, noteDebtor, watchDebtors } from './debtors.ts'
export {
  borrowable,
  lend,
  lentOut,
  marginTransferable,
  negativeToLoan,
  payDebt,
  reduceDebt,
  spendable,
} from './lending.ts'
export { defaultLevels, type MarginLevels, type MarginWallet } from './level.ts'
export { coinLeverage, setCoinLeverage } from './leverage.ts'
export { liquidateMargin } from './liquidating.ts'
export { accrueInterest, debtOf, Loans, pendingInterest } from './loans.ts'
export { borrow, repay, repayDebts } from './requests.ts'
export { marginStanding } from './standing.ts'
export { setLoanTerms, setMarginLevels } from './terms.ts'
