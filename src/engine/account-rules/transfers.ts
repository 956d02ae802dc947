/**
 * What may leave a wallet, and between which accounts money may move.
 *
 * Limit     never more than is transferable: holds, margin of open positions and debt count
 * Twice     a main-sub transfer is known by main account and client order id. One that a sub-account makes is known by
 *           sub-account and id. The same again is a repeat; the same id with other content is refused (design §4.14).
 *           After 90 days, as long as its record can be asked for, the id is free again
 * Source    interface.md E9; design.md §3, §4.14, §4.36
 */
import { type CoinId, isFutures } from '../catalog/catalog.ts'
import { marginTransferable, spendable } from '../lending/lending.ts'
import { marginAccountTransferable } from '../margin/margin.ts'
import { type Amount, coinInsideMax, maxAmount, minAmount, zero } from '../numbers/numbers.ts'
import type { Deposit, FundHouse, Transfer } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, KnownTransfer, Reading } from '../state/state.ts'
import { lineOfWallet, walletAllowed, type WalletType } from '../vocabulary.ts'

const rememberedMs = 90 * 86_400_000

/** The accounts between which money moves, or the transfer that this one repeats. */
export function admitTransfer(
  reading: Reading,
  command: Transfer,
):
  | { readonly from: Account; readonly to: Account; readonly name: string | undefined; readonly content: string }
  | { readonly repeated: KnownTransfer }
  | Refusal {
  const { accounts } = reading
  const actor = accounts.byUid(command.actorUid)
  const from = accounts.byUid(command.fromUid)
  const to = accounts.byUid(command.toUid)
  if (actor === undefined) return { kind: 'account-unknown' }
  // An actor who may not do this learns nothing of the transfers of others.
  if (command.scope === 'between-accounts' && actor.kind !== 'main') return { kind: 'transfer-unrelated' }
  const content = contentOf(command)
  const name = nameOf(command, actor)
  const known = name === undefined ? undefined : reading.transfers.get(name)
  if (known !== undefined && isRemembered(reading, known)) {
    return known.content === content ? { repeated: known } : { kind: 'transfer-id-reused' }
  }
  if (from === undefined || to === undefined) return { kind: 'transfer-unrelated' }
  return refuseTransfer(reading, command, actor, from, to) ?? { from, to, name, content }
}

function refuseTransfer(
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

/** A deposit (`incoming`) or a withdrawal. */
export function admitExternalFlow(
  reading: Reading,
  command: Deposit,
): { readonly account: Account; readonly incoming: boolean } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (reading.catalog.coins[command.coin] === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  if (!walletAllowed(account, command.wallet)) return { kind: 'wallet-unsuitable' }
  if (!walletTakes(reading, command.wallet, command.coin)) return { kind: 'coin-unsuitable' }
  const incoming = command.kind === 'deposit'
  // All that came in of a coin stays within 64 bits, so that no balance can ever leave them.
  const inside = coinInside(reading, command.coin)
  if (incoming && inside + command.amount > coinInsideMax) return { kind: 'deposits-exceeded' }
  if (!incoming) {
    const most = maxAmount(zero, transferable(reading, account, command.wallet, command.coin))
    if (command.amount > most) return { kind: 'transferable-exceeded', transferable: most }
  }
  return { account, incoming }
}

/** Why the house may not be funded with this. */
export function refuseHouseFunds(reading: Reading, command: FundHouse): undefined | Refusal {
  if (reading.catalog.coins[command.coin] === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  const inside = coinInside(reading, command.coin)
  if (inside + command.amount > coinInsideMax) return { kind: 'deposits-exceeded' }
  return undefined
}

/** All of a coin that wallets and the house have, but for what the house took and gave in conversions. */
export function coinInside({ ledger }: Reading, coin: CoinId): bigint {
  return -ledger.houseBalance('external', coin) - ledger.houseBalance('conversion', coin)
}

/** What of a coin may leave a wallet. */
export function transferable(reading: Reading, account: Account, wallet: WalletType, coin: CoinId): Amount {
  switch (wallet) {
    case 'spot':
    case 'p2p':
      return spendable(reading, account, wallet, coin)
    case 'crossed_margin':
      return marginTransferable(reading, account, wallet, coin)
    case 'uta': {
      const margin = marginTransferable(reading, account, wallet, coin)
      return minAmount(margin, marginAccountTransferable(reading, account.handle, wallet, coin))
    }
    default:
      return marginAccountTransferable(reading, account.handle, wallet, coin)
  }
}

/** A classic futures wallet takes the margin coins of its product line only. */
export function walletTakes(reading: Reading, wallet: WalletType, coin: CoinId): boolean {
  const line = lineOfWallet(wallet)
  if (line === undefined) return true
  return reading.catalog.instruments.some(
    (instrument) => instrument.category === line && isFutures(instrument) && instrument.settle === coin,
  )
}

/** Whether a repeat of this transfer or withdrawal is still recognised. */
export function isRemembered(reading: Reading, { at }: Pick<KnownTransfer, 'at'>): boolean {
  return reading.at < at + rememberedMs
}

/** What a repeat of the transfer is recognised by; undefined: it is not. */
function nameOf({ scope, clientOid }: Transfer, actor: Account): string | undefined {
  if (scope === 'between-accounts') return `${actor.main}:${clientOid}`
  return scope === 'to-main' && clientOid !== '' ? `${actor.handle}>${clientOid}` : undefined
}

function contentOf(command: Transfer): string {
  const { fromUid, toUid, fromWallet, toWallet, coin } = command
  return [fromUid, toUid, fromWallet, toWallet, coin, command.amount].join(' ')
}
