/**
 * Deposits and withdrawals that are under way, and what is remembered of those that are over.
 *
 * Open       by number, oldest first; each has a timer for its next step. Once it has ended only history keeps it
 * Repeats    a withdrawal with a client order id is remembered for 90 days, so that a repeat answers the first
 * Saved      only from the first use on, so that states of venues without any stay what they were
 * Source     design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import type { CoinId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import type { ChainTransfer, WithdrawalAddress } from '../protocol/event.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'

/** A withdrawal that a repeat would be recognised by. */
export interface KnownWithdrawal {
  readonly content: string
  readonly id: number
  readonly at: Millis
}

/** What a family withdrew on chain in one UTC day, USD of 1e-8. */
interface WithdrawnDay {
  readonly day: number
  readonly usdE8: bigint
}

export interface OpenTransfer extends ChainTransfer {
  /** What it counts of the day's limit, USD of 1e-8. */
  readonly usdE8: bigint
}

export class ChainTransfers {
  nextId = 9_000_000_000_000_001
  open = new Map<number, OpenTransfer>()
  /** By account and client order id, oldest first. */
  known = new Map<string, KnownWithdrawal>()
  /** By main account. */
  withdrawn = new Map<AccountHandle, WithdrawnDay>()
  /** Where deposits go that an account wants elsewhere than usual, by account × 256 + coin. */
  wallets = new Map<number, WalletType>()
  /** Where an account withdrew to, latest last. */
  addresses = new Map<AccountHandle, readonly WithdrawalAddress[]>()

  /** Undefined: nothing of it was ever used. */
  save(): Record<string, unknown> | undefined {
    const isUnused = this.nextId === new ChainTransfers().nextId && this.wallets.size === 0
    return isUnused ? undefined : Object.fromEntries(Object.entries(this))
  }

  load(saved: Record<string, unknown> | undefined): void {
    Object.assign(this, saved)
  }

  walletOf(account: AccountHandle, coin: CoinId): WalletType | undefined {
    return this.wallets.get(account * 256 + coin)
  }

  setWallet(account: AccountHandle, coin: CoinId, wallet: WalletType): void {
    this.wallets.set(account * 256 + coin, wallet)
  }
}
