/**
 * Loans: what wallets owe, the interest that it runs up, and what is told of it. The room's door.
 *
 * records   loans as records, interest by the hour        postings  lending and paying back
 * debtors   who owes, and whose wallets have changed       conversions   one coin became another
 * Wallets   `crossed_margin`, and `uta` of unified accounts: a loan and its interest stand at the wallet and coin
 * Not here  how much may be borrowed (margin/), what happens when that was too much (liquidation/)
 * Source    interface.md E11; design.md §4.36; risk-engine.md §16, §17
 */
export { tellConversion } from './conversions.ts'
export { noteAllDebtors, noteDebtor } from './debtors.ts'
export { lend, lentOut, type MarginWallet, payDebt } from './postings.ts'
export {
  accrueInterest,
  bookCoin,
  bookInterest,
  debtOf,
  hourlyInterest,
  hoursBegun,
  pendingInterest,
  reduceLoans,
} from './records.ts'
