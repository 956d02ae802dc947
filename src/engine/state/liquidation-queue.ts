/**
 * What liquidation remembers: prices from which accounts are looked at again, and who waits to be taken apart.
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import { emptyHeap, type Heap } from '../storage/storage.ts'
import type { AccountHandle, PositionSide, WalletType } from '../vocabulary.ts'
import { nobodyWaiting, type PriceWatch } from './price-watch.ts'

/** One breached pool of collateral: a cross margin account, or an isolated position. */
export interface Breached {
  readonly account: AccountHandle
  readonly wallet: WalletType
  readonly coin: CoinId
  /** Index of the exposure of an isolated position; -1: a cross margin account. */
  readonly exposure: number
  readonly side: PositionSide | ''
  /** Maintenance over equity, 1e-9; worst first. */
  readonly ratio: bigint
  /** First contract of the pool, for a total order. */
  readonly instrument: InstrumentId
}

export class LiquidationState {
  /** By instrument: accounts to look at when the mark falls to, or rises to, a price. */
  below: Heap[] = []
  above: Heap[] = []
  /** Unified accounts; their prices are those of coins and the marks of contracts (liquidation/scan.ts). */
  unions: PriceWatch = nobodyWaiting()
  queue: Breached[] = []
  queued = new Set<string>()
  /** The insurance fund's own account, which holds what it took over; 0: none yet. */
  fund: AccountHandle = 0
  /** Whether auto-deleveraging has started, by coin. */
  deleveraging: boolean[] = []
  /** Queues of auto-deleveraging, by instrument × 2, and one more for shorts. */
  rankings: Ranking[] = []

  /** Prices are kept with the sign that puts the first to be reached on top: `below` negative. */
  heaps(instrument: InstrumentId): { readonly below: Heap; readonly above: Heap } {
    while (this.below.length <= instrument) {
      this.below.push(emptyHeap())
      this.above.push(emptyHeap())
    }
    return { below: this.below[instrument], above: this.above[instrument] }
  }
}

export interface Ranking {
  /** Command that began it, and when. */
  sequence: number
  at: Millis
  /** How many of the contract's exposures have been looked at; -1: all of them, and the order stands. */
  seen: number
  /** Exposures by index, and their scores. */
  exposures: number[]
  scores: bigint[]
}
