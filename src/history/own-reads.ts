/** Which reads are of one account. */
import type { ReadName } from './reads.ts'

/** Reads of an account's rows alone: rows of nobody else change what they answer. */
export const ownReads: ReadonlySet<ReadName> = new Set<ReadName>([
  'fills',
  'orders',
  'triggers',
  'order',
  'transfers',
  'positionMoves',
  'externalFlows',
  'chainTransfers',
  'loans',
  'repayments',
  'interest',
  'bills',
  'ownBills',
  'conversions',
  'marginLiquidations',
  'fundingPayments',
  'positions',
  'rebates',
  'equity',
])
