/**
 * Opens the account behind a key. Its settings tell which version of the interface it speaks: only a classic account is
 * refused them. What speaks for it is loaded then.
 * Source  interface.md E6; docs/interface.md "v3 for a classic account"
 */
import type { Account } from './account.ts'
import { Caller, VenueError } from './rest.ts'
import type { Credentials } from './signing.ts'
import type { SettingsRecord } from './v3/records.ts'

/** In either dialect. */
const classicCodes = ['40084', '25245']

export async function openAccount(credentials: Credentials): Promise<Account> {
  const caller = await Caller.open(credentials)
  const settings = await caller.get<SettingsRecord>('/api/v3/account/settings').catch((error: unknown) => {
    if (error instanceof VenueError && classicCodes.includes(error.code)) return undefined
    throw error
  })
  if (settings === undefined) return (await import('./v2/classic-account.ts')).openClassic(caller)
  return (await import('./v3/unified-account.ts')).openUnified(caller, settings)
}
