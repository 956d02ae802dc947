/**
 * Whether a deposit may be sent, and into which wallet one goes.
 *
 * Wallet    the one that the account chose for the coin, as long as it may have it; else `uta` of unified accounts, and
 *           `spot` of others
 * Arrives   what was sent arrives, whatever has become of the network's terms or of the account meanwhile
 * Source    design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import { chainNamed, type CoinChain, type CoinId } from '../catalog/catalog.ts'
import { coinInsideMax } from '../numbers/numbers.ts'
import type { SendDeposit, SetDepositWallet } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, Reading } from '../state/state.ts'
import { walletAllowed, type WalletType } from '../vocabulary.ts'
import { walletTakes } from './transfers.ts'
import { isTooFine } from './withdrawals.ts'

export function admitDeposit(
  reading: Reading,
  { uid, coin: id, network, amount }: SendDeposit,
): { readonly account: Account; readonly chain: CoinChain } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const coin = reading.catalog.coins[id]
  if (coin === undefined) return { kind: 'coin-unknown' }
  const chain = chainNamed(coin, network)
  if (chain === undefined) return { kind: 'network-unknown' }
  if (!chain.canDeposit) return { kind: 'deposits-suspended' }
  if (amount <= 0n) return { kind: 'amount-not-positive' }
  if (isTooFine(amount, chain.decimals)) return { kind: 'amount-too-fine', decimals: chain.decimals }
  if (amount < chain.depositMin) return { kind: 'deposit-below-minimum', minimum: chain.depositMin }
  const inside = -reading.ledger.houseBalance('external', id)
  return inside + amount > coinInsideMax ? { kind: 'deposits-exceeded' } : { account, chain }
}

export function admitDepositWallet(
  reading: Reading,
  { uid, coin, wallet }: SetDepositWallet,
): { readonly account: Account } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (reading.catalog.coins[coin] === undefined) return { kind: 'coin-unknown' }
  if (!walletAllowed(account, wallet)) return { kind: 'wallet-unsuitable' }
  return walletTakes(reading, wallet, coin) ? { account } : { kind: 'coin-unsuitable' }
}

/** The wallet that a deposit of a coin goes into. */
export function depositWallet(reading: Reading, account: Account, coin: CoinId): WalletType {
  const chosen = reading.chainTransfers.walletOf(account.handle, coin)
  if (chosen !== undefined && walletAllowed(account, chosen)) return chosen
  return account.mode === 'unified' || account.mode === 'switching' ? 'uta' : 'spot'
}
