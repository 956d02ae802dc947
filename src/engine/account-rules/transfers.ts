/**
 * What may leave a wallet, and between whom money may move.
 *
 * Limit     never more than is transferable: holds, margin of open positions and debt count
 * Source    interface.md E9; design.md §3, §4.14, §4.36
 */
import { type CoinId, isFutures } from '../catalog/catalog.ts'
import { marginTransferable, spendable } from '../lending/lending.ts'
import { domainTransferable } from '../margin/margin.ts'
import { type Amount, amountMax, maxAmount, minAmount, zero } from '../numbers/numbers.ts'
import type { Transfer } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, KnownTransfer, Reading } from '../state/state.ts'
import { lineOfWallet, walletAllowed, type WalletType } from '../vocabulary.ts'

/** Most of one coin that the venue holds. */
export const insideMax = amountMax / 2n

const rememberedMs = 90 * 86_400_000

/** What may leave a wallet. */
export function transferable(reading: Reading, account: Account, wallet: WalletType, coin: CoinId): Amount {
  switch (wallet) {
    case 'spot':
    case 'p2p':
      return spendable(reading, account, wallet, coin)
    case 'crossed_margin':
      return marginTransferable(reading, account, wallet, coin)
    case 'uta': {
      const margin = marginTransferable(reading, account, wallet, coin)
      return minAmount(margin, domainTransferable(reading, account.handle, wallet, coin))
    }
    default:
      return domainTransferable(reading, account.handle, wallet, coin)
  }
}

/** A classic futures wallet takes the margin coins of its product line only. */
export function walletTakes(reading: Reading, wallet: WalletType, coin: CoinId): boolean {
  const line = lineOfWallet(wallet)
  if (line === undefined) return true
  return reading.catalog.instruments.some((one) => one.category === line && isFutures(one) && one.settle === coin)
}

export function isRemembered(reading: Reading, { at }: KnownTransfer): boolean {
  return reading.at < at + rememberedMs
}

/** What a repeat is recognised by; undefined: this one is not. */
export function nameOf({ scope, clientOid }: Transfer, actor: Account): string | undefined {
  if (scope === 'between-accounts') return `${actor.main}:${clientOid}`
  return scope === 'to-main' && clientOid !== '' ? `${actor.handle}>${clientOid}` : undefined
}

export function contentOf(command: Transfer): string {
  const { fromUid, toUid, fromWallet, toWallet, coin } = command
  return [fromUid, toUid, fromWallet, toWallet, coin, command.amount].join(' ')
}

export function refuseTransfer(
  reading: Reading,
  command: Transfer,
  actor: Account,
  from: Account,
  to: Account,
): Refusal | undefined {
  if (from.main !== actor.main || to.main !== actor.main) return { kind: 'transfer-unrelated' }
  const [fromActor, toActor] = [from.handle === actor.handle, to.handle === actor.handle]
  if (command.scope === 'within-account') {
    if (!fromActor || !toActor) return { kind: 'transfer-unrelated' }
  } else if (command.scope === 'to-main') {
    if (actor.kind !== 'sub' || !fromActor || to.handle !== actor.main) return { kind: 'transfer-unrelated' }
  } else if (fromActor && toActor) {
    // Between the main account's own wallets the wallet transfer serves (design §4.36).
    return { kind: 'transfer-unrelated' }
  }
  if (reading.catalog.coins[command.coin] === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  for (const account of [from, to]) {
    if (account.frozen) return { kind: 'account-frozen' }
    if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  }
  if (!walletAllowed(from, command.fromWallet) || !walletAllowed(to, command.toWallet)) {
    return { kind: 'wallet-unsuitable' }
  }
  if (!walletTakes(reading, command.toWallet, command.coin)) return { kind: 'coin-unsuitable' }
  if (from.handle === to.handle && command.fromWallet === command.toWallet) return { kind: 'transfer-same-place' }
  const most = maxAmount(zero, transferable(reading, from, command.fromWallet, command.coin))
  return command.amount > most ? { kind: 'transferable-exceeded', transferable: most } : undefined
}
