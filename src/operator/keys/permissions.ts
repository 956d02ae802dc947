/**
 * What a key may do, as the operator says it.
 *
 * Vocabulary  the permissions of the interface: `read` reads everything of the account, each other one reads and writes in
 *             its own field
 * Accepted    the words that other venues' consoles use for them. `withdraw` takes money out of the venue, and is in none of
 *             these words but `all`
 * Source      wire/auth.md §5
 */
import { type Permission, permissions } from '../../api/api.ts'

export const permissionsAll: readonly Permission[] = permissions

const meanings: Readonly<Record<string, readonly Permission[]>> = {
  ...Object.fromEntries(permissionsAll.map((permission) => [permission, [permission]])),
  'read-only': ['read'],
  readonly: ['read'],
  read_only: ['read'],
  trade: ['uta_trade', 'spot_trade', 'margin_trade', 'contract_trade'],
  'read-and-write': permissionsAll.filter((permission) => permission !== 'withdraw'),
  all: permissionsAll,
}

export const permissionWords = Object.keys(meanings)

/** In the vocabulary's order; undefined if a word is not known or nothing remains. */
export function readPermissions(words: readonly string[]): readonly Permission[] | undefined {
  const meant = new Set<Permission>()
  for (const word of words) {
    const meaning = Object.hasOwn(meanings, word.toLowerCase()) ? meanings[word.toLowerCase()] : undefined
    if (meaning === undefined) return undefined
    for (const permission of meaning) meant.add(permission)
  }
  return meant.size === 0 ? undefined : permissionsAll.filter((permission) => meant.has(permission))
}
