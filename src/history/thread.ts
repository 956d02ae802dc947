/**
 * The history's own thread: opens the database and handles messages one after the other.
 *
 * After a failed write nothing more is done: what follows would leave a gap. The door tells everyone who asks.
 *
 * Yields  to the venue's thread where there is one core for both: an order waits for nobody's records. (On Linux a
 *         thread has a priority of its own; elsewhere it would be the process's.)
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { PageText } from './page-text.ts'
import type { FromThread, ThreadOptions, ToThread } from './protocol.ts'
import { Reader } from './reader.ts'
import { SqliteStore } from './sqlite.ts'
import { commitWaitMs, Writer } from './writer.ts'

const door = parentPort
if (door === null) throw new Error('this file is the history’s thread: openHistory starts it')

/** A third of the venue's share where both want the core: more than its part of the work is. */
const priority = 5
if (process.platform === 'linux') setPriority(0, priority)

const say = (message: FromThread) => door.postMessage(message)

try {
  const store = await SqliteStore.open((workerData as ThreadOptions).file)
  listen(store)
  say({ kind: 'opened', appliedSequence: store.appliedSequence() })
} catch (error) {
  say({ kind: 'failed', error })
  door.close()
}

function listen(store: SqliteStore): void {
  const writer = new Writer(store, (sequence) => say({ kind: 'committed', sequence }))
  const reader = new Reader(store)
  let failed = false
  let turn = Promise.resolve()
  let commitTimer: NodeJS.Timeout | undefined
  const inTurn = (message: ToThread | { readonly kind: 'commit' }) => {
    turn = turn.then(() => handle(message))
  }
  door?.on('message', inTurn)

  async function handle(message: Parameters<typeof inTurn>[0]): Promise<void> {
    if (failed) return
    try {
      if (message.kind === 'write') {
        writer.write(message)
        commitTimer ??= setTimeout(() => inTurn({ kind: 'commit' }), commitWaitMs)
        say({ kind: 'written', events: message.events })
      } else if (message.kind === 'commit') {
        commitTimer = undefined
        writer.commit()
      } else if (message.kind === 'read') {
        await answerRead(message)
      } else {
        say({ kind: 'answered', id: message.id, answer: change(message) })
      }
    } catch (error) {
      failed = true
      say({ kind: 'failed', error })
      store.close() // lets go of whatever was not committed
    }
  }

  async function answerRead({ id, name, ask }: Extract<ToThread, { kind: 'read' }>): Promise<void> {
    writer.show()
    try {
      const answer = await reader.read(name, ask)
      say(answer instanceof PageText ? { kind: 'page', id, page: answer } : { kind: 'answered', id, answer })
    } catch (error) {
      say({ kind: 'unanswered', id, error })
    }
  }

  function change(message: Extract<ToThread, { kind: 'flush' | 'sync' | 'prune' | 'close' }>): unknown {
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
