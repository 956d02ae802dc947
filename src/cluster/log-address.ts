/**
 * Where the log of a venue is, for the commands that look after it, and for a core that begins.
 *
 * Wrong    what is wrong there is one line
 * Patient  an answer of the log that is late is asked for again: whoever reads the whole of it must not end by one
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ClusterWrong, JetStreamLog } from '../jetstream/jetstream.ts'
import { JournalFenced } from '../journal/journal.ts'
import { CannotStart, clusterCertificate, type ClusterFiles } from '../operator/operator.ts'
import { LogBroken, LogDown } from '../replication/replication.ts'
import type { BoundedLog } from './log-place.ts'

/** Longer than a core that leads is silent. */
const quietMs = 2_000
const patienceMs = 10_000
const againMs = 100

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

/** Rejects with CannotStart, also where it is the log of another venue. `startMsMax`: how long it may be without a leader. */
export async function openedLog(
  { urls, venue, monitors, venueId, files }: LogAddress,
  startMsMax?: number,
): Promise<JetStreamLog> {
  const options = { urls, venue, name: 'tidemark log', monitors, tls: tlsOf({ files }), startMsMax }
  const log = await asCannotStart(() => JetStreamLog.open(options))
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

/** What a person can do something about is a CannotStart; the rest is as it was. */
export async function asCannotStart<Made>(make: () => Promise<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw logTrouble(cause)
  }
}

export function logTrouble(cause: unknown): unknown {
  if (cause instanceof LogDown) return new CannotStart(`the log does not answer: ${cause.message}`, { cause })
  if (cause instanceof JournalFenced) {
    return new CannotStart('somebody else writes to the log: stop all cores before', { cause })
  }
  const isKnown = cause instanceof ClusterWrong || cause instanceof LogBroken
  return isKnown ? new CannotStart(cause.message, { cause }) : cause
}

/** The log for who reads it from its beginning. */
export function patiently(log: BoundedLog): BoundedLog {
  return {
    at: (position) => untilAnswered(() => log.at(position)),
    bounds: () => untilAnswered(() => log.bounds()),
    noteSeen: (position) => log.noteSeen(position),
  }
}

/** Rejects with LogDown once there was no answer for ten seconds. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const untilMs = performance.now() + patienceMs; ; ) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof LogDown) || performance.now() > untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}

/** Looks before the directory is taken, as that makes it and what belongs into one. `as`: the option that names it. */
export function assertVenueThere(data: string, as: string): void {
  if (!existsSync(data)) throw new CannotStart(`${as} ${data}: there is no such directory`)
  const files = ['venue.json', 'branches.json', 'journal', 'server.json']
  if (!files.some((file) => existsSync(join(data, file)))) {
    throw new CannotStart(`${as} ${data}: there is no venue`)
  }
}
