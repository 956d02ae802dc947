/** Who owes in cross margin: the state of their watch. */
import type { AccountHandle } from '../vocabulary.ts'
import { nobodyWaiting, type PriceWatch } from './price-watch.ts'

export class Debtors {
  /** Accounts with debt; prices are those of coins in USD, by coin. */
  waiting: PriceWatch = nobodyWaiting()
  changed = new Set<AccountHandle>()
  called = new Set<AccountHandle>()
  /** Breached accounts that wait to be liquidated, worst first. */
  breached = new Set<AccountHandle>()
  timed = false
}
