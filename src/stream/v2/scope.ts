/**
 * What a private channel of v2 is about: a category, all of it or one instrument or coin, in the wallet that v2 trades
 * the category from.
 */
import { type PrivateAccess, walletOf } from '../../api/api.ts'
import type { Category, CoinId, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { WalletType } from '../../engine/vocabulary.ts'
import type { AccountPicture, PrivateChannel } from '../socket-protocol.ts'

export interface Scope {
  readonly category: Category
  readonly instrument: InstrumentId | undefined
  readonly coin: CoinId | undefined
}

/** Whether an order, a fill or a position belongs to it. */
export function covers(
  { category, instrument }: Scope,
  record: { readonly category: Category; readonly instrument: InstrumentId; readonly wallet: WalletType },
  { account }: AccountPicture,
): boolean {
  if (record.category !== category || (instrument !== undefined && record.instrument !== instrument)) return false
  return record.wallet === walletOf(account, category)
}

/** What all private channels of a scope have. */
export function named(name: string, { category, instrument, coin }: Scope) {
  const key = `v2 ${name} ${category} ${instrument ?? ''} ${coin ?? ''}`
  const access: PrivateAccess = { permission: permissions[category], level: 'read' }
  return { scope: 'private', version: 'v2', key, access } as const satisfies Partial<PrivateChannel>
}

const permissions = {
  SPOT: 'spot_trade',
  MARGIN: 'margin_trade',
  'USDT-FUTURES': 'contract_trade',
  'COIN-FUTURES': 'contract_trade',
  'USDC-FUTURES': 'contract_trade',
} as const satisfies Record<Category, PrivateAccess['permission']>
