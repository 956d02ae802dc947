/** Where the log of a venue is, for the commands that look after it; what is wrong there is one line. */
import { ClusterWrong, JetStreamLog } from '../jetstream/jetstream.ts'
import { CannotStart, clusterCertificate, type ClusterFiles } from '../operator/operator.ts'

/** Longer than a core that leads is silent. */
const quietMs = 2_000

export interface LogAddress {
  readonly urls: readonly string[]
  readonly venue: string
  /** Undefined: nobody checks that the servers sync. */
  readonly monitors: readonly string[] | undefined
  /** Which venue it has to be; absent: whichever has that name. */
  readonly venueId?: string | undefined
  /** By which servers with `tls://` are known; where none are named, by those that the system trusts. */
  readonly files?: ClusterFiles | undefined
}

export function tlsOf({ files }: Pick<LogAddress, 'files'>) {
  return files && clusterCertificate(files)
}

/** Rejects with CannotStart, also where it is the log of another venue. */
export async function openedLog({ urls, venue, monitors, venueId, files }: LogAddress): Promise<JetStreamLog> {
  const tls = tlsOf({ files })
  const log = await asCannotStart(() => JetStreamLog.open({ urls, venue, name: 'tidemark log', monitors, tls }))
  if (venueId === undefined || venueId === log.venueId) return log
  await log.close()
  throw new CannotStart(otherLog(venue, log.venueId, venueId))
}

/** A log that has the right name and is of another venue. */
export function otherLog(venue: string, found: string, wanted: string): string {
  return `--venue-id: the log of ${venue} is of the venue ${found}, and not of ${wanted}`
}

/** Nobody writes to it: a core that leads is heard four times a second. */
export async function assertQuiet(log: JetStreamLog): Promise<void> {
  const { last } = await log.bounds()
  await new Promise((resolve) => setTimeout(resolve, quietMs))
  if ((await log.bounds()).last > last) throw new CannotStart('a core writes to the log: stop all cores before')
}

export async function asCannotStart<Made>(make: () => Promise<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw cause instanceof ClusterWrong ? new CannotStart(cause.message, { cause }) : cause
  }
}
