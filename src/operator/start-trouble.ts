/**
 * What keeps a venue from starting, in one line for whoever started it. Anything that is not named here is a defect.
 */
import { RulesBeyond } from '../engine/protocol/rules.ts'
import { HistoryFailed } from '../history/history.ts'
import { isOtherFormat, JournalDamaged, JournalFailed, SnapshotDamaged, SnapshotFailed } from '../journal/journal.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../runtime/core.ts'
import { RecoveryFailed } from '../runtime/runtime.ts'
import { RecordingWrong } from '../simulator/simulator.ts'
import { CannotStart, reasonOf } from './data-directory.ts'

const named = [
  HistoryFailed,
  JournalDamaged,
  JournalFailed,
  SnapshotDamaged,
  SnapshotFailed,
  RecoveryFailed,
  RecordingWrong,
  RulesBeyond,
  // The set-up of a new venue is commands like any other.
  CommandNotSequenced,
  OutcomeUnknown,
]

/** The error as it should be shown: a CannotStart where a person can do something, else the defect itself. */
export function startTrouble(error: unknown): unknown {
  if (named.some((kind) => error instanceof kind)) {
    const { message, cause } = error as Error
    const because = cause === undefined || message.includes(reasonOf(cause)) ? '' : ` (${reasonOf(cause)})`
    return new CannotStart(`the venue cannot start: ${message}${because}${adviceOn(error as Error)}`, { cause: error })
  }
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  // History tells its own trouble.
  if (code === 'ERR_SQLITE_ERROR') {
    return new CannotStart(`the venue cannot start: its keys cannot be kept: ${reasonOf(error)}`, { cause: error })
  }
  if (syscall === undefined) return error
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') {
    return new CannotStart(`the venue cannot start: ${reasonOf(error)}`, { cause: error })
  }
  const why = code === 'EADDRINUSE' ? 'the port is in use' : reasonOf(error)
  const where = address === undefined ? '' : ` ${address}${port === undefined ? '' : `:${port}`}`
  return new CannotStart(`the venue cannot listen on${where}: ${why}`, { cause: error })
}

/** What to do where the trouble does not say it itself. */
function adviceOn(error: Error): string {
  if (error instanceof JournalDamaged || error instanceof SnapshotDamaged) {
    return isOtherFormat(error) ? '; start the release that wrote it' : '; restore a backup of the whole directory'
  }
  if (error instanceof HistoryFailed && /damaged|malformed|not a database/.test(error.message)) {
    return '; restore a backup of the whole directory, or put the file away: it is made anew if that is possible'
  }
  return ''
}
