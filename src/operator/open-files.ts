/**
 * How many connections a listener may keep open at a time, so that the venue's own files always find room: without a file
 * for its next segment the journal fails, and with it the venue.
 */

/** Segments, snapshots, databases, the twin, the operator's connections. */
const filesKept = 200

/** What was asked for, or as many as this process may open files besides its own. */
export function connectionsAllowed(asked: number): number {
  return Math.max(1, Math.min(asked, openFilesMax() - filesKept))
}

/** Node has raised the soft limit to the hard one when it started. */
function openFilesMax(): number {
  const { report } = process
  // Otherwise it would look up the names of the peers of open sockets.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as {
    readonly userLimits?: Readonly<Record<string, { readonly soft: unknown }>>
  }
  const soft = userLimits?.['open_files']?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
