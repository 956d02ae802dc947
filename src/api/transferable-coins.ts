/**
 * Which coins may be moved from one wallet to another, for both versions.
 *
 * Wallets   a classic futures wallet takes the margin coins of its product line, any other takes every coin
 * Source    interface.md E9; design.md §3
 */
import type { CoinId } from '../engine/catalog/catalog.ts'
import { lineOfWallet, walletAllowed, type WalletType } from '../engine/vocabulary.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { PrivateContext } from './endpoint.ts'
import { ApiError, type Version, wrongParameter } from './errors/errors.ts'

/** Refused for a wallet that the account does not have, and between a wallet and itself. */
export function transferableCoins(
  { account, catalog }: PrivateContext,
  version: Version,
  { fromType, toType }: { readonly fromType: WalletType; readonly toType: WalletType },
): string[] {
  for (const [name, type] of [
    ['fromType', fromType],
    ['toType', toType],
  ] as const) {
    if (!walletAllowed(account, type)) throw wrongParameter(version, name, `${type} is no wallet of this account`)
  }
  if (fromType === toType) throw new ApiError('42013', ['fromType and toType are the same'])
  return catalog.catalog.coins
    .filter(({ id }) => takes(catalog, fromType, id) && takes(catalog, toType, id))
    .map(({ name }) => name)
}

function takes(catalog: CatalogIndex, type: WalletType, coin: CoinId): boolean {
  const line = lineOfWallet(type)
  return line === undefined || catalog.list(line).some(({ settle }) => settle === coin)
}
