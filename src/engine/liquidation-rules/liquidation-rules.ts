/**
 * Who is breached, from which prices on to check again, and what is done next with a breached pool. The room's door.
 *
 * pools       what stands against what is needed, as exact fractions     backing        what stands behind a position of a pool
 * steps       what the next step takes, and at which price               adl-ranking    who is deleveraged first
 * debtors     accounts that borrowed: how far prices may go              deleveraging   whether the insurance fund takes over
 * watched-prices  the prices from which an account is checked again     report        a liquidation's facts as they stood
 * delivery    whether a contract may be delivered at a price
 * Source      risk-engine.md §5-§8, §14-§17
 */
export { inRankOrder, rankedNow, scoreOf, scorePartsOf } from './adl-ranking.ts'
export { backingIn, crossBacking } from './backing.ts'
export { coinPrices, isDebtorHalted, toleranceOf } from './debtors.ts'
export { fundWallet, isDeleveraging } from './deleveraging.ts'
export { admitDelivery } from './delivery.ts'
export { allCoins, breachedOf, isPoolHalted, keyOf, marginStateOf, type Pool, poolsOf } from './pools.ts'
export { balancesOf, beginReport, noteStep, type Report } from './report.ts'
export {
  crossBankruptcyPrice,
  isStuck,
  markOf,
  mostNeeding,
  reducingQuantity,
  stillBreached,
  withinBand,
} from './steps.ts'
export { coinPlace, markPlace, roomOf, unifiedPrices } from './watched-prices.ts'
