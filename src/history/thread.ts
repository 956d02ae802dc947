/**
 * The history's own thread: opens the database, writes rows in the order in which they came, and answers reads in between.
 *
 * Reads   wait for the last batch that has rows of theirs, and for a part of the one that is being written: a read of an account
 *         does not wait until all that happened to others is written
 * Failed  after a failed write nothing more is done: what follows would leave a gap. The door says so to everyone who reads
 * Yields  to the venue's thread where there is one core for both: an order waits for nobody's records. (On Linux a
 *         thread has a priority of its own; elsewhere it would be the process's.)
 */
import { setPriority } from 'node:os'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { PageText } from './page-text.ts'
import type { FromThread, Read, ThreadOptions, ToThread } from './protocol.ts'
import { Reader } from './reader.ts'
import { SqliteStore } from './sqlite.ts'
import { commitWaitMs, Writer } from './writer.ts'

const door = parentPort
if (door === null) throw new Error('this file is the history’s thread: openHistory starts it')
const { file, reads } = workerData as ThreadOptions

/** A third of the venue's share where both want the core: more than its part of the work is. */
const priority = 5
if (process.platform === 'linux') setPriority(0, priority)

const say = (message: FromThread) => door.postMessage(message)

try {
  const store = await SqliteStore.open(file)
  listen(store, door)
  say({ kind: 'opened', appliedSequence: store.appliedSequence() })
} catch (error) {
  say({ kind: 'failed', error })
  door.close()
  reads.close()
}

function listen(store: SqliteStore, rows: MessagePort): void {
  const writer = new Writer(store, (sequence) => say({ kind: 'committed', sequence }))
  const reader = new Reader(store)
  let failed = false
  let turn = Promise.resolve()
  let commitTimer: NodeJS.Timeout | undefined
  /** The last batch that is written whole. */
  let written = 0
  /** Reads that have come out of their channel, and those of them that a batch has to be written for; as they were asked. */
  const arrived: Read[] = []
  let waiting: Read[] = []

  const inTurn = (work: () => void | Promise<void>) => {
    turn = turn.then(async () => {
      if (failed) return
      try {
        await work()
      } catch (error) {
        failed = true
        say({ kind: 'failed', error })
        store.close() // lets go of whatever was not committed
      }
    })
  }
  rows.on('message', (message: ToThread) => inTurn(() => handle(message)))
  reads.on('message', (read: Read) => {
    arrived.push(read)
    inTurn(async () => void (await nextRead()))
  })

  async function handle(message: ToThread): Promise<void> {
    if (message.kind === 'write') {
      await write(message)
      return
    }
    // What was asked before it is answered.
    if (message.kind === 'close') while (await nextRead());
    say({ kind: 'answered', id: message.id, answer: change(message) })
  }

  async function write(batch: Extract<ToThread, { kind: 'write' }>): Promise<void> {
    await nextRead()
    for (const _part of writer.write(batch)) await nextRead()
    written = batch.rows.batch
    commitTimer ??= setTimeout(() => inTurn(commit), commitWaitMs)
    say({ kind: 'written', events: batch.events })
    if (waiting.length === 0) return
    const asked = waiting
    waiting = []
    for (const read of asked) await takeRead(read)
  }

  function commit(): void {
    commitTimer = undefined
    writer.commit()
  }

  /** Takes the next read, if there is one. */
  async function nextRead(): Promise<boolean> {
    const read = arrived.shift() ?? (receiveMessageOnPort(reads)?.message as Read | undefined)
    if (read !== undefined) await takeRead(read)
    return read !== undefined
  }

  async function takeRead(read: Read): Promise<void> {
    if (read.after > written) {
      waiting.push(read)
      return
    }
    const { id, name, query } = read
    if (name === 'candles') writer.showCandles()
    try {
      const answer = await reader.read(name, query)
      say(answer instanceof PageText ? { kind: 'page', id, page: answer } : { kind: 'answered', id, answer })
    } catch (error) {
      say({ kind: 'unanswered', id, error })
    }
  }

  function change(message: Exclude<ToThread, { kind: 'write' }>): unknown {
    switch (message.kind) {
      case 'flush':
        return writer.commit()
      case 'sync':
        return writer.sync()
      case 'prune':
        return writer.prune(message.before)
      case 'close':
        clearTimeout(commitTimer)
        writer.sync()
        return store.close()
    }
  }
}
