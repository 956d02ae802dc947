/**
 * Which wallet of an account trades a category, and which one a read shows.
 *
 * Source    design.md §3; interface.md E9
 */
import type { ProductLine } from '../catalog/catalog.ts'
import type { Account } from '../state/state.ts'
import { type Interface, lineWallets, modeRead, type WalletType } from '../vocabulary.ts'

/**
 * The wallet that trades a category for an account over a version of the interface (design §3), or why none does.
 * `changing`: while the mode changes. `unsuitable`: v3 on a classic account.
 */
export function tradingWallet(
  account: Account,
  version: Interface,
  category: 'SPOT' | 'MARGIN' | ProductLine,
): WalletType | 'changing' | 'unsuitable' {
  switch (account.mode) {
    case 'upgrading':
    case 'switching':
      return 'changing'
    case 'unified':
      return 'uta'
    case 'hybrid':
      if (version === 'v3') return 'uta'
      break
    case 'classic':
      if (version === 'v3') return 'unsuitable'
  }
  if (category === 'SPOT') return 'spot'
  return category === 'MARGIN' ? 'crossed_margin' : lineWallets[category]
}

/** As tradingWallet, for reads. They work while the mode changes: they see the mode that is being left. */
export function readingWallet(
  account: Account,
  version: Interface,
  category: 'SPOT' | 'MARGIN' | ProductLine,
): WalletType {
  const mode = modeRead(account)
  if (mode === 'unified' || (mode === 'hybrid' && version === 'v3')) return 'uta'
  if (category === 'SPOT') return 'spot'
  return category === 'MARGIN' ? 'crossed_margin' : lineWallets[category]
}
