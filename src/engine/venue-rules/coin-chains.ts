/**
 * Which terms of a coin on a network may be set.
 *
 * Holds   the least withdrawal pays the fee and the least deposit: what is sent to an address of the venue always counts there
 * Source  docs/decisions/0027-simulated-chain.md
 */
import {
  chainNamed,
  chainsOf,
  type Coin,
  type CoinChain,
  confirmationsMax,
  networkNames,
  tokenChain,
} from '../catalog/catalog.ts'
import { amountDecimals, pow10 } from '../numbers/numbers.ts'
import type { SetCoinChain } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

/** The coin, and all its networks with the change. */
export function admitCoinChain(
  reading: Reading,
  command: SetCoinChain,
): { readonly coin: Coin; readonly chains: readonly CoinChain[] } | Refusal {
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  if (!networkNames.includes(command.network)) return { kind: 'network-unknown' }
  const listed = chainNamed(coin, command.network)
  const before = listed ?? tokenChain(coin, command.network)
  const changed: CoinChain = {
    ...before,
    canDeposit: command.canDeposit ?? before.canDeposit,
    canWithdraw: command.canWithdraw ?? before.canWithdraw,
    withdrawalFee: command.withdrawalFee ?? before.withdrawalFee,
    depositMin: command.depositMin ?? before.depositMin,
    withdrawalMin: command.withdrawalMin ?? before.withdrawalMin,
    depositConfirmations: command.depositConfirmations ?? before.depositConfirmations,
    withdrawalConfirmations: command.withdrawalConfirmations ?? before.withdrawalConfirmations,
  }
  const fault = chainFault(changed)
  if (fault !== undefined) return { kind: 'chain-record-wrong', ...fault }
  const chains = chainsOf(coin)
  return {
    coin,
    chains:
      listed === undefined
        ? [...chains, changed]
        : chains.map((chain) => (chain.network === changed.network ? changed : chain)),
  }
}

function chainFault(chain: CoinChain): { readonly field: string; readonly rule: string } | undefined {
  const { withdrawalFee, depositMin, withdrawalMin, depositConfirmations, withdrawalConfirmations, decimals } = chain
  const step = pow10(amountDecimals - decimals)
  if (withdrawalFee < 0n || withdrawalFee % step !== 0n) {
    return { field: 'withdrawFee', rule: `is not below 0, with at most ${decimals} decimals` }
  }
  if (depositMin <= 0n) return { field: 'minDepositAmount', rule: 'is above 0' }
  if (withdrawalMin < withdrawalFee + depositMin) {
    return { field: 'minWithdrawAmount', rule: 'is at least withdrawFee and minDepositAmount together' }
  }
  for (const [field, count] of [
    ['depositConfirm', depositConfirmations],
    ['withdrawConfirm', withdrawalConfirmations],
  ] as const) {
    if (!Number.isInteger(count) || count < 1 || count > confirmationsMax) {
      return { field, rule: `is a whole number from 1 to ${confirmationsMax}` }
    }
  }
  return undefined
}
