/** The door of a history in PostgreSQL: what `openHistory` is to a file. */
import { MessageChannel, type Transferable } from 'node:worker_threads'
import { failure, type History, type HistoryOptions, ServedHistory } from './history.ts'
import { becomeWriter, PostgresRows } from './postgres.ts'
import { servePostgres } from './postgres-service.ts'
import type { FromService, ToService } from './protocol.ts'

/**
 * Opens or makes the tables of a database of its own, `postgres://user:password@host:port/database`, and becomes its writer.
 * Rejects with HistoryFailed, also while another process writes it. The rules of a venue are not noted in it, and it is not saved.
 */
export async function openHistoryInPostgres(url: string, options?: HistoryOptions): Promise<History> {
  const rows = new MessageChannel()
  const reads = new MessageChannel()
  const store = new PostgresRows(url)
  let client: Awaited<ReturnType<typeof becomeWriter>>
  let sequence: number
  try {
    client = await becomeWriter(store)
    sequence = await store.appliedSequence()
    servePostgres(store, client, sequence, rows.port2, reads.port2)
  } catch (error) {
    await store.close()
    throw failure('cannot open it in PostgreSQL', error)
  }
  const service = {
    post: (message: ToService, moved?: readonly Transferable[]) => rows.port1.postMessage(message, moved),
    heapBytes: async () => undefined,
    end: async () => {
      for (const port of [rows.port1, reads.port1]) port.close()
      await client.end()
      await store.close()
      // Who still waits is told so.
      history.fail('it ended', undefined)
    },
  }
  const history: ServedHistory = new ServedHistory(service, reads.port1, { sequence, at: 0 }, options)
  rows.port1.on('message', (message: FromService) => history.hear(message))
  return history
}
