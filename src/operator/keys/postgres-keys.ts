/**
 * The door to keys in PostgreSQL, for the core and the gateways of a venue. One process for all loads nothing of it.
 *
 * Moved    with the first start that names a database, once: venue.json notes it, and what keys.sqlite holds counts no more
 * Waits    the core of a venue that is there does not wait for the database: orders go on without it
 */
import { isAway } from '../../history/postgres-history.ts'
import type { Core } from '../../runtime/core.ts'
import { type DataDirectory, reasonOf, type VenueRecord } from '../data-directory.ts'
import { acceptedLosses, isMissing, keysFile } from '../losses.ts'
import { SealedKeyStore } from './key-store.ts'
import { type PostgresKeyOptions, PostgresKeyStore } from './postgres-key-store.ts'
import { RevokedKeys, revokedKeysFile } from './revoked-keys.ts'

export { PostgresKeyStore }

interface CoreKeys extends Omit<PostgresKeyOptions, 'onRevoked'> {
  readonly directory: DataDirectory
  readonly record: VenueRecord
  readonly venue: string
}

/** Of the only core: `core` is the same, heard of by the keys. Rejects with CannotStart. */
export async function keysOfCore({ core, ...options }: CoreKeys & { readonly core: Core }) {
  const { keys, revoked } = await openKeysOfCore(options)
  const noting = revoked.noting(core, (command, at) => keys.heard(command, at))
  return { keys, core: noting, revokedKeys: () => revoked.list() }
}

/** Of one of several cores: `hearer` is told what stands in the log, and what goes there by `noting`. Rejects with CannotStart. */
export async function keysOfOneCore(options: CoreKeys) {
  const { keys, revoked } = await openKeysOfCore(options)
  return {
    keys,
    revokedKeys: () => revoked.list(),
    hearer: revoked.hearer((command, at) => keys.heard(command, at)),
    // What is carried out is heard as on a core that follows.
    noting: (core: Core) => revoked.noting(core, () => undefined),
  }
}

async function openKeysOfCore({ directory, record, venue, ...options }: CoreKeys) {
  const revoked = new RevokedKeys(directory.file(revokedKeysFile))
  const keys = new PostgresKeyStore({ ...options, onRevoked: (apiKey) => revoked.drop(apiKey) })
  const isMoved = record.keysInPostgres === true && !acceptedLosses(record).includes(keysFile)
  const first = isMoved ? undefined : () => keysOfFile(directory, options.seal)
  try {
    await keys.prepare(venue, first)
    await keys.load(revoked.list())
    directory.remember({ keysInPostgres: true })
  } catch (error) {
    if (record.keysInPostgres !== true || !isAway((error as Error).cause)) {
      await keys.close()
      throw error
    }
    options.log.warn({ reason: reasonOf(error) }, 'keys are not known until PostgreSQL is back')
    keys.loadLater(venue, first, revoked.list())
  }
  return { keys, revoked }
}

function keysOfFile(directory: DataDirectory, seal: PostgresKeyOptions['seal']) {
  if (isMissing(directory.path, keysFile)) return []
  const file = new SealedKeyStore(directory.file(keysFile), seal)
  try {
    return [...file.all()]
  } finally {
    file.close()
  }
}
