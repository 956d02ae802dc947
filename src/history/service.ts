/**
 * The history at work: writes rows in the order in which they came, and answers reads in between.
 *
 * Where   on a thread of its own (thread.ts), or on the venue's: where history is kept in memory, a thread for each venue
 *         would cost more than all the rest of it (docs/decisions/0024-history-of-many-venues.md)
 * Reads   wait for the last batch that has rows of theirs, and for a part of the one that is being written: a read of an account
 *         does not wait until all that happened to others is written
 * Failed  after a failed write nothing more is done: what follows would leave a gap. The door says so to everyone who reads
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { PageText } from './page-text.ts'
import type { FromService, Read, ToService } from './protocol.ts'
import { Reader } from './reader.ts'
import { SqliteStore } from './sqlite.ts'
import { commitWaitMs, Writer } from './writer.ts'

/** `rows` takes what has to keep its order, and gets every answer; `reads` takes reads. Both are this side's ends. */
export function serveHistory(opened: SqliteStore, rows: MessagePort, reads: MessagePort): void {
  const say = (message: FromService) => rows.postMessage(message)
  let store = opened
  const writer = new Writer(store, (sequence) => say({ kind: 'committed', sequence }))
  let reader = new Reader(store)
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
  rows.on('message', (message: ToService) => inTurn(() => handle(message)))
  reads.on('message', (read: Read) => {
    arrived.push(read)
    inTurn(async () => void (await nextRead()))
  })

  async function handle(message: ToService): Promise<void> {
    if (message.kind === 'write') {
      await write(message)
      return
    }
    // What was asked before it is answered.
    if (message.kind === 'close' || message.kind === 'restore') while (await nextRead());
    say({ kind: 'answered', id: message.id, answer: change(message) })
  }

  async function write(batch: Extract<ToService, { kind: 'write' }>): Promise<void> {
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

  function change(message: Exclude<ToService, { kind: 'write' }>): unknown {
    switch (message.kind) {
      case 'flush':
        return writer.commit()
      case 'sync':
        return writer.sync()
      case 'prune':
        return writer.prune(message.before)
      case 'rules':
        writer.sync()
        return store.noteRules(message.note)
      case 'save':
        writer.commit()
        return store.save()
      case 'restore':
        return restore(message.saved)
      case 'close':
        clearTimeout(commitTimer)
        writer.sync()
        return store.close()
    }
  }

  /** What was written since is gone; whoever asks from now on sees what was saved. */
  function restore(saved: Uint8Array): void {
    clearTimeout(commitTimer)
    commitTimer = undefined
    writer.commit()
    store.close()
    store = SqliteStore.restored(saved)
    writer.goOnIn(store)
    reader = new Reader(store)
  }
}
