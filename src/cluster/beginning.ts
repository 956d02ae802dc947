/**
 * How a venue of several cores begins: `cluster init` makes its log, its place in a database, and the file that everybody who
 * belongs to it is told.
 *
 * Whole    or not at all: what was made before a step failed is taken back
 * Venue    its id is random, and stands in the settings of the stream, in the file, in each core's directory and in the database.
 *          A name can be given twice; an id is not
 * Source   scale.md §9
 */
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { assertServers, makeStream, NatsLink, removeStream, streamOf } from '../jetstream/jetstream.ts'
import { CannotStart, loadPostgres, writeClusterFile } from '../operator/operator.ts'
import { asCannotStart, type LogAddress, openedLog, tlsOf } from './log-address.ts'

export interface ClusterMade {
  readonly stream: string
  readonly servers: number
  readonly venueId: string
}

interface ClusterAsked {
  /** The file to write; absent: none. */
  readonly file?: string | undefined
  /** Where its history and keys are to be; absent: in the cores' directories. */
  readonly postgres?: string | undefined
  /** Where its cores are to listen. */
  readonly cores?: readonly string[] | undefined
}

/** Makes the log of a new venue, and looks whether the cluster is as it must be. Rejects with CannotStart. */
export async function initCluster(address: LogAddress, asked: ClusterAsked = {}): Promise<ClusterMade> {
  const { urls: nats, venue, monitors, venueId = randomUUID() } = address
  const { file, postgres = '', cores = [] } = asked
  await using undo = new AsyncDisposableStack()
  if (file !== undefined) {
    if (existsSync(file))
      throw new CannotStart(`--cluster ${file}: there is such a file, of a cluster that was made before`)
    const logSync = monitors === undefined ? 'unchecked' : 'checked'
    writeClusterFile(file, { venue, venueId, nats, natsMonitor: monitors ?? [], logSync, postgres, cores })
    undo.defer(() => rmSync(file, { force: true }))
  }
  const link = await asCannotStart(() => NatsLink.open(nats, 'cluster init', tlsOf(address)))
  try {
    await asCannotStart(async () => {
      if (monitors !== undefined) await assertServers(monitors, tlsOf(address))
      await makeStream(link, venue, venueId)
    })
    let isMade = false
    try {
      const log = await openedLog(address)
      const servers = (await log.servers()).length
      await log.close()
      if (postgres !== '') await (await loadPostgres()).prepareDatabase(postgres, venueId).catch(asNotStarted)
      isMade = true
      undo.move()
      return { stream: streamOf(venue), servers, venueId }
    } finally {
      // A moment ago it was not there, and nobody was told of it.
      if (!isMade) await removeStream(link, venue)
    }
  } finally {
    await link.close()
  }
}

function asNotStarted(cause: Error): never {
  throw new CannotStart(cause.message, { cause })
}
