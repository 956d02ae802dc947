/**
 * Orders, trigger orders and debts as they are shown: their records, and how they are found. The room's door.
 *
 * order-record    an order as clients see it           trigger-record  a trigger order likewise
 * debt            what a wallet owes, begun hours included
 * wallets         which wallet of an account trades a category
 */
export { confirmed } from './chain-transfer.ts'
export {
  dailyRate,
  debtOf,
  hourlyInterest,
  hourMs,
  hoursBegun,
  lentOut,
  type MarginWallet,
  pendingInterest,
} from './debt.ts'
export {
  attachedTpslOf,
  entryOf,
  findOrder,
  findOrderById,
  isSpotOrder,
  openOrders,
  receivedBy,
  recordOf,
} from './order-record.ts'
export { findTrigger, nearestTpsl, quantityOf, triggerRecord, triggersOf } from './trigger-record.ts'
export { readingWallet, tradingWallet } from './wallets.ts'
