/**
 * The history at work in PostgreSQL: what has come while one transaction was under way is the next one.
 *
 * Reads   wait until the last batch that has rows of theirs is committed, and go beside each other and the writing
 * Away    a server that is gone is asked again until it is back; then the transaction that was under way is looked up, and written
 *         again if it is not there. What comes meanwhile waits
 * Failed  after a write that was refused nothing more is done: what follows would leave a gap. The door says so to everyone who reads
 */
import type { MessagePort } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { PageText } from './page-text.ts'
import { becomeWriterAgain, type PostgresRows, WriterTaken } from './postgres.ts'
import { isAway } from './postgres-trouble.ts'
import type { Gathered, PostgresWriter } from './postgres-writer.ts'
import type { FromService, Read, ToService } from './protocol.ts'
import { Reader } from './reader.ts'
import type { Batch } from './writer.ts'

/** Of one transaction, unless one batch has more. */
const commitEventsMax = 5_000
const againMsFirst = 50
const againMsMost = 1_000
/** How long a server may take to let go of the lock of a connection that broke. */
const lockMsMax = 60_000

type Write = Extract<ToService, { kind: 'write' }>

interface Served {
  readonly store: PostgresRows
  readonly writer: PostgresWriter
  /** Whose history it is, if anybody knows. */
  readonly venue: string | undefined
  /** Told when the server is away, and why, and when it is back. */
  readonly onAway: (trouble: unknown) => void
  /** Of one transaction. */
  readonly writeMsMax: number
  /** This side's ends (service.ts). */
  readonly rows: MessagePort
  readonly reads: MessagePort
}

export function servePostgres({ store, writer, venue, onAway, writeMsMax, rows, reads }: Served): void {
  const say = (message: FromService) => rows.postMessage(message)
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
  rows.on('close', () => (failed = true))

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
      await writer.end()
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
    const gathered = writer.gather(batches)
    for (let isThere = false; !isThere; ) {
      try {
        await writer.write(gathered, writeMsMax)
        isThere = true
      } catch (error) {
        if (!isAway(error)) throw error
        isThere = await goneOn(gathered, error)
      }
    }
    for (const { events } of batches) say({ kind: 'written', events })
    const last = batches[batches.length - 1]
    written = last.rows.batch
    say({ kind: 'committed', sequence: last.sequence })
    const asked = waiting
    waiting = []
    for (const read of asked) take(read)
  }

  /** When the server is back; answers whether what was under way is committed. */
  async function goneOn(gathered: Gathered, trouble: unknown): Promise<boolean> {
    onAway(trouble)
    // What was refused for want of room has left its connection there, and that has the lock.
    await writer.end()
    let waitedMs = 0
    for (let againMs = againMsFirst; ; againMs = Math.min(againMs * 2, againMsMost)) {
      // Who ends does not wait for a server.
      if (failed || queue.some(({ kind }) => kind === 'close')) throw trouble
      try {
        const isThere = await writer.goOn(await becomeWriterAgain(store, venue), gathered)
        onAway(undefined)
        return isThere
      } catch (error) {
        const isLeft = error instanceof WriterTaken && waitedMs < lockMsMax
        if (!isLeft && !isAway(error)) throw error
      }
      await sleep(againMs)
      waitedMs += againMs
    }
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
        return prune(id, message.before)
      case 'close':
        await Promise.all(answering)
        await writer.end()
        await store.close()
        return say({ kind: 'answered', id, answer: undefined })
      case 'rules':
      case 'save':
      case 'restore':
        say({ kind: 'unanswered', id, error: new Error('a history in PostgreSQL is not the file of a venue') })
    }
  }

  /** While the server is away nothing goes: the next one who prunes comes soon enough. */
  async function prune(id: number, before: number): Promise<void> {
    try {
      say({ kind: 'answered', id, answer: await writer.prune(before) })
    } catch (error) {
      if (!isAway(error)) throw error
      say({ kind: 'unanswered', id, error })
    }
  }
}
