/**
 * The venue's state: everything that decides an outcome, as it is kept and saved. The room's door. It knows no rule and tells nothing.
 */
export {
  addClosing,
  addOpening,
  closingOf,
  entryNotional,
  entryPriceE8,
  type Exposure,
  largerSide,
  leverageOf,
  newPosition,
  openingQuantity,
  type Position,
  positionOf,
  positionQuantity,
  removeOpening,
  unrealizedPnl,
} from './exposure.ts'
export { type HouseAccount, houseAccounts } from './ledger.ts'
export type { Breached, Ranking } from './liquidation-queue.ts'
export { Loans } from './loans.ts'
export { presetOf } from './order-extras.ts'
export { codeOf, orderCodes } from './order-table.ts'
export { bandPrice, type MadeMark, never, priceNear, Prices, type Samples } from './prices.ts'
export type { Timer } from './timers.ts'
export { triggerCodes } from './trigger-table.ts'
export { type KnownTransfer, type Reading, Venue } from './venue.ts'
export {
  distanceOne,
  everybody,
  isWaiting,
  measure,
  reached,
  waitFor,
  waitNoMore,
  type WatchedPrices,
} from './waiting.ts'
