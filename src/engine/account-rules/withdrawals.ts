/**
 * Whether a withdrawal may be made, canceled or refused.
 *
 * Order     a repeat first, then what is wrong with where it goes, then how much it is, then whether the money is there
 * Wallets   each gives what is transferable of it, in the order that was asked for
 * Per day   what a family sends over networks counts at index prices; inside the venue nothing counts. The operator's
 *           configuration says how much it may be
 * Venue     an address of the venue itself is good when it is somebody's for this coin
 * Source    design.md §4.14, §4.41; docs/decisions/0027-simulated-chain.md
 */
import {
  addressOwner,
  chainNamed,
  type Coin,
  isAddress,
  isTag,
  type NetworkName,
  networks,
  withdrawnUsdPerDayDefault,
} from '../catalog/catalog.ts'
import {
  type Amount,
  amount,
  amountDecimals,
  maxAmount,
  minAmount,
  oneCoin,
  pow10,
  worthFloor,
  zero,
} from '../numbers/numbers.ts'
import type { CancelWithdrawal, RequestWithdrawal } from '../protocol/command.ts'
import type { ChainTransfer } from '../protocol/event.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, KnownWithdrawal, OpenTransfer, Reading } from '../state/state.ts'
import { walletAllowed } from '../vocabulary.ts'
import { isRemembered, transferable } from './transfers.ts'

const dayMs = 86_400_000

export interface WithdrawalPlan {
  readonly account: Account
  /** Of a withdrawal inside the venue. */
  readonly receiver: Account | undefined
  readonly fee: Amount
  readonly confirmations: number
  readonly parts: ChainTransfer['wallets']
  /** What it adds to the day of the family, USD of 1e-8. */
  readonly usdE8: bigint
  readonly name: string | undefined
  readonly content: string
}

export function admitWithdrawal(
  reading: Reading,
  command: RequestWithdrawal,
): WithdrawalPlan | { readonly repeated: KnownWithdrawal } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const name = command.clientOid === '' ? undefined : withdrawalName(account, command.clientOid)
  const content = contentOf(command)
  const known = name === undefined ? undefined : reading.chainTransfers.known.get(name)
  if (known !== undefined && isRemembered(reading, known)) {
    return known.content === content ? { repeated: known } : { kind: 'withdrawal-id-reused' }
  }
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  if (account.frozen) return { kind: 'account-frozen' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const way = command.network === undefined ? inside(reading, account, command) : outside(reading, coin, command)
  if ('kind' in way) return way
  const usdE8 = command.network === undefined ? 0n : worthFloor(command.amount, reading.prices.usdE8(coin.id))
  const refusal = refuseDaily(reading, account, usdE8)
  if (refusal !== undefined) return refusal
  const parts = partsOf(reading, account, command)
  if ('kind' in parts) return parts
  return { account, ...way, parts, usdE8, name, content }
}

type Way = Pick<WithdrawalPlan, 'receiver' | 'fee' | 'confirmations'>

function inside(reading: Reading, account: Account, { toUid = 0 }: RequestWithdrawal): Way | Refusal {
  const receiver = reading.accounts.byUid(toUid)
  if (receiver === undefined) return { kind: 'receiver-unknown' }
  if (receiver.handle === account.handle) return { kind: 'withdrawal-to-self' }
  return receiver.frozen ? { kind: 'receiver-unsuitable' } : { receiver, fee: zero, confirmations: 0 }
}

function outside(reading: Reading, coin: Coin, { network = 'BTC', ...command }: RequestWithdrawal): Way | Refusal {
  const chain = chainNamed(coin, network)
  if (chain === undefined) return { kind: 'network-unknown' }
  if (!chain.canWithdraw) return { kind: 'withdrawals-suspended' }
  const fault = addressFault(reading, coin, network, command)
  if (fault !== undefined) return { kind: fault }
  if (isTooFine(command.amount, chain.decimals)) return { kind: 'amount-too-fine', decimals: chain.decimals }
  if (command.amount < chain.withdrawalMin) return { kind: 'withdrawal-below-minimum', minimum: chain.withdrawalMin }
  return { receiver: undefined, fee: chain.withdrawalFee, confirmations: chain.withdrawalConfirmations }
}

function addressFault(
  reading: Reading,
  coin: Coin,
  network: NetworkName,
  { address, tag }: Pick<RequestWithdrawal, 'address' | 'tag'>,
): 'address-wrong' | 'tag-required' | 'tag-wrong' | undefined {
  if (!isAddress(network, address)) return 'address-wrong'
  const { isTagged } = networks[network]
  if (isTagged && tag === '') return 'tag-required'
  if (tag !== '' && (!isTagged || !isTag(tag))) return 'tag-wrong'
  for (const other of reading.catalog.coins) {
    const uid = addressOwner(network, other.name, { address, tag })
    if (uid === undefined) continue
    return other.id === coin.id && reading.accounts.byUid(uid) !== undefined ? undefined : 'address-wrong'
  }
  return undefined
}

/** Whether an amount has more decimals than these. */
export function isTooFine(units: Amount, decimals: number): boolean {
  return units % pow10(amountDecimals - decimals) !== 0n
}

/** What each wallet gives. */
function partsOf(
  reading: Reading,
  account: Account,
  { wallets, coin, amount: required }: RequestWithdrawal,
): ChainTransfer['wallets'] | Refusal {
  const parts: { wallet: (typeof wallets)[number]; amount: Amount }[] = []
  let missing = required
  for (const wallet of wallets) {
    if (!walletAllowed(account, wallet)) return { kind: 'wallet-unsuitable' }
    const given = minAmount(missing, transferable(reading, account, wallet, coin))
    if (given <= 0n) continue
    parts.push({ wallet, amount: given })
    missing = amount(missing - given)
  }
  return missing === 0n ? parts : { kind: 'insufficient-available', required, available: amount(required - missing) }
}

/** Refuses more than the family may withdraw in a day. What it has withdrawn before the limit fell still counts. */
function refuseDaily(reading: Reading, account: Account, usdE8: bigint): Refusal | undefined {
  const most = reading.settings.withdrawnUsdPerDayMax ?? BigInt(withdrawnUsdPerDayDefault) * oneCoin
  if (most === 0n) return undefined
  const remaining = maxAmount(amount(most - withdrawnToday(reading, account)), zero)
  return usdE8 > remaining ? { kind: 'daily-withdrawals-exceeded', remainingUsd: remaining } : undefined
}

/** What the family of an account withdrew on the current UTC day. */
export function withdrawnToday(reading: Reading, account: Account): bigint {
  const withdrawn = reading.chainTransfers.withdrawn.get(account.main)
  return withdrawn?.day === Math.floor(reading.at / dayMs) ? withdrawn.usdE8 : 0n
}

/** The account's withdrawal that is to be taken back. */
export function withdrawalToCancel(
  reading: Reading,
  { uid, id, clientOid }: CancelWithdrawal,
): { readonly transfer: OpenTransfer } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { known, open } = reading.chainTransfers
  const transfer = open.get(id ?? known.get(withdrawalName(account, clientOid))?.id ?? 0)
  if (transfer?.uid !== uid) return { kind: 'withdrawal-unknown' }
  return unsent(transfer)
}

/** A withdrawal of anybody that is to be refused. */
export function withdrawalToReject(reading: Reading, id: number): { readonly transfer: OpenTransfer } | Refusal {
  const transfer = reading.chainTransfers.open.get(id)
  return transfer === undefined ? { kind: 'withdrawal-unknown' } : unsent(transfer)
}

function unsent(transfer: OpenTransfer): { readonly transfer: OpenTransfer } | Refusal {
  if (transfer.direction !== 'withdrawal') return { kind: 'withdrawal-unknown' }
  return transfer.status === 'pending' ? { transfer } : { kind: 'withdrawal-sent' }
}

function withdrawalName({ handle }: Account, clientOid: string): string {
  return `${handle}:${clientOid}`
}

function contentOf({ wallets, coin, amount: units, network, address, tag, toUid }: RequestWithdrawal): string {
  return [wallets.join('+'), coin, units, network ?? '', address, tag, toUid ?? ''].join(' ')
}
