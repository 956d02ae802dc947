/**
 * The history at work in PostgreSQL: what has come while one transaction was under way is the next one.
 *
 * Reads   wait until the last batch that has rows of theirs is committed, and go beside each other and the writing
 * Failed  after a failed write nothing more is done: what follows would leave a gap. The door says so to everyone who reads
 */
import type { MessagePort } from 'node:worker_threads'
import type pg from 'pg'
import { PageText } from './page-text.ts'
import type { PostgresRows } from './postgres.ts'
import { PostgresWriter } from './postgres-writer.ts'
import type { FromService, Read, ToService } from './protocol.ts'
import { Reader } from './reader.ts'
import type { Batch } from './writer.ts'

/** Of one transaction, unless one batch has more. */
const commitEventsMax = 5_000

type Write = Extract<ToService, { kind: 'write' }>

/** The ports are this side's ends (service.ts); `applied` is the last command that is in it. */
export function servePostgres(
  store: PostgresRows,
  client: pg.Client,
  applied: number,
  rows: MessagePort,
  reads: MessagePort,
): void {
  const say = (message: FromService) => rows.postMessage(message)
  const writer = new PostgresWriter(client, applied)
  const reader = new Reader(store)
  const queue: ToService[] = []
  const answering = new Set<Promise<void>>()
  let waiting: Read[] = []
  /** The last batch that is committed. */
  let written = 0
  let isWorking = false
  let failed = false

  rows.on('message', (message: ToService) => {
    queue.push(message)
    if (!isWorking && !failed) void work()
  })
  reads.on('message', take)
  // A connection that breaks while nothing is written: the next write says so.
  client.on('error', () => undefined)

  async function work(): Promise<void> {
    isWorking = true
    try {
      while (queue.length > 0) {
        const batches = nextBatches()
        if (batches.length > 0) await write(batches)
        else await answerNext(queue.shift() as Exclude<ToService, Write>)
      }
    } catch (error) {
      failed = true
      say({ kind: 'failed', error })
      await client.end() // lets go of whatever was not committed, and of the lock
      await store.close()
    }
    isWorking = false
  }

  function nextBatches(): Batch[] {
    const batches: Batch[] = []
    let events = 0
    for (let next = queue[0]; next?.kind === 'write'; next = queue[0]) {
      if (batches.length > 0 && events + next.events > commitEventsMax) break
      batches.push(next)
      events += next.events
      queue.shift()
    }
    return batches
  }

  async function write(batches: readonly Batch[]): Promise<void> {
    await writer.write(batches)
    for (const { events } of batches) say({ kind: 'written', events })
    const last = batches[batches.length - 1]
    written = last.rows.batch
    say({ kind: 'committed', sequence: last.sequence })
    const asked = waiting
    waiting = []
    for (const read of asked) take(read)
  }

  function take(read: Read): void {
    if (read.after > written) {
      waiting.push(read)
      return
    }
    const answer = answerRead(read)
    answering.add(answer)
    void answer.finally(() => answering.delete(answer))
  }

  async function answerRead({ id, name, query }: Read): Promise<void> {
    try {
      const answer = await reader.read(name, query)
      say(answer instanceof PageText ? { kind: 'page', id, page: answer } : { kind: 'answered', id, answer })
    } catch (error) {
      say({ kind: 'unanswered', id, error })
    }
  }

  async function answerNext(message: Exclude<ToService, Write>): Promise<void> {
    const { id } = message
    switch (message.kind) {
      // What came before it is committed, and a commit is on disk.
      case 'flush':
      case 'sync':
        return say({ kind: 'answered', id, answer: undefined })
      case 'prune':
        await writer.prune(message.before)
        return say({ kind: 'answered', id, answer: false })
      case 'close':
        await Promise.all(answering)
        await client.end()
        await store.close()
        return say({ kind: 'answered', id, answer: undefined })
      case 'rules':
      case 'save':
      case 'restore':
        say({ kind: 'unanswered', id, error: new Error('a history in PostgreSQL is not the file of a venue') })
    }
  }
}
