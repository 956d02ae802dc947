/**
 * Cross margin: how much may be borrowed and taken out, the margin level, and what accounts and the operator set of it.
 * The room's door.
 *
 * lending      what may be spent, borrowed, lost and taken out           level      what a wallet has over what it owes
 * requests     borrowing and repaying on request                         leverage   by coin, as accounts chose it
 * preview      what a leverage would allow and take
 * terms        rates, limits and levels of the operator                  standing   wallets for whoever asks
 * Borrow       loan = max(0, need − available), in the coin to be spent, bounded by level, leverage, limit and pool
 * Level        an order that borrows leaves the level and leverage at which its coin may be borrowed, any other stays
 *              above the one where liquidation begins
 * Wallets      `crossed_margin`, and `uta` of unified accounts, whose assets are what its margin can spare
 * Source       interface.md E2 rule 3, E11; design.md §4.36; risk-engine.md §16, §17
 */
export { borrowable, indexLoss, levelAllows, marginTransferable, owes, spendable } from './lending.ts'
export { isAtOrBelow, levelOf, riskRateOf, type Standing, standingOf } from './level.ts'
export { coinLeverage, setCoinLeverage } from './leverage.ts'
export { coinLeveragePreview } from './preview.ts'
export { borrow, repay } from './requests.ts'
export { marginStanding, unionStandingView } from './standing.ts'
export { setLoanTerms, setMarginLevels } from './terms.ts'
