/** Files of a core's directory that belong to its state: what one core gives, and another one puts in place of its own. */
import { historyFile } from '../operator/operator.ts'

export const placesFile = 'positions'

/** Small ones, which need not be there: commands that are passed over, and keys that are revoked. */
export const besideFiles = ['poisoned.json', 'revoked-keys.json'] as const

/** In the order in which they are put in place. */
export const stateFiles = [
  historyFile,
  `${historyFile}-wal`,
  `${historyFile}-shm`,
  placesFile,
  ...besideFiles,
  'snapshots',
  'journal',
] as const
