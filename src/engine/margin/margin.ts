/**
 * Spot cross margin: automatic borrowing for orders, repayment, interest of the first hour, and what may be borrowed.
 *
 * Wallets    `crossed_margin`, and `uta` of unified accounts: a loan and its interest stand at the wallet and coin
 * Borrow     loan = max(0, need − available), in the coin to be spent, bounded by the leverage of the coin, the
 *            account's limit and the lending pool; the first hour's interest is owed at once
 * Level      an order that borrows leaves assets as far above debt as its coin's leverage asks, any other at 1.1 times
 *            the debt, where liquidation begins
 * Repay      interest first, then principal; at most the debt and what is available
 * Source     interface.md E2 rule 3, E11; design.md §4.36; risk-engine.md §16, §17
 */
export {
  borrowable,
  indexLoss,
  levelAllows,
  marginTransferable,
  owes,
  spendable,
} from './lending.ts'
export { borrow, repay } from './requests.ts'
