/**
 * The simulated networks: when their blocks begin, and what is said of a coin on one of them.
 *
 * Simulated  blocks follow the venue's clock: block n of a network begins at n × blockMs. Nothing leaves the venue
 * Block      what is sent stands in the next block that begins, and is confirmed when enough blocks have begun
 * Source     design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import type { Amount, Millis } from '../numbers/numbers.ts'

export const networkNames = ['BTC', 'ERC20', 'TRC20', 'BEP20', 'SOL', 'XRP', 'DOGE'] as const
export type NetworkName = (typeof networkNames)[number]

export interface Network {
  readonly blockMs: number
  /** Whether all deposits share one address, and a tag says whose they are. */
  readonly isTagged: boolean
  /** Blocks that usually confirm a deposit, and a withdrawal. */
  readonly confirmations: readonly [deposit: number, withdrawal: number]
}

export const networks: Readonly<Record<NetworkName, Network>> = {
  BTC: { blockMs: 600_000, isTagged: false, confirmations: [1, 1] },
  ERC20: { blockMs: 12_000, isTagged: false, confirmations: [12, 64] },
  TRC20: { blockMs: 3_000, isTagged: false, confirmations: [20, 20] },
  BEP20: { blockMs: 3_000, isTagged: false, confirmations: [15, 15] },
  SOL: { blockMs: 400, isTagged: false, confirmations: [32, 32] },
  XRP: { blockMs: 4_000, isTagged: true, confirmations: [1, 1] },
  DOGE: { blockMs: 60_000, isTagged: false, confirmations: [12, 12] },
}

/** A coin on one network. */
export interface CoinChain {
  readonly network: NetworkName
  readonly canDeposit: boolean
  readonly canWithdraw: boolean
  readonly withdrawalFee: Amount
  readonly depositMin: Amount
  readonly withdrawalMin: Amount
  readonly depositConfirmations: number
  readonly withdrawalConfirmations: number
  /** Decimals that an amount may have on it. */
  readonly decimals: number
}

/** Blocks of a network that have begun. */
export function heightAt(network: NetworkName, at: Millis): number {
  return Math.floor(at / networks[network].blockMs)
}

/** When a block has so many confirmations, its own included. */
export function confirmedAt(network: NetworkName, block: number, confirmations: number): Millis {
  return (block + confirmations - 1) * networks[network].blockMs
}

/** Confirmations that a block has, its own included. */
export function confirmationsAt(network: NetworkName, block: number, at: Millis): number {
  return Math.max(0, heightAt(network, at) - block + 1)
}
