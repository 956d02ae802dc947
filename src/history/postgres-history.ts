/** The door of a history in PostgreSQL: for its writer what `openHistory` is to a file. Who only reads: postgres-reading.ts. */
import { MessageChannel, type Transferable } from 'node:worker_threads'
import { type History, HistoryFailed, type HistoryOptions, ServedHistory } from './history.ts'
import { becomeWriter, letGo, PostgresRows } from './postgres.ts'
import { servePostgres } from './postgres-service.ts'
import { postgresTrouble, unlessSlow } from './postgres-trouble.ts'
import { type Filling, PostgresWriter } from './postgres-writer.ts'
import type { FromService, ToService } from './protocol.ts'
import type { Progress } from './row-export.ts'

export type { Filling }
export { readHistoryInPostgres } from './postgres-reading.ts'
export { assertServer, isWritten, noteVenue, poolOf, WriterTaken, WrongDatabase } from './postgres.ts'
export { isAway, placeOf, postgresTrouble, unlessSlow } from './postgres-trouble.ts'

export interface PostgresHistoryOptions extends HistoryOptions {
  /** Whose history it is: the database of another venue is refused. */
  readonly venue?: string
  /** What another history has beyond this one, before anything is recorded; undefined: nothing. */
  readonly fill?: (from: Progress) => Promise<Filling | undefined>
  /** Told why the server is away, and undefined when it is back. What is recorded meanwhile waits. */
  readonly onAway?: (trouble: unknown) => void
  /** How long a transaction may take before the server is taken for away. */
  readonly writeMsMax?: number
}

const writeMsMaxUsual = 30_000

/** Makes the tables of a venue's history, and notes whose they are. What is wrong there is one line of the Error that it rejects with. */
export async function prepareDatabase(url: string, venue: string): Promise<void> {
  const store = new PostgresRows(url)
  try {
    await letGo(await becomeWriter(store, venue))
  } catch (cause) {
    throw new Error(postgresTrouble(url, cause), { cause })
  } finally {
    await store.close()
  }
}

/** The last command whose rows are in the database for good; zero: there is none. Rejects where the server is away. */
export async function writtenThrough(url: string): Promise<number> {
  const store = new PostgresRows(url)
  try {
    return (await store.progress()).sequence
  } finally {
    await store.close()
  }
}

/**
 * Opens or makes the tables of a database of its own, `postgres://user:password@host:port/database`, and becomes its writer.
 * Rejects with HistoryFailed, also while another process writes it. The rules of a venue are not noted in it, and it is not saved.
 */
export async function openHistoryInPostgres(url: string, options: PostgresHistoryOptions = {}): Promise<History> {
  const { venue, fill, onAway = () => undefined, writeMsMax = writeMsMaxUsual } = options
  const rows = new MessageChannel()
  const reads = new MessageChannel()
  const store = new PostgresRows(url)
  let writer: PostgresWriter
  let reached: Progress
  try {
    const client = await unlessSlow(() => becomeWriter(store, venue))
    try {
      reached = await store.progress()
      writer = new PostgresWriter(client, reached.sequence)
      const filling = await fill?.(reached)
      if (filling !== undefined) await writer.fill((reached = filling))
    } catch (error) {
      await letGo(client)
      throw error
    }
  } catch (error) {
    await store.close()
    throw new HistoryFailed(postgresTrouble(url, error), error)
  }
  servePostgres({ store, writer, venue, onAway, writeMsMax, rows: rows.port2, reads: reads.port2 })
  const service = {
    post: (message: ToService, moved?: readonly Transferable[]) => rows.port1.postMessage(message, moved),
    heapBytes: async () => undefined,
    end: async () => {
      for (const port of [rows.port1, reads.port1]) port.close()
      await writer.end()
      await store.close()
      // Who still waits is told so.
      history.fail('it ended', undefined)
    },
  }
  const history: ServedHistory = new ServedHistory(service, reads.port1, reached, options)
  rows.port1.on('message', (message: FromService) => history.hear(message))
  return history
}
