/**
 * What liquidation remembers: prices from which accounts are looked at again, and who waits to be taken apart.
 */
import type { AccountHandle, WalletType } from '../accounts/accounts.ts'
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import type { PositionSide } from '../command.ts'
import type { Amount } from '../numbers/numbers.ts'
import { type PriceHeap, newHeap } from './watch.ts'

/** One breached pool of collateral: a cross domain, or an isolated position. */
export interface Breached {
  readonly account: AccountHandle
  readonly wallet: WalletType
  readonly coin: CoinId
  /** Index of the exposure of an isolated position; -1: a cross domain. */
  readonly exposure: number
  readonly side: PositionSide | ''
  /** Maintenance over equity, 1e-9; worst first. */
  readonly ratio: bigint
  /** First contract of the pool, for a total order. */
  readonly instrument: InstrumentId
}

export class LiquidationState {
  /** By instrument: accounts to look at when the mark falls to, or rises to, a price. */
  below: PriceHeap[] = []
  above: PriceHeap[] = []
  /** Unified accounts to look at when `moved` reaches a value. */
  unions: PriceHeap = newHeap()
  /** Sum of the largest relative moves of marks and coin prices at each scan, 1e-9; and the prices it has counted. */
  moved = 0
  marks: number[] = []
  usd: bigint[] = []
  /** Newest version of an account's prices, by handle; older entries of the heaps count no more. */
  versions: number[] = []
  queue: Breached[] = []
  queued = new Set<string>()
  /** The insurance fund's own account, which holds what it took over; 0: none yet. */
  fund: AccountHandle = 0
  /** Highest balance of the insurance fund, and whether auto-deleveraging has started, by coin. */
  peaks: Amount[] = []
  deleveraging: boolean[] = []
  /** Something was handed over in the ladder that is running. */
  handedOver = false

  heaps(instrument: InstrumentId): { readonly below: PriceHeap; readonly above: PriceHeap } {
    while (this.below.length <= instrument) {
      this.below.push(newHeap())
      this.above.push(newHeap())
    }
    return { below: this.below[instrument], above: this.above[instrument] }
  }

  version(account: AccountHandle): number {
    return this.versions[account] ?? 0
  }

  newVersion(account: AccountHandle): number {
    while (this.versions.length <= account) this.versions.push(0)
    return ++this.versions[account]
  }
}
