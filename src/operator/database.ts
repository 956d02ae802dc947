/** What speaks to PostgreSQL: loaded by whoever is told of a database, as its packages are there where somebody installed them. */
import { CannotStart } from './data-directory.ts'

/** Rejects with CannotStart where they are not. */
export async function loadPostgres() {
  try {
    return await import('../history/postgres-history.ts')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new CannotStart('--postgres: needs two packages: npm install pg pg-copy-streams', { cause })
  }
}

/** The door to keys there. Rejects with CannotStart where the packages are not. */
export async function loadKeysInPostgres() {
  await loadPostgres()
  return import('./keys/postgres-keys.ts')
}
