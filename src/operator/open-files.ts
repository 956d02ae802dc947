/**
 * How many connections a listener may keep open at a time, so that the venue's own files always find room: without a file
 * for its next segment the journal fails, and with it the venue.
 *
 * Fewer    than were asked for: the log says so, with the numbers
 * Too few  for a venue to be of use: it does not start
 */
import { readdirSync, statSync } from 'node:fs'
import type { Logger } from 'pino'
import { CannotStart } from './data-directory.ts'

/** Segments, snapshots, databases, the twin, the operator's connections. */
const filesKept = 200
const connectionsMin = 64

/** What was asked for, or as many as this process may open files besides its own; throws CannotStart where that is too few. */
export function connectionsAllowed(asked: number, log: Pick<Logger, 'warn'>, filesMax = openFilesMax()): number {
  const room = filesMax - filesKept
  if (room < connectionsMin) {
    throw new CannotStart(
      `the venue cannot start: ulimit -n is ${filesMax}, and it needs ${filesKept + connectionsMin}: ` +
        `${filesKept} files of its own and ${connectionsMin} connections`,
    )
  }
  if (room >= asked) return asked
  log.warn(
    { connectionsMax: asked, openFilesMax: filesMax, connectionsAllowed: room },
    `ulimit -n is ${filesMax}, which leaves room for ${room} connections and not for connectionsMax ${asked}; ` +
      `${asked + filesKept} would do`,
  )
  return room
}

/** How many files this process may still open, connections too; undefined where the system does not say. */
export function openFilesLeft(): number | undefined {
  try {
    // Linux since 6.2 tells by a look that opens none; before it one is open to read the list.
    const { size } = statSync(ownFiles)
    return openFilesMax() - (size > 0 ? size : readdirSync(ownFiles).length - 1)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? 0 : undefined
  }
}

const ownFiles = '/proc/self/fd'
let filesMax: number | undefined

/** Node has raised the soft limit to the hard one when it started. */
function openFilesMax(): number {
  filesMax ??= readOpenFilesMax()
  return filesMax
}

function readOpenFilesMax(): number {
  const { report } = process
  // Otherwise it would look up the names of the peers of open sockets.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as {
    readonly userLimits?: Readonly<Record<string, { readonly soft: unknown }>>
  }
  const soft = userLimits?.['open_files']?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
