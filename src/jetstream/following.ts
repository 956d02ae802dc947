/**
 * Who follows the log: its entries in order, for ever.
 *
 * Ahead   who is far behind asks for several at once of those that are known to stand there, and does not wait once for each
 * Behind  the end it looks every 20 ms; at each fiftieth look also for a hole
 * Fails   what has no answer is asked for again. LogBroken ends it
 */
import { LogBroken, type LogEntry } from '../replication/replication.ts'

export interface FollowedLog {
  /** Undefined: the server that leads does not have it. Rejects with LogDown. */
  read(position: number): Promise<Uint8Array | undefined>
  /** The same, and whether it is a hole: then another server is asked. Rejects with LogBroken too. */
  at(position: number): Promise<Uint8Array | undefined>
  /** The last position that stands there. Rejects with LogDown. */
  last(): Promise<number>
}

const pollMs = 20
const againMs = 100
/** Looks behind the end until it is asked where the end is: a hole there is found as late. */
const looksUntilEnd = 50
/** So many that come without a wait mean that there may be many more. */
const rowLong = 4
const aheadMost = 16

export function following(from: number, log: FollowedLog): AsyncIterableIterator<LogEntry> {
  let position = from
  let isOver = false
  /** How many came without a wait. */
  let row = 0
  let aheadMax = aheadMost
  /** Of the position on, one behind the other. */
  let ahead: Promise<Uint8Array | undefined>[] = []

  const askAhead = async () => {
    const last = await log.last().catch(() => 0)
    for (let next = position; next <= last && ahead.length < aheadMax; next++) {
      const asked = log.read(next)
      // Who waits for it hears why.
      asked.catch(() => {})
      ahead.push(asked)
    }
    if (ahead.length === 0) row = 0
  }

  /** Undefined: nothing was asked for ahead, or what was has failed. */
  const takeAhead = async () => {
    const message = await ahead.shift()?.catch(() => undefined)
    if (message !== undefined) {
      if (ahead.length === 0) aheadMax = Math.min(aheadMost, 2 * aheadMax)
      return message
    }
    if (ahead.length > 0) aheadMax = Math.max(1, aheadMax >> 1)
    ahead = []
    return undefined
  }

  const next = async (): Promise<IteratorResult<LogEntry>> => {
    for (let looks = 0; !isOver; looks++) {
      try {
        if (ahead.length === 0 && row >= rowLong) await askAhead()
        const isLookedInto = looks % looksUntilEnd === 0
        const message = (await takeAhead()) ?? (await (isLookedInto ? log.at(position) : log.read(position)))
        if (message !== undefined) {
          row += 1
          return { done: false, value: { position: position++, message } }
        }
        row = 0
        await pause(pollMs)
      } catch (error) {
        if (error instanceof LogBroken && !isOver) throw error
        row = 0
        await pause(againMs)
      }
    }
    return { done: true, value: undefined }
  }
  return {
    next,
    return: async () => {
      isOver = true
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
