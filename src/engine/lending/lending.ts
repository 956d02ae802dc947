/**
 * Borrowing in cross margin and unified accounts: how much, at which margin level. The room's door.
 *
 * borrowable        what may be spent, borrowed, lost and taken out      margin-level  what a wallet has over what it owes
 * coin-leverage     by coin, as accounts chose it                        untrusted-prices  what no loan is given against
 * Borrow       loan = max(0, need − available), in the coin to be spent, bounded by level, leverage, limit and pool
 * Level        an order that borrows leaves the level and leverage at which its coin may be borrowed. Any other stays
 *              above the level where liquidation begins
 * Wallets      `crossed_margin`, and `uta` of unified accounts, whose assets are what its margin can spare
 * Source       interface.md E2 rule 3, E11; design.md §4.36; risk-engine.md §16, §17
 */
export { borrowable, indexLoss, levelAllows, marginTransferable, owes, spendable } from './borrowable.ts'
export { admitCoinLeverage, coinLeverage, leverageRefusal, placeOf } from './coin-leverage.ts'
export { isAtOrBelow, levelOf, riskRateOf, type WalletState, walletStateOf } from './margin-level.ts'
