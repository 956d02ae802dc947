/**
 * Loans: lent, paid back, charged by the hour. The room's door.
 *
 * interest  loans as they are kept, interest by the hour      postings       lending and paying back
 * debtors   whose wallets have changed                        conversions    one coin became another
 * unified-debt  what futures lose beyond a balance, and what comes in
 * Wallets   `crossed_margin`, and `uta` of unified accounts: a loan and its interest stand at the wallet and coin
 * Not here  how much may be borrowed (lending/), what happens when that was too much (liquidation/)
 * Source    interface.md E11; design.md §4.36; risk-engine.md §16, §17
 */
export { publishConversion } from './conversions.ts'
export { noteAllDebtors, noteDebtor } from './debtors.ts'
export { accrueInterest, bookCoin, bookInterest, reduceLoans } from './interest.ts'
export { lend, payDebt } from './postings.ts'
export { negativeToLoan, payWithIncoming, reduceDebt } from './unified-debt.ts'
